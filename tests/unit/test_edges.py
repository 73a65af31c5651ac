"""Input that is wrong, or right and strange: a sentence or an answer, never a hang or a traceback from inside."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.svm import SVC
from small_data import blobs, trained

from mcsvm import InputError, MultiClassSVC
from mcsvm.solvers.kernels import KERNELS
from mcsvm.solvers.machines import MACHINES
from mcsvm.solvers.posing import pose

X, Y = blobs(n=30, classes=3, seed=6)
WRONG = {
    "machine": ["svm", 3, None, ["ww"]],
    "solver": ["simplex", 3, None, ["auto"]],
    "kernel": ["cosine", 3, None, ["rbf"]],
    "C": [0, -1.0, np.nan, np.inf, "1", None, [1.0], True],
    "gamma": [0, -1.0, np.nan, np.inf, "wide", None, [1.0]],
    "margin": [0, -1.0, np.nan, "wide", [1.0]],
    "bias": ["some", 1, True, ["none"]],
    "class_weight": ["even", 3, [1.0, 2.0], {0: 0.0}, {0: -1.0}, {1: "two"}, {0: np.nan}, {"zero": 2.0}],
    "tol": [0, -1e-3, np.nan, "small", None],
    "gap_tol": [0, -1e-3, np.nan, "small"],
    "max_iter": [0, -2, 1.5, "many", np.nan],
    "time_limit": [0, -1, np.nan, "soon"],
    "cache_mb": [0, -1, np.nan, "all", None],
    "threads": [0, -1, 1.5, "two", True],
    "warm_start": ["yes", 1, None],
    "callback": ["stop", 1],
    "decision_function_shape": ["pairs", 1, None],
    "break_ties": ["yes", 1, None],
    "calibration": ["platt", 1, True],
    "calibration_folds": [1, 2.5, "five", None],
}


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in WRONG.items() for value in values])
def test_a_wrong_parameter_is_named_in_a_sentence(name: str, value: Any) -> None:
    with pytest.raises(InputError) as refusal:
        MultiClassSVC(**{name: value}).fit(X, Y)
    sentence = str(refusal.value)
    assert name in sentence
    assert sentence.endswith(".")
    assert len(sentence.split()) >= 6


@pytest.mark.parametrize(
    ("name", "value"), [("degree", 0), ("degree", 2.5), ("degree", "two"), ("coef0", np.inf), ("coef0", "one")]
)
def test_a_wrong_kernel_parameter_is_named(name: str, value: Any) -> None:
    with pytest.raises(InputError, match=name):
        MultiClassSVC(kernel="polynomial", **{name: value}).fit(X, Y)


def test_a_class_weight_for_an_unknown_label_lists_the_labels() -> None:
    with pytest.raises(InputError, match=r"names 'bea', which is no label; the labels are 'ant', 'bee', 'cow'\."):
        trained(X, np.array(["ant", "bee", "cow"])[Y], class_weight={"ant": 1.0, "bea": 2.0})


def test_a_class_weight_for_a_class_that_a_fold_lacks_is_no_slip() -> None:
    weights = {0: 1.0, 1: 2.0, 2: 3.0}
    few = Y != 2
    assert set(trained(X[few], Y[few], class_weight=weights).predict(X)) <= {0, 1}


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_no_number_in_the_features(bad: float, form: Any) -> None:
    x = X.copy()
    x[4, 1] = bad
    with pytest.raises(ValueError, match=r"NaN|infinity"):
        trained(form(x), Y)
    with pytest.raises(InputError, match=r"1 times, first in row 4, column 1;"):
        pose(form(x), Y, machine="ww", kernel=KERNELS["linear"]())
    model = trained(X, Y)
    with pytest.raises(ValueError, match=r"NaN|infinity"):
        model.predict(form(x))


LABELS = {
    "one class": (np.zeros(30, dtype=int), "one class"),
    "numbers in between": (np.linspace(0.1, 0.9, 30), "[Uu]nknown label type|continuous"),
    "too few": (Y[:-1], "inconsistent|rows"),
    "a table": (np.stack([Y, Y], axis=1), "1d|shape|multilabel|[Uu]nknown label type"),
    "missing": (np.where(np.arange(30) < 3, np.nan, Y), "NaN"),
    "nothing": (None, "y"),
}


@pytest.mark.parametrize("case", LABELS)
def test_wrong_labels(case: str) -> None:
    labels, words = LABELS[case]
    with pytest.raises(ValueError, match=words):
        trained(X, labels)


@pytest.mark.parametrize(
    "features",
    [np.empty((0, 2)), np.empty((30, 0)), X[:, 0], X[None], "text", [["a", "b"]] * 30, [[1.0], [1.0, 2.0]], X * 1j],
    ids=["no rows", "no columns", "a row", "a cube", "text", "words", "ragged", "complex"],
)
def test_wrong_features(features: Any) -> None:
    with pytest.raises(ValueError, match=r"[a-z]+ [a-z]+ [a-z]+"):
        trained(features, Y)
    with pytest.raises(InputError):
        pose(features, Y, machine="ww", kernel=KERNELS["linear"]())


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        (np.array([], dtype=int), "no examples"),
        (Y.astype(float), "whole numbers"),
        (Y - 1, "from 0 to"),
        (Y[:, None], "one class number per example"),
        (Y[:-1], "equally many"),
        (np.zeros(30, dtype=int), "one class"),
    ],
)
def test_pose_explains_wrong_labels(labels: np.ndarray, words: str) -> None:
    with pytest.raises(InputError, match=words):
        pose(X, labels, machine="ww", kernel=KERNELS["linear"]())


def test_pose_explains_a_label_beyond_the_classes() -> None:
    with pytest.raises(InputError, match="they must be from 0 to 1"):
        pose(X, Y, machine="ww", kernel=KERNELS["linear"](), classes=2)


def test_pose_explains_a_class_without_examples() -> None:
    with pytest.raises(InputError, match="Class 1 has no examples"):
        pose(X, 2 * (Y > 0), machine="ovo", kernel=KERNELS["linear"]())


def test_predicting_before_fitting_or_with_other_features() -> None:
    with pytest.raises(ValueError, match="not fitted"):
        MultiClassSVC().predict(X)
    with pytest.raises(ValueError, match="features"):
        trained(X, Y).predict(X[:, :1])


def test_a_precomputed_kernel_must_be_square_and_symmetric() -> None:
    matrix = X @ X.T
    with pytest.raises(InputError, match="square"):
        trained(matrix[:, :20], Y, kernel="precomputed")
    matrix[0, 1] += 1.0
    with pytest.raises(InputError, match="symmetric"):
        trained(matrix, Y, kernel="precomputed")


@pytest.mark.parametrize("kernel", ["linear", "polynomial"])
def test_features_beyond_the_arithmetic(kernel: str) -> None:
    with pytest.raises(InputError, match="Scale the features"):
        trained(X * 1e200, Y, kernel=kernel)


# -- strange, but right -----------------------------------------------------------------------------


@pytest.mark.parametrize("machine", MACHINES)
def test_all_rows_equal(machine: str) -> None:
    model = trained(np.ones((30, 2)), np.sort(Y), machine=machine)
    assert_answered(model, np.ones((30, 2)))


@pytest.mark.parametrize("kernel", ["linear", "polynomial", "rbf", "sigmoid"])
@pytest.mark.parametrize("machine", MACHINES)
def test_all_features_zero(machine: str, kernel: str) -> None:
    assert_answered(trained(np.zeros((30, 2)), Y, machine=machine, kernel=kernel), np.zeros((30, 2)))


def assert_answered(model: MultiClassSVC, x: np.ndarray) -> None:
    proof = model.certificate_
    assert model.ending_.value == "converged"
    assert proof.gap >= -1e-9 * abs(proof.primal)
    assert np.isfinite(model.decision_function(x)).all()
    assert np.unique(model.predict(x)).size == 1  # rows that do not differ get one answer


@pytest.mark.parametrize("machine", MACHINES)
def test_the_same_rows_with_different_labels(machine: str) -> None:
    x = np.concatenate([X[:10], X[:10], X[:10]])
    y = np.repeat([0, 1, 2], 10)
    model = trained(x, y, machine=machine, C=100.0)
    assert model.ending_.value == "converged"
    np.testing.assert_array_equal(model.predict(x[:10]), model.predict(x[10:20]))


@pytest.mark.filterwarnings("ignore:The training converged within tol:sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("machine", MACHINES)
def test_a_class_with_one_example(machine: str) -> None:
    y = np.where(np.arange(30) == 7, 2, Y % 2)
    model = trained(X, y, machine=machine, C=1000.0, tol=1e-3)
    assert model.ending_.value == "converged"
    assert model.n_support_.shape == (3,)


def test_two_examples() -> None:
    x, y = np.array([[0.0], [2.0]]), np.array([0, 1])
    model = trained(x, y, machine="ovo", kernel="linear", C=10.0)
    np.testing.assert_allclose(model.decision_function(x), [-1.0, 1.0], atol=1e-6)


@pytest.mark.parametrize("machine", ["ww", "cs", "llw", "ova", "ovo", "dag"])
def test_huge_features(machine: str) -> None:
    model = MultiClassSVC(machine=machine, gamma="scale").fit(X * 1e6, Y)
    small = MultiClassSVC(machine=machine, gamma="scale").fit(X, Y)
    assert model.ending_.value == "converged"
    assert model.certificate_.primal == pytest.approx(small.certificate_.primal, rel=1e-3)


def test_huge_features_in_a_narrow_kernel() -> None:
    x = X * 1e6
    reference = SVC(gamma=1.0, tol=1e-7).fit(x, Y)
    model = trained(x, Y, machine="ovo", gamma=1.0)
    np.testing.assert_array_equal(model.predict(x), reference.predict(x))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("machine", ["ww", "ovo"])
def test_huge_features_in_a_linear_kernel_end(machine: str) -> None:
    model = trained(X * 1e6, Y, machine=machine, kernel="linear", max_iter=20_000)
    assert model.ending_.value in ("converged", "stalled", "step limit")
    assert model.certificate_.gap >= -1e-6 * model.certificate_.primal


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("bias", ["none", "regularized", "exact"])
@pytest.mark.parametrize("machine", MACHINES)
def test_a_kernel_that_is_not_positive_ends_with_its_certificate(machine: str, bias: str) -> None:
    model = trained(X * 3, Y, machine=machine, kernel="sigmoid", gamma=2.0, coef0=-1.0, bias=bias, C=10.0, tol=1e-3)
    assert model.ending_.value in ("converged", "stalled")
    assert np.isfinite([model.certificate_.primal, model.certificate_.dual]).all()
    assert model.certificate_.infeasibility <= 1e-6


def test_features_with_an_empty_sparse_row() -> None:
    x = np.where(np.abs(X) > 1.0, X, 0.0)
    x[3] = 0.0
    np.testing.assert_allclose(
        trained(sp.csr_array(x), Y).decision_function(sp.csr_array(x)), trained(x, Y).decision_function(x), atol=1e-4
    )
