"""Threads that live until they have ended, whoever lost sight of them: Qt aborts where a running one is destroyed."""

from __future__ import annotations

import os
import sys
import threading
from contextlib import suppress
from typing import ClassVar

from PySide6.QtCore import QThread

# Added to the niceness of jobs: such a thread gets a tenth of a core for which the window's thread competes. Two
# trainings on two cores: the longest turn of a 10 ms timer 70 -> 43 ms.
BACKGROUND = 10


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


def step_back() -> None:
    """The calling thread, and those that it begins, leave the cores to the window's thread where that has work.

    Linux has a niceness for every thread; priorities of QThread do nothing there.
    """
    if sys.platform == "linux":
        with suppress(PermissionError):  # a sandbox may forbid even that; the work is done all the same
            thread = threading.get_native_id()
            os.setpriority(os.PRIO_PROCESS, thread, os.getpriority(os.PRIO_PROCESS, thread) + BACKGROUND)
