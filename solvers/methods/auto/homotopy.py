"""Homotopy in C: from a small cost to the one asked for, by factors, with the active set of the cost before.

Where pair steps crawl at a large cost they do not at a small one, and from one cost to the next few variables change
sides: those at their bound stay there. A round solves for all free variables and the worst of the others together, in
float64 on the exact kernel, and moves the functions by what changed. So a larger cost takes more rounds only as its
logarithm grows, and every alpha on the way is feasible for the cost asked for.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum, auto

import numpy as np

from solvers.budget import INNER, Budget, next_decision
from solvers.dual.quantities import weights_of
from solvers.factor.normal import separable
from solvers.methods.auto import blocks, faces, price
from solvers.methods.auto.blocks import BlockState, Workbench
from solvers.methods.base import Progress, refresh
from solvers.problem import Part
from solvers.work import Work


class Stage(Enum):
    """What comes next at the cost at hand."""

    PAIRS = auto()  # pair steps, at the first cost
    REFRESH = auto()  # pair steps have ended: the functions anew, in float64
    RAISED = auto()  # the cost has grown: a round, before the violation is looked at
    ROUNDS = auto()


@dataclass
class Homotopy:
    """Where on the way from a small cost the state stands."""

    share: float = 0.0  # of the cost asked for; 0 before the homotopy
    stage: Stage = Stage.PAIRS
    rounds: int = 0  # at this cost; turns of pair steps count as rounds, and are half of them at most
    turn_ends: int = 0  # the step count at which the turn of pair steps ends
    tried: bool = False


def first_share(part: Part, budget: Budget) -> float:
    """Of the cost asked for, where pair steps do well; 1 where they do there."""
    size = float(part.upper.max() * part.curvature.max() / part.form.margin.max())
    factor = budget.homotopy_factor
    stages = np.ceil(np.log(max(size, 1e-300) / budget.homotopy_first) / np.log(factor))
    return float(min(1.0, factor**-stages))


def asked(part: Part, budget: Budget) -> float:
    """The price of the whole way; infinite where there is no way.

    A part of one system per class (llw, ova) has more free variables, and the interior point is better: segment, llw,
    C = 2^15, with 1100 of them, would take 20 s in place of 11.
    """
    share = first_share(part, budget)
    if share == 1.0 or separable(part):
        return np.inf
    stages = -float(np.log(share) / np.log(budget.homotopy_factor))
    return budget.homotopy_start_price + budget.homotopy_stage_price * stages


def begin(part: Part, state: BlockState, homotopy: Homotopy, budget: Budget) -> None:
    """At the first cost from zero: what pair steps leave at a large cost is a worse start."""
    given = state.constant - part.offset * weights_of(part, state.alpha).sum(axis=0)
    state.alpha[...] = 0.0
    state.functions[...] = given
    state.constant = given
    begin_at(part, state, homotopy, first_share(part, budget), budget)


def begin_at(part: Part, state: BlockState, homotopy: Homotopy, share: float, budget: Budget) -> None:
    """Go on at this share of the cost."""
    homotopy.share, homotopy.rounds, homotopy.tried = share, 0, True
    homotopy.stage = Stage.PAIRS if share == first_share(part, budget) else Stage.ROUNDS
    homotopy.turn_ends = next_decision(state.steps, budget)
    state.forget_rounds()


def advance(
    part: Part, state: BlockState, homotopy: Homotopy, until: int, tolerance: float, budget: Budget
) -> Work[Progress]:
    """A round, or pair steps at the first cost, or on to the next; STALLED where that leads nowhere."""
    share = homotopy.share
    view = view_of(part, share)
    goal = tolerance if share == 1.0 else max(tolerance, budget.homotopy_loose * float(part.form.margin.max()))
    if homotopy.stage is Stage.PAIRS:
        progress = yield from blocks.advance(view, state, min(until, homotopy.turn_ends), goal, budget)
        half = budget.homotopy_rounds // 2
        if progress is not Progress.MOVING:
            homotopy.rounds = half
        elif state.steps >= homotopy.turn_ends:
            homotopy.turn_ends, homotopy.rounds = next_decision(state.steps, budget), homotopy.rounds + 1
        if homotopy.rounds >= half:
            homotopy.stage = Stage.REFRESH
        if progress is Progress.MOVING:
            return progress
    if homotopy.stage is Stage.REFRESH:
        yield from refresh(view, state)
        homotopy.stage = Stage.ROUNDS
    bench = Workbench(view, budget)
    if homotopy.stage is Stage.ROUNDS and bench.look(state) <= goal:
        if share == 1.0:
            begin_at(part, state, homotopy, share, budget)  # a bias found from outside may ask for more
            return Progress.CONVERGED
        yield from raise_cost(part, state, homotopy, budget)
        return Progress.MILESTONE
    gradient = bench.gradient_of_all(state)
    least, most = budget.homotopy_least, budget.homotopy_share
    chosen = faces.foremost(bench.part, state.alpha, gradient, INNER.newton_share * goal, least, most)
    if homotopy.rounds >= budget.homotopy_rounds or not blocks.solvable_at_once(bench.part, chosen, budget):
        return Progress.STALLED
    moved = yield from bench.solve_chosen(state, chosen, INNER.newton_share * goal, exact=True)
    state.spending.total += price.newton(chosen.slot.size, budget)
    homotopy.rounds, homotopy.stage = homotopy.rounds + 1, Stage.ROUNDS
    return Progress.MILESTONE if moved else Progress.STALLED


def view_of(part: Part, share: float) -> Part:
    """The part at a share of its cost."""
    if share == 1.0:
        return part
    if part.kept.get("share") != share:
        part.kept["share"], part.kept["view"] = share, replace(part, upper=share * part.upper)
    view: Part = part.kept["view"]
    return view


def raise_cost(part: Part, state: BlockState, homotopy: Homotopy, budget: Budget) -> Work[None]:
    """To the next cost, and the variables at their bound with it."""
    share = homotopy.share
    following = min(1.0, budget.homotopy_factor * share)
    at_bound = part.geometry.at_upper(state.alpha, share * part.upper)
    alpha = np.where(at_bound, following / share, 1.0) * state.alpha
    weights = weights_of(part, alpha)
    change = (weights - weights_of(part, state.alpha)).sum(axis=0)
    products = yield from part.gram.products(weights)
    state.alpha[...] = alpha
    state.constant = state.constant + part.offset * change
    state.functions[...] = products + state.constant
    begin_at(part, state, homotopy, following, budget)
    homotopy.stage = Stage.RAISED
