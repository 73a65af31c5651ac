"""A row of weight 2 is the row twice, a row of weight 0 is no row: every machine, bias and method."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from small_data import blobs, home, kernel_named

from mcsvm import InputError, Limits, MultiClassSVC, Run, pose
from mcsvm.solvers.machines import MACHINES
from mcsvm.solvers.methods import METHODS

X, Y = blobs(n=21, classes=3, seed=6)
NEW = blobs(n=40, classes=3, seed=7)[0]
WEIGHTS = np.array([0.0, 1.0, 2.0, 3.0, 0.5])[np.random.default_rng(1).integers(0, 5, Y.size)]
COUNTS = np.array([0, 1, 2, 3])[np.random.default_rng(2).integers(0, 4, Y.size)]
BIASES = "none", "regularized", "exact"
PLAIN = "fw", "fw-away", "fw-pairwise"  # reach a gap of 3e-3 in reasonable time
ONLINE = tuple(name for name in METHODS if name.startswith("lasvm"))
# Machines and methods by pairs that are not refused, and every machine with every bias under auto.
CASES = [(machine, bias, "auto") for machine in MACHINES for bias in BIASES]
CASES += [(machine, None, method) for machine in ("ww", "cs", "ova", "ovo") for method in METHODS if method != "auto"]


def solved(x: np.ndarray, y: np.ndarray, weights: np.ndarray | None, case: tuple[str, Any, str]) -> Run:
    machine, bias, method = case
    problem = pose(x, y, machine=machine, kernel=kernel_named(home(method)), cost=2.0, bias=bias, sample_weight=weights)
    run = Run(problem, method, Limits(1e-9, 3e-3 if method in PLAIN else 1e-9, steps=400_000))
    while run.running:
        run.advance()
    return run


def takes(case: tuple[str, Any, str]) -> bool:
    machine, bias, method = case
    problem = pose(X, Y, machine=machine, kernel=kernel_named(home(method)), bias=bias)
    try:
        Run(problem, method)
    except InputError:
        return False
    return True


@pytest.mark.parametrize("case", list(filter(takes, CASES)), ids=lambda case: "-".join(map(str, case)))
def test_a_weight_is_a_number_of_rows(case: tuple[str, Any, str]) -> None:
    kept = COUNTS > 0
    weighted = solved(X[kept], Y[kept], COUNTS[kept].astype(float), case)
    repeated = solved(np.repeat(X, COUNTS, axis=0), np.repeat(Y, COUNTS), None, case)
    one, other = weighted.certificate(), repeated.certificate()
    assert one.dual - other.primal <= 1e-9 * one.primal  # each optimum lies between its own dual and primal
    assert other.dual - one.primal <= 1e-9 * one.primal
    if case[2] in PLAIN:
        return
    if max(one.relative_gap, other.relative_gap) <= 1e-9:
        assert one.primal == pytest.approx(other.primal, rel=1e-8)
    np.testing.assert_allclose(weighted.model().decision(NEW), repeated.model().decision(NEW), atol=1e-3)


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
@pytest.mark.parametrize("machine", MACHINES)
def test_the_estimator_leaves_rows_of_weight_zero_out(machine: str, kernel: str) -> None:
    parameters: dict[str, Any] = {"machine": machine, "kernel": kernel, "gap_tol": 1e-9, "class_weight": "balanced"}
    parameters["gamma"] = 0.4  # "scale" would read the values of X, which has other rows in the second training
    weighted = MultiClassSVC(**parameters).fit(X, Y, sample_weight=COUNTS)
    repeated = MultiClassSVC(**parameters).fit(np.repeat(X, COUNTS, axis=0), np.repeat(Y, COUNTS))
    assert set(weighted.support_) <= set(np.flatnonzero(COUNTS))
    np.testing.assert_array_equal(weighted.support_vectors_, X[weighted.support_])
    np.testing.assert_allclose(weighted.decision_function(NEW), repeated.decision_function(NEW), atol=1e-3)
    assert weighted.certificate_.primal == pytest.approx(repeated.certificate_.primal, rel=1e-8)


@pytest.mark.parametrize(("machine", "bias"), [("ww", "none"), ("ovo", "exact")])
def test_weights_of_a_precomputed_kernel(machine: str, bias: str) -> None:
    K = X @ X.T
    direct = MultiClassSVC(machine=machine, kernel="linear", bias=bias, gap_tol=1e-8).fit(X, Y, sample_weight=WEIGHTS)
    given = MultiClassSVC(machine=machine, kernel="precomputed", gap_tol=1e-8).fit(K, Y, sample_weight=WEIGHTS)
    np.testing.assert_allclose(given.decision_function(NEW @ X.T), direct.decision_function(NEW), atol=1e-3)


@pytest.mark.parametrize("machine", ["ova", "ovo", "dag"])
def test_portions_take_weights(machine: str) -> None:
    """One pass, finished well, comes much nearer to the optimum of the weighted rows than to that of equal rows."""
    x, y = blobs(n=90, classes=3, seed=12)
    weights = np.where(y == 0, 8.0, np.arange(90) % 2)
    parameters: dict[str, Any] = {"machine": machine, "C": 0.3, "gamma": 0.7, "decision_function_shape": "ovo"}
    online = MultiClassSVC(**parameters, tol=1e-3).partial_fit(x, y, [0, 1, 2], weights)
    exact = MultiClassSVC(**parameters, gap_tol=1e-6).fit(x, y, weights)
    plain = MultiClassSVC(**parameters, gap_tol=1e-6).fit(x, y)
    near = np.abs(online.decision_function(x) - exact.decision_function(x)).max()
    far = np.abs(online.decision_function(x) - plain.decision_function(x)).max()
    assert near < 0.3 * far
    assert set(online.support_) <= set(np.flatnonzero(weights))


@pytest.mark.parametrize("machine", ["ova", "ovo"])
def test_portions_go_on_from_a_weighted_fit(machine: str) -> None:
    model = MultiClassSVC(machine=machine, gamma=0.7, C=1.0).fit(X, Y, sample_weight=WEIGHTS)
    before = model.decision_function(NEW)
    model.partial_fit(X[:1], Y[:1], sample_weight=0.0)
    np.testing.assert_allclose(model.decision_function(NEW), before, atol=0.05)


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ([-1.0] * 21, "zero or negative"),
        ([0.0] * 21, "zero or negative"),
        ([1.0] * 20, "expected"),
        ([1.0] * 20 + [-2.0], "must not be negative, but is -2 in row 20"),
        ([1.0] * 20 + [np.nan], "NaN or infinity"),
        ([1.0] * 20 + [np.inf], "NaN or infinity"),
        (["heavy"] * 21, "one number per row"),
        (np.ones((21, 2)), "one number per row"),
        (np.where(Y == 1, 1.0, 0.0), "same class"),
    ],
)
def test_weights_that_mean_nothing_are_refused(weights: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        MultiClassSVC().fit(X, Y, sample_weight=weights)


def test_a_class_without_weight_is_listed() -> None:
    model = MultiClassSVC().fit(X, Y, sample_weight=np.where(Y == 1, 0.0, 1.0))
    assert model.classes_.tolist() == [0, 1, 2]
    assert set(model.predict(X)) == {0, 2}
