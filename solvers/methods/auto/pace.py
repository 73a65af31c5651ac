"""When a burst of ADMM steps is worth its price: where rounds of blocks need longer for what is left.

Extrapolates the time to tolerance from the KKT violation at two looks. A burst leaves errors that a few rounds mend at
once, so there is no look before these. A burst that did not help makes the next one later.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf, log

from solvers.budget import Budget
from solvers.methods.auto import price
from solvers.methods.auto.blocks import BlockState, Workbench
from solvers.methods.auto.splitting import Splitting, applies, penalty_for
from solvers.problem import Part
from solvers.work import Work


@dataclass
class Pace:
    """All efforts in seconds of the budget."""

    look_at: float = inf  # the effort at which to look
    pause: float = inf  # the effort between two looks
    effort_at_look: float = 0.0  # at the last look
    violation_at_look: float = inf
    at_burst: float = inf  # the violation before the last burst
    rho: float = 0.0
    rank: int = 0  # of the factor that bursts work on; 0 before the first

    def needed(self, effort: float, violation: float, tolerance: float) -> float | None:
        """What rounds need to the tolerance, extrapolated from two looks; None before the second."""
        before = self.violation_at_look
        if before == inf:
            return None
        if violation >= before:
            return inf
        return (effort - self.effort_at_look) * log(violation / tolerance) / log(before / violation)


def start(part: Part, budget: Budget) -> Pace:
    if not applies(part):
        return Pace()
    first = price.burst(part, budget.first_rank, budget)
    return Pace(look_at=first, pause=0.5 * first)


@dataclass(frozen=True)
class Look:
    """What a look at the rounds says."""

    violation: float
    needed: float | None  # by rounds, to the tolerance
    asked: float  # by a burst
    following: Pace  # where no burst comes


def look(part: Part, state: BlockState, pace: Pace, tolerance: float, budget: Budget) -> Look:
    spent = state.spending.total
    violation = Workbench(part, budget).look(state)
    needed = pace.needed(spent, violation, tolerance)
    pause = pace.pause if pace.violation_at_look == inf else budget.admm_slower * pace.pause
    following = replace(pace, look_at=spent + pause, pause=pause, effort_at_look=spent, violation_at_look=violation)
    return Look(violation, needed, price.burst(part, pace.rank or budget.first_rank, budget), following)


def burst(part: Part, state: BlockState, pace: Pace, seen: Look, budget: Budget) -> Work[Pace]:
    """A burst, and the pace after it; none where the columns it needs would cost more than all before."""
    spending, rho, rank, asked = state.spending, pace.rho, pace.rank, seen.asked
    if not rank:
        rho = penalty_for(part, state)
        asked, rank = yield from price.first_burst(part, rho, spending.total, budget)
        if asked > spending.total:
            return replace(pace, look_at=asked, violation_at_look=inf)
    if "splitting" not in part.kept:
        part.kept["splitting"] = yield from Splitting.prepare(part, rho, rank)
    moved = yield from part.kept["splitting"].run(state)
    spending.total += asked
    state.steps += 1
    helped = moved and seen.violation <= budget.admm_helped * pace.at_burst
    pause = budget.admm_pause * price.burst(part, rank, budget) if helped else budget.admm_later * pace.pause
    return Pace(spending.total + pause, pause, spending.total, inf, seen.violation, rho, rank)
