"""The clock that measures trainings: it stops while code is compiled and while a listener is called."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager


class _Held(threading.local):
    """How long the clock of this thread was held."""

    def __init__(self) -> None:
        self.total = 0.0  # seconds
        self.since: float | None = None  # the time that the clock shows while it is held


_held = _Held()


def seconds() -> float:
    """Return the seconds since some moment; only differences on one thread have a meaning."""
    return _running() if _held.since is None else _held.since


def _running() -> float:
    return time.perf_counter() - _held.total


@contextmanager
def held() -> Iterator[None]:
    """Stop the clock of this thread in this context."""
    if _held.since is not None:
        yield
        return
    _held.since = _running()
    try:
        yield
    finally:
        _held.total += _running() - _held.since
        _held.since = None


class Stopwatch:
    """Adds up the seconds inside `with`, including those of the current one."""

    def __init__(self) -> None:
        self._done = 0.0
        self._began: float | None = None

    @property
    def seconds(self) -> float:
        """Return the seconds so far."""
        return self._done + (0.0 if self._began is None else seconds() - self._began)

    @seconds.setter
    def seconds(self, value: float) -> None:
        self._done = value

    def __enter__(self) -> None:
        self._began = seconds()

    def __exit__(self, *_: object) -> None:
        assert self._began is not None
        self._done += seconds() - self._began
        self._began = None
