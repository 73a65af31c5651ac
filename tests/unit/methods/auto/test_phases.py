"""`auto` taking each of its phases: budgets under which it costs nothing, and that it ends at the optimum."""

from __future__ import annotations

import io
from dataclasses import replace

import numpy as np
import pytest
from small_data import blobs, finished, problem_of

from mcsvm.solvers.budget import BUDGET, Phase
from mcsvm.solvers.kernels import KERNELS
from mcsvm.solvers.methods.auto import price
from mcsvm.solvers.methods.auto.conductor import Auto
from mcsvm.solvers.methods.auto.pace import Pace
from mcsvm.solvers.methods.auto.proximal_newton import FactorStep
from mcsvm.solvers.methods.proximal import End, Iterate
from mcsvm.solvers.posing import pose
from mcsvm.solvers.problem import Problem
from mcsvm.solvers.run.ending import Ending
from mcsvm.solvers.run.loop import Limits, Run

X, Y = blobs(n=40, classes=4, features=3, seed=5)
EAGER = replace(BUDGET, decide_first=1)
FREE_FACTOR = replace(EAGER, operation_price=0.0, variable_price=0.0, entry_price=0.0)
BUDGETS = {
    Phase.SPLITTING: replace(
        EAGER,
        phases=frozenset({Phase.BLOCKS, Phase.SPLITTING}),
        operation_price=0.0,
        entry_price=0.0,
        admm_product_price=0.0,
        admm_variable_price=0.0,
        admm_columns=1.0,
    ),
    Phase.PROXIMAL: FREE_FACTOR,
    Phase.INTERIOR: replace(FREE_FACTOR, phases=frozenset({Phase.BLOCKS, Phase.INTERIOR, Phase.FINISHING})),
}
CASES = [
    *((Phase.SPLITTING, machine, bias) for machine in ("ww", "cs", "llw", "ova") for bias in ("none", "regularized")),
    *((Phase.PROXIMAL, machine, bias) for machine in ("llw", "ats", "ova") for bias in ("none", "regularized")),
    *((Phase.INTERIOR, machine, bias) for machine in ("ww", "cs", "llw", "ovo") for bias in ("none", "exact")),
]


@pytest.mark.parametrize(("phase", "machine", "bias"), CASES)
def test_it_ends_at_the_optimum_also_from_a_checkpoint(phase: Phase, machine: str, bias: str) -> None:
    def problem() -> Problem:
        return problem_of(X, Y, machine, cost=30.0, bias=bias)

    method = Auto(BUDGETS[phase])
    run, taken = Run(problem(), method, Limits(1e-9, 1e-7)), 0
    while run.running and taken < 2:
        run.advance(1)
        taken += phase.value in {decision.phase for decision in run.decisions}
    assert taken == 2
    again = Run.load(problem(), io.BytesIO(run.pack()), method)
    for each in run, again:
        while each.running:
            each.advance(1)
        assert each.ending is Ending.CONVERGED
    assert run.solver_used == again.solver_used
    assert run.decisions == again.decisions
    for one, other in zip(run.alphas(), again.alphas(), strict=True):
        np.testing.assert_array_equal(one, other)
    optimum = finished(problem(), "s2do", 1e-6).certificate()
    certificate = run.certificate()
    assert optimum.dual - 1e-9 <= certificate.primal
    assert certificate.dual <= optimum.primal + 1e-9
    assert certificate.relative_gap <= 1e-7


@pytest.mark.parametrize(("phase", "machine", "bias"), CASES)
def test_it_takes_no_more_steps_than_allowed(phase: Phase, machine: str, bias: str) -> None:
    for most in (25, 60, 150):
        run = Run(problem_of(X, Y, machine, cost=30.0, bias=bias), Auto(BUDGETS[phase]), Limits(1e-9, 1e-7, steps=most))
        while run.running:
            run.advance(7)
        assert run.iterations <= most


def test_where_newton_steps_fail_the_interior_point_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: FactorStep, trial: Iterate, most: int) -> tuple[Iterate, int, End]:
        trial.alpha = self.anchor.copy()
        return (trial, most, End.STEPS)

    monkeypatch.setattr(FactorStep, "solve", fail)
    run = Run(problem_of(X, Y, "llw", cost=30.0), Auto(FREE_FACTOR), Limits(1e-6))
    while run.running:
        run.advance()
    assert run.ending is Ending.CONVERGED
    assert run.solver_used == "ipm"
    assert [decision.phase for decision in run.decisions][-3:] == ["proximal", "interior", "finishing"]


@pytest.mark.parametrize("bias", ["none", "regularized", "exact"])
@pytest.mark.parametrize("machine", ["ww", "cs", "llw", "ova", "ovo"])
def test_an_interior_point_reaches_a_relative_gap_of_1e_8(machine: str, bias: str) -> None:
    x, y = blobs(n=24, classes=4, features=3, seed=5)
    problem = problem_of(x, y, machine, cost=10.0, bias=bias, class_weight=[1.0, 2.0, 0.5, 1.0])
    run = finished(problem, "ipm", 1e-12, gap_tolerance=1e-8, steps=300_000)
    assert run.ending is Ending.CONVERGED
    assert run.certificate().relative_gap <= 1e-8


@pytest.mark.parametrize("machine", ["ww", "cs", "llw", "ova", "ovo"])
def test_a_gap_reached_between_the_bounds_ends_at_them(machine: str) -> None:
    """An interior point has every example as a support vector; its optimum has not."""
    x, y = blobs(n=60, classes=3, features=2, seed=1)
    optimum = finished(problem_of(x, y, machine, cost=10.0), "s2do", 1e-7)
    run = finished(problem_of(x, y, machine, cost=10.0), "ipm", 1e-12, gap_tolerance=1e-2)
    assert run.ending is Ending.CONVERGED
    assert run.certificate().relative_gap <= 1e-2
    wrong = run.supporting()[0] != optimum.supporting()[0]
    assert wrong.sum() <= 0.05 * y.size


# -- prices ----------------------------------------------------------------------------------------


def test_prices_of_an_interior_point_rise_with_the_rank_and_a_rough_kernel_has_none() -> None:
    x = np.random.default_rng(1).normal(size=(1000, 20))

    def asked(gamma: float) -> float:
        part = pose(x, np.arange(1000) % 3, machine="llw", kernel=KERNELS["rbf"](gamma=gamma)).part(0)
        return price.interior(part, np.inf, BUDGET)

    assert 0.0 < asked(1e-6) < asked(1e-4)
    assert asked(1.0) == np.inf


def test_prices_of_bursts_rise_with_the_rank() -> None:
    x, y = blobs(n=300, classes=3, features=3, seed=1)
    part = problem_of(x, y, "cs").part(0)
    assert 0.0 < price.burst(part, 10, BUDGET) < price.burst(part, 100, BUDGET)
    fine, coarse = (price.first_burst(part, rho, np.inf, BUDGET)[1] for rho in (1e-9, 1e9))
    assert fine > coarse
    assert price.first_burst(part, 1e-9, 0.0, BUDGET)[0] > 0.0


def test_a_price_is_found_where_no_column_is_fine_enough() -> None:
    """A kernel of three different rows leaves a rest of rounding alone, however fine a factor is asked for."""
    x, y = np.repeat(np.eye(3), 20, axis=0), np.repeat(np.arange(3), 20)
    part = problem_of(x, y, "cs").part(0)
    assert price.first_burst(part, 0.0, np.inf, BUDGET)[1] == 3


def test_memory_ends_the_search_for_a_fine_factor() -> None:
    """A factor may have half of the cache, and no more columns come from asking again."""
    x, y = blobs(n=400, classes=3, features=6, seed=1)
    part = problem_of(x, y, "cs", cache_mb=0.1).part(0)
    assert price.first_burst(part, 1e-12, np.inf, BUDGET)[0] == np.inf


def test_what_blocks_still_need_follows_from_two_looks() -> None:
    well = Pace(look_at=1.0, pause=0.1, effort_at_look=1.0, violation_at_look=1.0)
    assert well.needed(2.0, 1e-2, 1e-4) == pytest.approx(1.0)
    assert well.needed(2.0, 2.0, 1e-4) == np.inf
    assert replace(well, violation_at_look=np.inf).needed(2.0, 1.0, 1e-4) is None
