"""The queue as the Jobs panel shows it: running, waiting and failed jobs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, QTimer, SignalInstance

from mcsvm_gui.core.base.i18n import tr
from mcsvm_gui.core.machine.state import JobState
from mcsvm_gui.core.project.job_status import JobStatus, training_status
from mcsvm_gui.ui.threads.job import Key

if TYPE_CHECKING:
    from mcsvm_gui.ui.runs.workspace import Workspace

LOOKED_AT_EVERY = 250  # milliseconds between updates; numbers that change faster cannot be read
MOST = 40  # limit on the jobs shown


class JobsView(Protocol):
    pause_asked: SignalInstance
    resume_asked: SignalInstance
    stop_asked: SignalInstance
    discard_asked: SignalInstance
    dismiss_asked: SignalInstance
    stop_all_asked: SignalInstance

    def show_jobs(self, jobs: Sequence[JobStatus], summary: str, more: str, *, stoppable: bool) -> None: ...


class JobHolder(Protocol):
    """An object that holds jobs other than trainings."""

    def __contains__(self, key: Key) -> bool: ...
    def dismiss(self, key: Key) -> None: ...
    def status(self, key: Key) -> JobStatus: ...


class JobsPresenter(QObject):
    def __init__(self, view: JobsView, workspace: Workspace, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._view, self._workspace = view, workspace
        self._queue, self._runs, self._searches = workspace.queue, workspace.runs, workspace.searches
        self._holders: tuple[JobHolder, ...] = workspace.searches, workspace.curves, workspace.baselines
        self._failed: list[Key] = []
        self._ticks = QTimer(self, interval=LOOKED_AT_EVERY)
        self._ticks.timeout.connect(self.show)
        self._soon = QTimer(self, interval=0, singleShot=True)
        self._soon.timeout.connect(self.show)
        view.pause_asked.connect(self._queue.pause)
        view.resume_asked.connect(self._queue.resume)
        view.stop_asked.connect(self._queue.stop)
        view.discard_asked.connect(self._queue.discard)
        view.stop_all_asked.connect(self._queue.stop_all)
        view.dismiss_asked.connect(self.dismiss)
        self._queue.told.connect(self._hear)
        for signal in (self._runs.project_read, self._runs.removed, self._runs.added):
            signal.connect(lambda *ignored: self._soon.start())
        self.show()

    def dismiss(self, key: Key) -> None:
        self._failed = [failed for failed in self._failed if failed != key]
        for holder in self._holders:
            holder.dismiss(key)
        self.show()

    def _hear(self, key: Key, facts: Sequence[object]) -> None:
        """Record the states of a job. Changes are shown together, after runs and searches have received them."""
        states = [fact for fact in facts if isinstance(fact, JobState)]
        if states:
            self._failed = [failed for failed in self._failed if failed != key]
            self._failed += [key] * (states[-1] is JobState.FAILED)
            self._soon.start()

    def show(self) -> None:
        active = [key for key in self._queue.active() if self._knows(key)]
        failed = [key for key in reversed(self._failed) if self._knows(key)]
        shown = active[: max(MOST - len(failed), 1)]
        jobs = [self._status(key) for key in [*shown, *failed[:MOST]]]
        hidden = len(active) - len(shown)
        more = tr("and {count} more that wait", count=hidden) if hidden else ""
        stoppable = any(job.begun for job in jobs)
        self._view.show_jobs(jobs, self._summary(active, len(failed)), more, stoppable=stoppable)
        self._ticks.start() if active else self._ticks.stop()

    def _knows(self, key: Key) -> bool:
        return any(key in holder for holder in self._holders) if isinstance(key, str) else key in self._runs

    def _status(self, key: Key) -> JobStatus:
        for holder in self._holders:
            if key in holder:
                return holder.status(key)
        run, dataset = int(key), self._workspace.dataset
        classes = 3 if dataset is None else len(dataset.classes)
        folds = self._runs.folds(run)
        done = None if folds is None else (folds.done, folds.folds)
        return training_status(self._runs.record(run), self._queue.state(run), self._runs.trace(run), classes, done)

    def _summary(self, active: Sequence[Key], failed: int) -> str:
        waiting = sum(self._queue.state(key) is JobState.QUEUED for key in active)
        searching = sum(key in self._searches and self._queue.state(key) is not JobState.QUEUED for key in active)
        training = len(active) - waiting - searching
        parts = [
            tr("{count} in training", count=training) if training else "",
            tr("{count} searching", count=searching) if searching else "",
            tr("{count} waiting", count=waiting) if waiting else "",
            tr("{count} failed", count=failed) if failed else "",
        ]
        return ", ".join(filter(None, parts))
