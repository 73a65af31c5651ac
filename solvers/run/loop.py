"""Run: the training loop over all parts: slices, samples, limits, checkpoints. run/parts.py trains a single part.

The result does not depend on the length or the time of a slice: periodic work counts steps, so that pauses, slices of
any length and checkpoints give the same bits. Within a slice the run checks at the ticks (interrupt.py) whether it
must stop, so that a stop never waits for a whole factorisation or for kernel rows of all examples.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from mcsvm.solvers import clock
from mcsvm.solvers.budget import next_sample
from mcsvm.solvers.decision import SMALL_PAIRS, SMALL_PHASE, Decision
from mcsvm.solvers.dual.certificate import Certificate, Proof, certificate_at_zero, seen_indefinite, total_of
from mcsvm.solvers.errors import InputError, choices_for
from mcsvm.solvers.gram import Gram
from mcsvm.solvers.interrupt import Stopped, listening
from mcsvm.solvers.jit.rounding import FEASIBLE
from mcsvm.solvers.memory import check_memory
from mcsvm.solvers.methods import METHODS
from mcsvm.solvers.methods.base import NO_LIMIT, Method
from mcsvm.solvers.model import Model
from mcsvm.solvers.problem import Problem
from mcsvm.solvers.run import checkpoint
from mcsvm.solvers.run.ending import Ending
from mcsvm.solvers.run.limits import Limits
from mcsvm.solvers.run.pairs import PairQueue
from mcsvm.solvers.run.parts import Finished, PartRun, Totals, delegated, mark_support
from mcsvm.solvers.run.small_pairs import SmallPairs, SolvedPair
from mcsvm.solvers.run.trace import Sample, Trace
from mcsvm.solvers.work import SAMPLE_REST

Look = Callable[[Sample], object]


class Run:
    """One training. Call `advance` until `running` is False, or `stop` at any moment; then call `model()`.

    `method` is the solver that the caller chose. `current.solver` is the solver that works on the current part, and
    `decisions` say why. `gram` shares kernel rows with earlier runs of a chain; a run without it is independent of
    them.
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
        check_memory(problem)
        self.problem, self.method, self.seed = problem, find_method(method), seed
        self.limits = limits or Limits()
        self.ending: Ending | None = None
        self.trace = Trace()
        shared = gram is None and problem.machine.split != "pairs"
        self._gram = problem.whole_gram() if shared else gram
        self._counted = 0 if self._gram is None else self._gram.evaluations  # kernel values of earlier runs
        self._finished: list[Finished] = []
        self._totals = Totals.of(problem)
        self._start = start
        self._used: set[str] = set()  # the methods that ended the finished parts
        self._decisions: list[Decision] = []  # the decisions of the finished parts
        self._small_watch = clock.Stopwatch()  # the time of the current small pair
        self._latest: Sample | None = None
        self._sampled = self._sample_seconds = 0.0  # time of the last sample, and its duration
        alone = gram is None and self.method is METHODS["auto"]
        self._pairs = PairQueue(problem, self.limits, self._part_run, alone=alone)
        self._begun: PartRun | None = self._part_run(0)

    # -- progress ---------------------------------------------------------------------------------

    @property
    def running(self) -> bool:
        return self.ending is None

    @property
    def current(self) -> PartRun:
        """The current part, or the last one if all are finished."""
        if self._begun is None:
            self._begun = self._part_run(min(len(self._finished), self.problem.part_count - 1))
        return self._begun

    @property
    def seconds(self) -> float:
        """Return the seconds that the method took, without certificates, samples and compilation."""
        begun = self._begun.seconds if self._begun and self._unfinished else 0.0
        return self._totals.seconds + self._small_watch.seconds + begun

    @property
    def iterations(self) -> int:
        return self._totals.steps + (self._begun.state.steps if self._begun and self._unfinished else 0)

    @property
    def effort(self) -> float:
        """The work spent on the current part, measured without a clock; only values of one run can be compared."""
        return self.current.effort

    @property
    def exploring(self) -> bool:
        """Tell whether the current point is not the best one, so that the best one does not change."""
        return self.current.state.best is not self.current.state

    @property
    def kernel_evaluations(self) -> int:
        if self._gram is not None:
            return self._gram.evaluations - self._counted
        here = self._begun.part.gram.evaluations if self._begun and self._unfinished else 0
        return self._totals.evaluations + here

    @property
    def examples_seen(self) -> int | None:
        """Return how many examples an online method has processed, counting repetitions; None for other methods."""
        seen = None if self._begun is None else self._begun.examples_seen
        if seen is None:
            return None
        return self._totals.examples + (seen if self._unfinished else 0)

    @property
    def solver_used(self) -> str:
        """Return the methods that ended the parts so far, joined by "+"; for `auto` its last phase, or its choice."""
        return "+".join(sorted(self._used | self._using()))

    def _using(self) -> set[str]:
        return {self.current.solver_used} if self._begun and self._unfinished else set()

    @property
    def decisions(self) -> list[Decision]:
        """Return the decisions of all parts, in order."""
        return self._decisions + (self._numbered() if self._begun and self._unfinished else [])

    def _numbered(self) -> list[Decision]:
        return self.current.decisions(len(self._finished), self._totals.steps)

    @property
    def _unfinished(self) -> bool:
        return len(self._finished) < self.problem.part_count

    def advance(self, steps: int | None = None, look: Look | None = None) -> Sample:
        """Take about `steps` steps, then return a sample; a method ends a slice between two rounds, so a little later.

        `look` is called with a sample every 40 ms or so. It may wait, write a checkpoint or `stop` the run. If it
        returns true, the slice ends at once, and the next slice repeats the last piece of work.
        """
        if not self.running:
            return self._latest or self.sample()
        whole = False
        try:
            with listening(lambda: self._hear(look)), self._pairs.helped(len(self._finished)):
                self._slice(steps)
            whole = True
        except Stopped as stopped:
            if stopped.by is not self:
                raise
        return self._record(whole=whole)

    def _hear(self, look: Look | None) -> None:
        """Check the time limit within a slice, and call `look` while the helpers wait."""
        leave: object = False
        if look is None:
            self._check_limits(whole=False)
        else:
            with self._pairs.held():
                sample = self._record(whole=False)
                leave = self.running and look(sample)
        if leave or not self.running:
            raise Stopped(self)

    def stop(self, ending: Ending = Ending.STOPPED) -> None:
        """End here, with the model of the best alpha so far; its certificate bounds the distance to the optimum."""
        if self.running:
            self._end_at(ending)

    def _allowed(self, steps: int | None) -> int:
        steps = next_sample(self.iterations) - self.iterations if steps is None else steps
        return steps if self._steps_left is None else min(steps, self._steps_left)

    @property
    def _steps_left(self) -> int | None:
        """Return the number of steps up to the limit, at least 1; None without a limit."""
        return None if self.limits.steps is None else max(1, self.limits.steps - self.iterations)

    def _slice(self, steps: int | None) -> None:
        """Take about `steps` steps of the current part; if they end it, the next part becomes the current one."""
        small = self._pairs.small
        if small is None or not self._solve_small(small, self.iterations + self._allowed(steps)):
            if self.current.finished is None:
                self.current.advance(self._allowed(steps), self._steps_left)
            if self.current.finished is not None:
                self._count(self.current.finished)
                if self._unfinished:
                    self._begin_next()
        if not self._unfinished:
            self._pairs.drop()
            self._end()

    def _begin_next(self) -> None:
        """Make the next part the current one; a helper may have trained it to its end."""
        self._begun = None
        number = len(self._finished)
        trained = self._pairs.take(number)
        self._begun = self._part_run(number) if trained is None else trained

    def _solve_small(self, small: SmallPairs, until: int) -> bool:
        """Solve small pairs up to this step count, or to a pair that needs the method.

        Return whether any was solved.
        """
        before = len(self._finished)
        while self._unfinished and self._fresh and (len(self._finished) == before or self.iterations < until):
            number, most = len(self._finished), NO_LIMIT if self._steps_left is None else self._steps_left
            with self._small_watch:
                solved = small.solve(number, None if self._start is None else self._start[number], most)
            self._totals.seconds += self._small_watch.seconds
            self._small_watch = clock.Stopwatch()
            if solved is None:
                break
            self._count_small(small, solved)
        return len(self._finished) > before

    @property
    def _fresh(self) -> bool:
        """Tell whether the method has not begun with the current part."""
        return self._begun is None or (self._begun.state.steps == 0 and self._begun.finished is None)

    def _count_small(self, small: SmallPairs, solved: SolvedPair) -> None:
        totals, number = self._totals, len(self._finished)
        self._used.add(SMALL_PHASE)
        self._note_small(number)
        totals.evaluations += small.evaluations(number)
        totals.steps += solved.steps
        totals.add(self.problem, number, solved.done)
        self._finished.append(solved.done)
        self._begun = None

    def _note_small(self, number: int) -> None:
        """Record one decision, with the number of pairs, for consecutive pairs that run/small_pairs.py has solved."""
        last = self._decisions[-1] if self._decisions else None
        if last is not None and last.phase == SMALL_PHASE:
            first, count = last, last.numbers["pairs"] + 1.0
            self._decisions[-1] = Decision(first.step, first.phase, first.reason, {"pairs": count}, first.part)
        else:
            self._decisions.append(Decision(self._totals.steps, SMALL_PHASE, SMALL_PAIRS, {"pairs": 1.0}, number))

    @property
    def gap_goal(self) -> float | None:
        """The relative gap at which to end, from the limits or else from the method; None if the violation decides."""
        return self.current.gap_goal

    # -- parts ------------------------------------------------------------------------------------

    def _part_run(self, number: int) -> PartRun:
        part = self.problem.part(number, self._gram)
        return PartRun(
            part, self.method, self.limits,
            seed=self.seed, start=None if self._start is None else self._start[number],
        )  # fmt: skip

    def _count(self, done: Finished) -> None:
        """Add the finished current part to the totals."""
        self._used |= self._using()
        self._decisions += self._numbered()
        self._totals.examples = self.examples_seen or 0
        self._totals.seconds = self.seconds
        self._totals.evaluations += self.current.part.gram.evaluations
        self._totals.steps += self.current.state.steps
        for part in (done, done.mirrored()) if self.problem.mirrored else (done,):
            self._totals.add(self.problem, len(self._finished), part)
            self._finished.append(part)
        if self.problem.machine.split == "pairs":
            self.current.part.gram.release()

    def _end(self) -> None:
        """Set the ending after the last part.

        A part with a tiny optimum may have stalled above the requested gap. The run has converged nevertheless if the
        sum of all parts reaches that gap.
        """
        goal, tolerance = self.limits.gap_tolerance, self.limits.tolerance
        total, feasible = self._totals.certificate, FEASIBLE * float(self.problem.upper.sum())
        enough = goal is not None and total.reaches(goal, tolerance) and total.infeasibility <= feasible
        stalled = any(done.stalled for done in self._finished) and not enough
        doubtful = stalled or seen_indefinite(self.problem, self._totals.used)
        self.ending = Ending.STALLED if doubtful else Ending.CONVERGED

    # -- checkpoints ------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a checkpoint, from which `load` continues with the same bits."""
        checkpoint.write(path, self._saved())

    def pack(self) -> bytes:
        """Return the bytes that `save` writes."""
        return checkpoint.packed(self._saved())

    @classmethod
    def load(
        cls,
        problem: Problem,
        place: checkpoint.Place,
        method: str | Method[Any] | None = None,
        limits: Limits | None = None,
    ) -> Run:
        """Return the run as it was saved.

        With new limits, a run continues if it was stopped or had reached its limits.
        """
        saved = checkpoint.read(place)
        with checkpoint.damage_as_input_error(place):
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
            "tally": [self._totals.steps, self._totals.evaluations],
            "examples": self._totals.examples,
            "evaluations": self.current.part.gram.evaluations - self._counted,
            "start": self._start is not None,
            "used": sorted(self._used),
            "decisions": [decision.document() for decision in self._decisions],
            "part": self.current.header(),
        }

    def _arrays(self) -> dict[str, np.ndarray]:
        arrays = {"trace": self.trace.pack(), **checkpoint.pack_finished(self._finished)}
        arrays["start"] = checkpoint.join(self._start or [])
        if self._unfinished:
            arrays |= checkpoint.named("state", checkpoint.pack_state(self.current.state))
            arrays |= checkpoint.named("gram", self.current.part.gram.pack())
        return arrays

    def _restore(self, saved: checkpoint.Saved) -> None:
        header, form = saved.header, self.current.part.form
        self._finished = checkpoint.unpack_finished(saved, self.problem, form)
        for number, done in enumerate(self._finished):
            self._totals.add(self.problem, number, done)
        self._totals.steps, self._totals.evaluations = header["tally"]
        self._totals.examples = header["examples"]
        self._totals.seconds = header["seconds"]
        self._decisions = [Decision(**plain) for plain in header["decisions"]]
        if self._unfinished:
            self._begun = self._part_run(len(self._finished))
            checkpoint.restore_state(self.current.state, saved, "state")
            self.current.part.gram.restore(saved.group("gram"))
            self.current.resume(header["part"])
            shapes = checkpoint.shapes_of(self.problem, self.problem.part_count, form.slots)
            self._start = checkpoint.split(saved.arrays["start"], shapes) if header["start"] else None
        self.current.part.gram.evaluations = header["evaluations"]
        self._used = set(header["used"])
        self.trace = Trace.unpack(saved.arrays["trace"])
        self.ending = Ending[header["ending"]] if header["ending"] else None

    # -- samples ----------------------------------------------------------------------------------

    def _record(self, *, whole: bool) -> Sample:
        """Take a sample, and check the limits.

        Only the ends of whole slices are traced, because other moments depend on the clock. If parts are begun ahead,
        only the ends of parts are traced, because the progress of helpers in the next part depends on the clock, too.
        """
        if whole or self._latest is None or self._sample_due():
            began = time.perf_counter()
            self._latest = self.sample()
            self._sampled = time.perf_counter()
            self._sample_seconds = self._sampled - began
        if self._pairs.ahead is None:
            if whole:
                self.trace.append(self._latest)
        elif self._totals.steps > (self.trace.last.iteration if len(self.trace) else 0):
            self.trace.append(self._totals.sample(len(self._finished), self.seconds))
        if self.running:
            self._check_limits(whole=whole)
        return self._latest

    def _sample_due(self) -> bool:
        """Tell whether steps were taken since the last sample, and samples take a small share of the time."""
        assert self._latest is not None
        rested = time.perf_counter() - self._sampled >= SAMPLE_REST * self._sample_seconds
        return rested and self._latest.iteration != self.iterations

    def _end_at(self, ending: Ending) -> None:
        """End here; within a slice the latest sample is added to the trace."""
        self.ending = ending
        self._pairs.drop()
        if self._begun is not None:
            self._begun.view.forget()
        if self._latest is not None and (not len(self.trace) or self._latest.iteration > self.trace.last.iteration):
            self.trace.append(self._latest)

    def sample(self) -> Sample:
        """Return objectives, violation and support vectors by the method's running functions: fast but not verified."""
        done = self._totals.certificate
        primal, dual, violation = done.primal, done.dual, done.violation
        if self._begun is None:
            primal += self._totals.waiting[len(self._finished)]
        elif self._unfinished:
            here = self._begun.running_certificate()
            primal += here.primal + self._totals.waiting[len(self._finished) + 1]
            dual += here.dual
            violation = max(violation, here.violation)
        support, bounded = (int(rows.sum()) for rows in self.supporting())
        return Sample(self.iterations, self.seconds, dual, primal, violation, support, bounded)

    def supporting(self) -> tuple[np.ndarray, np.ndarray]:
        """Return (n,) whether an example is a support vector, (n,) whether a variable of it is at its upper bound."""
        used, full = self._totals.used, self._totals.full
        if self._begun and self._unfinished:
            used, full = used.copy(), full.copy()
            mark_support(self.problem, len(self._finished), self._begun.state.best.alpha, used, full)
        return used, full

    def _check_limits(self, *, whole: bool) -> None:
        """End the run if it has reached a limit.

        The step limit is checked only at the ends of whole slices. Within a slice, alpha may lag behind the step count,
        and the moment of the check depends on the clock.
        """
        if whole and self.limits.steps is not None and self.iterations >= self.limits.steps:
            self._end_at(Ending.STEP_LIMIT)
        elif self.limits.seconds is not None and self.seconds >= self.limits.seconds:
            self._end_at(Ending.TIME_LIMIT)

    # -- results ----------------------------------------------------------------------------------

    def alphas(self) -> list[np.ndarray]:
        """Return the dual variables of every part; they are zero for parts that have not started."""
        alphas = self.alphas_begun()
        if not self._unfinished:
            return alphas
        shapes = checkpoint.shapes_of(self.problem, self.problem.part_count, self.current.part.form.slots)
        return alphas + [np.zeros(shape) for shape in shapes[len(alphas) :]]

    def alphas_begun(self) -> list[np.ndarray]:
        """Return the dual variables of the parts that have started."""
        alphas = [done.alpha for done in self._finished]
        return [*alphas, self.current.feasible_alpha()] if self._unfinished else alphas

    def proofs(self) -> list[Proof]:
        """Return one proof for each part that has started; that of the current part follows from its current alpha."""
        proofs = [done.proof for done in self._finished]
        return [*proofs, self.current.prove()] if self._unfinished else proofs

    def certificate(self, proofs: list[Proof] | None = None) -> Certificate:
        """Return the certificate of all parts; parts that have not started count with alpha = 0."""
        proofs = self.proofs() if proofs is None else proofs
        return total_of(proofs) + certificate_at_zero(self.problem, len(proofs))

    def running_model(self) -> Model:
        """Return the model of the running weights and biases: immediate, and without a certificate."""
        weights = [done.proof.weights for done in self._finished]
        bias = [done.proof.bias for done in self._finished]
        if self._unfinished:
            own, free = self.current.running_weights()
            weights.append(own)
            bias.append(free)
        return self._model(weights, bias)

    def model(self, proofs: list[Proof] | None = None) -> Model:
        proofs = self.proofs() if proofs is None else proofs
        return self._model([proof.weights for proof in proofs], [proof.bias for proof in proofs])

    def _model(self, weights: list[np.ndarray], bias: list[np.ndarray]) -> Model:
        """Build the model; parts that have not started get the best constant functions."""
        return Model.of(self.problem, weights, [*bias, self.problem.biases_at_zero(len(bias))])


def find_method(name: str | Method[Any]) -> Method[Any]:
    """Return the method of this name; a Method is returned as it is."""
    if isinstance(name, Method):
        return name
    if not isinstance(name, str) or name not in METHODS:
        raise InputError(
            "There is no solver {name!r}; choose one of {choices}.", name=name, choices=choices_for(name, METHODS)
        )
    return METHODS[name]


def refuse(problem: Problem, method: str | Method[Any]) -> None:
    """Raise InputError if the method cannot solve the problem; the message says what would work."""
    delegated(problem.part(0), find_method(method))
