"""Splits keep what they promise: groups whole, order kept, folds as given; and are scikit-learn's."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.model_selection import (
    PredefinedSplit,
    StratifiedGroupKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
    TimeSeriesSplit,
)

from mcsvm import InputError
from mcsvm.solvers.selection.folds import Splits, torn

LABELS = np.random.default_rng(0).integers(0, 3, 120)
GROUPS = np.random.default_rng(1).integers(0, 17, 120)


@settings(max_examples=40, deadline=None)
@given(groups=st.integers(6, 30), folds=st.integers(2, 6), repeats=st.integers(1, 3), seed=st.integers(0, 99))
def test_no_group_is_on_both_sides(groups: int, folds: int, repeats: int, seed: int) -> None:
    by = np.arange(120) % groups
    parts = Splits("groups", folds, repeats, by=by).of(LABELS, seed)
    assert len(parts) == folds * repeats
    assert torn(parts, by) == []
    for repeat in range(repeats):
        tested = np.concatenate([fold.test for fold in parts[repeat * folds : (repeat + 1) * folds]])
        np.testing.assert_array_equal(np.sort(tested), np.arange(120))


def test_groups_are_split_as_scikit_learn_does() -> None:
    theirs = StratifiedGroupKFold(4, shuffle=True, random_state=5).split(LABELS, LABELS, GROUPS)
    for fold, (train, test) in zip(Splits("groups", 4, by=GROUPS).of(LABELS, 5), theirs, strict=True):
        np.testing.assert_array_equal(fold.train, np.sort(train))
        np.testing.assert_array_equal(fold.test, np.sort(test))


@settings(max_examples=60, deadline=None)
@given(classes=st.integers(2, 9), share=st.floats(0.2, 0.6), seed=st.integers(0, 99))
def test_a_hold_out_by_class_is_scikit_learns(classes: int, share: float, seed: int) -> None:
    labels = np.random.default_rng(seed).permutation(np.resize(np.arange(classes), 60 + seed))
    [(train, test)] = StratifiedShuffleSplit(1, test_size=share, random_state=seed).split(labels[:, None], labels)
    [fold] = Splits(holdout=share).of(labels, seed)
    np.testing.assert_array_equal(fold.train, np.sort(train))
    np.testing.assert_array_equal(fold.test, np.sort(test))


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5])
def test_a_hold_out_of_groups_is_near_its_share_and_has_every_class(share: float) -> None:
    [fold] = Splits("groups", holdout=share, by=GROUPS).of(LABELS, 1)
    assert torn([fold], GROUPS) == []
    assert abs(fold.test.size / 120 - share) < 0.1
    assert np.unique(LABELS[fold.train]).size == np.unique(LABELS[fold.test]).size == 3


def test_a_column_names_the_folds() -> None:
    column = np.array(["a", "b", "c"])[np.arange(120) % 3]
    parts = Splits("column", by=column).of(LABELS, 0)
    assert [np.unique(column[fold.test]).tolist() for fold in parts] == [["a"], ["b"], ["c"]]
    theirs = PredefinedSplit(np.arange(120) % 3).split()
    assert [fold.test.tolist() for fold in parts] == [test.tolist() for _, test in theirs]
    assert all(fold.train.size + fold.test.size == 120 for fold in parts)


def test_in_order_nothing_is_tested_by_what_comes_later() -> None:
    labels = np.arange(120) % 3
    parts = Splits("order", 5).of(labels, 0)
    assert all(fold.train.max() < fold.test.min() for fold in parts)
    theirs = TimeSeriesSplit(5).split(labels)
    assert [fold.test.tolist() for fold in parts] == [test.tolist() for _, test in theirs]
    [last] = Splits("order", holdout=0.25).of(labels, 0)
    assert last.test.tolist() == list(range(90, 120))


def test_at_random_they_are_the_folds_of_before() -> None:
    theirs = StratifiedKFold(5, shuffle=True, random_state=3).split(LABELS, LABELS)
    found = Splits().of(LABELS, 3)
    assert [fold.test.tolist() for fold in found] == [test.tolist() for _, test in theirs]


def test_a_planted_leak_is_found() -> None:
    parts = Splits().of(LABELS, 0)
    pairs = np.arange(120) // 2  # each row has a twin
    assert len(torn(parts, pairs)) > 30
    assert torn(Splits("groups", by=pairs).of(LABELS, 0), pairs) == []


def test_some_of_the_rows_keep_their_groups() -> None:
    rows = np.arange(0, 120, 2)
    inner = Splits("groups", 3, by=GROUPS).taken(rows)
    assert torn(inner.of(LABELS[rows], 0), GROUPS[rows]) == []


@pytest.mark.parametrize(
    ("splits", "words"),
    [
        (Splits("groups", by=np.zeros(120)), "one group"),
        (Splits("groups", 30, by=GROUPS), "30 folds cannot be made of 17 groups"),
        (Splits("groups"), "needs a value for each row"),
        (Splits("column", by=np.arange(10_000)[:120]), "120 different values"),
        (Splits("column", by=np.zeros(120)), "1 different values"),
        (Splits("column", holdout=0.3, by=GROUPS), "leave the share"),
        (Splits("order", 120), "120 rows in order"),
        (Splits("order", holdout=1.5), "share"),
    ],
)
def test_splits_that_cannot_be_are_refused(splits: Splits, words: str) -> None:
    with pytest.raises(InputError, match=words):
        splits.of(LABELS, 0)


def test_a_fold_without_two_classes_to_train_on_is_named() -> None:
    with pytest.raises(InputError, match="fold 1 of 3 has fewer than two classes"):
        Splits("order", 3).of(np.repeat([0, 1], 60), 0)
