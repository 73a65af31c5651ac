"""From a small cost to the one asked for, by factors: what is at its bound goes on with it, the others follow exactly.

Where pair steps crawl at a large cost they do not at a small one, and from one cost to the next few variables change
sides. A round solves for all free variables and the worst of the others together, in float64 on the exact kernel, and
moves the functions by what changed. So a larger cost takes more rounds only as its logarithm grows, and every alpha on
the way is feasible for the cost asked for.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from solvers.dual.quantities import weights_of
from solvers.factor.layout import Layout
from solvers.factor.normal import separable
from solvers.methods.auto import blocks as two_level
from solvers.methods.auto import faces as polish
from solvers.methods.base import Progress, State, refresh
from solvers.problem import Part

FIRST = 128.0  # cost times curvature over margin up to which pair steps do well
FACTOR = 4.0  # from one cost to the next
LOOSE = 0.3  # violation, as a share of the margin, at which to go on
LEAST, SHARE = 50, 0.3  # of the variables that are not free in a round: so many, or of the free ones
PATIENCE = 80  # rounds at one cost, until something else is tried
PRICE = 0.05, 0.04  # of the first cost and of each further one, on the scale of two-level S2DO: seconds, roughly
BEFORE, AFTER = 0.0, -1.0


def start() -> np.ndarray:
    """The share of the cost where the state stands, or BEFORE or AFTER the climb; rounds there."""
    return np.array([BEFORE, 0.0])


def climbing(state: State) -> bool:
    return bool(state.memory["climb"][0] > 0.0)


def first_share(part: Part) -> float:
    """1 where there is nothing to climb."""
    size = float(part.upper.max() * part.curvature.max() / part.form.margin.max())
    return float(min(1.0, FACTOR ** -np.ceil(np.log(max(size, 1e-300) / FIRST) / np.log(FACTOR))))


def price(part: Part) -> float:
    """Of the whole way."""
    return PRICE[0] - PRICE[1] * float(np.log(first_share(part)) / np.log(FACTOR))


def due(part: Part, state: State) -> bool:
    """Whether all before has cost as much as the climb would.

    Systems class by class (llw, ova) have more free variables, and the interior point is better: segment, llw,
    C = 2^15, with 1100 of them, would take 20 s in place of 11.
    """
    if state.memory["climb"][0] != BEFORE or state.memory["effort"][3] < price(part):
        return False
    return first_share(part) < 1.0 and not separable(Layout(part))


def begin(part: Part, state: State) -> None:
    """All anew: what pair steps leave at a large cost is worse than nothing."""
    put(part, state, np.zeros_like(state.alpha))
    stand(state, first_share(part))


def stand(state: State, share: float) -> None:
    """At this share; what rounds of pair steps remember is of no use there."""
    state.memory["climb"][:] = share, 0.0
    state.memory["effort"][:3] = 0.0
    state.memory["exact"][:] = 0.0
    state.memory["recent"] = np.empty(0, dtype=np.int64)


def advance(part: Part, state: State, steps: int, tolerance: float) -> Progress:
    """A round, or pair steps at the first cost, or on to the next; where that leads nowhere it is over."""
    share, rounds = state.memory["climb"]
    view = view_of(part, float(share))
    goal = tolerance if share == 1.0 else max(tolerance, LOOSE * float(part.form.margin.max()))
    if share == first_share(part) and rounds < PATIENCE / 2:
        if two_level.advance(view, state, steps, goal) is Progress.MOVING:
            state.memory["climb"][1] += 1.0
            return Progress.MOVING
        refresh(view, state)
    bench = two_level.Workbench(view)
    if bench.look(state) <= goal:
        if share == 1.0:
            stand(state, share)  # a bias found from outside may ask for more
            return Progress.CONVERGED
        bench = raised(part, state)
    state.memory["climb"][1] += 1.0
    if rounds >= PATIENCE or not solve(bench, state, goal):
        stand(state, AFTER)
    return Progress.MOVING


def view_of(part: Part, share: float) -> Part:
    """The part at a share of its cost."""
    if share == 1.0:
        return part
    if part.kept.get("share") != share:
        part.kept["share"], part.kept["view"] = share, replace(part, upper=share * part.upper)
    view: Part = part.kept["view"]
    return view


def raised(part: Part, state: State) -> two_level.Workbench:
    """To the next cost, and what is at its bound with it."""
    share = float(state.memory["climb"][0])
    view, following = view_of(part, share), min(1.0, FACTOR * share)
    total = state.alpha.sum(axis=1, keepdims=True) if part.form.feasible == "simplex" else state.alpha
    full = total >= view.upper[:, None] * (1.0 - 1e-9)
    put(part, state, np.where(full, following / share, 1.0) * state.alpha)
    stand(state, following)
    return two_level.Workbench(view_of(part, following))


def put(part: Part, state: State, alpha: np.ndarray) -> None:
    change = (weights_of(part, alpha) - weights_of(part, state.alpha)).sum(axis=0)
    state.alpha[...] = alpha
    state.constant = state.constant + part.offset * change
    refresh(part, state)


def solve(bench: two_level.Workbench, state: State, goal: float) -> bool:
    """One round; returns whether anything moved."""
    gradient = bench.gradient_of_all(state)
    chosen = polish.foremost(bench.part, state.alpha, gradient, 0.25 * goal, LEAST, SHARE)
    if not two_level.polishable(bench.part, chosen):
        return False
    state.memory["effort"][3] += two_level.price_of(chosen.slot.size)
    return bench.solve_chosen(state, chosen, 0.25 * goal, exact=True)
