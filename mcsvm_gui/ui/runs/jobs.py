"""The queue as the dock shows it: what goes on, what waits, and what failed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from PySide6.QtCore import QObject, QTimer, Signal, SignalInstance

from mcsvm_gui.core.base.i18n import tr
from mcsvm_gui.core.project import job_status
from mcsvm_gui.core.project.job_status import JobLine

if TYPE_CHECKING:
    from mcsvm_gui.ui.runs.workspace import Workspace

LOOKED_AT_EVERY = 250  # milliseconds; numbers that change faster cannot be read
MOST = 40  # jobs shown


class JobsView(Protocol):
    pause_asked: SignalInstance
    resume_asked: SignalInstance
    stop_asked: SignalInstance
    discard_asked: SignalInstance
    dismiss_asked: SignalInstance
    stop_all_asked: SignalInstance

    def show_jobs(self, lines: Sequence[JobLine], summary: str, more: str, *, stoppable: bool) -> None: ...


class JobsPresenter(QObject):
    all_stopped = Signal()

    def __init__(self, view: JobsView, workspace: Workspace, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._view, self._workspace = view, workspace
        self._queue, self._runs = workspace.queue, workspace.runs
        self._failed: list[int] = []
        self._search = ""  # how far it is; empty where none goes on
        self._ticks = QTimer(self, interval=LOOKED_AT_EVERY)
        self._ticks.timeout.connect(self.show)
        self._soon = QTimer(self, interval=0, singleShot=True)
        self._soon.timeout.connect(self.show)
        view.pause_asked.connect(self._queue.pause)
        view.resume_asked.connect(self._queue.resume)
        view.stop_asked.connect(self._queue.stop)
        view.discard_asked.connect(self._queue.discard)
        view.stop_all_asked.connect(self._queue.stop_all)
        view.stop_all_asked.connect(self.all_stopped)
        view.dismiss_asked.connect(self.dismiss)
        self._queue.state_changed.connect(self._note)
        for signal in (self._runs.project_read, self._runs.removed, self._runs.added):
            signal.connect(lambda *ignored: self._soon.start())
        self.show()

    def dismiss(self, run: int) -> None:
        self._failed = [number for number in self._failed if number != run]
        self.show()

    def say_search(self, said: str) -> None:
        """A search of C and gamma is one job, on no row: its own page shows it, and may be out of sight."""
        if said != self._search:
            self._search = said
            self._soon.start()

    def _note(self, run: int, state: Any) -> None:
        """Many states may change at once: looked at together, and after the book has heard of them."""
        self._failed = [number for number in self._failed if number != run]
        if state.value == "failed":
            self._failed.append(run)
        self._soon.start()

    def show(self) -> None:
        active = [run for run in self._queue.active() if run in self._runs]
        failed = [run for run in reversed(self._failed) if run in self._runs]
        shown = active[: max(MOST - len(failed), 1)]
        lines = [self._line(run) for run in shown]
        lines += [job_status.failed_line(self._runs.record(run)) for run in failed[:MOST]]
        hidden = len(active) - len(shown)
        more = tr("and {count} more that wait", count=hidden) if hidden else ""
        stoppable = bool(self._search) or any(line.can_stop for line in lines)
        self._view.show_jobs(lines, self._summary(active, len(failed)), more, stoppable=stoppable)
        self._ticks.start() if active else self._ticks.stop()

    def _line(self, run: int) -> JobLine:
        record, state = self._runs.record(run), self._queue.state(run).value
        dataset = self._workspace.dataset
        return job_status.line(record, state, self._runs.trace(run), 3 if dataset is None else len(dataset.classes))

    def _summary(self, active: Sequence[int], failed: int) -> str:
        waiting = sum(self._queue.state(run).value == "queued" for run in active)
        parts = [
            tr("{count} in training", count=len(active) - waiting) if len(active) > waiting else "",
            tr("{count} waiting", count=waiting) if waiting else "",
            tr("{count} failed", count=failed) if failed else "",
            tr("searching C and gamma: {said}", said=self._search) if self._search else "",
        ]
        return ", ".join(filter(None, parts))
