"""The progress of a search, and its time left."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from mcsvm_gui.core.tune.results import WHOLE, TuneResults

if TYPE_CHECKING:
    from mcsvm.solvers.selection.cell import Cell, CellResult, FoldResult, Trial
    from mcsvm_gui.core.tune.options import TuneRequest


class _Elapsed:
    """Seconds that a search ran, without its pauses."""

    def __init__(self, clock: Callable[[], float], budget: float | None) -> None:
        self._budget = budget
        self.tried = self.tried_inside = 0  # since the beginning; inside: of nested searches
        self._clock, self._since, self._before = clock, None, 0.0
        self._worked = 0.0  # seconds of training in all threads

    _since: float | None

    def go_on(self) -> None:
        if self._since is None:
            self._since = self._clock()

    def rest(self) -> None:
        self._before, self._since = self._ran(), None

    def _within_budget(self, left: float | None) -> float | None:
        if self._budget is None:
            return left
        rest = max(self._budget - self._ran(), 0.0)
        return rest if left is None else min(left, rest)

    def _ran(self) -> float:
        return self._before + (0.0 if self._since is None else self._clock() - self._since)


class RungProgress(_Elapsed):
    """Progress of successive halving, whose rungs are shares of the training rows, each with its trials.

    A trial of a rung is expected to take as long as the others of that rung; before the first is done, as long as on
    the rung before, times the squared ratio of the rows. A rung has ended when the next has begun: known trials are not
    repeated.
    """

    def __init__(
        self,
        rungs: Sequence[tuple[float, int]] = (),
        clock: Callable[[], float] = time.monotonic,
        budget: float | None = None,
        known: Mapping[Trial, FoldResult] | None = None,
    ) -> None:
        super().__init__(clock, budget)
        self.rungs = rungs
        self.done = 0
        self._here = 0.0  # share of the rows of the last trial
        self._done: dict[float, int] = {}
        self._seconds: dict[float, float] = {}
        for trial, result in (known or {}).items():
            self._count(trial, result)

    def take_rungs(self, rungs: Sequence[tuple[float, int]]) -> None:
        """Set the rungs, which are known once the rows are split."""
        self.rungs = rungs

    @property
    def expected(self) -> int | None:
        return self.done + sum(self._missing().values()) if self.rungs else None

    def add(self, trial: Trial, result: FoldResult) -> None:
        self.tried += 1
        self._worked += result.seconds
        self._here = trial.share
        self._count(trial, result)

    def _count(self, trial: Trial, result: FoldResult) -> None:
        self.done += 1
        self._done[trial.share] = self._done.get(trial.share, 0) + 1
        self._seconds[trial.share] = self._seconds.get(trial.share, 0.0) + result.seconds

    def _missing(self) -> dict[float, int]:
        """Return the missing trials of each rung that has not ended; later machines begin at the first rung again."""
        return {share: max(trials - self._done.get(share, 0), 0) for share, trials in self.rungs if share >= self._here}

    def seconds_left(self) -> float | None:
        return self._within_budget(self._by_rungs())

    def _by_rungs(self) -> float | None:
        if not self.rungs or self._worked <= 0.0:
            return None
        work, before = 0.0, (0.0, 0.0)
        for share, _ in self.rungs:
            count = self._done.get(share, 0)
            mean = self._seconds[share] / count if count else before[1] * (share / before[0]) ** 2 if before[0] else 0.0
            work += self._missing().get(share, 0) * mean
            before = share, mean
        return work * self._ran() / self._worked


class SearchProgress(_Elapsed):
    """Progress of other searches: a missing fold is expected to take as long as the cell's others, or as the average.

    Threads are assumed to share the work as before. `missing` are the folds that cells lack; None if it is unknown
    which cells a search will try. `known` are the known results of cells. The cost of each new trial does not depend on
    the number of cells.
    """

    def __init__(
        self,
        missing: Mapping[Cell, int] | None,
        known: Mapping[Cell, CellResult],
        clock: Callable[[], float] = time.monotonic,
        budget: float | None = None,
    ) -> None:
        super().__init__(clock, budget)
        self.done = sum(result.folds for result in known.values())
        self.expected = None if missing is None else self.done + sum(missing.values())
        self._missing = dict(missing or {})
        self._seconds: dict[Cell, float] = {}
        self._folds: dict[Cell, int] = {}
        self._work_known = self._means = 0.0  # for cells with a known fold: seconds to come, sum of means
        self._unknown = sum(self._missing.values())  # folds of the other cells
        for cell, result in known.items():
            self._learn(cell, result.seconds, result.folds)

    def take_rungs(self, rungs: Sequence[tuple[float, int]]) -> None:
        """Ignore the rungs: there is only one."""

    def add(self, trial: Trial, result: FoldResult) -> None:
        cell = trial.cell
        self.done += 1
        self.tried += 1
        self._worked += result.seconds
        self._learn(cell, result.seconds, 1)
        if self._missing.get(cell):
            self._forget_one(cell)

    def seconds_left(self) -> float | None:
        return self._within_budget(self._by_cells())

    def _by_cells(self) -> float | None:
        if self.expected is None or not self._folds or self._worked <= 0.0:
            return None
        average = self._means / len(self._folds)
        return (max(self._work_known, 0.0) + self._unknown * average) * self._ran() / self._worked

    def _learn(self, cell: Cell, seconds: float, folds: int) -> None:
        lack, before = self._missing.get(cell, 0), self._mean(cell)
        if before is None:
            self._unknown -= lack
            before = 0.0
        self._seconds[cell] = self._seconds.get(cell, 0.0) + seconds
        self._folds[cell] = self._folds.get(cell, 0) + folds
        change = self._seconds[cell] / self._folds[cell] - before
        self._means += change
        self._work_known += change * lack

    def _forget_one(self, cell: Cell) -> None:
        self._missing[cell] -= 1
        self._work_known -= self._seconds[cell] / self._folds[cell]

    def _mean(self, cell: Cell) -> float | None:
        return self._seconds[cell] / self._folds[cell] if cell in self._folds else None


Progress = SearchProgress | RungProgress


def progress_of(wanted: TuneRequest, known: TuneResults, trials: Mapping[Trial, FoldResult]) -> Progress:
    """Return the progress of a search before it begins.

    `trials`: results that it does not repeat. Rungs of successive halving are known once the rows are split.
    """
    if wanted.search == "halving":
        return RungProgress(budget=wanted.budget, known=trials)
    return SearchProgress(known.missing() if wanted.search in WHOLE else None, known.cells, budget=wanted.budget)
