"""Rows far from zero: under an exact bias a translation changes the bias alone, and training obeys that."""

from __future__ import annotations

import io
import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC
from small_data import blobs

from mcsvm import MultiClassSVC, Run, pose
from mcsvm.solvers.kernels import KERNELS, Kernel
from mcsvm.solvers.machines import MACHINES
from mcsvm.solvers.selection.settings import TrainingSettings
from mcsvm.solvers.selection.trials.shared import FoldRows, KernelFamily
from mcsvm.solvers.selection.trials.task import Task, perform

X, Y = blobs(n=90, classes=3, features=3, seed=6)


def year_column() -> tuple[np.ndarray, np.ndarray]:
    features, labels = make_classification(600, 10, n_informative=6, n_classes=4, random_state=0)
    return np.c_[features, np.random.default_rng(0).normal(2000.0, 10.0, 600)], labels


@pytest.mark.parametrize("machine", MACHINES)
def test_a_translation_changes_the_bias_alone(machine: str) -> None:
    near = MultiClassSVC(machine=machine, kernel="linear", bias="exact", gap_tol=1e-7).fit(X, Y)
    far = MultiClassSVC(machine=machine, kernel="linear", bias="exact", gap_tol=1e-7).fit(X + 1000.0, Y)
    assert far.ending_ == "converged"
    assert far.certificate_.primal == pytest.approx(near.certificate_.primal, rel=1e-6)
    np.testing.assert_allclose(far.decision_function(X + 1000.0), near.decision_function(X), atol=2e-3)
    np.testing.assert_array_equal(far.support_vectors_, (X + 1000.0)[far.support_])


@pytest.mark.parametrize("solver", ["auto", "smo", "s2do", "ipm"])
def test_a_column_of_years_does_not_stall_the_training(solver: str) -> None:
    features, labels = year_column()
    model = MultiClassSVC(machine="ovo", solver=solver, kernel="linear", decision_function_shape="ovo").fit(
        features, labels
    )
    assert model.ending_ == "converged"
    reference = SVC(kernel="linear", decision_function_shape="ovo", tol=1e-6).fit(
        features - features.mean(axis=0), labels
    )
    values = reference.decision_function(features - features.mean(axis=0))
    np.testing.assert_allclose(model.decision_function(features), values, atol=0.05)


@pytest.mark.parametrize("machine", ["ww", "cs", "llw", "ova", "ovo"])
def test_the_zero_of_a_polynomial_feature_space_moves(machine: str) -> None:
    """Primal and dual enclose the optimum of the kernel as it is."""
    far = X + 30.0
    model = MultiClassSVC(machine=machine, kernel="poly", gamma=0.01, bias="exact", C=0.01, gap_tol=1e-5).fit(far, Y)
    assert model.ending_ == "converged"
    assert model.certificate_.relative_gap <= 1e-5
    K = (0.01 * far @ far.T) ** 3
    given = MultiClassSVC(machine=machine, kernel="precomputed", bias="exact", C=0.01, gap_tol=1e-3, max_iter=10**6)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        reference = given.fit(K, Y).certificate_
    assert model.certificate_.dual <= reference.primal * (1 + 1e-6)
    assert reference.dual <= model.certificate_.primal * (1 + 1e-6)


@pytest.mark.parametrize("machine", ["ww", "ovo"])
@pytest.mark.parametrize("kernel", [KERNELS["polynomial"](gamma=0.01), KERNELS["linear"]()])
def test_slices_and_checkpoints_give_the_same_bits(kernel: Kernel, machine: str) -> None:
    problem = pose(X + 30.0, Y, machine=machine, kernel=kernel, bias="exact", cost=0.01)
    assert problem.origin is not None
    whole, sliced = Run(problem), Run(problem)
    while whole.running:
        whole.advance()
    while sliced.running:
        sliced.advance(1)
        sliced = Run.load(problem, io.BytesIO(sliced.pack())) if sliced.running else sliced
    for one, other in zip(whole.alphas(), sliced.alphas(), strict=True):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(whole.model().bias, sliced.model().bias)


@pytest.mark.parametrize("given", [{}, {"warm_start": True}, {"sample_weight": True}, {"precision": np.float32}])
def test_it_holds_for_weights_starts_and_single_precision(given: dict[str, Any]) -> None:
    rows = (X + 512.0).astype(given.get("precision", np.float64))
    weights = np.where(Y == 1, 2.0, 1.0) if "sample_weight" in given else None
    parameters = {"machine": "ww", "kernel": "linear", "bias": "exact", "gap_tol": 1e-7}
    near = MultiClassSVC(**parameters).fit(rows - rows.dtype.type(512.0), Y, sample_weight=weights)
    far = MultiClassSVC(**parameters, warm_start="warm_start" in given)
    for _ in range(2 if "warm_start" in given else 1):
        far.fit(rows, Y, sample_weight=weights)
    assert far.certificate_.primal == pytest.approx(near.certificate_.primal, rel=1e-6)


@pytest.mark.parametrize("machine", ["ovo", "ova", "ww", "cs"])
@pytest.mark.parametrize(("kernel", "gamma"), [("linear", None), ("polynomial", 1e-6)])
@pytest.mark.parametrize("cache_mb", [500.0, 0.01])
def test_a_search_solves_a_column_of_years(machine: str, kernel: str, gamma: float | None, cache_mb: float) -> None:
    """The functions of the test rows are those of a fit alone, with a shared kernel matrix and without one."""
    features, labels = year_column()
    rows = FoldRows.of(features[:200], labels[:200], features[200:260], labels[200:260])
    family = KernelFamily(kernel, () if gamma is None else (("degree", 2), ("coef0", 0.0)))
    settings = TrainingSettings(kernel=family, bias="exact", cache_mb=cache_mb, keep_values=True)
    [(_, result)] = perform(Task(0, gamma, {machine: (1.0,)}), rows, settings, lambda: False)
    assert result.ending == "converged"
    assert result.certificate.relative_gap <= 0.01
    more = {} if gamma is None else {"gamma": gamma, "degree": 2}
    alone = MultiClassSVC(machine, kernel=kernel, bias="exact", decision_function_shape="ovo", gap_tol=1e-4, **more)
    expected = alone.fit(features[:200], labels[:200]).decision_function(features[200:260])
    assert alone.ending_ == "converged"
    np.testing.assert_allclose(result.values, expected, atol=0.02)
