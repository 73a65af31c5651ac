"""Phase HOMOTOPY: solves at a small C, then raises C by factors; each solution starts from the active set before.

Pair steps are slow at a large C and fast at a small C, and from one C to the next few variables enter or leave their
bounds. A round is a Newton step in float64 on the exact kernel, for all free variables and the most violating others.
So the number of rounds grows with log C, and every alpha on the way is feasible for the C of the problem.

`share` is the current C divided by the C of the problem.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum, auto

import numpy as np

from mcsvm.solvers.budget import INNER, Budget, next_decision
from mcsvm.solvers.dual.quantities import weights_of
from mcsvm.solvers.factor.normal import separable
from mcsvm.solvers.methods.auto import blocks, faces, price
from mcsvm.solvers.methods.auto.blocks import BlockState, Workbench
from mcsvm.solvers.methods.base import Progress, refresh
from mcsvm.solvers.problem import Part


class Stage(Enum):
    """The next action at the current C."""

    PAIRS = auto()  # pair steps, at the first C
    REFRESH = auto()  # pair steps have ended: recompute the functions in float64
    RAISED = auto()  # C has grown: one round before the violation is checked
    ROUNDS = auto()  # rounds until the violation is small enough


@dataclass
class Homotopy:
    """The progress of the homotopy."""

    share: float = 0.0  # 0 before the homotopy
    stage: Stage = Stage.PAIRS
    rounds: int = 0  # at this C; a turn of pair steps counts as a round, and at most half of homotopy_rounds are turns
    turn_ends: int = 0  # step count at which the turn of pair steps ends
    tried: bool = False


def first_share(part: Part, budget: Budget) -> float:
    """Return the largest share factor^-j with C curvature / margin <= homotopy_first: pair steps are fast there."""
    size = float(part.upper.max() * part.curvature.max() / part.form.margin.max())
    factor = budget.homotopy_factor
    stages = np.ceil(np.log(max(size, 1e-300) / budget.homotopy_first) / np.log(factor))
    return float(min(1.0, factor**-stages))


def asked(part: Part, budget: Budget) -> float:
    """Return the price of all stages; it is infinite if C is small or the part is separable.

    A part with one system per class (llw, ova) has more free variables, and the interior point is faster: segment,
    llw, C = 2^15, with 1100 free variables, would take 20 s instead of 11.
    """
    share = first_share(part, budget)
    if share == 1.0 or separable(part):
        return np.inf
    stages = -float(np.log(share) / np.log(budget.homotopy_factor))
    return budget.homotopy_start_price + budget.homotopy_stage_price * stages


def begin(part: Part, state: BlockState, homotopy: Homotopy, budget: Budget) -> None:
    """Start at the first C from alpha = 0, which is a better start than the alpha of pair steps at a large C."""
    given = state.constant - part.offset * weights_of(part, state.alpha).sum(axis=0)
    state.alpha[...] = 0.0
    state.functions[...] = given
    state.constant = given
    begin_at(part, state, homotopy, first_share(part, budget), budget)


def begin_at(part: Part, state: BlockState, homotopy: Homotopy, share: float, budget: Budget) -> None:
    """Begin the stage of this share, from the current alpha."""
    homotopy.share, homotopy.rounds, homotopy.tried = share, 0, True
    homotopy.stage = Stage.PAIRS if share == first_share(part, budget) else Stage.ROUNDS
    homotopy.turn_ends = next_decision(state.steps, budget)
    state.forget_rounds()


def advance(
    part: Part, state: BlockState, homotopy: Homotopy, until: int, tolerance: float, budget: Budget
) -> Progress:
    """Run a round, pair steps at the first C, or the change to the next C; return STALLED without progress."""
    share = homotopy.share
    view = view_of(part, share)
    goal = tolerance if share == 1.0 else max(tolerance, budget.homotopy_loose * float(part.form.margin.max()))
    if homotopy.stage is Stage.PAIRS:
        progress = blocks.advance(view, state, min(until, homotopy.turn_ends), goal, budget)
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
        refresh(view, state)
        homotopy.stage = Stage.ROUNDS
    bench = Workbench(view, budget)
    if homotopy.stage is Stage.ROUNDS and bench.look(state) <= goal:
        if share == 1.0:
            begin_at(part, state, homotopy, share, budget)  # the claim may be refuted, or b may move (multipliers.py)
            return Progress.CONVERGED
        raise_cost(part, state, homotopy, budget)
        return Progress.MILESTONE
    gradient = bench.gradient_of_all(state)
    joining = budget.homotopy_least, budget.homotopy_share
    chosen = faces.foremost(bench.part, state.alpha, gradient, INNER.newton_share * goal, *joining)
    if homotopy.rounds >= budget.homotopy_rounds or not blocks.solvable_at_once(bench.part, chosen, budget):
        return Progress.STALLED
    moved = bench.solve_chosen(state, chosen, INNER.newton_share * goal, exact=True)
    state.spending.total += price.newton(chosen.slot.size, budget)
    homotopy.rounds, homotopy.stage = homotopy.rounds + 1, Stage.ROUNDS
    return Progress.MILESTONE if moved else Progress.STALLED


def view_of(part: Part, share: float) -> Part:
    """Return the part with this share of its C."""
    if share == 1.0:
        return part
    known = part.view("homotopy", share)
    return part.keep_view("homotopy", share, replace(part, upper=share * part.upper)) if known is None else known


def raise_cost(part: Part, state: BlockState, homotopy: Homotopy, budget: Budget) -> None:
    """Change to the next C; variables at their upper bound move with it."""
    share = homotopy.share
    following = min(1.0, budget.homotopy_factor * share)
    at_bound = part.geometry.at_upper(state.alpha, share * part.upper)
    alpha = np.where(at_bound, following / share, 1.0) * state.alpha
    weights = weights_of(part, alpha)
    change = (weights - weights_of(part, state.alpha)).sum(axis=0)
    products = part.gram.products(weights)
    state.alpha[...] = alpha
    state.constant = state.constant + part.offset * change
    state.functions[...] = products + state.constant
    begin_at(part, state, homotopy, following, budget)
    homotopy.stage = Stage.RAISED
