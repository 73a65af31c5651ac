"""One training in a thread of its own. The session knows no thread; the thread knows no mathematics."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mcsvm_gui.core.machine.state import JobState
from mcsvm_gui.ui.threads.job import Job

if TYPE_CHECKING:
    from mcsvm.solvers.run.trace import Sample
    from mcsvm_gui.core.cluster.session import AnySession
    from mcsvm_gui.core.data.dataset import Dataset
    from mcsvm_gui.core.machine.live import Reading
    from mcsvm_gui.core.machine.request import Request
    from mcsvm_gui.core.machine.session import Outcome
    from mcsvm_gui.core.machine.trained import Duals, TrainedModel

BETWEEN_CHECKPOINTS = 5.0  # seconds
CHECKPOINT_SHARE = 0.02  # largest share of the time for checkpoints
LARGEST_CHECKPOINT = 2**28  # bytes; a larger checkpoint of a stopped run is not saved


@dataclass(frozen=True)
class Sampled:
    sample: Sample


@dataclass(frozen=True)
class Read:
    reading: Reading


@dataclass(frozen=True)
class FoldsDone:
    """Progress of a calibration."""

    done: int
    folds: int


@dataclass(frozen=True)
class StoppedModel:
    """The model after a stop, before the certificate is recomputed."""

    model: TrainedModel


@dataclass(frozen=True)
class Checkpointed:
    content: bytes


@dataclass(frozen=True)
class Trained:
    outcome: Outcome
    continuable: bool = False  # whether the run can continue from its last checkpoint


class _DiscardedError(Exception):
    """Ends a certificate whose model was discarded."""


class Training(Job):
    """The job of one training.

    It continues from `checkpoint`, and with `keep` it only makes a model of the checkpoint. `start` holds initial dual
    variables.
    """

    def __init__(
        self,
        run: int,
        request: Request,
        dataset: Dataset,
        test: Dataset | None = None,
        checkpoint: bytes | None = None,
        *,
        start: Duals | None = None,
        keep: bool = False,
    ) -> None:
        super().__init__(run)
        self.request, self.dataset, self.test, self.checkpoint = request, dataset, test, checkpoint
        self.start_duals = start
        self._stopping = keep
        self._saved = 0.0
        self._kept_end = False  # whether the final point is saved

    def work(self) -> None:
        from mcsvm_gui.core.cluster.session import session_of

        self.become(JobState.PREPARING)
        with session_of(self.request, self.dataset, self.test, self.checkpoint, self.start_duals) as session:
            self._carry_out(session)

    def _carry_out(self, session: AnySession) -> None:
        self.become(JobState.RUNNING)
        self.tell(Sampled(session.sample()))  # the starting point: the first slice may have to compile
        if self.start_duals is not None:
            self._tell_checkpoint(session)  # records the starting point
        while session.running and not self._discarding:
            if not self._may_run.is_set():
                self.rest()
            elif self._stopping:
                session.stop()
                if (model := session.standing()) is not None:
                    self.tell(StoppedModel(model), urgent=True)
            else:
                self._advance(session)
        if session.continuable and not self._discarding:
            self._kept_end = self._tell_checkpoint(session)
        if session.calibrating and not self.ending:
            self.become(JobState.CALIBRATING)
            session.calibrate(lambda done, folds: self.tell(FoldsDone(done, folds)), self._ends)
        try:
            self._refuse_discarded()
            self.become(JobState.CERTIFYING)
            outcome = session.finish(self._refuse_discarded)
            self._refuse_discarded()
        except _DiscardedError:
            if self._suspended:
                self._tell_checkpoint(session)
            self.end(JobState.DISCARDED)
        else:
            self.end(JobState.DONE, Trained(outcome, session.continuable and self._kept_end))

    def _refuse_discarded(self) -> None:
        """Raise _DiscardedError if the run was discarded; called within a certificate, which may take minutes."""
        if self._discarding:
            raise _DiscardedError

    def _ends(self) -> bool:
        """Wait while paused, then return whether to stop; called between steps."""
        if not self._may_run.is_set():
            self.rest(JobState.CALIBRATING)
        return self.ending

    def _advance(self, session: AnySession) -> None:
        """Train for one slice; within it, report progress, wait while paused, and end it if the run is to stop."""

        def look(sample: Sample) -> bool:
            self._report(session, sample)
            return self.held()

        self._report(session, session.advance(look))

    def _report(self, session: AnySession, sample: Sample) -> None:
        self.tell(Sampled(sample))
        if self._stopping:
            return
        reading = session.read()
        if reading is not None:
            self.tell(Read(reading))
        if session.running and time.perf_counter() - self._saved >= BETWEEN_CHECKPOINTS:
            self._save(session)

    def _save(self, session: AnySession) -> None:
        """Save a checkpoint, seldom if that takes long; the first one only after the usual pause."""
        began = time.perf_counter()
        if self._saved:
            self._tell_checkpoint(session, math.inf)
        ended = time.perf_counter()
        self._saved = ended + max(0.0, (ended - began) / CHECKPOINT_SHARE - BETWEEN_CHECKPOINTS)

    def _tell_checkpoint(self, session: AnySession, largest: float = LARGEST_CHECKPOINT) -> bool:
        """Report a checkpoint; return whether there is one of at most `largest` bytes."""
        content = session.checkpoint()
        if content is None or len(content) > largest:
            return False
        self.tell(Checkpointed(content))
        return True
