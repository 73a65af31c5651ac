"""Listen to ticks: count them, or stop at one of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from mcsvm.solvers.interrupt import Stopped, listening

T = TypeVar("T")


def counted(compute: Callable[[], T]) -> tuple[T, int]:
    """Return the result, and how often it could be stopped."""
    count = 0

    def listener() -> None:
        nonlocal count
        count += 1

    with listening(listener, rest=0.0):
        result = compute()
    return result, count


def stopped_at(number: int, compute: Callable[[], T]) -> tuple[T | None, bool]:
    """Return (the result, whether it was reached before this tick)."""
    ticks = iter(range(1, number + 1))
    return stopped_when(lambda: next(ticks) == number, compute)


def stopped_when(condition: Callable[[], bool], compute: Callable[[], T]) -> tuple[T | None, bool]:
    """Return (the result, whether it was reached before a tick at which the condition holds)."""

    def listener() -> None:
        if condition():
            raise Stopped(listener)

    try:
        with listening(listener, rest=0.0):
            return compute(), True
    except Stopped:
        return None, False
