"""`auto`: runs the phase with the lowest expected cost to the certificate, and revises this choice as it learns more.

`decide` is a pure function from facts and a budget to a phase and a reason; everything else here collects facts or
runs the phase. Decisions are made at step counts that depend on steps alone, after a costly step, and when a phase
stalls; never at the end of a slice, and never by a clock. Changes of phase and the first burst of ADMM are recorded
with the numbers that were compared.

Blocks come first because they solve most problems alone. When their cost reaches the price of the interior point,
`auto` changes to it, so that the total is at most about twice the cost of the better of the two. The price depends on
the rank of the kernel, which is computed only when the price is needed. Before that, bursts of ADMM help blocks that
are slow, and a homotopy from a small C reaches a large C.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

import numpy as np

from mcsvm.solvers.budget import BUDGET, Budget, Phase, next_decision
from mcsvm.solvers.decision import SMALL_PAIRS, Decision
from mcsvm.solvers.factor.normal import separable
from mcsvm.solvers.methods import interior
from mcsvm.solvers.methods.auto import blocks, homotopy, pace, price, proximal, shrunk, splitting
from mcsvm.solvers.methods.auto.blocks import Workbench
from mcsvm.solvers.methods.auto.homotopy import Homotopy
from mcsvm.solvers.methods.auto.pace import Look, Pace
from mcsvm.solvers.methods.auto.proximal import Proximal
from mcsvm.solvers.methods.auto.shrunk import Shrunk
from mcsvm.solvers.methods.base import Method, Progress
from mcsvm.solvers.methods.interior import InteriorState
from mcsvm.solvers.methods.linear import choice
from mcsvm.solvers.methods.linear.table import LINEAR_METHODS
from mcsvm.solvers.problem import Part


@dataclass(frozen=True)
class Facts:
    """The input of a decision. Prices and efforts are in seconds of the budget."""

    phase: Phase
    outcome: Progress = Progress.MOVING  # of the last call of the phase; STALLED: the phase cannot continue
    spent: float = 0.0
    ask_at: float = np.inf  # the effort at which to ask for the price of the interior point
    interior_price: float | None = None  # None: not computed
    homotopy_price: float = np.inf  # infinite after a homotopy, and if `homotopy.asked` is
    proximal_ready: bool = False  # proximal steps have small Newton systems here
    proximal_settled: bool = False  # after these, few variables are free and the violation is small
    one_system_per_class: bool = False  # the part is separable (factor/normal.py)
    admm_leads: bool = False  # whether a burst of ADMM has run
    worse_than_zero: bool = False  # whether the violation exceeds that of alpha = 0
    vain_claims: int = 0  # consecutive refuted claims of convergence, each within `vain_steps` steps of the last
    blocks_need: float | None = None  # price of blocks to the tolerance (pace.py); None if no look was due
    burst_price: float = np.inf  # of a burst of ADMM steps


class Why(StrEnum):
    """The reasons of decisions, as users read them."""

    BLOCKS_FIRST = "Blocks of kernel rows come first: they solve most problems at once."
    INTERIOR_GOES_ON = "The interior point goes on."
    FINISHING = "Dense systems and blocks end what the interior point began."
    VAIN_CLAIMS = "Claims of convergence by single-precision rows were refuted again and again."
    SHRUNK_FIRST = "The row store is small: the examples near their margins come first, with rows of their columns."
    SHRUNK_GOES_ON = "The examples near their margins are not solved yet."
    SHRUNK_STALLED = "The examples near their margins make no progress."
    HOMOTOPY_STALLED = "The homotopy in C made no progress."
    HOMOTOPY_PAID = "Blocks have cost as much as a homotopy from a small cost would."
    BURST_CHEAPER = "Blocks would need longer to the tolerance than a burst of ADMM steps."
    NOTHING_CHEAPER = "Nothing else is cheaper yet."
    SETTLED = "Few variables are free: Newton steps on the exact kernel, at the full C, come last."
    SETTLED_FOR_BLOCKS = "Few variables are free: blocks come last."
    HOMOTOPY_DEARER = "The homotopy in C has cost several times what an interior point would."
    PROXIMAL_STALLED = "Proximal steps made no progress."
    PROXIMAL_GOES_ON = "Proximal steps go on."
    PROXIMAL_PAID = "Blocks have cost as much as proximal steps with small systems would."
    INTERIOR_PAID = "Blocks have cost as much as an interior point of the kernel's rank would."
    BLOCKS_STALLED = "No block makes progress any more."
    INTERIOR_DEARER = "An interior point would cost more than was spent."
    PATH_ENDED = "The central path has ended: it is clear which variables are at a bound."


REASONS = choice.ROWS, choice.NEWTON, choice.VISITS, SMALL_PAIRS, *(why.value for why in Why)  # for translation


@dataclass(frozen=True)
class Transition:
    """The output of a decision."""

    phase: Phase
    reason: Why
    ask_at: float | None = None  # when to ask for the price of the interior point again


def decide(facts: Facts, budget: Budget) -> Transition:
    """Return the phase to run next. The first rule that applies decides (table: notes/how_auto_decides.md)."""
    allowed = budget.phases
    stalled = facts.outcome is Progress.STALLED
    if facts.phase is Phase.INTERIOR:
        return Transition(Phase.INTERIOR, Why.INTERIOR_GOES_ON)
    if facts.phase is Phase.FINISHING:
        return Transition(Phase.FINISHING, Why.FINISHING)
    if facts.vain_claims > budget.vain_claims and Phase.INTERIOR in allowed:
        return Transition(Phase.INTERIOR, Why.VAIN_CLAIMS)
    if facts.phase is Phase.PROXIMAL:
        return _after_proximal(facts, allowed, stalled=stalled)
    if facts.phase is Phase.SHRUNK and stalled:
        return Transition(Phase.BLOCKS, Why.SHRUNK_STALLED)
    if facts.phase is Phase.SHRUNK and facts.spent < facts.ask_at:
        return Transition(Phase.SHRUNK, Why.SHRUNK_GOES_ON)
    if facts.phase is Phase.HOMOTOPY and stalled:
        return Transition(Phase.BLOCKS, Why.HOMOTOPY_STALLED)
    if facts.phase is Phase.BLOCKS and Phase.HOMOTOPY in allowed and facts.spent >= facts.homotopy_price:
        return Transition(Phase.HOMOTOPY, Why.HOMOTOPY_PAID)
    if facts.spent < facts.ask_at and not stalled:
        needed = facts.blocks_need
        due = needed is not None and needed > facts.burst_price
        if facts.phase is Phase.BLOCKS and due and Phase.SPLITTING in allowed:
            return Transition(Phase.SPLITTING, Why.BURST_CHEAPER)
        return Transition(facts.phase, Why.NOTHING_CHEAPER)
    return _about_interior(facts, budget, stalled=stalled)


def _after_proximal(facts: Facts, allowed: frozenset[Phase], *, stalled: bool) -> Transition:
    if facts.proximal_settled:
        if Phase.HOMOTOPY in allowed:
            return Transition(Phase.HOMOTOPY, Why.SETTLED)
        return Transition(Phase.BLOCKS, Why.SETTLED_FOR_BLOCKS)
    if not stalled:
        return Transition(Phase.PROXIMAL, Why.PROXIMAL_GOES_ON)
    return Transition(Phase.INTERIOR if Phase.INTERIOR in allowed else Phase.BLOCKS, Why.PROXIMAL_STALLED)


def _about_interior(facts: Facts, budget: Budget, *, stalled: bool) -> Transition:
    """Compare the effort with the price of the interior point; the phase has spent `ask_at` or has stalled."""
    allowed = budget.phases
    interior_price = np.inf if facts.interior_price is None else facts.interior_price
    paid = interior_price <= facts.spent * readiness(facts, budget)
    if paid and facts.proximal_ready and Phase.PROXIMAL in allowed:
        return Transition(Phase.PROXIMAL, Why.PROXIMAL_PAID)
    if paid and Phase.INTERIOR in allowed and budget.interior_race:
        in_homotopy = facts.phase is Phase.HOMOTOPY
        return Transition(Phase.INTERIOR, Why.HOMOTOPY_DEARER if in_homotopy else Why.INTERIOR_PAID)
    if stalled and Phase.INTERIOR in allowed:
        return Transition(Phase.INTERIOR, Why.BLOCKS_STALLED)
    later = max(interior_price / budget.interior_haste, budget.interior_growth * facts.spent)
    return Transition(facts.phase, Why.INTERIOR_DEARER, later)


def readiness(facts: Facts, budget: Budget) -> float:
    """Return the factor on the effort spent when it is compared with the price of the interior point.

    If the violation exceeds that of alpha = 0, entering the interior point early pays if it has a system per class.
    With one system for all classes it does not: page-blocks, ww, C = 2^18 would take ten times as long.
    """
    if facts.phase is Phase.HOMOTOPY:
        return 1.0 / budget.interior_haste
    if not facts.one_system_per_class:
        return 1.0 / budget.interior_patience if facts.admm_leads else 1.0
    return budget.interior_haste if facts.worse_than_zero else 1.0


@dataclass
class AutoState(InteriorState):
    """The state of all phases and of the decisions between them."""

    phase: Phase = Phase.BLOCKS
    outcome: Progress = Progress.MOVING  # MOVING: the next decision is due at `decide_at`; otherwise now
    decide_at: int = 0  # steps
    ask_at: float = -np.inf  # effort at which to ask for the interior price; -inf before the first decision
    vain_claims: int = 0  # consecutive refuted claims of convergence
    claimed_at: int = 0  # steps at the last refuted claim
    pace: Pace = field(default_factory=Pace)
    homotopy: Homotopy = field(default_factory=Homotopy)
    proximal: Proximal = field(default_factory=Proximal)
    shrunk: Shrunk = field(default_factory=Shrunk)


class Auto(Method[AutoState]):
    name = "auto"
    geometries = interior.InteriorPoint.geometries
    supports = "every machine, kernel and bias"

    def __init__(self, budget: Budget = BUDGET) -> None:
        self.budget = budget

    def delegate(self, part: Part) -> tuple[Method[Any], Decision | None]:
        """Return the method for the part: for some linear kernels it is one that keeps W (linear/choice.py)."""
        if part.gram.kernel.name != "linear":
            phase = self.opening(part)
            why = Why.SHRUNK_FIRST if phase is Phase.SHRUNK else Why.BLOCKS_FIRST
            return self, Decision(0, phase.value, why.value)
        name, reason, numbers = choice.choose(part)
        if name is None:
            return self, Decision(0, Phase.BLOCKS.value, reason, numbers)
        return next(method for method in LINEAR_METHODS if method.name == name), Decision(0, name, reason, numbers)

    def opening(self, part: Part) -> Phase:
        """Return the phase to begin with."""
        shrunken = Phase.SHRUNK in self.budget.phases and shrunk.applies(part, self.budget)
        return Phase.SHRUNK if shrunken else Phase.BLOCKS

    def start(self, part: Part, seed: int) -> AutoState:
        state: AutoState = AutoState.zero(part, phase=self.opening(part))
        blocks.by_class(state)
        state.decide_at = self.budget.decide_first
        return state

    def used(self, state: AutoState) -> str:
        return interior.InteriorPoint.name if state.phase in (Phase.INTERIOR, Phase.FINISHING) else state.phase.value

    def effort(self, state: AutoState) -> float:
        return state.spending.total

    def refuted(self, part: Part, state: AutoState) -> None:
        """Count consecutive refuted claims; after too many only float64 systems get closer, so a decision is due."""
        state.shrunk.stale = True
        near = state.steps - state.claimed_at < self.budget.vain_steps
        state.vain_claims = state.vain_claims + 1 if near else 1
        state.claimed_at = state.steps
        if state.vain_claims > self.budget.vain_claims:
            state.decide_at = state.steps

    def wind_up(self, part: Part, state: AutoState, tolerance: float) -> bool:
        moved = interior.wind_up(part, state, tolerance, self.budget)
        self.see_end_of_path(state)
        return moved

    # -- the loop ---------------------------------------------------------------------------------

    def advance(self, part: Part, state: AutoState, steps: int, tolerance: float) -> Progress:
        until = state.steps + steps
        while state.steps_left > 0:
            due = state.steps >= state.decide_at and not (state.newton_next or state.shrunk.inner.newton_next)
            if state.outcome is not Progress.MOVING or due:
                ended = self.conduct(part, state, tolerance)
                if ended is not Progress.MOVING:
                    return ended
            if state.steps >= until:
                return Progress.MOVING
            progress = self.step(part, state, min(until, state.decide_at), tolerance)
            if progress is Progress.CONVERGED and state.recovered(part):
                return progress
            state.outcome = Progress.STALLED if progress is Progress.CONVERGED else progress
        return Progress.MOVING

    def step(self, part: Part, state: AutoState, until: int, tolerance: float) -> Progress:
        """Advance the current phase to the step count `until`, or by one costly step."""
        budget = self.budget
        if state.phase is Phase.SHRUNK:
            return shrunk.advance(part, state, state.shrunk, until, tolerance, budget)
        if state.shrunk.examples.size:
            shrunk.leave(part, state, state.shrunk)
        if state.phase is Phase.BLOCKS:
            return blocks.advance(part, state, until, tolerance, budget)
        if state.phase is Phase.HOMOTOPY:
            progress = homotopy.advance(part, state, state.homotopy, until, tolerance, budget)
            state.recovered(part)
            return progress
        if state.phase is Phase.PROXIMAL:
            return proximal.advance(part, state, state.proximal, tolerance, budget)
        if state.phase is Phase.INTERIOR:
            progress = interior.follow(part, state, until, tolerance, budget)
            self.see_end_of_path(state)
            return progress
        return interior.finish(part, state, until, tolerance, budget)

    def see_end_of_path(self, state: AutoState) -> None:
        """Change INTERIOR to FINISHING if the path has ended: the only change of phase that `decide` does not make."""
        if state.phase is Phase.INTERIOR and state.interior.left:
            state.phase = Phase.FINISHING
            reason = Why.PATH_ENDED.value
            numbers = {"iterations": float(state.interior.iterations), "rank": float(state.interior.rank)}
            state.decisions.append(Decision(state.steps, state.phase.value, reason, numbers))

    # -- deciding ---------------------------------------------------------------------------------

    def conduct(self, part: Part, state: AutoState, tolerance: float) -> Progress:
        """Collect facts, decide, and enter the phase. Return STALLED if a stalled phase was chosen again.

        A result other than MOVING ends the slice.
        """
        outcome, seen = state.outcome, None
        if state.ask_at == -np.inf:
            self.price_phases(part, state)
        facts = self.facts(part, state)
        if state.phase is Phase.BLOCKS and state.spending.total >= state.pace.look_at and facts.spent < facts.ask_at:
            seen = pace.look(part, state, state.pace, tolerance, self.budget)
            facts = replace(facts, blocks_need=seen.needed, burst_price=seen.asked)
        transition = decide(facts, self.budget)
        if transition.phase is Phase.SPLITTING:
            assert seen is not None
            self.burst(part, state, transition, seen)
        else:
            if seen is not None:
                state.pace = seen.following
            self.enter(part, state, facts, transition)
        state.outcome, state.decide_at = Progress.MOVING, next_decision(state.steps, self.budget)
        if outcome is Progress.STALLED and state.phase is facts.phase:
            return Progress.STALLED  # no other phase is left to try
        return Progress.MILESTONE if outcome is Progress.MILESTONE else Progress.MOVING

    def price_phases(self, part: Part, state: AutoState) -> None:
        """Set the efforts at which other phases are considered, at the first decision: most runs end before it."""
        state.ask_at = price.interior_at(part, self.budget.first_rank, self.budget)
        if Phase.SPLITTING in self.budget.phases:
            state.pace = pace.start(part, self.budget)

    def facts(self, part: Part, state: AutoState) -> Facts:
        """Return all facts except those of ADMM; the interior price only if it is due, as it may grow the factor."""
        budget, spent = self.budget, state.spending.total
        tried = state.homotopy.tried
        facts = Facts(
            phase=state.phase,
            outcome=state.outcome,
            spent=spent,
            ask_at=state.ask_at,
            homotopy_price=np.inf if tried else homotopy.asked(part, budget),
            proximal_settled=state.proximal.settled,
            one_system_per_class=separable(part),
            admm_leads=state.pace.rank > 0,
            vain_claims=state.vain_claims,
        )
        due = spent >= state.ask_at or state.outcome is Progress.STALLED
        if due and state.phase in (Phase.SHRUNK, Phase.BLOCKS, Phase.HOMOTOPY):
            if facts.one_system_per_class:
                above = Workbench(part, budget).look(state) > float(part.form.margin.max())
                facts = replace(facts, worse_than_zero=above)
            asked = price.interior(part, spent * readiness(facts, budget), budget)
            facts = replace(facts, interior_price=asked, proximal_ready=proximal.ready(part, state.proximal, budget))
        return facts

    def rehearse(self, part: Part) -> None:
        """Compile the phases that the tiny problem does not reach."""
        blocks.rehearse(part, self.start(part, 0))
        shrunk.rehearse()
        if splitting.applies(part):
            rehearsed = splitting.Splitting.prepare(part, 1.0, len(part))
            rehearsed.run(self.start(part, 0), replace(self.budget, admm_steps=1))
        if not part.balanced:
            proximal.advance(part, self.start(part, 0), Proximal(), 0.0, self.budget)

    def burst(self, part: Part, state: AutoState, transition: Transition, seen: Look) -> None:
        """Run a burst of ADMM, and record the first burst."""
        led = state.pace.rank > 0
        state.pace = pace.burst(part, state, state.pace, seen, self.budget)
        if not led and state.pace.rank:
            numbers: dict[str, float | None] = {
                "needed": seen.needed,
                "price": seen.asked,
                "rank": float(state.pace.rank),
            }
            self.note(state, transition, numbers)

    def enter(self, part: Part, state: AutoState, facts: Facts, transition: Transition) -> None:
        """Begin the chosen phase, and record a change of phase."""
        if transition.ask_at is not None:
            state.ask_at = transition.ask_at
        if transition.phase is state.phase:
            return
        self.note(state, transition, self.numbers(facts))
        if transition.phase is Phase.HOMOTOPY and state.phase is Phase.PROXIMAL:
            homotopy.begin_at(part, state, state.homotopy, 1.0, self.budget)  # its last stage, from the current point
        elif transition.phase is Phase.HOMOTOPY:
            state.keep(part)
            homotopy.begin(part, state, state.homotopy, self.budget)
        elif state.return_to_best(part):
            state.forget_rounds()
        state.phase = transition.phase

    def note(self, state: AutoState, transition: Transition, numbers: Mapping[str, float | None]) -> None:
        """Record the decision with those of the numbers that are finite."""
        known = {name: float(value) for name, value in numbers.items() if value is not None and np.isfinite(value)}
        state.decisions.append(Decision(state.steps, transition.phase.value, transition.reason.value, known))

    def numbers(self, facts: Facts) -> dict[str, float | None]:
        """Return the numbers that `decide` compared, by their names in `decisions_`."""
        priced = facts.interior_price is not None
        return {
            "spent": facts.spent,
            "ask at": facts.ask_at,
            "interior price": facts.interior_price,
            "readiness": readiness(facts, self.budget) if priced else None,
            "homotopy price": facts.homotopy_price,
            "vain claims": float(facts.vain_claims),
        }
