"""When a burst of operator splitting is worth its price: where rounds of pair steps need longer for what is left.

Rounds are looked at twice; what the violation fell by meanwhile says how long they need. As a burst leaves errors that
a few rounds mend at once, they are not looked at before these. A burst that did not help makes the next one later.
"""

from __future__ import annotations

from math import inf, log
from typing import NamedTuple

import numpy as np

from solvers.methods.auto import blocks as two_level
from solvers.methods.auto import price
from solvers.methods.auto.splitting import Splitting, applies, stiffness
from solvers.methods.base import State
from solvers.problem import Part

PAUSE = 0.05  # of a burst's price, between two looks
LONGER = 1.5  # the growth of a pause after which rounds do well
HELPED, LATER = 0.7, 8.0  # a burst that left more of the violation makes the next pauses so much longer


class Pace(NamedTuple):
    """All efforts in seconds of rounds, roughly."""

    look: float  # the effort at which to look
    pause: float
    since: float = 0.0  # the effort at the look before
    before: float = inf  # the violation then
    at_burst: float = inf  # the violation before the last burst
    rho: float = 0.0
    rank: float = 0.0

    def left(self, effort: float, violation: float, tolerance: float) -> float:
        """What rounds need to the tolerance, as they go; nothing yet where they were not looked at."""
        if self.before == inf:
            return 0.0
        if violation >= self.before:
            return inf
        return (effort - self.since) * log(violation / tolerance) / log(self.before / violation)


def start(part: Part) -> np.ndarray:
    first = price.burst(part, price.FIRST) if applies(part) else inf
    return np.array(Pace(first, 0.5 * first))


def leads(state: State) -> bool:
    """Whether there was a burst."""
    return Pace(*state.memory["pace"]).rank > 0.0


def lead(part: Part, state: State, tolerance: float) -> None:
    """A burst, if it is time for one."""
    pace, effort = Pace(*state.memory["pace"]), state.memory["effort"]
    spent = float(effort[3])
    if spent < pace.look:
        return
    violation = two_level.Workbench(part).look(state)
    left = pace.left(spent, violation, tolerance)
    pause = pace.pause if pace.before == inf else LONGER * pace.pause
    following = pace._replace(look=spent + pause, pause=pause, since=spent, before=violation)
    if left > price.burst(part, int(pace.rank) or price.FIRST):
        following = burst(part, state, pace, violation) or following
    state.memory["pace"] = np.array(following)


def burst(part: Part, state: State, pace: Pace, violation: float) -> Pace | None:
    """The pace after it; None where the columns it needs would cost more than all before."""
    effort = state.memory["effort"]
    rho, rank, asked = pace.rho, int(pace.rank), price.burst(part, int(pace.rank))
    if not rank:
        rho = stiffness(part, state)
        asked, rank = price.splitting(part, rho, float(effort[3]))
        if asked > effort[3]:
            return pace._replace(look=asked, before=inf)
    if "splitting" not in part.kept:
        part.kept["splitting"] = Splitting(part, rho, rank)
    moved = part.kept["splitting"].carry(state)
    effort[3] += asked
    state.steps += 1
    helped = moved and violation <= HELPED * pace.at_burst
    pause = PAUSE * price.burst(part, rank) if helped else LATER * pace.pause
    return Pace(float(effort[3]) + pause, pause, effort[3], inf, violation, rho, rank)
