"""A budget that is given to `auto` decides everything that budgets decide, not only what is compared."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from small_data import blobs, problem_of

from mcsvm.solvers.budget import BUDGET
from mcsvm.solvers.methods.auto import faces, pace, splitting
from mcsvm.solvers.methods.auto.blocks import BlockState, Workbench
from mcsvm.solvers.methods.auto.conductor import Auto
from mcsvm.solvers.run.limits import Limits
from mcsvm.solvers.run.loop import Run

X, Y = blobs(n=60, classes=3)
GIVEN = replace(BUDGET, admm_steps=7, admm_stiffness=3.0, admm_relaxation=1.25, newton_turns=(2, 5), decide_first=64)


def state_of(part, budget):  # type: ignore[no-untyped-def]
    state = Auto(budget).start(part, 0)
    Auto(budget).advance(part, state, 50, 1e-9)
    return state


def test_a_burst_has_the_steps_and_the_stiffness_that_were_given(monkeypatch: pytest.MonkeyPatch) -> None:
    part = problem_of(X, Y, "ww", cost=30.0).part(0)
    state = state_of(part, GIVEN)
    updates: list[int] = []
    whole = splitting.Splitting.kernel_update

    def counted(self, pull):  # type: ignore[no-untyped-def]
        updates.append(1)
        return whole(self, pull)

    monkeypatch.setattr(splitting.Splitting, "kernel_update", counted)
    assert splitting.penalty_for(part, state, GIVEN) / splitting.penalty_for(part, state, BUDGET) == pytest.approx(
        GIVEN.admm_stiffness / BUDGET.admm_stiffness
    )
    seen = pace.Look(1.0, None, 1e-9, pace.Pace())
    part.kept.pop("splitting", None)
    pace.burst(part, state, pace.Pace(rank=8, rho=1.0), seen, GIVEN)
    assert len(updates) == 7 != BUDGET.admm_steps


def test_relaxation_is_the_one_that_was_given() -> None:
    moved = []
    for budget in (BUDGET, replace(BUDGET, admm_relaxation=1.0)):
        part = problem_of(X, Y, "ww", cost=30.0).part(0)
        state = state_of(part, BUDGET)
        splitting.Splitting.prepare(part, 0.3, 30).run(state, budget)
        moved.append(state.alpha.copy())
    assert not np.array_equal(*moved)


def test_newton_steps_take_the_turns_that_were_given(monkeypatch: pytest.MonkeyPatch) -> None:
    part = problem_of(X, Y, "ww", cost=30.0).part(0)
    state: BlockState = state_of(part, GIVEN)
    turns: list[int] = []

    def never(problem, goal, count, most):  # type: ignore[no-untyped-def]
        turns.append(count)
        return 1, False

    monkeypatch.setattr(faces, "take_turns", never)
    bench = Workbench(part, GIVEN)
    gradient = bench.gradient_of_all(state)
    bench.solve_chosen(state, faces.select(part, state.alpha, gradient, 1e-6), 1e-6)
    assert turns == [2, 5]


def test_gaps_are_looked_at_as_often_as_was_given() -> None:
    run = Run(problem_of(X, Y, "ww", cost=30.0), Auto(GIVEN), Limits(gap_tolerance=1e-6))
    assert run.current.header()["look_at"] == 64
