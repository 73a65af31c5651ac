"""Laws that hold for every machine, kernel and method: whatever joins a registry is tested the same day."""

from functools import cache

import numpy as np
import pytest
from combinations import BIASES, accepted, rarely
from oracles import JOINT, optimum_by_scipy, optimum_of_programme
from small_data import KERNEL_PARAMETERS, blobs, dense_kernel, finished, home, problem_of

from mcsvm.solvers.kernels import KERNELS
from mcsvm.solvers.machines import MACHINES
from mcsvm.solvers.methods import METHODS
from mcsvm.solvers.posing import pose
from mcsvm.solvers.problem import Problem, default_bias
from mcsvm.solvers.run.ending import Ending
from mcsvm.solvers.run.loop import Limits, Run

X, Y = blobs(n=18, classes=3, seed=3)
COST = 1.5
ROUNDING = 2e-6  # of running numbers that rest on float32 kernel rows
PLAIN = "fw"  # sublinear: promised a gap, not a violation


def limits(method: str) -> Limits:
    return Limits(1e-9, gap_tolerance=1e-2, steps=200_000) if method == PLAIN else Limits(1e-5, steps=200_000)


def begun(machine: str, kernel: str, method: str, bias: str | None = None) -> Run:
    return Run(problem_of(X, Y, machine, kernel, cost=COST, bias=bias), method, limits(method))


@cache
def optimum(machine: str, kernel: str, bias: str) -> float:
    K = dense_kernel(kernel, X, X) + (1.0 if bias == "regularized" else 0.0)
    upper = np.full(Y.size, COST)
    if machine in JOINT:
        return optimum_by_scipy(machine, K, Y, upper, 3, 0.5 if machine == "llw" else 1.0, balanced=bias == "exact")
    total = 0.0
    for first, second in [(0, 1), (0, 2), (1, 2)] if machine != "ova" else [(0, None), (1, None), (2, None)]:
        rows = np.arange(Y.size) if second is None else np.flatnonzero(np.isin(Y, [first, second]))
        sign = np.where(Y[rows] == first, 1.0, -1.0)
        coupling = np.outer(sign, sign) * K[np.ix_(rows, rows)]
        equality = sign[None] if bias == "exact" else None
        total += optimum_of_programme(coupling, np.ones(rows.size), upper[rows], equalities=equality)
    return total


@pytest.mark.parametrize(
    ("machine", "method", "bias", "kernel"), accepted(MACHINES, METHODS, [None], KERNEL_PARAMETERS)
)
def test_the_dual_never_falls_and_never_passes_the_primal(
    machine: str, method: str, bias: str | None, kernel: str
) -> None:
    run = begun(machine, kernel, method, bias)
    before = 0.0
    while run.running:
        sample = run.advance(3)
        scale = max(1.0, abs(sample.primal))
        assert sample.dual >= before - ROUNDING * scale
        assert sample.dual <= sample.primal + ROUNDING * scale
        before = sample.dual
    certificate = run.certificate()
    assert run.ending is Ending.CONVERGED
    assert certificate.dual <= certificate.primal * (1 + 1e-12)
    assert certificate.infeasibility <= 1e-9


def creeps(machine: str, method: str, bias: str) -> bool:
    """Frank-Wolfe's steps need a second for an exact bias; one machine is enough for every day."""
    return (method, bias) == ("fw", "exact") and machine != "ww"


@pytest.mark.parametrize(("machine", "method", "bias"), rarely(accepted(MACHINES, METHODS, BIASES), creeps))
def test_every_method_reaches_the_optimum(machine: str, method: str, bias: str) -> None:
    run = begun(machine, home(method), method, bias)
    while run.running:
        run.advance()
    assert run.ending is Ending.CONVERGED
    certificate, best = run.certificate(), optimum(machine, home(method), bias)
    share = 1.3e-2 if method == PLAIN else 2e-5
    assert best * (1 - share) <= certificate.dual <= best * (1 + 1e-7)
    assert best * (1 - 1e-9) <= certificate.primal <= best * (1 + share)


@pytest.mark.parametrize("kernel", KERNEL_PARAMETERS)
@pytest.mark.parametrize("machine", MACHINES)
def test_every_kernel_reaches_the_optimum(machine: str, kernel: str) -> None:
    certificate = finished(problem_of(X, Y, machine, kernel, cost=COST)).certificate()
    best = optimum(machine, kernel, default_bias(MACHINES[machine], KERNELS[kernel]))
    assert certificate.dual == pytest.approx(best, rel=1e-6)
    assert certificate.primal == pytest.approx(best, rel=1e-5)


@pytest.mark.parametrize(("machine", "method"), accepted(["ww", "cs", "ova"], METHODS))
def test_the_same_run_gives_the_same_bits(machine: str, method: str) -> None:
    first, second = (alphas_after(begun(machine, home(method), method)) for _ in range(2))
    for one, other in zip(first, second, strict=True):
        np.testing.assert_array_equal(one, other)


def alphas_after(run: Run) -> list[np.ndarray]:
    while run.running:
        run.advance()
    return run.alphas()


@pytest.mark.parametrize(("machine", "method"), accepted(MACHINES, METHODS))
def test_a_stop_at_any_moment_leaves_a_certified_model(machine: str, method: str) -> None:
    run = begun(machine, home(method), method)
    run.advance(2)
    run.stop()
    certificate = run.certificate()
    assert not run.running
    assert certificate.dual <= certificate.primal
    assert certificate.infeasibility <= 1e-9
    assert run.model().predict(X).shape == Y.shape


@pytest.mark.parametrize("machine", MACHINES)
def test_regularized_bias_is_the_kernel_plus_one(machine: str) -> None:
    kernel = dense_kernel("rbf", X, X)
    one = finished(problem_of(X, Y, machine, cost=COST, bias="regularized"))
    other = finished(precomputed(kernel + 1.0, machine))
    assert one.certificate().dual == pytest.approx(other.certificate().dual, rel=1e-7)
    np.testing.assert_allclose(one.model().decision(X), other.model().decision(kernel + 1.0), atol=1e-4)


def precomputed(matrix: np.ndarray, machine: str) -> Problem:
    return pose(matrix, Y, machine=machine, kernel=KERNELS["precomputed"](), cost=COST, bias="none")
