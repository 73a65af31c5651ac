"""MultiClassSVC.partial_fit: rows in portions, each learnt once."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from mcsvm import InputError, MultiClassSVC
from mcsvm.solvers.machines import MACHINES

ABLE = [name for name, machine in MACHINES.items() if machine.split != "joint"]
SOLVERS = ["auto", "lasvm", "lasvm-gradient", "lasvm-active", "lasvm-first-order"]


def clouds(n: int, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Three that overlap a little."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % 3)
    return 2.0 * np.stack([np.cos(2.1 * y), np.sin(2.1 * y)], axis=1) + rng.normal(size=(n, 2)), y


X, Y = clouds(1200)
NEW_X, NEW_Y = X[200:], Y[200:]
X, Y = X[:200], Y[:200]


def online(**parameters: Any) -> MultiClassSVC:
    return MultiClassSVC(**{"machine": "ova", "gamma": 0.7, "C": 2.0, **parameters})


def in_portions(model: MultiClassSVC, portion: int, x: Any = X, y: Any = Y) -> MultiClassSVC:
    for start in range(0, len(y), portion):
        rows = slice(start, start + portion)
        model.partial_fit(x[rows], y[rows], classes=np.unique(Y))
    return model


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("portion", [7, 200])
@pytest.mark.parametrize("machine", ABLE)
def test_one_pass_is_nearly_as_good_as_all_at_once(machine: str, portion: int, solver: str) -> None:
    model = in_portions(online(machine=machine, solver=solver), portion)
    batch = online(machine=machine).fit(X, Y)
    assert model.score(NEW_X, NEW_Y) >= batch.score(NEW_X, NEW_Y) - 0.03


@pytest.mark.parametrize("machine", ABLE)
def test_the_model_can_be_used_after_any_portion(machine: str) -> None:
    model = online(machine=machine)
    for start in range(0, 60, 3):
        model.partial_fit(X[start : start + 3], Y[start : start + 3], classes=[0, 1, 2])
        assert model.predict(NEW_X).shape == (1000,)
        assert model.decision_function(NEW_X).shape == (1000, 3)
        np.testing.assert_array_equal(model.n_support_, np.bincount(Y[model.support_], minlength=3))
        assert model.dual_coef_.shape == (3, model.support_.size)
    assert model.n_iter_ > 60
    assert model.kernel_evaluations_ > 0


def test_what_was_forgotten_cannot_be_certified() -> None:
    model = online().fit(X, Y)
    assert model.certificate_.gap >= 0.0
    model.partial_fit(NEW_X, NEW_Y)
    assert not {"certificate_", "ending_", "trace_", "solver_used_", "solver_reason_"} & set(vars(model))


@pytest.mark.parametrize("machine", ABLE)
def test_fitting_first_is_not_forgotten(machine: str) -> None:
    """Rows that violate nothing leave the functions of `fit` as they are, and those that do are learnt."""
    model = online(machine=machine, tol=1e-6).fit(X, Y)
    before = model.decision_function(NEW_X)
    idle = np.setdiff1d(np.arange(200), model.support_)
    model.partial_fit(X[idle], Y[idle])
    np.testing.assert_allclose(model.decision_function(NEW_X), before, atol=1e-4)
    model.partial_fit(NEW_X, NEW_Y)
    assert model.support_.max() >= 200 + idle.size
    assert model.score(X, Y) > 0.85


def test_fitting_anew_forgets_portions() -> None:
    once, again = online().fit(X, Y), in_portions(online(), 50).fit(X, Y)
    np.testing.assert_array_equal(once.decision_function(X), again.decision_function(X))
    assert again.certificate_ == once.certificate_


def test_a_pickle_goes_on_with_the_same_bits() -> None:
    model = in_portions(online(), 50)
    again = pickle.loads(pickle.dumps(model))
    for one in (model, again):
        one.partial_fit(NEW_X, NEW_Y)
    np.testing.assert_array_equal(model.decision_function(X), again.decision_function(X))


def test_the_same_portions_give_the_same_bits_and_other_lots_others() -> None:
    one, other = (in_portions(online(random_state=3), 50).decision_function(X) for _ in range(2))
    np.testing.assert_array_equal(one, other)
    assert not np.array_equal(one, in_portions(online(random_state=4), 50).decision_function(X))


@pytest.mark.parametrize("machine", ABLE)
def test_sparse_rows_are_rows(machine: str) -> None:
    """Rounding decides which of two equal examples is next, so that paths part a little."""
    dense, sparse = (in_portions(online(machine=machine), 50, rows) for rows in (X, sp.csr_matrix(X)))
    assert sp.issparse(sparse._model.points.rows)
    assert np.mean(dense.predict(NEW_X) == sparse.predict(NEW_X)) > 0.97


def test_labels_of_any_kind() -> None:
    names = np.array(["ant", "bee", "cow"])
    model = online().partial_fit(X, names[Y], classes=["cow", "ant", "bee"])
    assert model.classes_.tolist() == ["ant", "bee", "cow"]
    np.testing.assert_array_equal(model.predict(X), names[online().partial_fit(X, Y, classes=range(3)).predict(X)])


def test_weights_bound_what_a_row_can_do() -> None:
    model = online(class_weight={0: 0.25}).partial_fit(X, Y, classes=range(3))
    bounds = 2.0 * np.where(Y[model.support_] == 0, 0.25, 1.0)
    largest = np.abs(model.dual_coef_).max(axis=0)
    assert (largest <= bounds).all()
    assert np.isclose(largest, bounds).any()


def test_two_classes_have_one_column() -> None:
    x, y = X[Y < 2], Y[Y < 2]
    for machine in ABLE:
        model = online(machine=machine).partial_fit(x, y, classes=[0, 1])
        np.testing.assert_array_equal(model.predict(x), (model.decision_function(x) > 0).astype(int))


@pytest.mark.parametrize("machine", [name for name in MACHINES if name not in ABLE])
def test_joint_machines_have_none(machine: str) -> None:
    assert not hasattr(MultiClassSVC(machine), "partial_fit")


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"bias": "none"}, "exact bias"),
        ({"kernel": "precomputed"}, "precomputed"),
        ({"class_weight": "balanced"}, "balanced"),
        ({"solver": "nonsense"}, "'solver' parameter"),
        ({"C": -1.0}, "'C' parameter"),
        ({"gamma": 0.0}, "'gamma' parameter"),
        ({"margin": 0.0}, "'margin' parameter"),
        ({"tol": 0.0}, "'tol' parameter"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(parameters: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        online(**parameters).partial_fit(X, Y, classes=range(3))


def test_labels_must_have_been_announced() -> None:
    with pytest.raises(InputError, match="needs classes"):
        online().partial_fit(X, Y)
    with pytest.raises(InputError, match="label 2 is not one of the model's classes"):
        online().partial_fit(X, Y, classes=[0, 1])
    with pytest.raises(InputError, match="one class"):
        online().partial_fit(X, np.zeros_like(Y), classes=[0])
    model = online().partial_fit(X, Y, classes=range(3))
    with pytest.raises(InputError, match="cannot change the classes 0, 1, 2 of a model that is already fitted"):
        model.partial_fit(X, Y, classes=range(4))
    assert clone(model).partial_fit(X, Y, classes=range(4)).classes_.tolist() == [0, 1, 2, 3]


def test_parameters_stay_as_they_began() -> None:
    model = online().partial_fit(X, Y, classes=range(3)).set_params(C=7.0)
    with pytest.raises(InputError, match="cannot change C of a model that is already fitted"):
        model.partial_fit(X, Y)
