"""Each column in one line: what it is, how many of its cells are there, and how their values lie, by class."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from mcsvm_gui.core.data.dataset import NumberedColumns
from mcsvm_gui.core.data.roles.value import Role, roles_of

if TYPE_CHECKING:
    from mcsvm_gui.core.data.dataset import Column, Dataset

BINS = 16
MOST_CLASSES = 8  # that bars are divided by
_PIECE = 100_000  # rows at a time, so that no other thread waits long


@dataclass(frozen=True)
class ColumnSummary:
    name: str
    role: Role
    kind: str = ""  # number, category, text, date; nothing where the column is not read
    present: int | None = None  # cells that hold something
    missing: float = 0.0  # share of the rows
    distinct: int | None = None  # of categories and texts
    low: float | None = None  # of numbers and dates
    middle: float | None = None  # the mean
    high: float | None = None
    bars: tuple[tuple[float, ...], ...] = ()  # per bin and class, the largest bin is 1
    shown: tuple[str, ...] = ()  # the most frequent categories, one per bin
    means: tuple[float, ...] = ()  # of numbers, class by class


def summaries(dataset: Dataset) -> tuple[ColumnSummary, ...]:
    """Of every column of the file; of files whose columns have numbers alone, none. Looks at every cell."""
    if isinstance(dataset.columns, NumberedColumns):
        return ()
    place = {column.name: number for number, column in enumerate(dataset.columns)}
    codes, classes = _codes(dataset)
    return tuple(
        _feature(dataset, place[name], role, codes, classes) if name in place else _other(dataset, name, role)
        for name, role in roles_of(dataset).items()
    )


def _codes(dataset: Dataset) -> tuple[np.ndarray, int]:
    """The class of each row; all in one where there are none, or too many to be told apart."""
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
    return ColumnSummary(name, role, "text", present, 1.0 - present / len(cells), _distinct(cells))


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
    counts: dict[str, np.ndarray] = {}
    present = 0
    for cells_of, codes_of in _pieces(cells, codes):
        numbers, levels = pd.factorize(cells_of)
        known = numbers >= 0
        present += int(known.sum())
        table = np.bincount(numbers[known] * classes + codes_of[known], minlength=len(levels) * classes)
        for level, row in zip(levels.tolist(), table.reshape(-1, classes), strict=True):
            counts[level] = counts[level] + row if level in counts else row
    if column.kind == "text" and "" in counts:
        present -= int(counts.pop("").sum())
    if column.kind == "text":
        return ColumnSummary(column.name, role, column.kind, present, 1.0 - present / cells.size, len(counts))
    first = sorted(counts, key=lambda level: (-int(counts[level].sum()), level))[:BINS]
    return ColumnSummary(
        *(column.name, role, column.kind, present, 1.0 - present / cells.size, len(counts)),
        bars=_bars(np.array([counts[level] for level in first], dtype=np.float64)) if first else (),
        shown=tuple(first),
    )


def _pieces(cells: np.ndarray, codes: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    for first in range(0, len(cells), _PIECE):
        yield cells[first : first + _PIECE], codes[first : first + _PIECE]


def _distinct(cells: np.ndarray) -> int:
    found: set[str] = set()
    for first in range(0, len(cells), _PIECE):
        found.update(cells[first : first + _PIECE].tolist())
    return len(found - {""})


def _bars(counts: np.ndarray) -> tuple[tuple[float, ...], ...]:
    highest = counts.sum(axis=1).max()
    return tuple(map(tuple, (counts / highest).tolist())) if highest else ()
