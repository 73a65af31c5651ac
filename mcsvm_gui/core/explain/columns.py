"""The columns of a file as players: which features each became, what a row holds there, and the way back.

A feature is (value - shift) * scale, or ((value == level) - shift) * scale; both can be inverted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from mcsvm_gui.core.base import figures
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.data.preparation import Preparation
from mcsvm_gui.core.data.preparation.cells import as_table
from mcsvm_gui.core.data.preparation.date_parts import PARTS
from mcsvm_gui.core.data.preparation.rules import Feature
from mcsvm_gui.core.data.roles.moment import moment

WORDS = 3  # number of words of a text that are shown
MARKS = 4  # significant digits of a shown number


@dataclass(frozen=True, eq=False)
class ExplainedColumns:
    """The columns that became features, in the order of their first feature."""

    features: Sequence[Feature]

    @classmethod
    def of(cls, preparation: Preparation) -> ExplainedColumns:
        return cls(tuple(preparation.every_feature))

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(feature.source for feature in self.features))

    @cached_property
    def groups(self) -> np.ndarray:
        """The (features,) number of each feature's column."""
        number = {name: place for place, name in enumerate(self.names)}
        return np.array([number[feature.source] for feature in self.features], dtype=np.int64)

    @cached_property
    def places(self) -> tuple[np.ndarray, ...]:
        """The indices of the features of each column."""
        order = np.argsort(self.groups, kind="stable")
        return tuple(np.split(order, np.cumsum(np.bincount(self.groups))[:-1]))

    @cached_property
    def shift(self) -> np.ndarray:
        return np.array([feature.shift for feature in self.features])

    @cached_property
    def scale(self) -> np.ndarray:
        return np.array([feature.scale for feature in self.features])

    def derived(self, column: int) -> bool:
        """Return whether the features are not just a value or levels: words, parts of a date, joined categories,
        missing values."""
        return any(self.features[int(at)].part for at in self.places[column])

    def date(self, column: int) -> bool:
        """Return whether the model sees only parts of a date of this column."""
        return {self.features[int(at)].part for at in self.places[column]} <= set(PARTS)

    def number(self, column: int) -> bool:
        """Return whether the column has one feature, the number itself."""
        return not self.derived(column) and not self.category(column)

    def category(self, column: int) -> bool:
        return self.features[int(self.places[column][0])].level is not None and not self.derived(column)

    def value(self, row: np.ndarray, column: int) -> float | str | None:
        """Return the value of a row of features in this column of the file; None for a level unknown to training."""
        at = self.places[column]
        raw = row[at] / self.scale[at] + self.shift[at]
        if self.derived(column):
            return _derived([self.features[int(place)] for place in at], raw)
        if not self.category(column):
            return float(raw[0])
        found = np.flatnonzero(raw > 0.5)
        return None if not found.size else self.features[int(at[found[0]])].level

    def shown(self, row: np.ndarray, column: int) -> str:
        return shown(self.value(row, column))

    def cells(self, row: np.ndarray, dataset: Dataset | None = None, place: int = 0) -> tuple[str, ...]:
        """Return the shown values of all columns; texts and dates come from the data set, if it is given."""
        held = [self.shown(row, column) for column in range(len(self.names))]
        if dataset is not None and dataset.table is not None:
            by_name = {column.name: number for number, column in enumerate(dataset.columns)}
            for column, name in enumerate(self.names):
                if self.derived(column) and name in by_name:
                    held[column] = _cell(dataset, place, by_name[name])
        return tuple(held)

    def numbers(self, rows: Any, column: int) -> np.ndarray:
        """Return (rows,) numbers for a picture: numbers as in the file, categories as the number of their level."""
        at = self.places[column]
        raw = dense(rows[:, at]) / self.scale[at] + self.shift[at]
        if self.features[int(at[0])].part == "word":
            return np.asarray(raw.sum(axis=1))
        return np.asarray(raw[:, 0] if not self.category(column) else raw.argmax(axis=1).astype(np.float64))

    def levels(self, column: int) -> tuple[str, ...]:
        """Return the levels in the order of `numbers`; empty for a column of numbers."""
        return tuple(self.features[int(at)].level or "" for at in self.places[column] if self.category(column))


def _derived(features: Sequence[Feature], raw: np.ndarray) -> float | str | None:
    """Return the heaviest words, the date if the days are a feature, the category or its substitute, or the number."""
    first = features[0]
    if first.part == "word":
        heaviest = [place for place in np.argsort(-raw, kind="stable")[:WORDS].tolist() if raw[place] > 0.0]
        return ", ".join(features[place].level or "" for place in heaviest) or None
    if first.part == "since":
        return moment(round(float(raw[0]) * 86_400.0))
    if first.part in ("", "others", "missing") and any(one.level or one.part == "others" for one in features):
        found = np.flatnonzero(raw > 0.5)
        return None if not found.size else features[int(found[0])].level or features[int(found[0])].part
    return float(raw[0])


def _cell(dataset: Dataset, place: int, column: int) -> str:
    assert dataset.table is not None
    cell = dataset.table.iloc[place, column]
    if pd.isna(cell):
        return ""
    if dataset.columns[column].kind == "date":
        return moment(cell)
    return cell if isinstance(cell, str) else shown(float(cell))


def shown(value: float | str | None) -> str:
    """Format a value for people: numbers with their significant digits."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    return f"{value:.0f}" if value == round(value) and abs(value) < 1e15 else figures.number(value, MARKS)


def dense(rows: Any) -> np.ndarray:
    return np.asarray(rows.toarray() if hasattr(rows, "toarray") else rows)


def whole_columns(columns: ExplainedColumns, dataset: Dataset) -> frozenset[str]:
    """Return the names of the numeric columns in which the file holds only whole numbers."""
    numbers = [name for place, name in enumerate(columns.names) if columns.number(place)]
    if dataset.table is None:
        return frozenset()
    table = as_table(dataset).table
    assert table is not None
    by_name = {column.name: place for place, column in enumerate(dataset.columns)}
    return frozenset(name for name in numbers if name in by_name and _whole(table.iloc[:, by_name[name]]))


def _whole(series: pd.Series) -> bool:
    if not pd.api.types.is_numeric_dtype(series):
        return False
    values = series.to_numpy(dtype=np.float64, na_value=np.nan)
    there = values[np.isfinite(values)]
    return bool(there.size and (there == np.round(there)).all())
