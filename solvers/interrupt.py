"""tick(): the point at which a long computation may be watched, paused or stopped.

Long computations call `tick` between two pieces of at most a tenth of a second. A caller that wants to be notified
wraps the call in `listening`. A listener may read the state, wait, or raise `Stopped`. So a computation must be able to
start again from its state at any tick: a piece computes first and changes the state last.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from mcsvm.solvers import clock

REST = 0.04  # seconds between two calls of a listener

Listener = Callable[[], object]


class Stopped(Exception):
    """Raised by a listener, and so by `tick`, to leave the computation. The object `by` that raised it catches it."""

    def __init__(self, by: object = None) -> None:
        super().__init__()
        self.by = by


class _Listeners(threading.local):
    """The listeners of this thread, and the time of their next call."""

    def __init__(self) -> None:
        self.all: tuple[Listener, ...] = ()
        self.rest = REST
        self.due = 0.0


_listeners = _Listeners()


def tick() -> None:
    """Call the listeners of this thread, the latest first, unless they were called less than `rest` seconds ago."""
    if _listeners.all and time.perf_counter() >= _listeners.due:
        _call_listeners()


@contextmanager
def undivided() -> Iterator[None]:
    """Call no listener in this context: for a change of the state that has several parts."""
    listeners, _listeners.all = _listeners.all, ()
    try:
        yield
    finally:
        _listeners.all = listeners


def _call_listeners() -> None:
    listeners = _listeners.all
    try:
        with undivided(), clock.held():  # computations of a listener do not call listeners
            for listener in reversed(listeners):
                listener()
    finally:
        _listeners.due = time.perf_counter() + _listeners.rest


@contextmanager
def listening(listener: Listener, rest: float | None = None) -> Iterator[None]:
    """Let the ticks of this thread call the listener every `rest` seconds (REST).

    The listeners around this context are called as well.
    """
    rest = REST if rest is None else rest
    before = _listeners.all, _listeners.rest, _listeners.due
    _listeners.all, _listeners.rest = (*before[0], listener), min(rest, before[1])
    _listeners.due = min(before[2], time.perf_counter() + _listeners.rest) if before[0] else time.perf_counter() + rest
    try:
        yield
    finally:
        _listeners.all, _listeners.rest, _listeners.due = before


T = TypeVar("T")


def unless(stopped: Callable[[], bool], compute: Callable[[], T]) -> T | None:
    """Return the result of `compute`, or None as soon as `stopped`, which is checked at ticks, returns true."""
    if stopped():
        return None

    def listener() -> None:
        if stopped():
            raise Stopped(stopped)

    try:
        with listening(listener):
            return compute()
    except Stopped as error:
        if error.by is not stopped:
            raise
        return None
