"""Stratified folds: a pure function of labels and seed, the same for every cell, machine and solver.

The splits are those of scikit-learn's splitters with the same seed, so that they can be reproduced there.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.model_selection import RepeatedStratifiedKFold, StratifiedKFold, StratifiedShuffleSplit

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
    drawn = seed % 2**32  # the seeds that scikit-learn accepts
    if repeats == 1:
        return _taken(StratifiedKFold(folds, shuffle=True, random_state=drawn), labels)
    return _taken(RepeatedStratifiedKFold(n_splits=folds, n_repeats=repeats, random_state=drawn), labels)


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
    return _taken(StratifiedShuffleSplit(1, test_size=share, random_state=seed % 2**32), labels)


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


def _taken(splitter: Any, labels: np.ndarray) -> tuple[Fold, ...]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of classes with fewer rows than folds; `rare` names them
        return tuple(_ordered(splitter.split(np.zeros((labels.size, 1)), labels)))


def _ordered(parts: Iterator[tuple[np.ndarray, np.ndarray]]) -> Iterator[Fold]:
    return (Fold(np.sort(train), np.sort(test)) for train, test in parts)


def rare(labels: np.ndarray, folds: int) -> list[Any]:
    """Classes with fewer rows than folds, which some test parts lack."""
    classes, counts = np.unique(labels, return_counts=True)
    return classes[counts < folds].tolist()
