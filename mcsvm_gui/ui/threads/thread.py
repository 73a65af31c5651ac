"""Threads that live until they have ended, even without other references: Qt aborts if a running one is destroyed."""

from __future__ import annotations

import os
import sys
import threading
from contextlib import suppress
from typing import ClassVar

from PySide6.QtCore import QThread

# Added to the niceness of jobs: such a thread gets a tenth of a core if the window's thread competes for it. With two
# trainings on two cores, the longest delay of a 10 ms timer fell from 70 to 43 ms.
BACKGROUND = 10


class Thread(QThread):
    """A thread without a parent, which would destroy it."""

    _alive: ClassVar[set[Thread]] = set()

    def start(self, priority: QThread.Priority = QThread.Priority.InheritPriority) -> None:
        Thread._alive.add(self)
        self.finished.connect(self._release)
        super().start(priority)

    def _release(self) -> None:
        self.wait()  # it may still be ending, and there may be no other reference
        Thread._alive.discard(self)


def running() -> list[Thread]:
    """Return the threads of all windows that have not ended."""
    return [thread for thread in Thread._alive if thread.isRunning()]


def step_back() -> None:
    """Lower the priority of the calling thread, and of those that it starts, below that of the window's thread.

    Linux has a niceness for every thread; priorities of QThread have no effect there.
    """
    if sys.platform == "linux":
        with suppress(PermissionError):  # a sandbox may forbid even that; the work continues anyway
            thread = threading.get_native_id()
            os.setpriority(os.PRIO_PROCESS, thread, os.getpriority(os.PRIO_PROCESS, thread) + BACKGROUND)
