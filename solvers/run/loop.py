"""Run: the only loop. It advances a method slice by slice, samples, confirms in float64, and can be saved.

Nothing here depends on how long a slice is or when it happens: periodic work counts steps, so pauses, slices of any
length and checkpoints give the same bits. A slice also ends between two pieces of long work (solvers/work.py), so
that whoever waits for a stop never waits for a factorisation or for kernel rows of all examples.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import asdict, replace
from enum import Enum
from typing import Any

import numpy as np

from solvers.budget import BUDGET, LOOP, next_decision
from solvers.decision import Decision
from solvers.dual import balance
from solvers.dual.certificate import Certificate, Proof, certify, certifying, prove_idle, seen_indefinite, total_of
from solvers.dual.quantities import examine, weights_of
from solvers.errors import InputError
from solvers.gram import Gram
from solvers.methods import METHODS
from solvers.methods.base import Method, Progress, refresh, seed_with
from solvers.model import Model
from solvers.problem import Part, Problem, with_offset
from solvers.run import checkpoint, multipliers
from solvers.run.ending import Ending
from solvers.run.limits import Limits, gap_allowed
from solvers.run.tally import Finished, Tally, mark
from solvers.run.trace import Sample, Trace
from solvers.run.warmup import warm_up
from solvers.work import Work, finish

LONGEST = 0.04  # seconds after which a slice ends at the next piece of work: when it does changes no bit
FEASIBLE = 1e-9  # infeasibility accepted, as a share of sum U


class Claim(Enum):
    """What the method says of its part, as far as it was looked into."""

    NONE = "none"
    CONVERGED = "converged"
    SETTLED = "settled"  # CONVERGED, and b of the method of multipliers has settled
    STALLED = "stalled"


class Run:
    """One training. `advance` until `running` is False, or `stop` at any moment; then `model()`.

    `method` is what was asked for, `solver` does the work on the part at hand; `decisions` say why. The solver works
    on `_view`: the part, or its form with a penalised bias under the method of multipliers.
    `gram` shares kernel rows with earlier runs of a chain; without it, a run's bits depend on nothing before it.
    """

    def __init__(
        self,
        problem: Problem,
        method: str | Method[Any] = "auto",
        limits: Limits | None = None,
        start: Sequence[np.ndarray] | None = None,
        *,
        seed: int = 0,
        gram: Gram | None = None,
    ) -> None:
        self.problem, self.method, self.seed = problem, find_method(method), seed
        self.limits = limits or Limits()
        self.ending: Ending | None = None
        self.seconds = 0.0
        self.trace = Trace()
        shared = gram is None and problem.machine.split != "pairs"
        self._gram = problem.whole_gram() if shared else gram
        self._counted = 0 if self._gram is None else self._gram.evaluations  # by earlier runs
        self._finished: list[Finished] = []
        self._tally = Tally.of(problem)
        self._start = start
        self._used: set[str] = set()  # by the finished parts
        self._decisions: list[Decision] = []  # of the finished parts
        self._work: Work[None] | None = None  # the slice at hand, where it was interrupted
        self._latest: Sample | None = None
        self._claim, self._functions_stale = Claim.NONE, False
        self._gap_due, self._look_at = False, 0  # whether to look at the gap; steps at which to look next
        self._open(0)

    # -- going on ---------------------------------------------------------------------------------

    @property
    def running(self) -> bool:
        return self.ending is None

    @property
    def iterations(self) -> int:
        return self._tally.steps + (self._state.steps if self._unfinished else 0)

    @property
    def kernel_evaluations(self) -> int:
        if self._gram is not None:
            return self._gram.evaluations - self._counted
        return self._tally.evaluations + (self._part.gram.evaluations if self._unfinished else 0)

    @property
    def examples_seen(self) -> int | None:
        """How often an online method has taken an example; of any other method nothing."""
        seen = self.solver.examples_seen(self._state)
        if seen is None:
            return None
        return self._tally.examples + (seen if self._unfinished else 0)

    @property
    def solver_used(self) -> str:
        """What did the work, as far as it is known: `auto` may have changed over in some of the parts."""
        return "+".join(sorted(self._used | self._using()))

    def _using(self) -> set[str]:
        return {self.solver.used(self._state)} if self._unfinished else set()

    @property
    def decisions(self) -> list[Decision]:
        """What `auto` did and why, part by part."""
        return self._decisions + (self._numbered() if self._unfinished else [])

    def _numbered(self) -> list[Decision]:
        done = self._tally.steps
        return [
            replace(decision, step=done + decision.step, part=len(self._finished)) for decision in self._state.decisions
        ]

    @property
    def _unfinished(self) -> bool:
        return len(self._finished) < self.problem.part_count

    def advance(self, steps: int | None = None) -> Sample:
        """A slice of about `steps` steps, then a sample.

        A method may end a slice a little later, between rounds, and long work ends it earlier; then the next slice
        goes on with that work.
        """
        if not self.running:
            return self._latest or self.sample()
        warm_up(self.solver, self._view)
        if self._work is None:
            self._work = self._slice(steps)
        began = time.perf_counter()
        try:
            while time.perf_counter() - began < LONGEST:
                next(self._work)
        except StopIteration:
            self._work = None
        return self._record()

    def stop(self) -> None:
        """End here and keep what there is; the certificate says how far it may be off."""
        if self.running:
            self._end_at(Ending.STOPPED)

    def _allowed(self, steps: int | None) -> int:
        wanted = next_decision(self.iterations) - self.iterations if steps is None else steps
        if self.limits.steps is None:
            return wanted
        return max(1, min(wanted, self.limits.steps - self.iterations))

    def _slice(self, steps: int | None) -> Work[None]:
        """About `steps` steps of the part at hand, and what follows from how they ended."""
        if self._functions_stale:
            yield from refresh(self._view, self._state)
            self._functions_stale = False
        if self._claim is Claim.NONE and not self._gap_due:
            progress = yield from self._timed(self._state.steps + self._allowed(steps))
            self._claim = CLAIMS.get(progress, Claim.NONE)
            look = progress is Progress.MILESTONE or self._state.steps >= self._look_at
            self._gap_due = self._claim is Claim.NONE and self.gap_goal is not None and look
        if self._gap_due:
            yield from self._look_at_gap()
        elif self._claim is not Claim.NONE:
            yield from self._examine_claim()

    def _timed(self, until: int) -> Work[Progress]:
        """The method, and the seconds it takes; a gap is looked at on the way."""
        if self.gap_goal is not None:
            until = min(until, self._look_at)
        work = self.solver.advance(self._view, self._state, until - self._state.steps, self._tolerance())
        while True:
            began = time.perf_counter()
            try:
                next(work)
            except StopIteration as end:
                progress: Progress = end.value
                return progress
            finally:
                self.seconds += time.perf_counter() - began
            yield

    @property
    def gap_goal(self) -> float | None:
        """The relative gap to end at: given, or the method's own."""
        given = self.limits.gap_tolerance
        return self.solver.natural_gap if given is None else given

    def _tolerance(self) -> float:
        """Of the violation: stricter while b moves (multipliers) and where the gap asks for more (`_refute`)."""
        return self.limits.tolerance * self._outer.strictness * self._strictness

    # -- parts ------------------------------------------------------------------------------------

    def _open(self, number: int) -> None:
        self._part = self.problem.part(number, self._gram)
        self.solver, opening = self.method.delegate(self._part)
        outer = needs_multipliers(self._part, self.solver)
        self._view = with_offset(self._part, multipliers.sigma_of(self._part)) if outer else self._part
        reason = self.solver.refuse(self._view)
        if reason is not None:
            raise InputError(reason)
        self._state = self.solver.start(self._view, self.seed)
        if opening is not None:
            self._state.decisions.append(opening)
        self._failures, self._best_violation = 0, np.inf
        self._strictness, self._claim, self._gap_due = 1.0, Claim.NONE, False
        self._look_at = BUDGET.decide_first
        self._outer = multipliers.Outer.loose(self.limits.tolerance) if outer else multipliers.Outer()
        self._functions_stale = self._start is not None
        if self._start is not None:
            begin = self._start[number]
            seed_with(self._view, self._state, balance.balanced(self._view, begin) if self._view.balanced else begin)

    def _examine_claim(self) -> Work[None]:
        """Believe the method only after recomputing everything from alpha in float64."""
        if self._claim is Claim.CONVERGED and self._view is not self._part:
            if not (yield from self._outer.settled(self._view, self._state, self.limits.tolerance)):
                self._claim = Claim.NONE
                return
            self._claim = Claim.SETTLED
        proof = yield from certifying(self._part, self._feasible_alpha(), hint=self._state.best.constant)
        claim, self._claim = self._claim, Claim.NONE
        if self._proves(proof):
            self._close(proof, stalled=False)
        elif claim is not Claim.STALLED:
            self._refute(proof)
        elif self._view is not self._part and self._outer.restless <= LOOP.most:
            self._outer.restless += 1
            self._claim = Claim.CONVERGED  # b may yet move
        else:
            self._close(proof, stalled=True)

    def _refute(self, proof: Proof) -> None:
        """What was claimed is not so: exact functions, stricter tolerances, or the end."""
        violation = proof.certificate.violation
        self._failures = 0 if violation < LOOP.nearer * self._best_violation else self._failures + 1
        self._best_violation = min(violation, self._best_violation)
        gap_lacks = self.gap_goal is not None and not self._gap_reached(proof.certificate)
        if gap_lacks and violation <= self._tolerance():
            share = self._gap_allowed(proof.certificate) / proof.certificate.gap
            self._strictness *= min(max(share, LOOP.tightest), LOOP.loosest)
        else:
            self.solver.refuted(self._view, self._state)
        if self._failures > LOOP.most:
            self._close(proof, stalled=True)
        elif self._view is self._part:
            self._state.functions[...] = proof.products + self._state.constant
        else:
            self._outer.strictness *= 0.5
            self._functions_stale = True

    def _proves(self, proof: Proof) -> bool:
        if proof.certificate.infeasibility > FEASIBLE * float(self._part.upper.sum()):
            return False
        if self.gap_goal is not None:
            return self._gap_reached(proof.certificate)
        return proof.certificate.violation <= self.limits.tolerance

    def _feasible_alpha(self) -> np.ndarray:
        alpha = self._state.best.alpha
        return alpha if self._view is self._part else balance.repair(self._part, alpha)

    # -- the gap ----------------------------------------------------------------------------------

    def _gap_allowed(self, certificate: Certificate) -> float:
        return gap_allowed(self.gap_goal or 0.0, certificate.primal, self.problem.part_count)

    def _gap_reached(self, certificate: Certificate) -> bool:
        return self.gap_goal is not None and certificate.gap <= self._gap_allowed(certificate)

    def _look_at_gap(self) -> Work[None]:
        """By the running numbers, and if they say so by exact ones."""
        if self._gap_reached(self._standing()):
            # Where a method works between the bounds, a small gap is not the end: no variable is at a bound yet.
            yield from self.solver.wind_up(self._view, self._state, self._tolerance())
        if self._gap_reached(self._standing()):
            best = self._state.best
            proof = yield from certifying(self._part, self._feasible_alpha(), hint=best.constant)
            if self._proves(proof):
                self._close(proof, stalled=False)
                return
            best.functions[...] = proof.products + best.constant
        self._gap_due, self._look_at = False, next_decision(self._state.steps)

    def _close(self, proof: Proof, *, stalled: bool) -> None:
        alpha = self._feasible_alpha()
        self._used |= self._using()
        self._decisions += self._numbered()
        self._tally.examples = self.examples_seen or 0
        self._tally.add(self.problem, len(self._finished), alpha, proof, self._state.steps, self._part.gram.evaluations)
        self._finished.append(Finished(alpha, proof, stalled))
        if self.problem.machine.split == "pairs":
            self._part.gram.release()
        if self._unfinished:
            self._open(len(self._finished))
        else:
            self._end()

    def _end(self) -> None:
        """All parts are done: a part whose own optimum is tiny may miss the share that the sum of all reaches."""
        goal = self.limits.gap_tolerance
        total, feasible = self._tally.certificate, FEASIBLE * float(self.problem.upper.sum())
        enough = goal is not None and total.relative_gap <= goal and total.infeasibility <= feasible
        stalled = any(done.stalled for done in self._finished) and not enough
        doubtful = stalled or seen_indefinite(self.problem, self._tally.used)
        self.ending = Ending.STALLED if doubtful else Ending.CONVERGED

    # -- checkpoints ------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """All that is needed to go on with the same bits, into one file."""
        checkpoint.write(path, self._saved())

    def pack(self) -> bytes:
        """What `save` writes."""
        return checkpoint.packed(self._saved())

    @classmethod
    def load(
        cls,
        problem: Problem,
        place: checkpoint.Place,
        method: str | Method[Any] | None = None,
        limits: Limits | None = None,
    ) -> Run:
        """The run as saved. New limits let one go on that was stopped or had reached its limits."""
        saved = checkpoint.read(place)
        with checkpoint.doubting(place):
            checkpoint.check(saved, problem, method.name if isinstance(method, Method) else method)
            header = saved.header
            given = method if isinstance(method, Method) else header["method"]
            run = cls(problem, given, limits or Limits(**header["limits"]), seed=header.get("seed", 0))
            run._restore(saved)
            if limits is not None and run._unfinished:
                run.ending = None
            return run

    def _saved(self) -> checkpoint.Saved:
        return checkpoint.Saved(self._header(), self._arrays())

    def _header(self) -> dict[str, Any]:
        return {
            "problem": self.problem.digest,
            "cache_mb": self.problem.cache_mb,
            "method": self.method.name,
            "seed": self.seed,
            "limits": asdict(self.limits),
            "ending": self.ending and self.ending.name,
            "seconds": self.seconds,
            "stalled": [done.stalled for done in self._finished],
            "tally": [self._tally.steps, self._tally.evaluations],
            "examples": self._tally.examples,
            "evaluations": self._part.gram.evaluations - self._counted,
            "start": self._start is not None,
            "used": sorted(self._used),
            "decisions": [decision.document() for decision in self._decisions],
            "part": {
                "decisions": [decision.document() for decision in self._state.decisions],
                "failures": self._failures,
                "best_violation": self._best_violation,
                "strictness": self._strictness,
                "claim": self._claim.value,
                "gap_due": self._gap_due,
                "look_at": self._look_at,
                "stale": self._functions_stale,
                "outer": asdict(self._outer),
            },
        }

    def _arrays(self) -> dict[str, np.ndarray]:
        arrays = {"trace": self.trace.pack(), **checkpoint.pack_finished(self._finished)}
        arrays["start"] = checkpoint.join(self._start or [])
        if self._unfinished:
            arrays |= checkpoint.named("state", checkpoint.pack_state(self._state))
            arrays |= checkpoint.named("gram", self._part.gram.pack())
        return arrays

    def _restore(self, saved: checkpoint.Saved) -> None:
        header, form = saved.header, self._part.form
        self._finished = checkpoint.unpack_finished(saved, self.problem, form)
        for number, done in enumerate(self._finished):
            self._tally.add(self.problem, number, done.alpha, done.proof, 0, 0)
        self._tally.steps, self._tally.evaluations = header["tally"]
        self._tally.examples = header.get("examples", 0)  # which the first checkpoints do not count
        if self._unfinished:
            self._open(len(self._finished))
            if saved.schema == 1:
                self._resume_from_alpha(saved)
            else:
                self._resume(saved)
            shapes = checkpoint.shapes_of(self.problem, self.problem.part_count, form.slots)
            self._start = checkpoint.split(saved.arrays["start"], shapes) if header["start"] else None
        self._part.gram.evaluations = header["evaluations"]
        self._used = set(header["used"])
        self.trace, self.seconds = Trace.unpack(saved.arrays["trace"]), header["seconds"]
        self.ending = Ending[header["ending"]] if header["ending"] else None

    def _resume(self, saved: checkpoint.Saved) -> None:
        """The part at hand with the same bits."""
        checkpoint.restore_state(self._state, saved, "state")
        self._part.gram.restore(saved.group("gram"))
        part, header = saved.header["part"], saved.header
        self._decisions = [Decision(**plain) for plain in header["decisions"]]
        self._state.decisions = [Decision(**plain) for plain in part["decisions"]]
        self._failures, self._best_violation = part["failures"], part["best_violation"]
        self._strictness, self._claim = part["strictness"], Claim(part["claim"])
        self._gap_due, self._look_at, self._functions_stale = part["gap_due"], part["look_at"], part["stale"]
        self._outer = multipliers.Outer(**part["outer"])

    def _resume_from_alpha(self, saved: checkpoint.Saved) -> None:
        """Schema 1 kept what other methods remembered: the part at hand goes on from its alpha."""
        own = saved.group("state")
        seed_with(self._view, self._state, own["own.alpha"])
        self._state.steps, self._functions_stale = int(own["own.steps"]), True

    # -- samples ----------------------------------------------------------------------------------

    def _record(self) -> Sample:
        """The trace has the ends of slices alone: where long work was interrupted depends on the clock."""
        if self._work is None or self._latest is None or self._latest.iteration != self.iterations:
            self._latest = self.sample()
        if self._work is None:
            self.trace.append(self._latest)
        if self.running:
            self._check_limits()
        return self._latest

    def _end_at(self, ending: Ending) -> None:
        """End here; in the midst of work the trace has this last sample too."""
        self.ending = ending
        if self._work is not None and self._latest is not None:
            self.trace.append(self._latest)
            self._work = None

    def sample(self) -> Sample:
        """Where the run stands, from the running numbers: cheap, and true to their rounding."""
        done = self._tally.certificate
        primal, dual, violation = done.primal, done.dual, done.violation
        if self._unfinished:
            here = self._standing()
            primal += here.primal + self._tally.idle[len(self._finished) + 1]
            dual += here.dual
            violation = max(violation, here.violation)
        support, bounded = (int(rows.sum()) for rows in self.supporting())
        return Sample(self.iterations, self.seconds, dual, primal, violation, support, bounded)

    def _standing(self) -> Certificate:
        if self._functions_stale:  # nothing was advanced yet from a given start
            finish(refresh(self._view, self._state))
            self._functions_stale = False
        part, state = self._part, self._state.best
        standing = examine(part, state.alpha, state.functions + self._free_bias())
        weights = weights_of(part, state.alpha)
        total = weights.sum(axis=0)
        inner = float(np.vdot(weights, state.functions) - total @ state.constant)
        energy = 0.5 * inner + 0.5 * part.offset * float(total @ total)
        # Between two steps on b the weights do not sum to zero, so alpha is infeasible: 0, the dual of alpha = 0, is
        # the only bound.
        dual = standing.linear - energy if self._view is part else 0.0
        return Certificate(energy + standing.loss, dual, standing.violation, 0.0)

    def _free_bias(self) -> float:
        """What the functions of a binary part under an exact bias lack of b."""
        part, state = self._part, self._state.best
        span = part.geometry.span(part, state.alpha, state.functions)
        # a method that knows a better b has it in the functions
        return 0.0 if span is None or state.constant.any() else 0.5 * sum(span)

    def supporting(self) -> tuple[np.ndarray, np.ndarray]:
        """Which examples are support vectors as of now, and which of them are bounded."""
        used, full = self._tally.used, self._tally.full
        if self._unfinished:
            used, full = used.copy(), full.copy()
            mark(self.problem, len(self._finished), self._state.best.alpha, used, full)
        return used, full

    def _check_limits(self) -> None:
        """Of steps where a slice ends: in between, alpha may lag behind them, and where that is, the clock decides."""
        if self._work is None and self.limits.steps is not None and self.iterations >= self.limits.steps:
            self._end_at(Ending.STEP_LIMIT)
        elif self.limits.seconds is not None and self.seconds >= self.limits.seconds:
            self._end_at(Ending.TIME_LIMIT)

    # -- results ----------------------------------------------------------------------------------

    def alphas(self) -> list[np.ndarray]:
        """The dual variables of every part; those not begun are zero."""
        found = [done.alpha for done in self._finished]
        if not self._unfinished:
            return found
        found.append(self._feasible_alpha())
        shapes = checkpoint.shapes_of(self.problem, self.problem.part_count, self._part.form.slots)
        return found + [np.zeros(shape) for shape in shapes[len(found) :]]

    def proofs(self) -> list[Proof]:
        """One proof per part; of parts not finished, computed from alpha as it stands."""
        proofs = [done.proof for done in self._finished]
        if self._unfinished:
            proofs.append(certify(self._part, self._feasible_alpha(), hint=self._state.best.constant))
        proofs += [prove_idle(self.problem.part(number)) for number in range(len(proofs), self.problem.part_count)]
        return proofs

    def certificate(self) -> Certificate:
        return total_of(self.proofs())

    def standing_model(self) -> Model:
        """The model as of now, from the running numbers: at once, and without a proof."""
        weights = [done.proof.weights for done in self._finished]
        bias = [done.proof.bias for done in self._finished]
        if self._unfinished:
            weights.append(weights_of(self._part, self._state.best.alpha))
            bias.append(self._state.best.constant + self._free_bias())
        bias += [self.problem.idle_bias(number) for number in range(len(bias), self.problem.part_count)]
        return Model.of(self.problem, weights, bias)

    def model(self, proofs: list[Proof] | None = None) -> Model:
        proofs = self.proofs() if proofs is None else proofs
        return Model.of(self.problem, [proof.weights for proof in proofs], [proof.bias for proof in proofs])


CLAIMS = {Progress.CONVERGED: Claim.CONVERGED, Progress.STALLED: Claim.STALLED}


def find_method(name: str | Method[Any]) -> Method[Any]:
    """By its name in the registry, or a method that is none of those."""
    if isinstance(name, Method):
        return name
    if not isinstance(name, str) or name not in METHODS:
        raise InputError("There is no solver {name!r}; choose one of {choices}.", name=name, choices=", ".join(METHODS))
    return METHODS[name]


def refuse(problem: Problem, method: str | Method[Any]) -> None:
    """Refuse what the method cannot do, before anything starts, in a sentence that says what would work."""
    part = problem.part(0)
    solver, _ = find_method(method).delegate(part)
    view = with_offset(part, LOOP.multiplier) if needs_multipliers(part, solver) else part
    reason = solver.refuse(view)
    if reason is not None:
        raise InputError(reason)


def needs_multipliers(part: Part, method: Method[Any]) -> bool:
    """Whether sum_i W_i = 0 has to be kept from outside: a joint machine's, by a method that does not keep it."""
    return part.balanced and part.form.outputs > 1 and not method.keeps_balance
