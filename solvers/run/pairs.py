"""PairQueue: how ovo and dag train pairs: small ones in one call each, later ones ahead in other threads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from mcsvm.solvers.problem import Problem
from mcsvm.solvers.run import small_pairs
from mcsvm.solvers.run.ahead import Ahead
from mcsvm.solvers.run.limits import Limits
from mcsvm.solvers.run.parts import PartRun
from mcsvm.solvers.run.small_pairs import SmallPairs
from mcsvm.solvers.work import limited, workers


class PairQueue:
    """`small` solves a part of few examples at once, `ahead` begins later parts; either is None if it does not apply.

    `begin` makes the PartRun of a number. Only `ahead` keeps `begin`, and `ahead` is dropped when the run ends: a
    reference cycle would hold kernel rows until the garbage collector runs. `alone` says that nothing was chosen that
    the solver of small pairs does not support.
    """

    def __init__(self, problem: Problem, limits: Limits, begin: Callable[[int], PartRun], *, alone: bool) -> None:
        several = problem.machine.split == "pairs" and problem.part_count > 1
        self.small = SmallPairs(problem, limits) if alone and small_pairs.applies(problem, limits) else None
        apart = several and self.small is None and limits.steps is None
        self.ahead = Ahead(begin, problem.pair_mb, problem.cache_mb) if apart else None

    @contextmanager
    def helped(self, number: int) -> Iterator[None]:
        """Let other threads train later parts next to the part of this number; all threads share `workers`."""
        ahead, threads = self.ahead, workers()
        helpers = ahead.go_on(number, threads) if ahead is not None and threads > 1 else 0
        if ahead is None or not helpers:
            yield
            return
        try:
            with limited(max(1, threads // (helpers + 1))):
                yield
        finally:
            ahead.pause()

    @contextmanager
    def held(self) -> Iterator[None]:
        """Make the other threads wait at their next tick."""
        if self.ahead is None:
            yield
            return
        with self.ahead.held():
            yield

    def take(self, number: int) -> PartRun | None:
        """Return the part of this number, trained, or None if no helper has begun it."""
        return None if self.ahead is None else self.ahead.take(number)

    def drop(self) -> None:
        """Release the matrices and the parts begun ahead, after the run has ended."""
        if self.ahead is not None:
            self.ahead.drop()
        self.small = self.ahead = None
