"""The machine of the form beside simple methods on the same folds, as a job with progress and a stop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from mcsvm_gui.core.base.i18n import tr
from mcsvm_gui.core.machine.state import ENDED, JobState
from mcsvm_gui.core.project.job_status import JobStatus
from mcsvm_gui.ui.threads.job import Failed, Job, Key

if TYPE_CHECKING:
    from mcsvm_gui.core.data.dataset import Dataset
    from mcsvm_gui.core.machine.request import Request
    from mcsvm_gui.ui.threads.queue import JobQueue

FOLDS = 5


@dataclass(frozen=True)
class Compared:
    """So far: how many of all methods were trained, fold by fold; at the end the accuracies by name."""

    done: int
    expected: int
    accuracies: Mapping[str, float] | None = None


class BaselineJob(Job):
    def __init__(self, name: str, request: Request, dataset: Dataset) -> None:
        super().__init__(name)
        self.request, self.dataset = request, dataset

    def work(self) -> None:
        from mcsvm_gui.core.check.baselines import accuracies

        self.become(JobState.PREPARING)
        self.rest()
        told = Compared(0, 0)

        def report(done: int, expected: int) -> None:
            nonlocal told
            told = Compared(done, expected)
            self.tell(told)

        found = accuracies(self.request, self.dataset, FOLDS, report, self.held)
        if found:
            self.end(JobState.DONE, Compared(told.expected, told.expected, found))
        else:
            self.end(JobState.DISCARDED)


class BaselineComparison(QObject):
    """The comparison that goes on, waits, or failed last; and what came of the last one."""

    changed = Signal()

    def __init__(self, queue: JobQueue, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._queue = queue
        self._count = 0
        self._key, self._machine, self._state, self._error = "", "", JobState.DONE, ""
        self.known: Compared | None = None
        queue.told.connect(self._hear)

    def __contains__(self, key: Key) -> bool:
        return key == self._key

    @property
    def running(self) -> bool:
        return self._state not in ENDED

    def start(self, request: Request, dataset: Dataset) -> None:
        self._count += 1
        self._key, self._machine, self._error, self.known = f"baselines {self._count}", request.machine, "", None
        self._state = JobState.QUEUED
        self._queue.submit(BaselineJob(self._key, request, dataset))
        self.changed.emit()

    def stop(self) -> None:
        """Nothing of it is kept."""
        if self.running:
            self._queue.discard(self._key)

    def forget(self) -> None:
        """It does not hold any more."""
        self.stop()
        self.known = None

    def dismiss(self, key: Key) -> None:
        if key == self._key:
            self._key = ""

    def status(self, key: Key) -> JobStatus:
        title, known = tr("Simple methods beside {machine}", machine=self._machine), self.known
        words = "" if known is None else tr("{done} of {expected} trainings", done=known.done, expected=known.expected)
        return JobStatus(key, title, self._state, progress=words, error=self._error)

    def _hear(self, key: Key, facts: Sequence[object]) -> None:
        if key != self._key:
            return
        for fact in facts:
            match fact:
                case Compared():
                    self.known = fact
                case Failed(sentence):
                    self._error = sentence
                case JobState():
                    self._state = fact
        if self._state is JobState.DISCARDED:
            self.known = None
        self.changed.emit()
