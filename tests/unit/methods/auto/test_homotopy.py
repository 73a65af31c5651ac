"""Homotopy in C inside `auto`: what a round chooses, and that it ends at the optimum."""

from __future__ import annotations

import io
from dataclasses import replace

import numpy as np
import pytest
from small_data import blobs, finished, problem_of

from mcsvm.solvers.budget import BUDGET, Phase
from mcsvm.solvers.dual.certificate import certify
from mcsvm.solvers.dual.quantities import examine, gradients
from mcsvm.solvers.factor.normal import separable
from mcsvm.solvers.machines import MACHINES
from mcsvm.solvers.methods.auto import faces, homotopy, price
from mcsvm.solvers.methods.auto.conductor import Auto, AutoState
from mcsvm.solvers.methods.base import refresh
from mcsvm.solvers.problem import Part, Problem
from mcsvm.solvers.run.ending import Ending
from mcsvm.solvers.run.loop import Limits, Run

X, Y = blobs(n=60, classes=4, features=3, seed=5)
COST = 300.0
FREE = replace(BUDGET, homotopy_start_price=0.0, homotopy_stage_price=0.0, homotopy_first=4.0)  # of charge, from 4
ALONE = replace(FREE, phases=frozenset({Phase.BLOCKS, Phase.HOMOTOPY}))
JOINT = [name for name in MACHINES if not separable(problem_of(X, Y, name).part(0))]


def costly(machine: str, bias: str = "none") -> Problem:
    return problem_of(X, Y, machine, cost=COST, bias=bias)


def somewhere(part: Part, seed: int) -> AutoState:
    """Variables at both bounds and in between."""
    state, rng = Auto().start(part, 0), np.random.default_rng(seed)
    q = part.form.slots if part.form.feasible == "simplex" else 1
    shares = rng.choice([0.0, 0.3, 1.0], size=state.alpha.shape) / q
    state.alpha[...] = shares * part.upper[:, None] * part.form.real[part.labels]
    refresh(part, state)
    return state


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("machine", MACHINES)
def test_a_round_has_all_that_are_free_and_the_worst_of_the_others(machine: str, seed: int) -> None:
    part = problem_of(X, Y, machine).part(0)
    state, goal = somewhere(part, seed), 0.2
    gradient = gradients(part, state.functions)
    wrong = examine(part, state.alpha, state.functions).violations
    for most in (1, 10, part.labels.size * part.form.slots):
        chosen = faces.foremost(part, state.alpha, gradient, goal, most, 0.0)
        rows = chosen.examples[chosen.member]
        picked = np.zeros(state.alpha.shape, dtype=bool)
        picked[rows, chosen.slot] = True
        np.testing.assert_array_equal(chosen.gradient, gradient[rows, chosen.slot])
        assert part.form.real[part.labels[rows], chosen.slot].all()
        if part.form.feasible == "box":
            free = (state.alpha > 0.0) & (state.alpha < part.upper[:, None])
            assert picked[free].all()
            left = np.where(state.alpha > 0.0, -gradient, gradient) * (part.form.real[part.labels] & ~picked)
            others = np.abs(gradient)[picked & ~free]
            assert others.size <= most
            assert others.size == 0 or left.max() <= others.min()
            assert others.size == most or left.max() <= goal
        else:
            assert (picked[rows] >= (state.alpha > 0.0)[rows]).all()
            left = np.delete(wrong, chosen.examples)
            assert left.size == 0 or left.max() <= goal or chosen.examples.size >= most
            assert wrong.argmax() in chosen.examples


@pytest.mark.parametrize("bias", ["none", "regularized", "exact"])
@pytest.mark.parametrize("machine", JOINT)
def test_it_ends_at_the_optimum_also_from_a_checkpoint(machine: str, bias: str) -> None:
    run, shares = Run(costly(machine, bias), Auto(ALONE), Limits(1e-9, 1e-7)), set()
    while run.running and len(shares) < 3:
        run.advance(1)
        if run.current.state.phase is Phase.HOMOTOPY:
            shares.add(run.current.state.homotopy.share)
            exact = certify(run.current.view, run.current.state.alpha)
            np.testing.assert_allclose(
                run.current.state.functions, exact.products + run.current.state.constant, atol=1e-4
            )
    assert len(shares) == 3, "several costs"
    assert sorted(shares) == [min(shares) * FREE.homotopy_factor**k for k in range(3)]
    again = Run.load(costly(machine, bias), io.BytesIO(run.pack()), Auto(ALONE))
    for each in run, again:
        while each.running:
            each.advance(1)
        assert each.ending is Ending.CONVERGED
        assert each.solver_used == "homotopy"
    np.testing.assert_array_equal(run.alphas()[0], again.alphas()[0])
    optimum = finished(costly(machine, bias), "ipm", 1e-9, gap_tolerance=1e-8).certificate()
    certificate = run.certificate()
    assert optimum.dual - 1e-9 <= certificate.primal
    assert certificate.dual <= optimum.primal + 1e-9
    assert certificate.relative_gap <= 1e-7


@pytest.mark.parametrize("machine", JOINT)
def test_a_homotopy_that_leads_nowhere_is_given_up(machine: str) -> None:
    nowhere = replace(ALONE, homotopy_rounds=0)
    run = Run(costly(machine), Auto(nowhere), Limits(1e-4))
    while run.running:
        run.advance()
    assert run.ending is Ending.CONVERGED
    assert run.certificate().violation <= 1e-4
    assert [decision.phase for decision in run.decisions][-2:] == ["homotopy", "blocks"]


def test_small_costs_have_no_homotopy() -> None:
    part = problem_of(X, Y, "ww", cost=1e-3).part(0)
    assert homotopy.first_share(part, FREE) == 1.0
    assert homotopy.asked(part, FREE) == np.inf
    assert homotopy.first_share(costly("ww").part(0), FREE) < 1.0


def test_a_price_rises_with_the_cost() -> None:
    asked = [homotopy.asked(problem_of(X, Y, "cs", cost=cost).part(0), BUDGET) for cost in (1e3, 1e5, 1e7)]
    assert 0.0 < asked[0] < asked[1] < asked[2] < np.inf
    assert price.newton(200, BUDGET) > 2.0 * price.newton(100, BUDGET)
