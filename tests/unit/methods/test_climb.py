"""Climbing from cost to cost inside `auto`: what a round chooses, and that the way ends at the optimum."""

from __future__ import annotations

import io

import numpy as np
import pytest
from small_data import blobs, finished, problem_of

from solvers.dual.certificate import certify
from solvers.dual.quantities import examine, gradients
from solvers.factor.layout import Layout
from solvers.factor.normal import separable
from solvers.machines import MACHINES
from solvers.methods import METHODS
from solvers.methods.auto import faces as polish
from solvers.methods.auto import homotopy as climb
from solvers.methods.auto import price
from solvers.methods.base import State, refresh
from solvers.problem import Part, Problem
from solvers.run.ending import Ending
from solvers.run.loop import Limits, Run

X, Y = blobs(n=60, classes=4, features=3, seed=5)
COST = 300.0
CLIMBING = [name for name in MACHINES if not separable(Layout(problem_of(X, Y, name).part(0)))]


def climbed(machine: str, bias: str = "none") -> Problem:
    return problem_of(X, Y, machine, cost=COST, bias=bias)


def somewhere(part: Part, seed: int) -> State:
    """Variables at both bounds and in between."""
    state, rng = METHODS["auto"].start(part), np.random.default_rng(seed)
    q = part.form.slots if part.form.feasible == "simplex" else 1
    shares = rng.choice([0.0, 0.3, 1.0], size=state.alpha.shape) / q
    state.alpha[...] = shares * part.upper[:, None] * part.form.real[part.labels]
    refresh(part, state)
    return state


@pytest.fixture
def cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is said to cost nothing, the interior point more than anybody has."""
    monkeypatch.setattr(price, "least", lambda part: np.inf)
    monkeypatch.setattr(climb, "PRICE", (0.0, 0.0))
    monkeypatch.setattr(climb, "FIRST", 4.0)


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("machine", MACHINES)
def test_a_round_has_all_that_are_free_and_the_worst_of_the_others(machine: str, seed: int) -> None:
    part = problem_of(X, Y, machine).part(0)
    state, goal = somewhere(part, seed), 0.2
    gradient = gradients(part, state.functions)
    wrong = examine(part, state.alpha, state.functions).violations
    for most in (1, 10, part.labels.size * part.form.slots):
        chosen = polish.foremost(part, state.alpha, gradient, goal, most, 0.0)
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


@pytest.mark.usefixtures("cheap")
@pytest.mark.parametrize("bias", ["none", "regularized", "exact"])
@pytest.mark.parametrize("machine", CLIMBING)
def test_the_way_ends_at_the_optimum_also_from_a_checkpoint(machine: str, bias: str) -> None:
    run, shares = Run(climbed(machine, bias), "auto", Limits(1e-9, 1e-7)), set()
    while run.running and len(shares) < 3:
        run.advance(1)
        if climb.climbing(run._state):
            shares.add(float(run._state.memory["climb"][0]))
            certificate = run.certificate()
            assert certificate.infeasibility <= 1e-6 * COST * Y.size or bias == "exact"
            weights = certify(run._view, run._state.alpha)
            np.testing.assert_allclose(run._state.functions, weights.products + run._state.constant, atol=1e-4)
    assert len(shares) == 3, "several costs"
    assert sorted(shares) == [min(shares) * climb.FACTOR**k for k in range(3)]
    again = Run.load(climbed(machine, bias), io.BytesIO(run.pack()))
    for each in run, again:
        while each.running:
            each.advance(1)
        assert each.ending is Ending.CONVERGED
        assert each.solver_used == "auto"
    np.testing.assert_array_equal(run.alphas()[0], again.alphas()[0])
    optimum = finished(climbed(machine, bias), "ipm", 1e-9, gap_tolerance=1e-8).certificate()
    certificate = run.certificate()
    assert optimum.dual - 1e-9 <= certificate.primal
    assert certificate.dual <= optimum.primal + 1e-9
    assert certificate.relative_gap <= 1e-7


@pytest.mark.usefixtures("cheap")
@pytest.mark.parametrize("machine", CLIMBING)
def test_a_climb_that_leads_nowhere_is_given_up(machine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(climb, "solve", lambda bench, state, goal: False)
    run = finished(climbed(machine), "auto", 1e-4)
    assert run.ending is Ending.CONVERGED
    assert run.certificate().violation <= 1e-4


def test_small_costs_have_nothing_to_climb() -> None:
    part = problem_of(X, Y, "ww", cost=1e-3).part(0)
    state = METHODS["auto"].start(part)
    state.memory["effort"][3] = np.inf
    assert climb.first_share(part) == 1.0
    assert not climb.due(part, state)
    assert climb.first_share(climbed("ww").part(0)) < 1.0
