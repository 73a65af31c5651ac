"""Decide when a burst of ADMM steps runs: when blocks would need longer to the tolerance than the burst costs.

The effort to the tolerance is extrapolated from the KKT violation at two looks. A burst leaves errors that a few rounds
remove quickly, so the next look comes after a pause. A burst that did not help lengthens the pause.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf, log

from mcsvm.solvers.budget import Budget
from mcsvm.solvers.methods.auto import price
from mcsvm.solvers.methods.auto.blocks import BlockState, Workbench
from mcsvm.solvers.methods.auto.splitting import Splitting, applies, penalty_for
from mcsvm.solvers.problem import Part


@dataclass
class Pace:
    """The time of the next look, and the results of the last look and burst. Efforts are in seconds of the budget."""

    look_at: float = inf  # effort at which to look next; infinite: never
    pause: float = inf  # effort between two looks
    effort_at_look: float = 0.0  # at the last look
    violation_at_look: float = inf  # infinite: no look since the last burst
    at_burst: float = inf  # violation before the last burst
    rho: float = 0.0
    rank: int = 0  # of the factor that bursts use; 0 before the first burst

    def needed(self, effort: float, violation: float, tolerance: float) -> float | None:
        """Return the effort of blocks to the tolerance if the violation falls geometrically, None before two looks."""
        before = self.violation_at_look
        if before == inf:
            return None
        if violation >= before:
            return inf
        if violation <= tolerance:  # includes 0, which has no logarithm
            return 0.0
        return (effort - self.effort_at_look) * log(violation / tolerance) / log(before / violation)


def start(part: Part, budget: Budget) -> Pace:
    """Return the first pace: the first look comes when blocks have cost as much as a burst at the first rank."""
    if not applies(part):
        return Pace()
    first = price.burst(part, budget.first_rank, budget)
    return Pace(look_at=first, pause=0.5 * first)


@dataclass(frozen=True)
class Look:
    """The comparison of blocks with a burst at one time."""

    violation: float
    needed: float | None  # effort of blocks to the tolerance
    asked: float  # price of a burst
    following: Pace  # the pace after this look, unless a burst follows


def look(part: Part, state: BlockState, pace: Pace, tolerance: float, budget: Budget) -> Look:
    spent = state.spending.total
    violation = Workbench(part, budget).look(state)
    needed = pace.needed(spent, violation, tolerance)
    following = replace(pace, look_at=spent + pace.pause, effort_at_look=spent, violation_at_look=violation)
    return Look(violation, needed, price.burst(part, pace.rank or budget.first_rank, budget), following)


def burst(part: Part, state: BlockState, pace: Pace, seen: Look, budget: Budget) -> Pace:
    """Run a burst and return the pace after it.

    The first burst does not run if it costs more, with its preparation, than all steps so far.
    """
    spending, rho, rank, asked = state.spending, pace.rho, pace.rank, seen.asked
    if not rank:
        rho = penalty_for(part, state, budget)
        asked, rank = price.first_burst(part, rho, spending.total, budget)
        if asked > spending.total:
            return replace(pace, look_at=asked, violation_at_look=inf)
    if "splitting" not in part.kept:
        part.kept["splitting"] = Splitting.prepare(part, rho, rank)
    moved = part.kept["splitting"].run(state, budget)
    spending.total += asked
    state.steps += 1
    helped = moved and seen.violation <= budget.helped * pace.at_burst
    pause = budget.admm_pause * price.burst(part, rank, budget) if helped else budget.admm_later * pace.pause
    return Pace(spending.total + pause, pause, spending.total, inf, seen.violation, rho, rank)
