"""Run: the only loop. It advances a method slice by slice, samples, confirms in float64, and can be saved.

Nothing here depends on how long a slice is or when it happens: periodic work belongs to the method and
counts steps, so pauses and slices of any length give the same bits.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from solvers.dual.certificate import Certificate, Proof, certify, prove_idle, seen_indefinite, total_of
from solvers.dual.quantities import equality_range, examine, weights_of
from solvers.methods import Method, Progress
from solvers.methods.base import seed
from solvers.model import Model
from solvers.problem import Problem, with_offset
from solvers.run import checkpoint
from solvers.run import multipliers as balance
from solvers.run.choice import chosen, find_method, keeps_balance, refuse
from solvers.run.ending import Ending
from solvers.run.tally import Finished, Tally, mark
from solvers.run.trace import Sample, Trace
from solvers.run.warmup import warm_up

SHORT_SLICE, LONG_SLICE = 256, 4096  # steps; a slice is a sixteenth of what is done, between these
FEASIBLE = 1e-9  # share of all bounds by which alpha may miss its constraints
CONFIRMATIONS = 60  # claims of convergence that may fail in a row without the violation falling


@dataclass(frozen=True)
class Limits:
    tolerance: float = 1e-3
    gap_tolerance: float | None = None
    steps: int | None = None
    seconds: float | None = None


class Run:
    """One training. `advance` until `running` is False, or `stop` at any moment; then `model()`.

    `method` is what was asked for, `solver` what does the work.
    """

    def __init__(
        self,
        problem: Problem,
        method: str | Method = "auto",
        limits: Limits | None = None,
        start: Sequence[np.ndarray] | None = None,
    ) -> None:
        self.problem, self.method = problem, find_method(method)
        self.solver = chosen(problem, self.method)
        self.limits = with_natural_gap(limits or Limits(), self.solver)
        self.ending: Ending | None = None
        self.seconds = 0.0
        self.trace = Trace()
        self._finished: list[Finished] = []
        self._tally = Tally.of(problem)
        self._start = start
        self._used: set[str] = set()  # by the finished parts
        refuse(problem, self.solver)
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
        shared = self.problem.machine.split != "pairs"
        done = 0 if shared else self._tally.evaluations
        return done + (self._part.gram.evaluations if shared or self._unfinished else 0)

    @property
    def examples_seen(self) -> int | None:
        """How often an online method has taken an example; of any other method nothing."""
        seen = getattr(self.solver, "examples_seen", None)
        if seen is None:
            return None
        return self._tally.examples + (seen(self._state) if self._unfinished else 0)

    @property
    def solver_used(self) -> str:
        """What did the work, as far as it is known: `auto` may have changed over in some of the parts."""
        return "+".join(sorted(self._used | self._using()))

    def _using(self) -> set[str]:
        if not self._unfinished:
            return set()
        used = getattr(self.solver, "used", None)
        return {self.solver.NAME if used is None else used(self._state)}

    @property
    def _unfinished(self) -> bool:
        return len(self._finished) < self.problem.part_count

    def advance(self, steps: int | None = None) -> Sample:
        """A slice of about `steps` steps (a method may end a little later), then a sample."""
        if not self.running:
            return self.trace.last
        warm_up(self.solver, self._view)
        began = time.perf_counter()
        progress = self.solver.advance(self._view, self._state, self._allowed(steps), self._tolerance())
        self.seconds += time.perf_counter() - began
        if progress is Progress.CONVERGED:
            self._confirm()
        elif progress is Progress.STALLED:
            self._doubt()
        return self._record()

    def stop(self) -> None:
        """End here and keep what there is; the certificate says how far it may be off."""
        if self.running:
            self.ending = Ending.STOPPED

    def _allowed(self, steps: int | None) -> int:
        wanted = min(max(SHORT_SLICE, self.iterations // 16), LONG_SLICE) if steps is None else steps
        if self.limits.steps is None:
            return wanted
        return max(1, min(wanted, self.limits.steps - self.iterations))

    def _tolerance(self) -> float:
        return self.limits.tolerance * self._outer.strictness

    # -- parts ------------------------------------------------------------------------------------

    def _open(self, number: int) -> None:
        self._part = self.problem.part(number)
        outer = self._part.balanced and not keeps_balance(self.solver, self._part)
        self._view = with_offset(self._part, balance.sigma_of(self._part)) if outer else self._part
        self._state = self.solver.start(self._view)
        self._failures, self._best_violation = 0, np.inf
        self._outer = (balance.Outer.loose if outer else balance.Outer)(self.limits.tolerance)
        if self._start is not None:
            begin = self._start[number]
            seed(self._view, self._state, balance.balanced(self._view, begin) if self._view.balanced else begin)

    def _confirm(self) -> None:
        """Believe convergence only after recomputing everything from alpha in float64."""
        if self._view is not self._part and not self._outer.settled(self._view, self._state):
            return
        proof = certify(self._part, self._feasible_alpha(), hint=self._state.constant)
        violation = proof.certificate.violation
        if self._proves(proof):
            self._close(proof, stalled=False)
            return
        self._failures = 0 if violation < 0.9 * self._best_violation else self._failures + 1
        self._best_violation = min(violation, self._best_violation)
        self._refute()
        if self._failures > CONFIRMATIONS:
            self._close(proof, stalled=True)
        elif self._view is self._part:
            self._state.functions[...] = proof.products + self._state.constant
        else:
            self._outer.tighten(self._view, self._state)

    def _refute(self) -> None:
        """What was claimed is not so: a method may have means for that."""
        refuted = getattr(self.solver, "refuted", None)
        if refuted is not None:
            refuted(self._state)

    def _doubt(self) -> None:
        """The method is at its wits' end: it may be done without knowing, or b may yet move."""
        proof = certify(self._part, self._feasible_alpha(), hint=self._state.constant)
        if self._proves(proof):
            self._close(proof, stalled=False)
        elif self._view is not self._part and self._outer.restless <= balance.PATIENCE:
            self._outer.restless += 1
            self._confirm()
        else:
            self._close(proof, stalled=True)

    def _proves(self, proof: Proof) -> bool:
        if proof.certificate.infeasibility > FEASIBLE * float(self._part.upper.sum()):
            return False
        return proof.certificate.violation <= self.limits.tolerance or self._gap_reached(proof.certificate)

    def _feasible_alpha(self) -> np.ndarray:
        return self._state.alpha if self._view is self._part else balance.repair(self._part, self._state.alpha)

    def _gap_reached(self, certificate: Certificate) -> bool:
        goal = self.limits.gap_tolerance
        if goal is None:
            return False
        scale = abs(certificate.primal) if self.problem.part_count > 1 else max(1.0, abs(certificate.primal))
        return certificate.gap <= goal * scale

    def _gap_reached_by_all(self) -> bool:
        """A part whose own optimum is tiny may miss the share that the sum of all reaches."""
        total = self.certificate()
        goal = self.limits.gap_tolerance
        return goal is not None and total.relative_gap <= goal

    def _close(self, proof: Proof, *, stalled: bool) -> None:
        alpha = self._feasible_alpha()
        self._used |= self._using()
        self._tally.examples = self.examples_seen or 0
        self._tally.add(self.problem, len(self._finished), alpha, proof, self._state.steps, self._part.gram.evaluations)
        self._finished.append(Finished(alpha, proof, stalled))
        if self.problem.machine.split == "pairs":
            self._part.gram.release()
        if self._unfinished:
            self._open(len(self._finished))
        else:
            stalled = any(done.stalled for done in self._finished) and not self._gap_reached_by_all()
            doubtful = stalled or seen_indefinite(self.problem, self._tally.used)
            self.ending = Ending.STALLED if doubtful else Ending.CONVERGED

    # -- checkpoints ------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """All that is needed to go on with the same bits, into one file."""
        checkpoint.write(path, checkpoint.Saved(self._header(), self._arrays()))

    def pack(self) -> bytes:
        """What `save` writes."""
        return checkpoint.packed(checkpoint.Saved(self._header(), self._arrays()))

    @classmethod
    def load(
        cls,
        problem: Problem,
        place: checkpoint.Place,
        method: str | None = None,
        limits: Limits | None = None,
    ) -> Run:
        """The run as saved. New limits let one go on that was stopped or had reached its limits."""
        saved = checkpoint.read(place)
        with checkpoint.doubting(place):
            checkpoint.check(saved, problem, method)
            run = cls(problem, saved.header["method"], limits or Limits(**saved.header["limits"]))
            run._restore(saved)
            if limits is not None and run._unfinished:
                run.ending = None
            return run

    def _header(self) -> dict[str, Any]:
        return {
            "problem": self.problem.digest,
            "cache_mb": self.problem.cache_mb,
            "method": self.method.NAME,
            "limits": asdict(self.limits),
            "ending": self.ending and self.ending.name,
            "seconds": self.seconds,
            "stalled": [done.stalled for done in self._finished],
            "tally": [self._tally.steps, self._tally.evaluations],
            "examples": self._tally.examples,
            "evaluations": self._part.gram.evaluations,
            "counters": {f"_{name}": value for name, value in self._counters().items()},
            "start": self._start is not None,
            "used": sorted(self._used),
        }

    def _counters(self) -> dict[str, Any]:
        """Of the part at hand."""
        outer = asdict(self._outer)
        del outer["tolerance"]
        return {"failures": self._failures, "best_violation": self._best_violation, **outer}

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
        self._tally.examples = header.get("examples", 0)  # which earlier checkpoints do not count
        if self._unfinished:
            self._open(len(self._finished))
            checkpoint.restore_state(self._state, saved, "state")
            self._part.gram.restore(saved.group("gram"))
            shapes = checkpoint.shapes_of(self.problem, self.problem.part_count, form.slots)
            self._start = checkpoint.split(saved.arrays["start"], shapes) if header["start"] else None
        self._part.gram.evaluations = header["evaluations"]
        self._used = set(header["used"])
        counters = {name[1:]: value for name, value in header["counters"].items()}
        self._failures, self._best_violation = counters.pop("failures"), counters.pop("best_violation")
        self._outer = balance.Outer(self.limits.tolerance, **counters)
        self.trace, self.seconds = Trace.unpack(saved.arrays["trace"]), header["seconds"]
        self.ending = Ending[header["ending"]] if header["ending"] else None

    # -- samples ----------------------------------------------------------------------------------

    def _record(self) -> Sample:
        sample = self.sample()
        self.trace.append(sample)
        if self.running:
            self._check_limits()
        return sample

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
        part, state = self._part, self._state
        middle, violation = self._middle()
        standing = examine(part, state.alpha, state.functions + middle)
        weights = weights_of(part, state.alpha)
        total = weights.sum(axis=0)
        inner = float(np.vdot(weights, state.functions) - total @ state.constant)
        energy = 0.5 * inner + 0.5 * part.offset * float(total @ total)
        # between two shifts of b the sum is not zero, and alpha proves nothing: zero does
        dual = standing.linear - energy if self._view is part else 0.0
        return Certificate(energy + standing.loss, dual, standing.violation if violation is None else violation, 0.0)

    def _middle(self) -> tuple[float, float | None]:
        """What the functions of a binary part under an exact bias lack of b, and its violation."""
        part, state = self._part, self._state
        if not (part.balanced and self._view is part and part.form.outputs == 1):
            return 0.0, None
        high, low = equality_range(part, state.alpha, state.functions)
        # a method that knows a better b has it in the functions
        return 0.0 if state.constant.any() else 0.5 * (high + low), max(0.0, high - low)

    def supporting(self) -> tuple[np.ndarray, np.ndarray]:
        """Which examples are support vectors as of now, and which of them are bounded."""
        used, full = self._tally.used, self._tally.full
        if self._unfinished:
            used, full = used.copy(), full.copy()
            mark(self.problem, len(self._finished), self._state.alpha, used, full)
        return used, full

    def _check_limits(self) -> None:
        if self.limits.steps is not None and self.iterations >= self.limits.steps:
            self.ending = Ending.STEP_LIMIT
        elif self.limits.seconds is not None and self.seconds >= self.limits.seconds:
            self.ending = Ending.TIME_LIMIT
        elif self.limits.gap_tolerance is not None and self._gap_reached(self._standing()):
            self._end_by_gap()

    def _end_by_gap(self) -> None:
        """Where a method works between the bounds, a small gap is not the end: no variable is at a bound yet."""
        wind_up = getattr(self.solver, "wind_up", None)
        began = time.perf_counter()
        moved = wind_up is not None and wind_up(self._view, self._state, self._tolerance())
        self.seconds += time.perf_counter() - began
        if not moved or self._gap_reached(self._standing()):
            self._confirm()

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
            proofs.append(certify(self._part, self._feasible_alpha(), hint=self._state.constant))
        proofs += [prove_idle(self.problem.part(number)) for number in range(len(proofs), self.problem.part_count)]
        return proofs

    def certificate(self) -> Certificate:
        return total_of(self.proofs())

    def standing_model(self) -> Model:
        """The model as of now, from the running numbers: at once, and without a proof."""
        weights = [done.proof.weights for done in self._finished]
        bias = [done.proof.bias for done in self._finished]
        if self._unfinished:
            weights.append(weights_of(self._part, self._state.alpha))
            bias.append(self._state.constant + self._middle()[0])
        bias += [self.problem.idle_bias(number) for number in range(len(bias), self.problem.part_count)]
        return Model.of(self.problem, weights, bias)

    def model(self, proofs: list[Proof] | None = None) -> Model:
        proofs = self.proofs() if proofs is None else proofs
        return Model.of(self.problem, [proof.weights for proof in proofs], [proof.bias for proof in proofs])


def with_natural_gap(limits: Limits, method: Method) -> Limits:
    """Plain Frank-Wolfe closes the gap but never the violation: unless told otherwise it stops by the gap."""
    natural = getattr(method, "NATURAL_GAP", None)
    return replace(limits, gap_tolerance=natural) if natural and limits.gap_tolerance is None else limits
