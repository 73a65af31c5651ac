"""Stratified folds: a pure function of labels and seed, the same for every cell, machine and solver.

The splits are those of scikit-learn's splitters with the same seed, so that they can be reproduced there. k folds are
drawn here: StratifiedKFold warns of classes with fewer rows than folds, and filters of warnings are not thread-safe
before Python 3.14; `rare` names these classes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedShuffleSplit

from solvers.errors import InputError
from solvers.posing import whole


@dataclass(frozen=True, eq=False)
class Fold:
    """One split into training and test rows, both sorted."""

    train: np.ndarray
    test: np.ndarray


def stratified(labels: np.ndarray, folds: int, seed: int, repeats: int = 1) -> tuple[Fold, ...]:
    """Stratified k-fold, repeated: StratifiedKFold(shuffle=True), or RepeatedStratifiedKFold."""
    folds, repeats = whole("folds", folds), whole("repeats", repeats)
    _check(labels, folds)
    random = np.random.RandomState(seed % 2**32)
    return tuple(fold for _ in range(repeats) for fold in _drawn(labels, folds, random))


def _drawn(labels: np.ndarray, folds: int, random: np.random.RandomState) -> list[Fold]:
    """StratifiedKFold(shuffle=True): classes in the order of their first rows, dealt out to folds, each shuffled."""
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
    """One stratified split: `share` of the rows for testing, the rest for training (Hsu & Lin: 0.3)."""
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
    splitter = StratifiedShuffleSplit(1, test_size=share, random_state=seed % 2**32)
    return tuple(Fold(np.sort(train), np.sort(test)) for train, test in splitter.split(labels[:, None], labels))


def checked_share(share: float) -> float:
    if not 0.0 < share < 1.0:
        raise InputError("the share to validate on must be between 0 and 1, such as 0.3, not {share!r}", share=share)
    return share


def within(outer: Fold, inner: tuple[Fold, ...]) -> tuple[Fold, ...]:
    """Folds of the training part of an outer fold, in row numbers of the whole data: for nested validation."""
    return tuple(Fold(outer.train[fold.train], outer.train[fold.test]) for fold in inner)


def _check(labels: np.ndarray, folds: int) -> None:
    classes, counts = np.unique(labels, return_counts=True)
    if folds < 2:
        raise InputError(
            "folds must be at least 2, not {folds}: every row is tested once and trained on otherwise", folds=folds
        )
    if classes.size < 2:
        raise InputError("all rows belong to one class; a classifier needs at least two classes")
    if np.sort(counts)[-2] < 2 or counts.max() < folds:
        raise InputError(
            "{folds} folds are too many: the largest class has {rows} rows, and two classes must be in every"
            " training part",
            folds=folds,
            rows=counts.max(),
        )


def rare(labels: np.ndarray, folds: int) -> list[Any]:
    """Classes with fewer rows than folds, which some test parts lack."""
    classes, counts = np.unique(labels, return_counts=True)
    return classes[counts < folds].tolist()
