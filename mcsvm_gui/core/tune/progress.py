"""How far a search is, and how long it will take."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from solvers.selection.cell import Cell, CellResult, FoldResult


class SearchProgress:
    """A missing fold takes as long as the cell's others, or as the average; threads share the work as they did.

    `missing`: folds that cells lack; None where nobody knows which cells a search will try. What is known of a cell
    is `known`. Each new trial costs the same, however many cells there are.
    """

    def __init__(
        self,
        missing: Mapping[Cell, int] | None,
        known: Mapping[Cell, CellResult],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.done = sum(result.folds for result in known.values())
        self.expected = None if missing is None else self.done + sum(missing.values())
        self.tried = self.tried_inside = 0  # since the beginning; inside: of nested searches
        self._clock = clock
        self._since: float | None = None
        self._elapsed = self._worked = 0.0  # seconds by the clock, and of training in all threads
        self._missing = dict(missing or {})
        self._seconds: dict[Cell, float] = {}
        self._folds: dict[Cell, int] = {}
        self._work_known = self._means = 0.0  # of cells of which a fold is known: seconds to come, sum of means
        self._unknown = sum(self._missing.values())  # folds of the other cells
        for cell, result in known.items():
            self._learn(cell, result.seconds, result.folds)

    def go_on(self) -> None:
        if self._since is None:
            self._since = self._clock()

    def rest(self) -> None:
        self._elapsed, self._since = self._ran(), None

    def add(self, cell: Cell, result: FoldResult) -> None:
        self.done += 1
        self.tried += 1
        self._worked += result.seconds
        self._learn(cell, result.seconds, 1)
        if self._missing.get(cell):
            self._forget_one(cell)

    def seconds_left(self) -> float | None:
        if self.expected is None or not self._folds or self._worked <= 0.0:
            return None
        average = self._means / len(self._folds)
        return (max(self._work_known, 0.0) + self._unknown * average) * self._ran() / self._worked

    def _ran(self) -> float:
        return self._elapsed + (0.0 if self._since is None else self._clock() - self._since)

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
