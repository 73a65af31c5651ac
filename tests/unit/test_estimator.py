"""MultiClassSVC: scikit-learn's own checks, and the contract's Python section."""

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import top_k_accuracy_score
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import (
    check_class_weight_classifiers,
    check_sample_weight_equivalence_on_dense_data,
    check_sample_weight_equivalence_on_sparse_data,
    parametrize_with_checks,
)
from small_data import blobs, trained

from mcsvm import InputError, MultiClassSVC
from mcsvm.solvers.machines import MACHINES

X, Y = blobs(n=60, classes=3, seed=4)
BINARY_X, BINARY_Y = blobs(n=40, classes=2, seed=8)
COLUMNS = ["iteration", "seconds", "dual", "primal", "violation", "support", "bounded"]


CHECKED = [MultiClassSVC(machine) for machine in MACHINES]  # at their default parameters
EQUIVALENCE = check_sample_weight_equivalence_on_dense_data, check_sample_weight_equivalence_on_sparse_data
# scikit-learn expects SVC to fail these as well: they need a tolerance below 1e-7, and gamma="scale" counts rows.
EXPECTED = dict.fromkeys((check.__name__ for check in EQUIVALENCE), "needs a small tol and a number for gamma")


# check_class_weight_classifiers gives a class the weight 1000, which makes the gap large at the default tol.
@pytest.mark.filterwarnings("ignore:The training converged within tol:sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(CHECKED, expected_failed_checks=lambda _: EXPECTED)
def test_scikit_learns_checks(estimator: MultiClassSVC, check: Any) -> None:
    check(estimator)


@pytest.mark.parametrize("machine", ["ww", "ovo"])
@pytest.mark.parametrize("check", EQUIVALENCE)
def test_scikit_learns_checks_that_weights_count_rows(machine: str, check: Any) -> None:
    check("MultiClassSVC", MultiClassSVC(machine=machine, tol=1e-10, gamma=0.1))


@pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.ConvergenceWarning"
)  # it sets max_iter, and weights of 1000 and 1e-4
@pytest.mark.parametrize("kernel", ["linear", "polynomial", "sigmoid"])
def test_scikit_learns_check_of_class_weights_with_other_kernels(kernel: str) -> None:
    """Half of its rows are below zero in all columns, so that it needs a constant in the class functions."""
    check_class_weight_classifiers("MultiClassSVC", MultiClassSVC(kernel=kernel))


@pytest.mark.parametrize("machine", ["ww", "cs"])
def test_a_linear_machine_has_a_bias_unless_it_is_told_otherwise(machine: str) -> None:
    generator = np.random.default_rng(0)
    features = np.concatenate([generator.normal(centre, 1.0, 100) for centre in (5.0, 8.0, 11.0)])[:, None]
    labels = np.repeat([0, 1, 2], 100)
    reference = SVC(kernel="linear").fit(features, labels).score(features, labels)
    model = trained(features, labels, machine=machine, kernel="linear")
    assert model.score(features, labels) >= reference - 0.01
    without = trained(features, labels, machine=machine, kernel="linear", bias="none", tol=1e-4)
    assert without.score(features, labels) < 0.5


def test_the_parameters_are_those_of_the_contract() -> None:
    assert MultiClassSVC().get_params() == {
        "machine": "ww",
        "solver": "auto",
        "kernel": "rbf",
        "C": 1.0,
        "gamma": "scale",
        "degree": 3,
        "coef0": 0.0,
        "margin": None,
        "bias": None,
        "class_weight": None,
        "tol": 1e-3,
        "gap_tol": None,
        "max_iter": None,
        "time_limit": None,
        "cache_mb": 500,
        "cache_size": None,
        "threads": None,
        "n_jobs": None,
        "verbose": False,
        "warm_start": False,
        "random_state": None,
        "callback": None,
        "decision_function_shape": "ovr",
        "break_ties": False,
        "calibration": None,
        "calibration_folds": 5,
    }


@pytest.mark.parametrize("machine", MACHINES)
def test_what_a_fitted_model_tells(machine: str) -> None:
    model = trained(X, Y, machine=machine)
    pairs = machine in ("ovo", "dag")
    outputs = 3
    assert model.classes_.tolist() == [0, 1, 2]
    assert model.support_.ndim == 1
    assert (np.diff(model.support_) > 0).all()
    assert model.n_support_.sum() == model.support_.size
    np.testing.assert_array_equal(model.n_support_, np.bincount(Y[model.support_], minlength=3))
    assert model.dual_coef_.shape == (outputs, model.support_.size)
    assert model.intercept_.shape == (outputs,)
    assert model.n_iter_ > 0
    assert model.ending_.value == "converged"
    proof = model.certificate_
    assert proof.gap == pytest.approx(proof.primal - proof.dual)
    assert proof.relative_gap == pytest.approx(proof.gap / max(abs(proof.primal), abs(proof.dual)))
    expansion = rbf_kernel(X, X[model.support_], gamma=0.7) @ model.dual_coef_.T + model.intercept_
    np.testing.assert_allclose(model.decision_function(X), expansion, atol=1e-9)
    if pairs:  # pair (0, 1) knows nothing of class 2
        assert not model.dual_coef_[0, Y[model.support_] == 2].any()


@pytest.mark.parametrize(("asked", "kernel", "used"), [("ipm", "rbf", "ipm"), ("auto", "linear", "linear-newton")])
def test_what_did_the_work_is_said(asked: str, kernel: str, used: str) -> None:
    model = trained(X, Y, solver=asked, kernel=kernel)
    assert model.solver_used_ == used
    assert ("asked for" in model.solver_reason_) == (asked == used)


@pytest.mark.parametrize("machine", ["ww", "cs", "ova", "ovo"])
def test_the_trace_has_the_contracts_columns(machine: str) -> None:
    model = trained(X, Y, machine=machine)
    assert list(model.trace_) == COLUMNS
    assert len({len(column) for column in model.trace_.values()}) == 1
    assert model.trace_["iteration"][-1] == model.n_iter_
    assert (np.diff(model.trace_["iteration"]) >= 0).all()
    assert (np.diff(model.trace_["seconds"]) >= 0).all()
    assert model.trace_["dual"][-1] == pytest.approx(model.certificate_.dual, rel=1e-6)
    assert model.trace_["primal"][-1] == pytest.approx(model.certificate_.primal, rel=1e-6)
    assert model.trace_["support"][-1] == model.support_.size


@pytest.mark.parametrize("machine", MACHINES)
def test_two_classes_give_one_column_positive_for_the_second(machine: str) -> None:
    model = trained(BINARY_X, BINARY_Y, machine=machine)
    values = model.decision_function(BINARY_X)
    assert values.shape == (40,)
    np.testing.assert_array_equal(model.predict(BINARY_X), (values > 0).astype(int))


@pytest.mark.parametrize("machine", [name for name in MACHINES if name not in ("ovo", "dag")])
def test_the_largest_class_function_wins(machine: str) -> None:
    model = trained(X, Y, machine=machine)
    values = model.decision_function(X)
    assert values.shape == (60, 3)
    np.testing.assert_array_equal(model.predict(X), values.argmax(axis=1))


@pytest.mark.parametrize("machine", ["ovo", "dag"])
def test_pair_functions_are_positive_for_the_first_class(machine: str) -> None:
    x, y = blobs(n=60, classes=4, seed=9)
    values = trained(x, y, machine=machine, C=100.0).decision_function(x)
    assert values.shape == (60, 6)
    pairs = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    for column, (first, second) in enumerate(pairs):
        assert (values[y == first, column] > 0).mean() > 0.5 > (values[y == second, column] > 0).mean()


def test_in_a_pipeline() -> None:
    model = make_pipeline(StandardScaler(), MultiClassSVC(C=10.0)).fit(X, Y)
    assert model.score(X, Y) > 0.8


def test_in_a_grid_search() -> None:
    search = GridSearchCV(MultiClassSVC(), {"C": [0.1, 10.0], "machine": ["ww", "ovo"]}, cv=3).fit(X, Y)
    assert set(search.best_params_) == {"C", "machine"}


def test_a_precomputed_kernel_in_a_grid_search() -> None:
    matrix = rbf_kernel(X, gamma=0.7)
    for machine in ("ww", "ovo"):
        given = cross_val_score(MultiClassSVC(machine, kernel="precomputed"), matrix, Y, cv=3)
        computed = cross_val_score(MultiClassSVC(machine, gamma=0.7), X, Y, cv=3)
        np.testing.assert_array_equal(given, computed)
    search = GridSearchCV(MultiClassSVC(kernel="precomputed"), {"C": [0.1, 10.0]}, cv=3).fit(matrix, Y)
    assert search.best_score_ > 0.5


@pytest.mark.parametrize("machine", ["ww", "ovo"])
@pytest.mark.parametrize("ensemble", [True, False])
def test_calibrated_probabilities(machine: str, ensemble: bool) -> None:
    x, y = blobs(n=100, classes=4, seed=9)
    base = MultiClassSVC(machine=machine)
    chances = CalibratedClassifierCV(base, cv=3, ensemble=ensemble).fit(x, y).predict_proba(x)
    assert chances.shape == (100, 4)
    np.testing.assert_allclose(chances.sum(axis=1), 1.0)
    assert (chances.argmax(axis=1) == y).mean() > 0.6


@pytest.mark.parametrize("machine", ["ovo", "dag"])
def test_scores_per_class_of_pairs_decide_alike(machine: str) -> None:
    x, y = blobs(n=100, classes=5, seed=9)
    model = trained(x, y, machine=machine, decision_function_shape="ovr")
    scores = model.decision_function(x)
    assert scores.shape == (100, 5)
    np.testing.assert_array_equal(scores.argmax(axis=1), model.predict(x))


def test_scores_of_pairs_serve_scikit_learns_calibration_and_rankings() -> None:
    """The columns of `decision_function` are the classes by default, as scikit-learn expects of every classifier."""
    x, y = blobs(n=200, classes=5, seed=9)
    model = MultiClassSVC(machine="ovo").fit(x, y)
    np.testing.assert_array_equal(model.decision_function(x).argmax(axis=1), model.predict(x))
    assert top_k_accuracy_score(y, model.decision_function(x), k=2) >= model.score(x, y)
    calibrated = CalibratedClassifierCV(MultiClassSVC(machine="ovo"), cv=3).fit(x, y)
    reference = CalibratedClassifierCV(SVC(), cv=3).fit(x, y)
    assert calibrated.score(x, y) >= reference.score(x, y) - 0.02


def test_clones_and_pickles() -> None:
    model = trained(X, Y, machine="cs", C=3.0)
    assert clone(model).get_params() == model.get_params()
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))
    assert again.certificate_ == model.certificate_


def test_score_is_the_share_of_right_answers() -> None:
    model = trained(X, Y)
    assert model.score(X, Y) == np.mean(model.predict(X) == Y)


def test_a_callback_stops_and_the_model_stands() -> None:
    seen = []

    def enough(sample: Any) -> bool:
        seen.append(sample)
        return len(seen) == 2

    x, y = blobs(n=300, classes=4, seed=2)
    with pytest.warns(ConvergenceWarning, match="callback stopped .* relative gap"):
        model = trained(x, y, C=100.0, callback=enough)
    assert model.ending_ == "stopped"
    assert len(seen) == 2
    assert len(model.trace_["dual"]) == 2
    assert model.certificate_.dual <= model.certificate_.primal
    assert model.predict(x).shape == (300,)


@pytest.mark.parametrize("limit", [{"max_iter": 5}, {"time_limit": 1e-9}])
def test_a_limit_ends_early_and_says_so(limit: dict[str, Any]) -> None:
    x, y = blobs(n=300, classes=4, seed=2)
    with pytest.warns(ConvergenceWarning, match="relative gap"):
        model = trained(x, y, C=100.0, **limit)
    assert model.ending_.value == {"max_iter": "step limit", "time_limit": "time limit"}[next(iter(limit))]
    assert 0.0 <= model.certificate_.dual <= model.certificate_.primal
    assert model.predict(x).shape == (300,)


@pytest.mark.parametrize("machine", ["ww", "cs", "llw", "ova", "ovo"])
def test_warm_start_reaches_the_same_optimum_in_fewer_steps(machine: str) -> None:
    x, y = blobs(n=120, classes=3, seed=2)
    cold = trained(x, y, machine=machine, C=8.0, tol=1e-4)
    warm = MultiClassSVC(machine=machine, C=7.0, gamma=0.7, tol=1e-4, warm_start=True).fit(x, y)
    warm.set_params(C=8.0).fit(x, y)
    assert warm.certificate_.dual == pytest.approx(cold.certificate_.dual, rel=1e-4)
    assert warm.n_iter_ < cold.n_iter_


@pytest.mark.parametrize("machine", ["ww", "cs", "llw", "ova", "ovo"])
def test_warm_start_pays_along_rising_costs(machine: str) -> None:
    x, y = load_digits(return_X_y=True)
    x, y = x[:300] / 16.0, y[:300]
    warm, steps = MultiClassSVC(machine, warm_start=True), {"warm": 0, "cold": 0}
    for cost in 2.0 ** np.arange(-3, 6):
        steps["warm"] += warm.set_params(C=cost).fit(x, y).n_iter_
        steps["cold"] += MultiClassSVC(machine, C=cost).fit(x, y).n_iter_
    assert steps["warm"] < 0.6 * steps["cold"]


def test_warm_start_again_is_done_at_once() -> None:
    model = MultiClassSVC(gamma=0.7, warm_start=True).fit(X, Y)
    before = model.n_iter_
    assert model.fit(X, Y).n_iter_ < before / 2


def test_warm_start_with_other_data_starts_afresh() -> None:
    model = MultiClassSVC(gamma=0.7, warm_start=True).fit(X, Y)
    fresh = trained(BINARY_X, BINARY_Y, tol=1e-3)
    again = model.fit(BINARY_X, BINARY_Y)
    np.testing.assert_array_equal(again.decision_function(BINARY_X), fresh.decision_function(BINARY_X))


def test_warm_start_with_other_labels_finds_their_optimum() -> None:
    other = np.roll(Y, 1)
    model = MultiClassSVC(gamma=0.7, tol=1e-6, warm_start=True).fit(X, Y)
    fresh = trained(X, other)
    assert model.fit(X, other).certificate_.dual == pytest.approx(fresh.certificate_.dual, rel=1e-6)


@pytest.mark.parametrize("machine", ["ww", "ova", "ovo"])
def test_balanced_weights_are_the_weights_by_hand(machine: str) -> None:
    keep = np.flatnonzero((Y != 0) | (np.arange(60) % 4 == 0))
    x, y = X[keep], Y[keep]
    by_hand = {label: y.size / (3 * np.sum(y == label)) for label in range(3)}
    balanced = trained(x, y, machine=machine, class_weight="balanced")
    given = trained(x, y, machine=machine, class_weight=by_hand)
    assert balanced.certificate_.dual == pytest.approx(given.certificate_.dual, rel=1e-9)


def test_a_gap_is_a_reason_to_end() -> None:
    model = trained(X, Y, tol=1e-12, gap_tol=1e-2)
    assert model.ending_.value == "converged"
    assert model.certificate_.relative_gap <= 1e-2
    assert model.certificate_.violation > 1e-12


def test_scale_is_scikit_learns_gamma() -> None:
    explicit = trained(X, Y, gamma=1.0 / (X.shape[1] * X.var()))
    scaled = trained(X, Y, gamma="scale")
    assert scaled.certificate_.dual == pytest.approx(explicit.certificate_.dual, rel=1e-9)
    assert trained(sp.csr_array(X), Y, gamma="scale").certificate_.dual == pytest.approx(
        explicit.certificate_.dual, rel=1e-6
    )


SHAPES = {
    "float32": lambda x: x.astype(np.float32),
    "lists": lambda x: x.tolist(),
    "fortran": np.asfortranarray,
    "strided": lambda x: np.repeat(x, 2, axis=1)[:, ::2],
    "read-only": lambda x: frozen(x),
    "csr": sp.csr_array,
    "csc": sp.csc_array,
    "csr matrix": sp.csr_matrix,
    "coo": sp.coo_array,
    "long indices": lambda x: long_indices(sp.csr_array(x)),
    "frame": lambda x: pd.DataFrame(x, columns=["length", "width"]),
}


def frozen(x: np.ndarray) -> np.ndarray:
    x = x.copy()
    x.setflags(write=False)
    return x


def long_indices(x: sp.csr_array) -> sp.csr_array:
    x.indices, x.indptr = x.indices.astype(np.int64), x.indptr.astype(np.int64)
    return x


@pytest.mark.parametrize("machine", ["ww", "ovo"])
@pytest.mark.parametrize("shape", SHAPES)
def test_features_of_any_shape(shape: str, machine: str) -> None:
    x = X.astype(np.float32).astype(float)
    given = SHAPES[shape](x)
    model = trained(given, Y, machine=machine)
    expected = trained(x, Y, machine=machine)
    np.testing.assert_allclose(model.decision_function(given), expected.decision_function(x), atol=1e-4)
    np.testing.assert_array_equal(model.predict(given), expected.predict(x))


@pytest.mark.parametrize("kind", [int, bool, np.int8, np.uint16])
def test_features_of_any_number_type(kind: type) -> None:
    x = (X > 0).astype(kind)
    model, expected = trained(x, Y), trained(x.astype(float), Y)
    np.testing.assert_array_equal(model.decision_function(x), expected.decision_function(x.astype(float)))


def test_feature_names_are_remembered() -> None:
    frame = pd.DataFrame(X, columns=["length", "width"])
    model = trained(frame, Y)
    assert model.feature_names_in_.tolist() == ["length", "width"]
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[["width", "length"]])


@pytest.mark.parametrize(
    "names", [["ant", "bee", "cow"], [-1, 0, 7], [1.0, 2.0, 5.0], np.array(["a", "b", "c"], dtype=object)]
)
def test_labels_of_any_kind(names: Any) -> None:
    labels = np.asarray(names)[Y]
    model = trained(X, labels)
    assert model.classes_.tolist() == sorted(np.asarray(names).tolist())
    np.testing.assert_array_equal(model.predict(X), np.asarray(names)[trained(X, Y).predict(X)])


def test_labels_as_a_pandas_series() -> None:
    labels = pd.Series(np.array(["ant", "bee", "cow"])[Y], dtype="category")
    assert set(trained(X, labels).predict(X)) <= {"ant", "bee", "cow"}


@pytest.mark.parametrize("machine", ["ww", "ova", "ovo", "dag"])
def test_a_precomputed_kernel_predicts_new_rows(machine: str) -> None:
    train, test = np.arange(0, 40), np.arange(40, 60)
    matrix = rbf_kernel(X, gamma=0.7)
    given = trained(matrix[np.ix_(train, train)], Y[train], machine=machine, kernel="precomputed")
    computed = trained(X[train], Y[train], machine=machine)
    new = matrix[np.ix_(test, train)]
    np.testing.assert_allclose(given.decision_function(new), computed.decision_function(X[test]), atol=1e-4)
    np.testing.assert_array_equal(given.predict(new), computed.predict(X[test]))


@pytest.mark.parametrize("method", ["fit", "partial_fit"])
def test_several_labels_of_a_row_are_refused_in_words(method: str) -> None:
    labels = np.array([[0, 1], [1, 0], [1, 1]])
    with pytest.raises(InputError, match=r"Multilabel and multioutput targets are not supported: .*\(3, 2\) instead"):
        getattr(MultiClassSVC(machine="ova"), method)(np.eye(3), labels)
