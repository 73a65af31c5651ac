"""Ctrl-C as a request, and so a batch system's signal to end: the first is noted, the second interrupts as usual."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import Any

from mcsvm_gui.core.base.exits import INTERRUPTED

SIGNALS = signal.SIGINT, signal.SIGTERM


class Interrupt:
    """While inside, `requested` tells whether Ctrl-C was pressed, or the process asked to end."""

    def __init__(self) -> None:
        self.requested = False
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Interrupt:
        if threading.current_thread() is threading.main_thread():
            self._before = {number: signal.signal(number, self._note) for number in SIGNALS}
        return self

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self.requested:
            raise KeyboardInterrupt
        self.requested = True

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)


@contextmanager
def at_once() -> Iterator[None]:
    """While the program is being loaded, Ctrl-C ends it there and then; imports can swallow a KeyboardInterrupt."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, lambda number, frame: os._exit(INTERRUPTED))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
