"""Preparation of tables: columns by name, categories one-hot, missing cells by rule."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import NoneType
from typing import Any

import numpy as np

from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.data.dataset import Column, Dataset, Notice
from mcsvm_gui.core.data.options import Rules
from mcsvm_gui.core.data.preparation.cells import as_table, as_text, feature_values, filled, line_of, numbers, texts
from mcsvm_gui.core.data.preparation.gaps import dropped, usable_rows
from mcsvm_gui.core.data.preparation.rules import Feature, Prepared, notices_of, some
from solvers.errors import Sentence


@dataclass(frozen=True, eq=False)
class TablePreparation:
    rules: Rules
    columns: tuple[Column, ...]  # of the training data, used or not
    features: tuple[Feature, ...]
    notices: tuple[Notice, ...]

    def apply(self, dataset: Dataset) -> Prepared:
        dataset = as_table(dataset)
        notices = self._unknown_columns(dataset)
        places = {column.name: position for position, column in enumerate(dataset.columns)}
        cells = {name: self._cells(dataset, name, places[name]) for name in self._used}
        kept = self._usable(dataset, cells)
        rows = np.empty((dataset.rows, len(self.features)))
        for number, feature in enumerate(self.features):
            values = filled(cells[feature.source], feature.fill)
            rows[:, number] = feature_values(values, feature.level)
        rows = rows[kept] if kept.size < dataset.rows else rows
        rows -= np.array([feature.shift for feature in self.features])
        with np.errstate(over="ignore"):
            rows *= np.array([feature.scale for feature in self.features])
        self._check_finite(dataset, rows, kept)
        return Prepared(rows, kept, (*notices, *self._unknown_levels(dataset, cells), *dropped(dataset, kept)))

    @cached_property
    def _used(self) -> dict[str, str]:
        used = {feature.source for feature in self.features}
        return {column.name: column.kind for column in self.columns if column.name in used}

    @cached_property
    def _levels(self) -> dict[str, list[str]]:
        levels: dict[str, list[str]] = {}
        for feature in self.features:
            if feature.level is not None:
                levels.setdefault(feature.source, []).append(feature.level)
        return levels

    def _unknown_columns(self, dataset: Dataset) -> list[Notice]:
        names = {column.name for column in dataset.columns}
        absent = [name for name in self._used if name not in names]
        if absent:
            sentence = Sentence(
                "the column {names} of the training data is missing here",
                "the columns {names} of the training data are missing here",
                count=len(absent),
                names=some(absent),
            )
            raise FileError(dataset.name, sentence, line=1)
        known = {column.name for column in self.columns}
        strange = [name for name in (column.name for column in dataset.columns) if name not in known]
        if not strange:
            return []
        return [
            Notice(
                "unknown columns",
                Sentence("columns that the training data did not have are ignored: {strange}", strange=some(strange)),
            )
        ]

    def _cells(self, dataset: Dataset, name: str, position: int) -> np.ndarray:
        """float64 with NaN, or objects of str with None."""
        assert dataset.table is not None
        series = dataset.table.iloc[:, position]
        kind, there = self._used[name], dataset.columns[position].kind
        if kind == "number" and there == "category" and not series.isna().all():
            row = int(np.flatnonzero(series.notna())[0])
            raise FileError(
                dataset.name,
                "the column {name} must be numbers, as in the training data; here it holds text such as {some}",
                name=name,
                some=some([repr(series.iloc[row])]),
                line=line_of(dataset, row),
            )
        if kind == "category" and there == "number":
            return as_text(numbers(series), self._levels[name])
        return numbers(series) if kind == "number" else texts(series)

    def _usable(self, dataset: Dataset, cells: dict[str, np.ndarray]) -> np.ndarray:
        """The rows that can be decided; under `reject` all of them, or an error."""
        needed = {feature.source for feature in self.features if feature.fill is None}
        return usable_rows(dataset, {name: cells[name] for name in cells if name in needed}, self.rules)

    def _unknown_levels(self, dataset: Dataset, cells: dict[str, np.ndarray]) -> list[Notice]:
        notices = []
        for name, levels in self._levels.items():
            known = {*levels, None}
            strange = Counter(cell for cell in cells[name].tolist() if cell not in known)
            if not strange:
                continue
            what = Sentence(
                "the column {name} holds what training did not know: {some}",
                name=name,
                some=some([repr(level) for level in strange]),
            )
            if self.rules.unknown == "reject":
                raise FileError(dataset.name, what)
            notices.append(
                Notice("unknown levels", Sentence("{what}; it counts as none of the known levels", what=what))
            )
        return notices

    def _check_finite(self, dataset: Dataset, rows: np.ndarray, kept: np.ndarray) -> None:
        bad = np.argwhere(~np.isfinite(rows))
        if bad.size:
            row, feature = bad[0]
            raise FileError(
                dataset.name,
                "the column {source} is not a number that can be computed with once scaled",
                source=self.features[feature].source,
                line=line_of(dataset, int(kept[row])),
            )

    def document(self) -> dict[str, Any]:
        return {
            "kind": "table",
            "rules": vars(self.rules),
            "columns": [[column.name, column.kind] for column in self.columns],
            "features": [list(feature) for feature in self.features],
            "notices": [[notice.code, notice.sentence] for notice in self.notices],
        }

    @classmethod
    def read(cls, document: dict[str, Any]) -> TablePreparation:
        columns = tuple(_column(*entry) for entry in document["columns"])
        kinds = {column.name: column.kind for column in columns}
        features = tuple(_feature(kinds, *entry) for entry in document["features"])
        return cls(Rules(**document["rules"]), columns, features, notices_of(document))


def _column(name: Any, kind: Any) -> Column:
    if not isinstance(name, str) or kind not in ("number", "category"):
        raise ValueError("a column without name or kind")
    return Column(name, kind)


def _feature(kinds: Mapping[str, str], source: Any, level: Any, fill: Any, shift: Any, scale: Any) -> Feature:
    category = kinds[source] == "category"
    if not isinstance(level, str if category else NoneType):
        raise ValueError("a feature of another kind than its column")
    if not isinstance(fill, (NoneType, str if category else float)):
        raise ValueError("missing cells would be filled with another kind of value")
    if not all(type(number) in (int, float) and math.isfinite(number) for number in (shift, scale)):
        raise ValueError("a feature scaled by what is no number")
    if isinstance(fill, float) and not math.isfinite(fill):
        raise ValueError("missing cells would be filled with infinity")
    return Feature(source, level, fill, float(shift), float(scale))
