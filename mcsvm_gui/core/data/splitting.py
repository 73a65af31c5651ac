"""Choose the rows to test on: at random by class, by groups, by a column, or the last in order.

A random hold-out takes the same share of every class, and the same seed gives the same rows. All other splits, and
all folds, are those of `mcsvm.solvers.selection.folds`.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, cast

import numpy as np

from mcsvm.solvers.errors import InputError, Sentence
from mcsvm_gui.core.base.options import written
from mcsvm_gui.core.data.dataset import Dataset, Notice
from mcsvm_gui.core.data.options import AUTOMATIC
from mcsvm_gui.core.data.preparation.rules import some_names
from mcsvm_gui.core.data.remedies import Remedy

if TYPE_CHECKING:
    from mcsvm.solvers.selection.folds import Kind, Splits


class Split(NamedTuple):
    train: np.ndarray  # increasing row numbers
    test: np.ndarray
    notices: tuple[Notice, ...]


def hold_out(labels: np.ndarray, share: float, seed: int) -> Split:
    """Hold out a share of each class; every class keeps one row or more in the training part."""
    if not 0.0 < share < 1.0:
        raise InputError("holdout must be a share between 0 and 1, such as 0.3, not {share!r}", share=share)
    rows_of: dict[str, list[int]] = {}
    for row, label in enumerate(labels.tolist()):
        rows_of.setdefault(label, []).append(row)
    chosen, untested = np.zeros(len(labels), dtype=bool), []
    for label in sorted(rows_of):
        rows = np.array(rows_of[label])
        count = min(int(rows.size * share + 0.5), rows.size - 1)
        chosen[np.random.default_rng([seed, _stamp(label)]).permutation(rows)[:count]] = True
        if count == 0:
            untested.append(label)
    if not chosen.any():
        raise InputError(
            "a share of {share:g} of these {labels} rows holds no row; hold out more, or nothing",
            share=share,
            labels=len(labels),
        )
    return Split(np.flatnonzero(~chosen), np.flatnonzero(chosen), _notices(untested))


def sample(dataset: Dataset, rows: int | None, seed: int) -> Dataset:
    """Return a sample of about `rows` rows: the same share of each class, and at least one row of each class."""
    if rows is None or rows >= dataset.rows or dataset.labels is None:
        return dataset
    chosen = np.zeros(dataset.rows, dtype=bool)
    names, codes = np.unique(dataset.labels.astype(str), return_inverse=True)
    for code, name in enumerate(names.tolist()):
        places = np.flatnonzero(codes == code)
        count = max(1, round(places.size * rows / dataset.rows))
        chosen[np.random.default_rng([seed, _stamp(name), 1]).permutation(places)[:count]] = True
    return dataset.take(np.flatnonzero(chosen))


def split(dataset: Dataset, share: float, seed: int, way: str) -> tuple[Dataset, Dataset, tuple[Notice, ...]]:
    """Split the rows into training and test part. `way`: one of SPLITS."""
    parts = held_out(dataset, share, seed, way)
    return dataset.take(parts.train), dataset.take(parts.test), parts.notices


def held_out(dataset: Dataset, share: float, seed: int, way: str) -> Split:
    assert dataset.labels is not None
    if kind_of(dataset, way) == "stratified":
        parts = hold_out(dataset.labels, share, seed)
    else:
        (fold,) = splits_of(dataset, way, holdout=share).of(dataset.labels, seed)
        untested = sorted(set(dataset.labels[fold.train]) - set(dataset.labels[fold.test]))
        parts = Split(fold.train, fold.test, _notices(untested))
    return parts._replace(notices=(*parts.notices, *torn_groups(dataset, [parts])))


def kind_of(dataset: Dataset, way: str) -> Kind:
    if way != AUTOMATIC:
        return cast("Kind", way)
    return "column" if dataset.folds is not None else "groups" if dataset.groups is not None else "stratified"


def splits_of(dataset: Dataset, way: str, folds: int = 5, repeats: int = 1, holdout: float | None = None) -> Splits:
    """Return the splits; raise InputError if the rows lack the column that this way needs."""
    from mcsvm.solvers.selection.folds import Splits

    kind = kind_of(dataset, way)
    by = {"groups": dataset.groups, "column": dataset.folds}.get(kind)
    if by is None and kind in ("groups", "column"):
        option = "groups" if kind == "groups" else "fold_column"
        raise InputError("a split by {kind} needs its column; name it with {option}", kind=kind, option=Remedy(option))
    return Splits(kind, folds, repeats, holdout, by)


def parts_of(dataset: Dataset, way: str, folds: int, repeats: int, holdout: float | None) -> int:
    """Return the number of parts that are tested, one after another."""
    if holdout is not None:
        return 1
    if dataset.folds is None or kind_of(dataset, way) != "column":
        return folds * repeats
    return int(np.unique(dataset.folds).size)


class Sides(Protocol):
    @property
    def train(self) -> np.ndarray: ...
    @property
    def test(self) -> np.ndarray: ...


def torn_groups(dataset: Dataset, parts: Sequence[Sides]) -> tuple[Notice, ...]:
    """Report a leak: groups were named, and a split has rows of one group on both sides."""
    if dataset.groups is None:
        return ()
    found: set[Any] = set()
    for part in parts:
        found |= set(np.intersect1d(dataset.groups[part.train], dataset.groups[part.test]).tolist())
    return _torn(found, dataset.group_name or "")


def shared_groups(train: Dataset, test: Dataset) -> tuple[Notice, ...]:
    """Report groups that a separate test file shares with the training data."""
    if train.groups is None or test.groups is None:
        return ()
    return _torn({str(name) for name in train.groups} & {str(name) for name in test.groups}, train.group_name or "")


def _torn(groups: set[Any], column: str) -> tuple[Notice, ...]:
    if not groups:
        return ()
    names = some_names(sorted(written(name) for name in groups))
    sentence = Sentence(
        "rows of {count} group of column {column} are trained on and tested on ({names}):"
        " what is learnt of it makes the test too kind",
        "rows of {count} groups of column {column} are trained on and tested on ({names}):"
        " what is learnt of them makes the test too kind",
        count=len(groups),
        column=column,
        names=names,
    )
    return (Notice("torn groups", sentence),)


def _stamp(label: str) -> int:
    """Return a seed for each class, so that an additional class does not change the draws of the others."""
    return zlib.crc32(label.encode("utf-8", "surrogatepass"))


def _notices(untested: list[str]) -> tuple[Notice, ...]:
    if not untested:
        return ()
    sentence = Sentence(
        "classes with too few rows to be held out, which therefore are not tested: {untested}",
        untested=some_names(untested),
    )
    return (Notice("untested classes", sentence),)
