"""Handles Ctrl-C and SIGTERM while Qt waits: Python's own handlers would wait for the next event."""

from __future__ import annotations

import os
import signal
import socket
from types import FrameType

from PySide6.QtCore import QObject, QSocketNotifier, Signal

from mcsvm_gui.core.base.exits import INTERRUPTED


class SignalHandler(QObject):
    """The first signal asks the window to close and keep its results; the second ends the process at once.

    Python writes each signal's number to a socket, which Qt's event loop watches.
    """

    quit_asked = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._reader, self._writer = socket.socketpair()
        for end in (self._reader, self._writer):
            end.setblocking(False)
        signal.set_wakeup_fd(self._writer.fileno(), warn_on_full_buffer=False)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._again)
        self._heard = 0
        notifier = QSocketNotifier(self._reader.fileno(), QSocketNotifier.Type.Read, self)
        notifier.activated.connect(self._tell)

    def _again(self, number: int, frame: FrameType | None) -> None:
        self._heard += 1
        if self._heard > 1:
            os._exit(INTERRUPTED)

    def _tell(self) -> None:
        self._reader.recv(64)
        self.quit_asked.emit()
