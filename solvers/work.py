"""Work that can be interrupted: a generator that yields between pieces of at most a tenth of a second.

Whoever owns the loop may stop at any yield, look at the clock, or write a checkpoint. So at every yield the state of
the run is one from which to begin again gives the same bits: a piece of work computes first and changes the state last.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TypeVar

T = TypeVar("T")
Work = Generator[None, None, T]

PIECE = 5e8  # floating-point operations of a piece, at most: 20 to 60 ms in double precision on one thread
SMALL = 300  # variables of a dense system up to which a step of it, below a millisecond, is no piece of its own


def finish(work: Work[T]) -> T:
    """The result, without an interruption."""
    while True:
        try:
            next(work)
        except StopIteration as end:
            result: T = end.value
            return result


def ready(value: T) -> Work[T]:
    """Work that is done."""
    yield from ()
    return value


def pieces(total: int, operations_each: float) -> list[slice]:
    """The range cut so that no piece has more than PIECE operations; the cuts depend on nothing else."""
    length = max(1, int(PIECE // max(operations_each, 1.0)))
    return [slice(start, min(start + length, total)) for start in range(0, total, length)]
