"""How rows are split for testing: at random by class, by groups, by a column of folds, or in their given order.

A group (a patient, a document, a day) is never on both sides. Every splitter is scikit-learn's, with the same seed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from sklearn.model_selection import GroupShuffleSplit, PredefinedSplit, StratifiedGroupKFold, TimeSeriesSplit

from solvers.errors import InputError
from solvers.selection.folds import Fold, checked_share, stratified, validation

Kind = Literal["stratified", "groups", "column", "order"]
MOST_FOLDS = 100  # values of a fold column: a machine is trained for each
TRIES = 50  # random divisions of groups looked at for one with two classes in training and all in testing


@dataclass(frozen=True, eq=False)
class Splits:
    """What the folds follow; `by` are the groups or the fold of each row, where the kind has them."""

    kind: Kind = "stratified"
    folds: int = 5
    repeats: int = 1
    holdout: float | None = None  # one split, with this share of the rows for testing, in place of folds
    by: np.ndarray | None = None

    def of(self, labels: np.ndarray, seed: int) -> tuple[Fold, ...]:
        """The folds, each with two classes in its training part; raises InputError where there are none."""
        found = self._one(labels, seed) if self.holdout is not None else self._many(labels, seed)
        for number, fold in enumerate(found, 1):
            if not fold.test.size or np.unique(labels[fold.train]).size < 2:
                raise InputError(
                    "fold {number} of {folds} has fewer than two classes to train on, or no rows to test on; take fewer"
                    " folds, or split the rows in another way",
                    number=number,
                    folds=len(found),
                )
        return found

    def taken(self, rows: np.ndarray) -> Splits:
        """For some of the rows."""
        by = None if self.by is None else self.by[rows]
        return Splits(self.kind, self.folds, self.repeats, self.holdout, by)

    def _many(self, labels: np.ndarray, seed: int) -> tuple[Fold, ...]:
        if self.kind == "groups":
            return _grouped(labels, self._groups(labels), self.folds, seed, self.repeats)
        if self.kind == "column":
            return _by_column(self._column(labels))
        if self.kind == "order":
            _check_order(labels, self.folds)
            return _folds(TimeSeriesSplit(self.folds).split(labels))
        return stratified(labels, self.folds, seed, self.repeats)

    def _one(self, labels: np.ndarray, seed: int) -> tuple[Fold, ...]:
        share = checked_share(self.holdout or 0.0)
        if self.kind == "groups":
            return _groups_held_out(labels, self._groups(labels), share, seed)
        if self.kind == "column":
            raise InputError("a column of folds says what is tested; leave the share to hold out away")
        if self.kind == "order":
            first = labels.size - max(1, round(share * labels.size))
            return (Fold(np.arange(first), np.arange(first, labels.size)),)
        return validation(labels, share, seed)

    def _groups(self, labels: np.ndarray) -> np.ndarray:
        groups = self._column(labels)
        if np.unique(groups).size < 2:
            raise InputError("all rows belong to one group; groups that are kept together need at least two")
        return groups

    def _column(self, labels: np.ndarray) -> np.ndarray:
        if self.by is None or self.by.size != labels.size:
            raise InputError("splitting by {kind} needs a value for each row", kind=self.kind)
        return self.by


def _grouped(labels: np.ndarray, groups: np.ndarray, folds: int, seed: int, repeats: int) -> tuple[Fold, ...]:
    count = np.unique(groups).size
    if folds < 2 or folds > count:
        raise InputError(
            "{folds} folds cannot be made of {groups} groups; take from 2 to {groups} folds", folds=folds, groups=count
        )
    found: tuple[Fold, ...] = ()
    for repeat in range(repeats):
        splitter = StratifiedGroupKFold(folds, shuffle=True, random_state=(seed + repeat) % 2**32)
        found += _folds(splitter.split(labels, labels, groups))
    return found


def _groups_held_out(labels: np.ndarray, groups: np.ndarray, share: float, seed: int) -> tuple[Fold, ...]:
    """Of some random divisions the one whose class shares in testing are nearest to those of all rows."""
    classes, codes = np.unique(labels, return_inverse=True)
    wanted = np.bincount(codes, minlength=classes.size) / labels.size
    splitter = GroupShuffleSplit(TRIES, test_size=share, random_state=seed % 2**32)

    def distance(fold: Fold) -> float:
        found = np.bincount(codes[fold.test], minlength=classes.size) / max(fold.test.size, 1)
        missing = float(np.unique(codes[fold.train]).size < classes.size)
        return missing + float(np.abs(found - wanted).sum()) + abs(fold.test.size / labels.size - share)

    return (min(_folds(splitter.split(labels, labels, groups)), key=distance),)


def _by_column(values: np.ndarray) -> tuple[Fold, ...]:
    names, codes = np.unique(values, return_inverse=True)
    if not 2 <= names.size <= MOST_FOLDS:
        raise InputError(
            "the column of folds has {values} different values; 2 to {most} make sense: a machine is trained for each",
            values=names.size,
            most=MOST_FOLDS,
        )
    return _folds(PredefinedSplit(codes).split())


def _check_order(labels: np.ndarray, folds: int) -> None:
    if not 2 <= folds < labels.size:
        raise InputError("{rows} rows in order cannot be split into {folds} folds", rows=labels.size, folds=folds)


def _folds(pairs: Any) -> tuple[Fold, ...]:
    return tuple(Fold(np.sort(train), np.sort(test)) for train, test in pairs)


def torn(parts: Sequence[Fold], groups: np.ndarray) -> list[Any]:
    """The groups with rows on both sides of a split: what is learnt of them is tested on them."""
    found: set[Any] = set()
    for fold in parts:
        found |= set(np.intersect1d(groups[fold.train], groups[fold.test]).tolist())
    return sorted(found, key=str)
