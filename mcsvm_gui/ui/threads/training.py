"""One training in a thread of its own. The session knows no thread; the thread knows no mathematics."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal

from mcsvm_gui.ui.threads.error_log import sentence_of
from mcsvm_gui.ui.threads.thread import Thread

if TYPE_CHECKING:
    from mcsvm_gui.core.data.dataset import Dataset
    from mcsvm_gui.core.machine.request import Request
    from mcsvm_gui.core.machine.session import Outcome, Session
    from solvers.run.trace import Sample

BETWEEN_SAMPLES = 0.04  # seconds; more often than anyone can see would only keep the window busy
BETWEEN_CHECKPOINTS = 5.0
CHECKPOINT_SHARE = 0.02  # of the time that checkpoints may take


class JobState(Enum):
    QUEUED = "queued"
    PREPARING = "preparing"
    RUNNING = "running"
    PAUSED = "paused"
    STOPPING = "stopping"
    CERTIFYING = "certifying"
    DONE = "done"
    FAILED = "failed"
    DISCARDED = "discarded"


@dataclass(frozen=True, eq=False)
class Job:
    """All that a training needs. Answers of a job that is no longer current are told by its number."""

    number: int
    request: Request
    dataset: Dataset
    test: Dataset | None = None
    checkpoint: bytes | None = None
    keep: bool = False  # what the checkpoint holds, and train no further


class Training(Thread):
    """Wishes go in by `pause`, `resume`, `stop` and `discard`, from any thread; facts come out as signals."""

    became = Signal(int, object)  # JobState
    sampled = Signal(int, object)  # Sample
    read = Signal(int, object)  # Reading
    kept = Signal(int, object)  # TrainedModel after a stop, before its certificate is recomputed
    checkpointed = Signal(int, bytes)
    ended = Signal(int, object)  # Outcome
    failed = Signal(int, str)
    discarded = Signal(int)

    def __init__(self, job: Job) -> None:
        super().__init__()
        self.job = job
        self._may_run = threading.Event()
        self._may_run.set()
        self._stopping, self._discarding = job.keep, False
        self._shown = self._saved = 0.0

    # -- wishes -----------------------------------------------------------------------------------

    def pause(self) -> None:
        if not (self._stopping or self._discarding):
            self._may_run.clear()

    def resume(self) -> None:
        self._may_run.set()

    def stop(self) -> None:
        self._stopping = True
        self._may_run.set()

    def discard(self) -> None:
        self._discarding = True
        self._may_run.set()

    # -- work, in the thread ----------------------------------------------------------------------

    def run(self) -> None:
        try:
            outcome = self._work()
        except BaseException as error:  # nothing may leave a thread
            self.failed.emit(self.job.number, sentence_of(error, f"training {self.job.number}"))
        else:
            self._tell(outcome)

    def _tell(self, outcome: Outcome | None) -> None:
        if outcome is None or self._discarding:
            self.discarded.emit(self.job.number)
        else:
            self.ended.emit(self.job.number, outcome)

    def _work(self) -> Outcome | None:
        from mcsvm_gui.core.machine.session import Session

        job = self.job
        self._become(JobState.PREPARING)
        session = Session(job.request, job.dataset, job.test, job.checkpoint)
        self._become(JobState.RUNNING)
        self.sampled.emit(job.number, session.run.sample())  # where it begins: the first slice may have to compile
        while session.running and not self._discarding:
            if not self._may_run.is_set():
                self._rest()
            elif self._stopping:
                session.stop()
                self.kept.emit(job.number, session.standing())
            else:
                self._advance(session)
        if self._discarding:
            return None
        self._become(JobState.CERTIFYING)
        return session.finish()

    def _rest(self) -> None:
        self._become(JobState.PAUSED)
        self._may_run.wait()
        if not (self._stopping or self._discarding):
            self._become(JobState.RUNNING)

    def _advance(self, session: Session) -> None:
        sample = session.advance()
        now = time.perf_counter()
        if now - self._shown >= BETWEEN_SAMPLES or not session.running:
            self._shown = now
            self._show(session, sample)
        if session.running and not self._stopping and now - self._saved >= BETWEEN_CHECKPOINTS:
            self._save(session)

    def _show(self, session: Session, sample: Sample) -> None:
        self.sampled.emit(self.job.number, sample)
        if self._stopping:
            return
        reading = session.read()
        if reading is not None:
            self.read.emit(self.job.number, reading)

    def _save(self, session: Session) -> None:
        """Rarely where it takes long; the first one only after the usual pause."""
        began = time.perf_counter()
        if self._saved:
            self.checkpointed.emit(self.job.number, session.checkpoint())
        ended = time.perf_counter()
        self._saved = ended + max(0.0, (ended - began) / CHECKPOINT_SHARE - BETWEEN_CHECKPOINTS)

    def _become(self, state: JobState) -> None:
        self.became.emit(self.job.number, state)
