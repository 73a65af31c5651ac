"""Threads that live until they have ended, whoever lost sight of them: Qt aborts where a running one is destroyed."""

from __future__ import annotations

from typing import ClassVar

from PySide6.QtCore import QThread


class Thread(QThread):
    """It has no parent, which would take it along."""

    _alive: ClassVar[set[Thread]] = set()

    def start(self, priority: QThread.Priority = QThread.Priority.InheritPriority) -> None:
        Thread._alive.add(self)
        self.finished.connect(self._release)
        super().start(priority)

    def _release(self) -> None:
        self.wait()  # it may be on its way out still, and nobody else may hold it
        Thread._alive.discard(self)


def running() -> list[Thread]:
    """Those that have not ended, of all windows."""
    return [thread for thread in Thread._alive if thread.isRunning()]
