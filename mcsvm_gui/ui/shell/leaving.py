"""Closing the window while jobs run: stop them and keep their results, or continue them at the next start."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QObject, QTimer

from mcsvm_gui.core.base.i18n import tr


class Leaving(QObject):
    def __init__(self, queue: Any, settings: Any, window: Any, dialogs: Any, parent: QObject) -> None:
        super().__init__(parent)
        self._queue, self._settings, self._window, self._dialogs = queue, settings, window, dialogs
        self.under_way = self._suspending = self._suspended = False
        window.may_close = self.may_close
        dialogs.stop_chosen.connect(self.leave)
        dialogs.later_chosen.connect(self.leave_for_later)
        queue.told.connect(self._look)
        queue.suspended.connect(self._end)

    def may_close(self) -> bool:
        """Return whether the window may close now; if not, it may close by itself once every job has ended."""
        running = len(self._queue.active())
        if not running or self._suspended:
            return True
        if self._suspending:
            return False
        if self.under_way:
            self._say(running)
        elif self._settings["confirm_close"]:
            self._dialogs.ask_to_stop(running)
        else:
            self.leave()
        return False

    def leave(self) -> None:
        """Stop all jobs and keep their results; no job starts afterwards, such as the trainings after a search."""
        self.under_way = True
        self._queue.stop_all_and_close()
        self._look()

    def leave_for_later(self) -> None:
        """Save the point that each job has reached and end it; the next start offers to continue the jobs."""
        self.under_way = self._suspending = True
        self._window.set_status(tr("Saving the point that each job has reached…"), lasting=True)
        self._queue.suspend()

    def _end(self) -> None:
        if self._suspending:
            self._suspended = True
            QTimer.singleShot(0, self, self._close)

    def _look(self, *facts: object) -> None:
        if not self.under_way or self._suspending:
            return
        running = len(self._queue.active())
        if running:
            self._say(running)
        else:
            QTimer.singleShot(0, self, self._close)

    def _close(self) -> None:
        self.under_way = False
        self._window.close()

    def _say(self, running: int) -> None:
        self._window.set_status(
            tr("Closing when all jobs have ended. Jobs left: {running}.", running=running), lasting=True
        )
