"""A job that compares a model with baselines, with progress and a stop.

The job compares a tested run on its own training and test rows. Without a tested run, it trains the machine of the
form on folds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from mcsvm_gui.core.base.i18n import tr
from mcsvm_gui.core.machine.state import ENDED, JobState
from mcsvm_gui.core.project.job_status import JobStatus
from mcsvm_gui.ui.threads.job import Failed, Job, Key

if TYPE_CHECKING:
    from mcsvm_gui.core.compare.baselines import BaselineResult
    from mcsvm_gui.core.data.dataset import Dataset
    from mcsvm_gui.core.machine.request import Request
    from mcsvm_gui.core.machine.trained import TrainedModel
    from mcsvm_gui.ui.threads.queue import JobQueue

FOLDS = 5


@dataclass(frozen=True)
class Compared:
    """Progress: how many of the trainings of all methods are done; at the end the accuracies by name."""

    done: int
    expected: int
    accuracies: Mapping[str, float] | None = None  # of the form's machine and the baselines, on folds
    results: tuple[BaselineResult, ...] = ()  # of the baselines, on the test rows of a run


@dataclass(frozen=True)
class TestedRun:
    """A tested run with its data; the job's thread calls `model` to read the model."""

    run: int
    request: Request
    model: Callable[[], TrainedModel]
    dataset: Dataset | None  # the open data, if the run was trained on them

    __test__ = False


class BaselineJob(Job):
    def __init__(self, name: str, request: Request, dataset: Dataset | None, run: TestedRun | None = None) -> None:
        super().__init__(name)
        self.request, self.dataset, self._tested = request, dataset, run

    def work(self) -> None:
        self.become(JobState.PREPARING)
        self.rest()
        self._told = Compared(0, 0)
        comparison = self._on_folds() if self._tested is None else self._on_test_rows(self._tested)
        if comparison is None:
            self.end(JobState.DISCARDED)
        else:
            self.end(JobState.DONE, comparison)

    def _report(self, done: int, expected: int) -> None:
        self._told = Compared(done, expected)
        self.tell(self._told)

    def _on_folds(self) -> Compared | None:
        from mcsvm_gui.core.check.baselines import accuracies

        assert self.dataset is not None
        by_method = accuracies(self.request, self.dataset, FOLDS, self._report, self.held)
        return Compared(self._told.expected, self._told.expected, by_method) if by_method else None

    def _on_test_rows(self, run: TestedRun) -> Compared | None:
        from mcsvm_gui.core.check.baselines import predictions
        from mcsvm_gui.core.compare.baselines import baseline_results
        from mcsvm_gui.core.compare.tested_runs import RowCache

        rows = RowCache().rows_of(run.request, run.dataset)
        results = baseline_results(
            run.run,
            run.model(),
            rows.training,
            rows.tested,
            lambda trained, training, tested: predictions(trained, training, tested, self._report, self.held),
        )
        if self.held():
            return None
        return Compared(self._told.expected, self._told.expected, results=tuple(results))


class BaselineComparison(QObject):
    """The current comparison, which runs, waits or has failed, and the results of the last one."""

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

    def start(self, request: Request, dataset: Dataset | None, run: TestedRun | None = None) -> None:
        """Compare a tested run on its own rows, or else train the machine of `request` on folds of `dataset`."""
        self._count += 1
        self._key, self._machine, self._error, self.known = f"baselines {self._count}", request.machine, "", None
        self._state = JobState.QUEUED
        self._queue.submit(BaselineJob(self._key, request, dataset, run))
        self.changed.emit()

    def stop(self) -> None:
        """Stop the comparison; its results are discarded."""
        if self.running:
            self._queue.discard(self._key)

    def forget(self) -> None:
        """Stop the comparison and forget its results, because they are outdated."""
        self.stop()
        self.known = None

    def dismiss(self, key: Key) -> None:
        if key == self._key:
            self._key = ""

    def status(self, key: Key) -> JobStatus:
        title, known = tr("Baselines for {machine}", machine=self._machine), self.known
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
