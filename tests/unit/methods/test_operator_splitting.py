"""Operator splitting: its two halves against conditions of optimality and dense algebra, its bursts inside `auto`."""

from __future__ import annotations

import io

import numpy as np
import pytest
from small_data import blobs, dense_kernel, finished, problem_of

from solvers.dual.certificate import certify
from solvers.dual.quantities import examine, weights_of
from solvers.jit import splitting as jit
from solvers.machines import MACHINES
from solvers.methods import METHODS
from solvers.methods.auto import pace, price
from solvers.methods.auto.splitting import Splitting, applies, clean, made_by
from solvers.methods.base import State, seed
from solvers.problem import Part, Problem
from solvers.run.ending import Ending
from solvers.run.loop import Limits, Run

X, Y = blobs(n=40, classes=4, features=3, seed=5)
BIASES = "none", "regularized"


def part_of(machine: str, bias: str = "none", cost: float = 2.0) -> Part:
    return problem_of(X, Y, machine, cost=cost, bias=bias).part(0)


@pytest.mark.parametrize("size", [0.1, 1.0, 10.0])
@pytest.mark.parametrize("machine", MACHINES)
def test_every_example_finds_what_is_nearest(machine: str, size: float) -> None:
    """It is the dual problem with the identity, times rho, for the kernel."""
    part, rng, rho = part_of(machine), np.random.default_rng(0), 0.3
    assert applies(part)
    shape = len(part), part.form.outputs
    wanted, u = (rng.normal(scale=size, size=shape).astype(np.float32) for _ in range(2))  # as bursts hold them
    z, left, alpha = np.empty_like(u), u.copy(), np.empty((len(part), part.form.slots), np.float32)
    sums = part.form.feasible == "simplex"
    jit.settle(part.form.rule, sums, part.labels, part.upper, rho, wanted, z, left, alpha)
    hidden = weights_of(part, alpha.astype(float)) - z  # nothing, or common to functions that sum to 0
    rounding = 1e-6 * (size + float(part.upper.max()))
    assert np.ptp(hidden, axis=1).max() <= 8 * rounding
    assert part.form.centred or np.abs(hidden).max() <= 8 * rounding
    np.testing.assert_allclose(z, made_by(part, alpha.astype(float)), atol=8 * rounding)
    np.testing.assert_allclose(left, u + wanted - z, atol=8 * rounding)
    exact, pull = clean(part, alpha.astype(float)), (z - wanted - u).astype(float)
    assert examine(part, exact, rho * pull).violation <= 1e-5 + 10 * rounding


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("machine", MACHINES)
def test_the_other_half_is_a_dense_system(machine: str, bias: str) -> None:
    part, rho = part_of(machine, bias), 0.3
    K = dense_kernel("rbf", X, X)[np.ix_(*[rows_of(part)] * 2)] + part.offset
    P = np.eye(part.form.outputs) - part.form.centred / part.form.outputs
    pull = np.random.default_rng(0).normal(size=(len(part), part.form.outputs))
    whole = np.kron(K, P) + rho * np.eye(pull.size)
    expected = rho * np.linalg.solve(whole, pull.ravel())
    found = Splitting(part, rho, len(part)).wanted(pull.astype(np.float32))
    np.testing.assert_allclose(found.ravel(), expected, atol=1e-5)


def rows_of(part: Part) -> np.ndarray:
    """Of X, those of the part: of pairs of classes, the first two."""
    return np.arange(Y.size) if len(part) == Y.size else np.flatnonzero(Y <= 1)


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("machine", MACHINES)
def test_bursts_rise_to_the_optimum(machine: str, bias: str) -> None:
    part = part_of(machine, bias)
    state = METHODS["auto"].start(part)
    seed(part, state, np.random.default_rng(0).uniform(0.0, 0.5, state.alpha.shape))
    carrier, duals = Splitting(part, 0.3, len(part)), [-np.inf]
    for _ in range(20):
        carrier.carry(state)
        certificate = certify(part, state.alpha).certificate
        assert certificate.dual >= duals[-1] - 1e-9 * abs(certificate.dual)
        duals.append(certificate.dual)
        exact = certify(part, state.alpha)
        np.testing.assert_allclose(state.functions, exact.products + exact.bias, atol=1e-9)
    assert certificate.infeasibility <= 1e-12
    assert certificate.relative_gap <= 1e-3


def test_a_factor_too_coarse_leads_nowhere_but_does_no_harm() -> None:
    part = part_of("ww", cost=100.0)
    state: State = METHODS["auto"].start(part)
    METHODS["auto"].advance(part, state, 20, 1e-9)
    before = certify(part, state.alpha).certificate.dual
    Splitting(part, 1e-6, 2).carry(state)
    assert certify(part, state.alpha).certificate.dual >= before - 1e-9 * abs(before)


@pytest.fixture
def cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bursts are said to cost nothing, the interior point more than anybody has."""
    monkeypatch.setattr(price, "least", lambda part: np.inf)
    monkeypatch.setattr(price, "burst", lambda part, rank: 0.0)
    monkeypatch.setattr(price, "splitting", lambda part, rho, affordable: (0.0, len(part)))


@pytest.mark.usefixtures("cheap")
@pytest.mark.parametrize("bias", [*BIASES, "exact"])
@pytest.mark.parametrize("machine", ["ww", "cs", "llw", "ova"])
def test_auto_with_bursts_goes_on_from_a_checkpoint(machine: str, bias: str, monkeypatch: pytest.MonkeyPatch) -> None:
    bursts: list[State] = []
    carry = Splitting.carry

    def counted(self: Splitting, state: State) -> bool:
        bursts.append(state)
        return carry(self, state)

    def problem() -> Problem:
        return problem_of(X, Y, machine, cost=10.0, bias=bias)

    run = Run(problem(), "auto", Limits(1e-9, 1e-7))
    run.advance(1)  # compiles with bursts of its own
    monkeypatch.setattr(Splitting, "carry", counted)
    while run.running and len(bursts) < 2:
        run.advance(1)
    again = Run.load(problem(), io.BytesIO(run.pack()))
    for each in run, again:
        while each.running:
            each.advance(1)
        assert each.ending is Ending.CONVERGED
    assert bursts or (machine, bias) == ("ova", "exact"), "which has a balance to keep"
    for one, other in zip(run.alphas(), again.alphas(), strict=True):
        np.testing.assert_array_equal(one, other)
    certificate = run.certificate()
    optimum = finished(problem(), "s2do", 1e-6).certificate()
    assert optimum.dual - 1e-9 <= certificate.primal
    assert certificate.dual <= optimum.primal + 1e-9
    assert certificate.relative_gap <= 1e-7


def test_prices_of_bursts_rise_with_the_rank() -> None:
    x, y = blobs(n=300, classes=3, features=3, seed=1)
    part = problem_of(x, y, "cs").part(0)
    assert 0.0 < price.burst(part, 10) < price.burst(part, 100)
    fine, coarse = (price.splitting(part, rho, np.inf)[1] for rho in (1e-9, 1e9))
    assert fine > coarse
    assert price.splitting(part, 1e-9, 0.0)[0] > 0.0


def test_a_price_is_found_where_no_column_is_fine_enough() -> None:
    """A kernel of three different rows leaves a rest of rounding alone, however fine a factor is asked for."""
    x, y = np.repeat(np.eye(3), 20, axis=0), np.repeat(np.arange(3), 20)
    part = problem_of(x, y, "cs").part(0)
    assert price.splitting(part, 0.0, np.inf)[1] == 3


def test_rounds_that_do_well_are_not_led() -> None:
    well = pace.Pace(look=1.0, pause=0.1, since=1.0, before=1.0)
    assert well.left(2.0, 1e-2, 1e-4) == pytest.approx(1.0)
    assert well.left(2.0, 2.0, 1e-4) == np.inf
    assert well._replace(before=np.inf).left(2.0, 1.0, 1e-4) == 0.0
