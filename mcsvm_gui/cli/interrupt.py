"""End a command on Ctrl-C or SIGTERM, at the latest 5 s after the first signal.

Python runs signal handlers between two bytecodes of the main thread only. `Guard` therefore has a thread of its own:
the interpreter's C handler writes each signal to a socket, the thread reads it and ends the process when the time is
over, whatever the main thread waits for. If native code that holds the interpreter's lock begins after the signal, the
timer of faulthandler ends the process, because it needs no lock. Native code that already holds the lock when the
signal arrives, and never releases it, cannot be ended in this way. Imports did that under a memory limit, which
`memory.py` therefore refuses.
"""

from __future__ import annotations

import faulthandler
import math
import os
import select
import signal
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import Any

from mcsvm_gui.core.base.exits import INTERRUPTED

SIGNALS = signal.SIGINT, signal.SIGTERM
KEEPING_SECONDS = 1.5  # from the first signal, for a certificate; after them the model is saved without one
ENDING_SECONDS = 4.3  # from the first signal to the end of the process; 5 s are promised
AGAIN_SECONDS = 0.5  # from a second signal to the end of the process
UNHEARD_SECONDS = 0.5  # after these limits the timer that needs no interpreter ends the process
_guards: list[Guard] = []  # of the running command
LAST_WORDS = b"error: interrupted before there was anything to keep\n"


class Guard:
    """End the process if a command has not ended `ENDING_SECONDS` after the first signal, or soon after a second.

    `lasting`: keep guarding after the command has returned, because the interpreter then waits for other threads.
    """

    def __init__(self, *, lasting: bool) -> None:
        self._lasting = lasting
        self._handler: Any = None
        self._woken_before = -1
        self._end = 0.0  # 0: no signal received
        self._timed = False
        self._ours = threading.current_thread() is threading.main_thread()

    def __enter__(self) -> Guard:
        if self._ours:
            self._nowhere = os.open(os.devnull, os.O_WRONLY)  # receives the traceback that the timer writes
            self._reader, self._writer = socket.socketpair()
            self._writer.setblocking(False)
            self._woken_before = signal.set_wakeup_fd(self._writer.fileno(), warn_on_full_buffer=False)
            self._handler = signal.signal(signal.SIGTERM, _raise_interrupt)
            _guards.append(self)
            threading.Thread(target=self._wait, name="guard", daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if not self._ours or (self._lasting and self._end):
            return
        _guards.remove(self)
        signal.signal(signal.SIGTERM, self._handler)
        signal.set_wakeup_fd(self._woken_before)
        self._writer.close()
        if self._timed:
            faulthandler.cancel_dump_traceback_later()
        os.close(self._nowhere)

    def _wait(self) -> None:
        while True:
            left = max(0.0, self._end - time.monotonic()) if self._end else None
            if not select.select([self._reader], [], [], left)[0]:
                _end_now()
            numbers = self._reader.recv(64)
            if not numbers:  # the command has ended
                self._reader.close()
                return
            for number in numbers:
                if number in SIGNALS:
                    self._limit()

    def _limit(self) -> None:
        now = time.monotonic()
        self._end = min(self._end, now + AGAIN_SECONDS) if self._end else now + ENDING_SECONDS
        self.set_timer(self._end - now)

    def set_timer(self, seconds: float) -> None:
        """Set the timer that ends the process after `seconds` if this guard cannot."""
        self._timed = True
        faulthandler.dump_traceback_later(seconds + UNHEARD_SECONDS, exit=True, file=self._nowhere)


def _end_now() -> None:
    try:
        os.write(2, LAST_WORDS)
    finally:
        os._exit(INTERRUPTED)


def _raise_interrupt(number: int, frame: FrameType | None) -> None:
    """End a command on SIGTERM as Ctrl-C does: temporary files are removed, and the exit code is the same."""
    raise KeyboardInterrupt


class Interrupt:
    """Inside this context a first signal only sets `requested`; a second one interrupts as usual."""

    def __init__(self) -> None:
        self.requested = False
        self._requested_at = 0.0
        self._before: dict[signal.Signals, Any] = {}

    @property
    def seconds_left(self) -> float:
        """Return the seconds left for certificates and scores; infinite before a signal."""
        return self._requested_at + KEEPING_SECONDS - time.monotonic() if self.requested else math.inf

    def __enter__(self) -> Interrupt:
        if threading.current_thread() is threading.main_thread():
            self._before = {number: signal.signal(number, self._note) for number in SIGNALS}
        return self

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self.requested:
            raise KeyboardInterrupt
        self._requested_at = time.monotonic()
        self.requested = True
        for guard in _guards:
            guard.set_timer(ENDING_SECONDS)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)


@contextmanager
def at_once() -> Iterator[None]:
    """End the process at the first signal while the program is loaded: imports can swallow a KeyboardInterrupt."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, lambda *_: os._exit(INTERRUPTED)) for number in SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
