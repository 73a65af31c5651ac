"""Cell (machine, C, gamma), Trial (a cell on one fold), and their results."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from mcsvm.solvers.dual.certificate import Certificate
from mcsvm.solvers.run.ending import Ending
from mcsvm.solvers.selection.scores import SCORES, Measured, Score

SETTLED = Ending.UNCHANGED, Ending.PROVED
Pair = tuple[int, int]  # two classes, the smaller first


class Cell(NamedTuple):
    machine: str
    C: float
    gamma: float | None  # None for a kernel without gamma, or for the linear kernel in a search over gamma


class Trial(NamedTuple):
    """One cell, trained on the training rows of a fold, or on a share of them, and tested on its test rows."""

    cell: Cell
    fold: int
    share: float = 1.0


@dataclass(frozen=True)
class FoldResult:
    accuracy: float
    seconds: float  # training time
    n_support: int
    steps: int
    ending: Ending
    certificate: Certificate
    pairs: Mapping[Pair, tuple[int, int]] = field(default_factory=dict)  # ovo, dag: (test rows, correct ones)
    tested: Measured | None = None  # the basis of all measures but accuracy; None in results of an earlier version
    values: np.ndarray | None = None  # (test rows, outputs) decision values, if the settings ask for them


def of_folds(results: Sequence[FoldResult], score: Score) -> tuple[float, ...]:
    """Return the score of each result, or NaN for all of them if a result lacks the data of the measure."""
    if score.name == "accuracy":
        return tuple(result.accuracy for result in results)
    kept = [result.tested for result in results if result.tested is not None]
    return tuple(score.of(kept)) if kept and len(kept) == len(results) else (math.nan,) * len(results)


@dataclass(frozen=True)
class CellResult:
    """The results of all finished folds, by fold number; `score` is the measure that compares them."""

    by_fold: Mapping[int, FoldResult]
    score: Score = SCORES["accuracy"]
    share: float = 1.0  # share of the training rows that were used

    @classmethod
    def of_shares(
        cls, found: Mapping[float, Mapping[int, FoldResult]], score: Score = SCORES["accuracy"]
    ) -> CellResult:
        """Take the results of the share of the training rows with the most finished folds; of equals, the largest."""
        share = max(found, key=lambda share: (len(found[share]), share))
        return cls(found[share], score, share)

    @property
    def folds(self) -> int:
        return len(self.by_fold)

    @cached_property
    def _ordered(self) -> list[FoldResult]:
        return [self.by_fold[number] for number in sorted(self.by_fold)]

    @cached_property
    def fold_accuracy(self) -> tuple[float, ...]:
        return tuple(result.accuracy for result in self._ordered)

    @cached_property
    def fold_scores(self) -> tuple[float, ...]:
        return self.by(self.score)

    def by(self, score: Score) -> tuple[float, ...]:
        return of_folds(self._ordered, score)

    def scored(self, score: Score) -> CellResult:
        """Return the same results by another measure; they are cached."""
        if score == self.score:
            return self
        found = self._scored.get(score.name)
        if found is None or found.score != score:
            found = self._scored[score.name] = replace(self, score=score)
        return found

    def known_by(self, score: Score) -> CellResult:
        """Return the results of the folds that have the data of the measure."""
        if score.name == "accuracy" or all(result.tested is not None for result in self.by_fold.values()):
            return self
        known = {fold: found for fold, found in self.by_fold.items() if found.tested is not None}
        return replace(self, by_fold=known)

    @cached_property
    def _scored(self) -> dict[str, CellResult]:
        return {}

    @cached_property
    def mean(self) -> float:
        return float(np.mean(self.fold_scores))

    @cached_property
    def std(self) -> float:
        return float(np.std(self.fold_scores))

    @property
    def worth(self) -> float:
        """The mean score as a number that is larger for better cells."""
        return -math.inf if math.isnan(self.mean) else self.score.preferred(self.mean)

    @property
    def seconds(self) -> float:
        return float(sum(result.seconds for result in self._ordered))

    @property
    def n_support(self) -> float:
        """The mean number of support vectors over the folds."""
        return float(np.mean([result.n_support for result in self._ordered]))

    @property
    def endings(self) -> tuple[Ending, ...]:
        return tuple(result.ending for result in self._ordered)

    @property
    def worst(self) -> Certificate:
        """The certificate of the fold with the largest relative gap."""
        return max((result.certificate for result in self._ordered), key=lambda found: found.relative_gap)

    @property
    def converged(self) -> bool:
        """Whether every fold reached its goal; `settled` counts the folds that ended before the tolerance."""
        return all(ending.is_enough for ending in self.endings)

    @property
    def settled(self) -> dict[Ending, int]:
        """The number of folds that ended because the predictions of their test rows were proved or unchanged."""
        return {ending: self.endings.count(ending) for ending in SETTLED if ending in self.endings}


def summarise(trials: Mapping[Trial, FoldResult], score: Score = SCORES["accuracy"]) -> dict[Cell, CellResult]:
    """Group results by cell, in the order in which cells first appear."""
    cells: dict[Cell, dict[float, dict[int, FoldResult]]] = {}
    for (cell, fold, share), result in trials.items():
        cells.setdefault(cell, {}).setdefault(share, {})[fold] = result
    return {cell: CellResult.of_shares(found, score) for cell, found in cells.items()}
