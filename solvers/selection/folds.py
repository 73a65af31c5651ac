"""Folds: a pure function of labels and seed, the same for every cell, machine and solver.

Rows are split at random by class, by groups that stay together (a patient, a document, a day), by a column that names
the folds, or in the given order of the rows. The splits are those of scikit-learn's splitters with the same seed, so
that they can be reproduced there. Splits by class are drawn here, because scikit-learn's splitters warn of classes with
fewer rows than folds (`rare` lists these classes), filters of warnings are not thread-safe before Python 3.14, and
loading these splitters takes 25 MB.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from mcsvm.solvers.errors import InputError
from mcsvm.solvers.posing import whole

Kind = Literal["stratified", "groups", "column", "order"]
MOST_FOLDS = 100  # largest number of values of a fold column: a machine is trained for each
TRIES = 50  # random divisions of the groups, of which `_groups_held_out` takes the best


@dataclass(frozen=True, eq=False)
class Fold:
    """One split into training and test rows, both sorted."""

    train: np.ndarray
    test: np.ndarray


def stratified(labels: np.ndarray, folds: int, seed: int, repeats: int = 1) -> tuple[Fold, ...]:
    """Return stratified folds, as StratifiedKFold(shuffle=True), or RepeatedStratifiedKFold for several repeats."""
    folds, repeats = whole("folds", folds), whole("repeats", repeats)
    _check(labels, folds)
    random = np.random.RandomState(seed % 2**32)
    return tuple(fold for _ in range(repeats) for fold in _drawn(labels, folds, random))


def _drawn(labels: np.ndarray, folds: int, random: np.random.RandomState) -> list[Fold]:
    """Draw folds as StratifiedKFold(shuffle=True): the rows of a class are dealt out to the folds and shuffled.

    Classes follow each other in the order of their first rows.
    """
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    codes = np.argsort(np.argsort(first))[inverse]
    ordered, tested = np.sort(codes), np.empty(labels.size, dtype=np.int64)
    shares = np.array([np.bincount(ordered[fold::folds], minlength=first.size) for fold in range(folds)])
    for code in range(first.size):
        dealt = np.repeat(np.arange(folds), shares[:, code])
        random.shuffle(dealt)
        tested[codes == code] = dealt
    return [Fold(np.flatnonzero(tested != fold), np.flatnonzero(tested == fold)) for fold in range(folds)]


def validation(labels: np.ndarray, share: float, seed: int) -> tuple[Fold, ...]:
    """Return one stratified split: `share` of the rows for testing, all others for training (Hsu & Lin: 0.3)."""
    checked_share(share)
    classes, counts = np.unique(labels, return_counts=True)
    if counts.min() < 2:
        raise InputError(
            "class {name!r} has one row only, which cannot be in both parts", name=classes[counts.argmin()]
        )
    if min(labels.size * share, labels.size * (1.0 - share)) < classes.size:
        raise InputError(
            "a share of {share:g} of {size} rows leaves a part with fewer rows than classes",
            share=share,
            size=labels.size,
        )
    return (_held_out(np.unique(labels, return_inverse=True)[1], share, np.random.RandomState(seed % 2**32)),)


def _held_out(codes: np.ndarray, share: float, random: np.random.RandomState) -> Fold:
    """Split the rows of each class at random in proportion, as StratifiedShuffleSplit(1)."""
    counts, tested = np.bincount(codes), math.ceil(share * codes.size)
    of_train = _shared_out(counts, codes.size - tested, random)
    of_test = _shared_out(counts - of_train, tested, random)
    train, test = [], []
    for code, count in enumerate(counts):
        rows = np.flatnonzero(codes == code)[random.permutation(count)]
        train.append(rows[: of_train[code]])
        test.append(rows[of_train[code] : of_train[code] + of_test[code]])
    return Fold(np.sort(np.concatenate(train)), np.sort(np.concatenate(test)))


def _shared_out(counts: np.ndarray, wanted: int, random: np.random.RandomState) -> np.ndarray:
    """Share out `wanted` rows among the classes in proportion; a draw decides which equal remainders are rounded up."""
    exact = counts / counts.sum() * wanted
    shared = np.floor(exact)
    remainder, left = exact - shared, int(wanted - shared.sum())
    for value in np.unique(remainder)[::-1]:
        if left <= 0:
            break
        equal = np.flatnonzero(remainder == value)
        drawn = random.choice(equal, size=min(equal.size, left), replace=False)
        shared[drawn] += 1.0
        left -= drawn.size
    return shared.astype(np.int64)


def checked_share(share: float) -> float:
    if not 0.0 < share < 1.0:
        raise InputError("the share to validate on must be between 0 and 1, such as 0.3, not {share!r}", share=share)
    return share


def within(outer: Fold, inner: tuple[Fold, ...]) -> tuple[Fold, ...]:
    """Return folds of the training part of an outer fold in row numbers of the whole data, for nested validation."""
    return tuple(Fold(outer.train[fold.train], outer.train[fold.test]) for fold in inner)


def _check(labels: np.ndarray, folds: int) -> None:
    classes, counts = np.unique(labels, return_counts=True)
    if folds < 2:
        raise InputError(
            "folds must be at least 2, not {folds}: every row is tested once and trained on otherwise", folds=folds
        )
    if classes.size < 2:
        raise InputError("all rows belong to one class; a classifier needs at least two classes")
    if np.sort(counts)[-2] < 2:
        raise InputError(
            "there are too few rows for folds: two classes need two rows each, so that both are in every training part"
        )
    if counts.max() < folds:
        raise InputError(
            "{folds} folds are too many: the largest class has {rows} rows", folds=folds, rows=counts.max()
        )


def rare(labels: np.ndarray, folds: int) -> list[Any]:
    """Return the classes with fewer rows than folds, which are missing in some test parts."""
    classes, counts = np.unique(labels, return_counts=True)
    return classes[counts < folds].tolist()


# -- splits other than at random by class ---------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Splits:
    """The rule by which rows are split; `by` is the group or the fold of each row, if the kind needs it."""

    kind: Kind = "stratified"
    folds: int = 5
    repeats: int = 1
    holdout: float | None = None  # share of the rows for testing, in one split instead of folds
    by: np.ndarray | None = None

    def of(self, labels: np.ndarray, seed: int) -> tuple[Fold, ...]:
        """Return the folds; raise InputError if one has fewer than two classes to train on, or no test rows."""
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
        """Return the same rule for a subset of the rows."""
        by = None if self.by is None else self.by[rows]
        return Splits(self.kind, self.folds, self.repeats, self.holdout, by)

    def _many(self, labels: np.ndarray, seed: int) -> tuple[Fold, ...]:
        if self.kind == "groups":
            return _grouped(labels, self._groups(labels), self.folds, seed, self.repeats)
        if self.kind in ("column", "order") and self.repeats > 1:
            raise InputError("a fold column, or the order of the rows, divides the rows in one way; leave repeats out")
        if self.kind == "column":
            return _by_column(self._column(labels))
        if self.kind == "order":
            _check_order(labels, self.folds)
            from sklearn.model_selection import TimeSeriesSplit  # loaded only if needed: 25 MB

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
        fold_of = _dealt(labels, groups, folds, np.random.RandomState((seed + repeat) % 2**32))
        found += _folds(
            (np.flatnonzero(fold_of != number), np.flatnonzero(fold_of == number)) for number in range(folds)
        )
    return found


def _dealt(labels: np.ndarray, groups: np.ndarray, folds: int, random: np.random.RandomState) -> np.ndarray:
    """Return (n,) the fold of each row, as StratifiedGroupKFold(shuffle=True): the most uneven groups come first.

    Each group goes to the fold that leaves the classes shared out most evenly; among equal folds, to the smallest one.
    """
    _, codes = np.unique(labels, return_inverse=True)
    names, group_of = np.unique(groups, return_inverse=True)
    of_group = np.zeros((names.size, int(codes.max()) + 1))
    np.add.at(of_group, (group_of, codes), 1.0)
    shuffled = np.arange(names.size)
    random.shuffle(shuffled)
    totals, of_fold = of_group.sum(axis=0), np.zeros((folds, of_group.shape[1]))
    fold_of = np.empty(names.size, dtype=np.int64)
    for group in shuffled[np.argsort(-of_group[shuffled].std(axis=1), kind="mergesort")]:
        spread = np.empty(folds)
        for number in range(folds):
            of_fold[number] += of_group[group]
            spread[number] = (of_fold / totals).std(axis=0).mean()
            of_fold[number] -= of_group[group]
        least = min(range(folds), key=lambda number: (spread[number], of_fold[number].sum()))
        even = [number for number in range(folds) if np.isclose(spread[number], spread[least])]
        fold_of[group] = min(even, key=lambda number: of_fold[number].sum())
        of_fold[fold_of[group]] += of_group[group]
    return fold_of[group_of]


def _groups_held_out(labels: np.ndarray, groups: np.ndarray, share: float, seed: int) -> tuple[Fold, ...]:
    """Return the split, of TRIES random ones, whose class shares and test size are nearest to the wanted ones.

    A split whose training part lacks a class comes after similar splits that have all.
    """
    classes, codes = np.unique(labels, return_inverse=True)
    wanted = np.bincount(codes, minlength=classes.size) / labels.size
    from sklearn.model_selection import GroupShuffleSplit

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
    return _folds((np.flatnonzero(codes != code), np.flatnonzero(codes == code)) for code in range(names.size))


def _check_order(labels: np.ndarray, folds: int) -> None:
    if not 2 <= folds < labels.size:
        raise InputError("{rows} rows in order cannot be split into {folds} folds", rows=labels.size, folds=folds)


def _folds(pairs: Any) -> tuple[Fold, ...]:
    return tuple(Fold(np.sort(train), np.sort(test)) for train, test in pairs)


def torn(parts: Sequence[Fold], groups: np.ndarray) -> list[Any]:
    """Return the groups with rows in the training part and in the test part of a split: their rows leak."""
    found: set[Any] = set()
    for fold in parts:
        found |= set(np.intersect1d(groups[fold.train], groups[fold.test]).tolist())
    return sorted(found, key=str)
