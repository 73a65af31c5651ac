"""The smallest change that is decided otherwise: the model confirms it, it stays where it may, and it is small."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize
from small_data import blobs, trained

from mcsvm import InputError, explain
from mcsvm.solvers.budget import EXPLAIN
from mcsvm.solvers.explain.gradients import gradients
from mcsvm.solvers.machines import MACHINES


@pytest.mark.filterwarnings("ignore:The training stalled")  # tanh is not positive semidefinite
@pytest.mark.parametrize("kernel", ["rbf", "linear", "polynomial", "sigmoid"])
def test_gradients_are_those_of_differences(kernel: str) -> None:
    X, y = blobs(40, 3, 4)
    model = trained(X, y, machine="ovo", kernel=kernel, gamma=0.1, coef0=0.5, C=2.0, tol=1e-2)._model
    around = X[0] + 1e-5 * np.vstack([np.eye(4), -np.eye(4)])
    values = model.decision(around)
    np.testing.assert_allclose(gradients(model, X[0]), (values[:4] - values[4:]) / 2e-5, atol=1e-6)


@pytest.mark.parametrize("machine", MACHINES)
def test_the_model_confirms_and_ranges_hold(machine: str) -> None:
    X, y = blobs(60, 3, 4)
    model = trained(X, y, machine=machine, C=5.0, tol=1e-2)
    for row in X[:4]:
        found = explain.flip(model, row, X)
        assert model.predict([row])[0] == found.before
        assert model.predict([found.row])[0] == found.after != found.before
        assert (found.row >= X.min(axis=0)).all()
        assert (found.row <= X.max(axis=0)).all()
        share = (found.row - row) / (X.max(axis=0) - X.min(axis=0))
        assert found.distance == pytest.approx(np.linalg.norm(share))
        assert found.why is None


def test_to_a_plane_it_is_hardly_more_than_the_distance() -> None:
    X, y = blobs(80, 2, 3)
    model = trained(X, y, kernel="linear", machine="ova", C=1.0)
    spread = X.max(axis=0) - X.min(axis=0)
    row = X.mean(axis=0)
    found = explain.flip(model, row, X)
    slope = model.coef_[0] * spread
    nearest = abs(model.decision_function([row])[0]) / np.linalg.norm(slope)
    assert 0.999 * nearest <= found.distance <= EXPLAIN.slack * nearest


@pytest.mark.slow
def test_of_changes_hardly_farther_one_of_few_columns_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = blobs(80, 3, 8)
    model = trained(X, y, C=10.0, gamma=0.05)
    found = [explain.flip(model, row, X) for row in X[:8]]
    monkeypatch.setattr("mcsvm.solvers.explain.search._of_fewer_columns", lambda room, row, other: row)
    nearest = [explain.flip(model, row, X) for row in X[:8]]
    assert sum(one.changed.size for one in found) < 0.8 * sum(one.changed.size for one in nearest)
    assert all(one.distance <= EXPLAIN.slack * other.distance for one, other in zip(found, nearest, strict=True))


@pytest.mark.slow
def test_it_is_hardly_farther_than_what_a_general_method_finds() -> None:
    X, y = blobs(80, 3, 3)
    model = trained(X, y, C=10.0, gamma=0.3)
    low, high = X.min(axis=0), X.max(axis=0)
    spread = high - low
    for row in X[:6]:
        found = explain.flip(model, row, X)
        values = model.decision_function([row])[0]
        own = int(values.argmax())

        def lead(x: np.ndarray, rival: int, own: int = own) -> float:
            f = model.decision_function([x])[0]
            return float(f[rival] - f[own])

        other = [
            minimize(
                lambda x, row=row: np.square((x - row) / spread).sum(),
                start,
                bounds=list(zip(low, high, strict=True)),
                constraints={"type": "ineq", "fun": lead, "args": (rival,)},
                method="SLSQP",
            )
            for rival in {0, 1, 2} - {own}
            for start in (row, X[(y == rival).argmax()])
        ]
        best = min(np.sqrt(one.fun) for one in other if one.success)
        assert found.distance <= 1.05 * EXPLAIN.slack * best + 1e-6


def test_only_what_may_move_moves() -> None:
    X, y = blobs(60, 3, 4)
    model = trained(X, y, C=5.0)
    free = explain.flip(model, X[3], X)
    found = explain.flip(model, X[3], X, movable=[1, 2])
    assert set(found.changed) <= {1, 2}
    assert model.predict([found.row])[0] == found.after
    assert found.distance >= free.distance / EXPLAIN.slack
    none = explain.flip(model, X[3], X, movable=[])
    assert none.row is none.after is none.distance is None
    assert none.why == "no column that may change has a second value"
    masked = explain.flip(model, X[3], X, movable=np.array([False, True, True, False]))
    assert masked.distance == found.distance


def test_whole_numbers_stay_whole() -> None:
    X, y = blobs(90, 3, 3)
    X[:, :2] = np.round(4.0 * X[:, :2])
    model = trained(X, y, C=5.0, gamma=0.05)
    for row in X[:8]:
        found = explain.flip(model, row, X, integers=[0, 1])
        assert (found.row[:2] == np.round(found.row[:2])).all()
        assert model.predict([found.row])[0] == found.after != found.before
        nearer = found.row.copy()  # a step back towards the row is decided as before
        for column in np.flatnonzero(found.row[:2] != row[:2]):
            nearer[column] -= np.sign(found.row[column] - row[column])
            assert model.predict([nearer])[0] == found.before
            nearer[column] = found.row[column]


def test_categories_change_as_a_whole() -> None:
    rng = np.random.default_rng(0)
    level = rng.integers(0, 3, 90)
    X = np.hstack([np.eye(3)[level], rng.normal(size=(90, 1))])
    y = (level + (X[:, 3] > 0.8)) % 3
    model = trained(X, y, C=10.0)
    for row in X[:8]:
        found = explain.flip(model, row, X, categories=[[0, 1, 2]])
        assert found.row[:3].sum() == 1.0
        assert set(found.row[:3]) == {0.0, 1.0}
        fixed = explain.flip(model, row, X, categories=[[0, 1, 2]], movable=[3])
        assert fixed.row is None or (fixed.row[:3] == row[:3]).all()


def test_a_wanted_class_names_and_sparse_rows() -> None:
    X, y = blobs(60, 3, 4)
    names = np.array(["a", "b", "c"])[y]
    model = trained(sp.csr_array(X), names, machine="dag", C=5.0)
    row = X[names == "a"][0]
    found = explain.flip(model, sp.csr_array(row[None]), sp.csr_array(X), to="c")
    assert found.after == "c"
    assert model.predict(sp.csr_array(found.row[None]))[0] == "c"
    with pytest.raises(InputError, match="no class"):
        explain.flip(model, row, X, to="d")


@pytest.mark.parametrize("columns", [[4], ["x"], [0.5]])
def test_unknown_columns_are_refused(columns: list[Any]) -> None:
    X, y = blobs(30, 3, 4)
    with pytest.raises(InputError, match="no columns"):
        explain.flip(trained(X, y), X[0], X, movable=columns)


def test_the_reason_counts_the_known_rows_without_the_wanted_prediction() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    model = trained(X, (X[:, 0] > 0.0).astype(int), C=5.0, gamma=0.1)
    found = explain.flip(model, X[X[:, 0].argmax()], X[:4], movable=[2])
    assert found.row is None
    assert found.why == (
        "with the fixed columns unchanged, none of the 5 known rows gets the wanted prediction,"
        " and following the gradients reaches no decision boundary"
    )


def test_none_where_all_is_decided_alike() -> None:
    X, y = blobs(40, 2, 2)
    model = trained(X, y, kernel="linear")
    alike = X[model.predict(X) == 0][:3] * 0.0 + X[model.predict(X) == 0][0]
    found = explain.flip(model, alike[0], alike)
    assert found.row is None
    assert found.why is not None
