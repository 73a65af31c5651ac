"""The way out: all jobs are stopped and kept before the window closes, and only after asking."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QObject, QTimer

from mcsvm_gui.core.base.i18n import tr


class Leaving(QObject):
    def __init__(self, queue: Any, settings: Any, window: Any, dialogs: Any, parent: QObject) -> None:
        super().__init__(parent)
        self._queue, self._settings, self._window, self._dialogs = queue, settings, window, dialogs
        self.under_way = False
        window.may_close = self.may_close
        dialogs.stop_chosen.connect(self.leave)
        queue.told.connect(self._look)

    def may_close(self) -> bool:
        """False also means: the window closes by itself once every job has ended."""
        running = len(self._queue.active())
        if not running:
            return True
        if self.under_way:
            self._say(running)
        elif self._settings["confirm_close"]:
            self._dialogs.ask_to_stop(running)
        else:
            self.leave()
        return False

    def leave(self) -> None:
        self.under_way = True
        self._queue.stop_all()
        self._look()

    def _look(self, *facts: object) -> None:
        if not self.under_way:
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
        self._window.set_status(tr("Closing when all jobs have ended; {running} to go.", running=running), lasting=True)
