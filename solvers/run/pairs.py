"""Pairs: what ovo and dag do besides one part after another: small pairs in one call each, later ones begun ahead."""

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
    """`small` solves a part of few examples at once, `ahead` begins later ones; either is None where it does not apply.

    `begin` makes the PartRun of a number. Only `ahead` keeps it, which goes when the run ends: a cycle would hold
    kernel rows until garbage is collected. `alone`: nothing was chosen that small pairs do not know.
    """

    def __init__(self, problem: Problem, limits: Limits, begin: Callable[[int], PartRun], *, alone: bool) -> None:
        several = problem.machine.split == "pairs" and problem.part_count > 1
        self.small = SmallPairs(problem, limits) if alone and small_pairs.applies(problem, limits) else None
        apart = several and self.small is None and limits.steps is None
        self.ahead = Ahead(begin, problem.pair_mb, problem.cache_mb) if apart else None

    @contextmanager
    def helped(self, number: int) -> Iterator[None]:
        """Beside the part of this number other threads train later ones, and share `workers` with this one."""
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
        """Let the other threads wait at their next tick."""
        if self.ahead is None:
            yield
            return
        with self.ahead.held():
            yield

    def take(self, number: int) -> PartRun | None:
        """Return the part of this number, trained, where a helper has begun it."""
        return None if self.ahead is None else self.ahead.take(number)

    def drop(self) -> None:
        """The run has ended: let go of matrices and of what was begun ahead."""
        if self.ahead is not None:
            self.ahead.drop()
        self.small = self.ahead = None
