"""Each column in one line: its kind, the number of its present cells, and the distribution of its values, by class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mcsvm_gui.core.data.dataset import NumberedColumns
from mcsvm_gui.core.data.roles.coding import coded
from mcsvm_gui.core.data.roles.value import Role, roles_of

if TYPE_CHECKING:
    from mcsvm_gui.core.data.dataset import Column, Dataset

BINS = 16
MOST_CLASSES = 8  # largest number of classes by which bars are divided
_PIECE = 100_000  # rows at a time, so that no other thread waits long


@dataclass(frozen=True)
class ColumnSummary:
    name: str
    role: Role
    kind: str = ""  # number, category, text, date; empty if the column is not read
    present: int | None = None  # cells that are not empty
    missing: float = 0.0  # share of the rows
    distinct: int | None = None  # of categories and texts
    low: float | None = None  # of numbers and dates
    middle: float | None = None  # the mean
    high: float | None = None
    bars: tuple[tuple[float, ...], ...] = ()  # per bin and class, the largest bin is 1
    shown: tuple[str, ...] = ()  # the most frequent categories, one per bin
    means: tuple[float, ...] = ()  # of numbers, class by class


def summaries(dataset: Dataset) -> tuple[ColumnSummary, ...]:
    """Summarize every column of the file, by reading every cell. Files with numbered columns have no summaries."""
    if isinstance(dataset.columns, NumberedColumns):
        return ()
    place = {column.name: number for number, column in enumerate(dataset.columns)}
    codes, classes = _codes(dataset)
    return tuple(
        _feature(dataset, place[name], role, codes, classes) if name in place else _other(dataset, name, role)
        for name, role in roles_of(dataset).items()
    )


def _codes(dataset: Dataset) -> tuple[np.ndarray, int]:
    """Return the class of each row; a single class if there are none, or too many to distinguish."""
    if dataset.labels is None or not 1 < len(dataset.classes) <= MOST_CLASSES:
        return np.zeros(dataset.rows, dtype=np.int64), 1
    number = {name: code for code, name in enumerate(dataset.classes)}
    return np.array([number[label] for label in dataset.labels.tolist()], dtype=np.int64), len(number)


def _other(dataset: Dataset, name: str, role: Role) -> ColumnSummary:
    cells = dataset.row_names.get(name)
    if cells is None:
        used = role in ("label", "weight", "group", "fold")
        return ColumnSummary(name, role, present=dataset.rows if used else None)
    present = int((cells != "").sum())
    return ColumnSummary(name, role, "text", present, 1.0 - present / len(cells), len(set(coded(cells)[1]) - {""}))


def _feature(dataset: Dataset, place: int, role: Role, codes: np.ndarray, classes: int) -> ColumnSummary:
    column = dataset.columns[place]
    if dataset.table is None:
        assert dataset.matrix is not None
        return ColumnSummary(column.name, role, column.kind, dataset.rows)
    series = dataset.table.iloc[:, place]
    if column.numeric:
        return _numeric(column, role, series.to_numpy(dtype=np.float64), codes, classes)
    return _worded(column, role, series.to_numpy(), codes, classes)


def _numeric(column: Column, role: Role, values: np.ndarray, codes: np.ndarray, classes: int) -> ColumnSummary:
    there = ~np.isnan(values)
    present = int(there.sum())
    if not present:
        return ColumnSummary(column.name, role, column.kind, 0, 1.0)
    if present < values.size:
        values, codes = values[there], codes[there]
    low, high = float(values.min()), float(values.max())
    with np.errstate(over="ignore", invalid="ignore"):
        middle = float(values.mean())
        means = np.bincount(codes, values, classes) / np.maximum(np.bincount(codes, minlength=classes), 1)
    counts = np.zeros((BINS, classes))
    with np.errstate(over="ignore", invalid="ignore"):
        step = (high - low) / BINS
    for first in range(0, present, _PIECE):
        part = slice(first, first + _PIECE)
        bins = np.zeros(len(values[part]), dtype=np.int64)
        if 0.0 < step < np.inf:
            bins = np.minimum(((values[part] - low) / step).astype(np.int64), BINS - 1)
        counts += np.bincount(bins * classes + codes[part], minlength=BINS * classes).reshape(BINS, classes)
    return ColumnSummary(
        *(column.name, role, column.kind, present, 1.0 - present / there.size),
        low=low,
        middle=middle,
        high=high,
        bars=_bars(counts),
        means=tuple(means.tolist()) if classes > 1 else (),
    )


def _worded(column: Column, role: Role, cells: np.ndarray, codes: np.ndarray, classes: int) -> ColumnSummary:
    numbers, levels = coded(cells)
    known = numbers >= 0
    if column.kind == "text":  # an empty cell is a text without words
        empty = levels.index("") if "" in levels else -2
        known &= numbers != empty
        distinct = len(levels) - (empty >= 0)
        return ColumnSummary(column.name, role, column.kind, int(known.sum()), 1.0 - known.mean(), distinct)
    counts = np.bincount(numbers[known] * classes + codes[known], minlength=len(levels) * classes)
    table = counts.reshape(-1, classes).astype(np.float64)
    first = np.argsort(-table.sum(axis=1), kind="stable")[:BINS]
    return ColumnSummary(
        *(column.name, role, column.kind, int(known.sum()), 1.0 - float(known.mean()), len(levels)),
        bars=_bars(table[first]) if len(levels) else (),
        shown=tuple(levels[place] for place in first.tolist()),
    )


def _bars(counts: np.ndarray) -> tuple[tuple[float, ...], ...]:
    highest = counts.sum(axis=1).max()
    return tuple(map(tuple, (counts / highest).tolist())) if highest else ()
