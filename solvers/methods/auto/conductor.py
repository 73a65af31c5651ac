"""The fastest way to the certificate: two-level S2DO, the low-rank interior point, for linear kernels a way through W.

For a linear kernel of few features `delegate` names another method. All else begins with two-level S2DO, which most
problems are solved by at once; when it has cost as much as the interior point would, that takes over. How much this is,
the rank of the kernel says, which is probed when it matters: at most twice the time of the better of the two. A share
of that is enough where pair steps have not even brought the violation below what it is at zero. On the way, bursts of
operator splitting lead the pair steps where these crawl, and large costs are climbed to from small ones.
"""

from __future__ import annotations

import numpy as np

from solvers.factor.layout import Layout
from solvers.factor.normal import separable
from solvers.methods import interior as ipm
from solvers.methods.auto import blocks as two_level
from solvers.methods.auto import homotopy as climb
from solvers.methods.auto import pace, price, proximal
from solvers.methods.base import Progress, State
from solvers.methods.linear import choice as linear_choice
from solvers.problem import Part

NAME = "auto"
SUPPORTS = "every machine, kernel and bias"

HASTE = 4.0  # how much sooner, where pair steps lead nowhere
LED = 2.0  # how much later, where splitting leads pair steps: they catch up, and such an interior point costs more
CREDIT, FEW_STEPS = 5, 50  # claims in vain by single-precision rows, each so few steps after the one before
NEXT = 2.0  # the growth of what is spent before the interior point is asked for its price again


def refuse(part: Part) -> str | None:
    return None


def delegate(part: Part) -> str:
    """The method that is used for this: this one, or where W is small, one that keeps it."""
    return linear_choice.choose(part) or NAME


def start(part: Part) -> State:
    state = ipm.start(part)
    # what two-level S2DO may cost before the interior point is asked for; below zero once that has taken over
    state.memory["race"] = np.array([price.least(part)])
    state.memory["claims"] = np.array([0.0, 0.0])  # refuted one after the other; the steps at the last of them
    state.memory["pace"] = pace.start(part)
    state.memory["climb"] = climb.start()
    state.memory["proximal"] = proximal.start()
    return state


def used(state: State) -> str:
    """What did the work, in words."""
    return NAME if state.memory["race"][0] >= 0.0 else ipm.NAME


def wind_up(part: Part, state: State, tolerance: float) -> bool:
    return ipm.wind_up(part, state, tolerance)


def refuted(state: State) -> None:
    """Where rounds in single precision end at once, again and again, only exact systems can get farther."""
    claims = state.memory["claims"]
    claims[0] = claims[0] + 1.0 if state.steps - claims[1] < FEW_STEPS else 1.0
    claims[1] = state.steps
    if claims[0] > CREDIT:
        state.memory["race"][0] = -1.0


def advance(part: Part, state: State, steps: int, tolerance: float) -> Progress:
    race, effort = state.memory["race"], state.memory["effort"]
    if race[0] < 0.0:
        return ipm.advance(part, state, steps, tolerance)
    if proximal.stepping(state):
        progress = proximal.advance(part, state, tolerance)
        race[0] = race[0] if proximal.stepping(state) or climb.climbing(state) else -1.0
        return progress
    climbing = climb.climbing(state)
    progress = (climb if climbing else two_level).advance(part, state, steps, tolerance)
    if progress is Progress.CONVERGED:
        return progress
    if climb.due(part, state):
        climb.begin(part, state)
        return Progress.MOVING
    if effort[3] < race[0] and progress is not Progress.STALLED:
        if not climbing:
            pace.lead(part, state, tolerance)
        return progress
    worth = effort[3] * haste(part, state)
    asked = price.interior(part, worth)
    if asked <= worth and proximal.due(part, state):
        proximal.begin(part, state)
        return Progress.MOVING
    race[0] = -1.0 if asked <= worth or progress is Progress.STALLED else max(asked / HASTE, NEXT * effort[3])
    return Progress.MOVING


def haste(part: Part, state: State) -> float:
    """How much sooner than at equal prices to change over.

    Where the violation exceeds that of alpha = 0, a system per class makes the interior point a safe bet. One system
    for all classes is not: page-blocks, ww, C = 2^18 would take ten times as long.
    """
    if climb.climbing(state):
        return 1.0 / HASTE
    if not separable(Layout(part)):
        return 1.0 / LED if pace.leads(state) else 1.0
    return HASTE if two_level.Workbench(part).look(state) > float(part.form.margin.max()) else 1.0
