"""The switches of tests/benchmarks/bench_ablation.py: each ends its phase, and says from decisions what acted."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest
from small_data import blobs, problem_of

from mcsvm.solvers.budget import BUDGET
from mcsvm.solvers.methods import METHODS
from mcsvm.solvers.methods.auto.conductor import Auto
from mcsvm.solvers.run.ending import Ending
from mcsvm.solvers.run.loop import Limits, Run

EAGER = replace(BUDGET, decide_first=1, operation_price=0.0, entry_price=0.0, variable_price=0.0)
DEAR = replace(EAGER, operation_price=1.0)  # for the interior point
HOMOTOPY = replace(DEAR, homotopy_start_price=0.0, homotopy_stage_price=0.0, homotopy_first=4.0)
CASES = {
    "homotopy": ("ww", HOMOTOPY),
    "proximal": ("llw", EAGER),
    "rounds": ("llw", replace(EAGER, proximal_near=1.0)),
    "interior": ("ww", EAGER),
    "race": ("ww", EAGER),
}


@pytest.fixture
def ablation(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "benchmarks"))
    import bench_ablation

    return bench_ablation


def acts(ablation: ModuleType, machine: str, method: Auto) -> dict[str, int]:
    X, y = blobs(n=60, classes=4, features=3, seed=5)
    run = Run(problem_of(X, y, machine, cost=300.0), method, Limits(1e-6))
    while run.running:
        run.advance()
    assert run.ending is Ending.CONVERGED
    return ablation.acting(run.decisions)


@pytest.mark.parametrize("phase", CASES)
def test_a_phase_that_is_switched_off_does_not_act(ablation: ModuleType, phase: str) -> None:
    machine, budget = CASES[phase]
    assert phase in acts(ablation, machine, Auto(budget))
    assert phase not in acts(ablation, machine, Auto(ablation.OFF[phase](budget)))


def test_switches_are_combined_and_leave_the_rest(ablation: ModuleType) -> None:
    both = ablation.budget_without(["splitting", "polishing"])
    assert replace(both, phases=BUDGET.phases, short_rounds=BUDGET.short_rounds) == BUDGET
    assert len(both.phases) == len(BUDGET.phases) - 1


def test_searches_take_the_budget_for_as_long_as_it_is_given(ablation: ModuleType) -> None:
    before, budget = METHODS["auto"], ablation.budget_without(["race"])
    with ablation.in_searches(Auto(budget)):
        assert METHODS["auto"].budget == Auto().budget == budget
    assert METHODS["auto"] is before
    assert Auto().budget is BUDGET
