"""The parts of a run: PartRun, one part from its start to its proof, and Totals over the finished parts.

The method moves alpha. A claim of convergence ends the part only after everything was recomputed from alpha in float64
(dual/certificate.py). If a gap is the goal, it is checked at fixed step counts, first by the running functions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from enum import Enum
from typing import Any

import numpy as np

from mcsvm.solvers import clock
from mcsvm.solvers.budget import LOOP, next_decision
from mcsvm.solvers.decision import Decision
from mcsvm.solvers.dual import balance
from mcsvm.solvers.dual.certificate import Certificate, Proof, certify
from mcsvm.solvers.dual.geometry import BOX
from mcsvm.solvers.dual.quantities import energy_of, examine, weights_of
from mcsvm.solvers.errors import InputError
from mcsvm.solvers.jit.rounding import FEASIBLE
from mcsvm.solvers.methods.base import NO_LIMIT, Method, Progress, refresh, start_from
from mcsvm.solvers.problem import Part, Problem, with_offset
from mcsvm.solvers.run import multipliers
from mcsvm.solvers.run.limits import Limits
from mcsvm.solvers.run.trace import Sample


class Claim(Enum):
    """A claim of the method about its part that the run has not verified yet."""

    NONE = "none"
    CONVERGED = "converged"
    SETTLED = "settled"  # CONVERGED, and b has converged in the method of multipliers
    STALLED = "stalled"


CLAIMS = {Progress.CONVERGED: Claim.CONVERGED, Progress.STALLED: Claim.STALLED}


@dataclass
class Finished:
    """A finished part: the data that the model and the totals need."""

    alpha: np.ndarray
    proof: Proof
    stalled: bool

    def mirrored(self) -> Finished:
        """Return the part with the classes exchanged: the same alpha, and functions of the opposite sign."""
        proof = replace(self.proof, weights=-self.proof.weights, products=-self.proof.products, bias=-self.proof.bias)
        return replace(self, alpha=self.alpha.copy(), proof=proof)


@dataclass
class Totals:
    """Sums over the finished parts, so that a sample costs no more with 5000 parts than with one."""

    waiting: np.ndarray  # (parts + 1,) the primal at alpha = 0 of all parts from each part on
    used: np.ndarray  # (n,) whether the example is a support vector of any part
    full: np.ndarray  # (n,) whether the example is bounded in any part
    certificate: Certificate = field(default_factory=lambda: Certificate(0.0, 0.0, 0.0, 0.0))
    steps: int = 0
    evaluations: int = 0  # number of kernel values computed
    examples: int = 0  # examples processed by an online method
    seconds: float = 0.0  # time of the method

    @classmethod
    def of(cls, problem: Problem) -> Totals:
        primal = np.append(problem.primals_at_zero, 0.0)
        unused = np.zeros_like(problem.labels, dtype=bool)
        return cls(np.cumsum(primal[::-1])[::-1], unused, unused.copy())

    def add(self, problem: Problem, number: int, done: Finished) -> None:
        mark_support(problem, number, done.alpha, self.used, self.full)
        self.certificate = self.certificate + done.proof.certificate

    def sample(self, finished: int, seconds: float) -> Sample:
        """Return the sample after `finished` parts, whatever was done of the next part."""
        done, waiting = self.certificate, self.waiting[finished]
        support, bounded = int(self.used.sum()), int(self.full.sum())
        return Sample(self.steps, seconds, done.dual, done.primal + waiting, done.violation, support, bounded)


def mark_support(problem: Problem, number: int, alpha: np.ndarray, used: np.ndarray, full: np.ndarray) -> None:
    """Mark the support vectors of a part in `used`, and those with a variable at its upper bound in `full`."""
    where = problem.rows_of(number)
    upper, some, bounded = problem.upper[where], np.zeros(len(alpha), dtype=bool), np.zeros(len(alpha), dtype=bool)
    for slot in alpha.T:  # a reduction along a few slots of each example takes four times as long
        some |= slot > 0.0
        bounded |= BOX.at_upper(slot, upper)
    used[where] |= some
    full[where] |= bounded


def delegated(part: Part, method: Method[Any]) -> tuple[Method[Any], Part, Decision | None]:
    """Return (the solver that works on the part, the part as that solver sees it, why the solver was chosen).

    Raise InputError if the solver cannot solve the part; the message says what would work.
    """
    solver, opening = method.delegate(part)
    # The method of multipliers reaches sum_i W_i = 0 of a joint machine, unless the solver keeps the equality.
    outside = part.balanced and part.form.outputs > 1 and not solver.keeps_balance
    view = with_offset(part, multipliers.sigma_of(part)) if outside else part
    reason = solver.refuse(view) or (balance.refuse(part) if part.balanced else None)
    if reason is not None:
        raise InputError(reason)
    return solver, view, opening


class PartRun:
    """The run of one part.

    `solver` works on `view`: the part itself or, under the method of multipliers, the part with a penalised bias.
    `finished` is None until the part has ended.
    """

    def __init__(
        self,
        part: Part,
        method: Method[Any],
        limits: Limits,
        *,
        seed: int = 0,
        start: np.ndarray | None = None,
    ) -> None:
        self.part, self.limits = part, limits
        self.solver, self.view, opening = delegated(part, method)
        self.state = self.solver.start(self.view, seed)
        if opening is not None:
            self.state.decisions.append(opening)
        self.watch = clock.Stopwatch()  # the time of the method
        self.finished: Finished | None = None
        self._failures, self._best_violation = 0, np.inf
        self._strictness, self._claim = 1.0, Claim.NONE
        self._gap_due = False  # whether a check of the gap is due
        self._look_at = self.solver.budget.decide_first  # step of the next check of the gap
        own = self.view is part
        self._outer = multipliers.OuterLoop() if own else multipliers.OuterLoop.loose(limits.tolerance)
        self._functions_stale = start is not None
        if start is not None:
            begin = balance.balanced_start(self.view, start) if self.view.balanced else start
            start_from(self.view, self.state, begin)

    # -- training ---------------------------------------------------------------------------------

    def advance(self, steps: int, left: int | None = None) -> None:
        """Take about `steps` steps, but no more than `left`; then, if it is time, check the gap or a claim."""
        self.state.limit = NO_LIMIT if left is None else self.state.steps + left
        if self._functions_stale:
            refresh(self.view, self.state)
            self._functions_stale = False
        if self._claim is Claim.NONE and not self._gap_due:
            progress = self._advance_method(self.state.steps + steps)
            self._claim = CLAIMS.get(progress, Claim.NONE)
            look = progress is Progress.MILESTONE or self.state.steps >= self._look_at
            self._gap_due = self._claim is Claim.NONE and self.gap_goal is not None and look
        if self._gap_due:
            self._look_at_gap()
        elif self._claim is not Claim.NONE:
            self._examine_claim()
        if self.finished is None and self.state.steps >= self.state.limit:
            self._examine_last()

    def _advance_method(self, until: int) -> Progress:
        """Advance the method to this step count, or to the next check of the gap."""
        if self.gap_goal is not None:
            until = min(until, self._look_at)
        with self.watch:
            return self.solver.advance(self.view, self.state, until - self.state.steps, self._tolerance())

    def _tolerance(self) -> float:
        """Return the violation that the method must reach.

        It is looser at first under the method of multipliers (OuterLoop), and stricter if a smaller gap requires it
        (`_refute`).
        """
        return self.limits.tolerance * self._outer.strictness * self._strictness

    def feasible_alpha(self) -> np.ndarray:
        """Return the best alpha so far; under the method of multipliers with its balance repaired."""
        alpha = self.state.best.alpha
        return alpha if self.view is self.part else balance.repair(self.part, alpha)

    def _close(self, proof: Proof, *, stalled: bool) -> None:
        self.finished = Finished(self.feasible_alpha(), proof, stalled)
        self.view.forget()

    # -- claims of convergence --------------------------------------------------------------------

    def _examine_claim(self) -> None:
        """Recompute everything from alpha in float64; end the part if that proves the claim, else refute it."""
        if self._claim is Claim.CONVERGED and self.view is not self.part:
            if not self._outer.update_bias(self.view, self.state, self.limits.tolerance):
                self._claim = Claim.NONE
                return
            self._claim = Claim.SETTLED
        proof = certify(self.part, self.feasible_alpha(), hint=self.state.best.constant)
        claim, self._claim = self._claim, Claim.NONE
        if self._proves(proof):
            self._close(proof, stalled=False)
        elif claim is not Claim.STALLED:
            self._refute(proof)
        elif self.view is not self.part and self._outer.restless <= LOOP.most:
            self._outer.restless += 1
            self._claim = Claim.CONVERGED  # another step on b may help
        else:
            self._close(proof, stalled=True)

    def _examine_last(self) -> None:
        """End the part if its point meets the stopping rule: the step limit may cut a round before its own check."""
        running = self.running_certificate()
        if self._gap_reached(running) if self.gap_goal is not None else running.violation <= self.limits.tolerance:
            proof = self.prove()
            if self._proves(proof):
                self._close(proof, stalled=False)

    def _proves(self, proof: Proof) -> bool:
        """Return whether the proof meets the stopping rule: feasible, and with a small enough gap or violation.

        The gap decides if there is a goal for it, otherwise the violation.
        """
        if proof.certificate.infeasibility > FEASIBLE * self.part.scale:
            return False
        if self.gap_goal is not None:
            return self._gap_reached(proof.certificate)
        return proof.certificate.violation <= self.limits.tolerance

    def _refute(self, proof: Proof) -> None:
        """Reject a false claim: use exact functions and, if only the gap is too large, a stricter tolerance.

        After more than LOOP.most failures in a row the part ends as stalled.
        """
        violation = proof.certificate.violation
        self._failures = 0 if violation < LOOP.nearer * self._best_violation else self._failures + 1
        self._best_violation = min(violation, self._best_violation)
        gap_lacks = self.gap_goal is not None and not self._gap_reached(proof.certificate)
        if gap_lacks and violation <= self._tolerance():
            factor = (self.gap_goal or 0.0) / proof.certificate.relative_gap
            self._strictness *= min(max(factor, LOOP.tightest), LOOP.loosest)
        else:
            self.solver.refuted(self.view, self.state)
        if self._failures > LOOP.most:
            self._close(proof, stalled=True)
        elif self.view is self.part:
            self.state.functions[...] = proof.products + self.state.constant
        else:
            self._outer.strictness *= 0.5
            self._functions_stale = True

    # -- the gap ----------------------------------------------------------------------------------

    @property
    def gap_goal(self) -> float | None:
        """The relative gap at which to end, from the limits or else from the method; None if the violation decides."""
        goal = self.limits.gap_tolerance
        return self.solver.natural_gap if goal is None else goal

    def _gap_reached(self, certificate: Certificate) -> bool:
        return self.gap_goal is not None and certificate.reaches(self.gap_goal, self.limits.tolerance)

    def _look_at_gap(self) -> None:
        """Check the gap by the running functions and, if it is small enough, by exact ones, which may end the part."""
        running = self.running_certificate()
        if self._gap_reached(running):
            # An interior point reaches a small gap while no variable is at a bound: put variables onto bounds first.
            self.solver.wind_up(self.view, self.state, self._tolerance())
            running = self.running_certificate()
        if self._gap_reached(running):
            best = self.state.best
            proof = certify(self.part, self.feasible_alpha(), hint=best.constant)
            if self._proves(proof):
                self._close(proof, stalled=False)
                return
            best.functions[...] = proof.products + best.constant
        self._gap_due, self._look_at = False, next_decision(self.state.steps, self.solver.budget)

    # -- progress ---------------------------------------------------------------------------------

    def running_certificate(self) -> Certificate:
        """Return the certificate of the best point by its running functions: fast but not verified."""
        if self._functions_stale:  # the part has a given start and was not advanced yet
            refresh(self.view, self.state)
            self._functions_stale = False
        part, point = self.part, self.state.best
        optimality = examine(part, point.alpha, point.functions, np.array([self._free_bias()]))
        energy = energy_of(part, weights_of(part, point.alpha), point.functions - point.constant)
        # Between two steps on b the weights do not sum to zero, so alpha is infeasible: 0, the dual of alpha = 0, is
        # the only bound.
        dual = optimality.linear - energy if self.view is part else 0.0
        return Certificate(energy + optimality.loss, dual, optimality.violation, 0.0, part.scale)

    def running_weights(self) -> tuple[np.ndarray, np.ndarray]:
        """Return (weights, b) of the best point, by its running functions."""
        point = self.state.best
        return weights_of(self.part, point.alpha), point.constant + self._free_bias()

    def _free_bias(self) -> float:
        """Return the b that the functions of a binary part with an exact bias lack: the middle of its span."""
        point = self.state.best
        span = self.part.geometry.span(self.part, point.alpha, point.functions)
        # `constant` is not zero if the method has included a b of its own in the functions
        return 0.0 if span is None or point.constant.any() else 0.5 * sum(span)

    def prove(self) -> Proof:
        """Return the proof of the best alpha so far."""
        return certify(self.part, self.feasible_alpha(), hint=self.state.best.constant)

    @property
    def seconds(self) -> float:
        """Seconds that the method took."""
        return self.watch.seconds

    @property
    def effort(self) -> float:
        return self.solver.effort(self.state)

    @property
    def examples_seen(self) -> int | None:
        return self.solver.examples_seen(self.state)

    @property
    def solver_used(self) -> str:
        return self.solver.used(self.state)

    def decisions(self, number: int, steps: int) -> list[Decision]:
        """Return the decisions of this part, with its number and the steps of earlier parts added."""
        return [replace(decision, step=steps + decision.step, part=number) for decision in self.state.decisions]

    # -- checkpoints ------------------------------------------------------------------------------

    def header(self) -> dict[str, Any]:
        """Return the JSON part of a checkpoint: everything but the arrays of the state and the kernel rows."""
        return {
            "decisions": [decision.document() for decision in self.state.decisions],
            "failures": self._failures,
            "best_violation": self._best_violation,
            "strictness": self._strictness,
            "claim": self._claim.value,
            "gap_due": self._gap_due,
            "look_at": self._look_at,
            "stale": self._functions_stale,
            "outer": asdict(self._outer),
        }

    def resume(self, header: Mapping[str, Any]) -> None:
        """Restore the remaining attributes, after the state and the kernel rows."""
        self.state.decisions = [Decision(**plain) for plain in header["decisions"]]
        self._failures, self._best_violation = header["failures"], header["best_violation"]
        self._strictness, self._claim = header["strictness"], Claim(header["claim"])
        self._gap_due, self._look_at, self._functions_stale = header["gap_due"], header["look_at"], header["stale"]
        self._outer = multipliers.OuterLoop(**header["outer"])
