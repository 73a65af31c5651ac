"""Preparation of tables: columns by name, categories one-hot, missing cells by rule."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from types import NoneType
from typing import Any

import numpy as np
import pandas as pd

from mcsvm_gui.core.dataset import Column, Dataset, Notice, NumberedColumns
from mcsvm_gui.core.errors import FileError
from mcsvm_gui.core.preparation.rules import Feature, Prepared, Rules, counted, notices_of, some
from mcsvm_gui.core.preparation.scaling import Scaling, dense_scaling, spread_notice

MANY_LEVELS = 50
PLACES = 3  # how many missing cells are named


@dataclass(frozen=True, eq=False)
class TablePreparation:
    rules: Rules
    columns: tuple[Column, ...]  # of the training data, used or not
    features: tuple[Feature, ...]
    notices: tuple[Notice, ...]

    def apply(self, dataset: Dataset) -> Prepared:
        dataset = _as_table(dataset)
        notices = self._unknown_columns(dataset)
        places = {column.name: position for position, column in enumerate(dataset.columns)}
        cells = {name: self._cells(dataset, name, places[name]) for name in self._used}
        kept = self._usable(dataset, cells)
        rows = np.empty((dataset.rows, len(self.features)))
        for number, feature in enumerate(self.features):
            values = _filled(cells[feature.source], feature.fill)
            rows[:, number] = _value(values, feature.level)
        rows = rows[kept] if kept.size < dataset.rows else rows
        rows -= np.array([feature.shift for feature in self.features])
        with np.errstate(over="ignore"):
            rows *= np.array([feature.scale for feature in self.features])
        self._check_finite(dataset, rows, kept)
        return Prepared(rows, kept, (*notices, *self._unknown_levels(dataset, cells), *_dropped(dataset, kept)))

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
            noun = "the column" if len(absent) == 1 else "the columns"
            raise FileError(dataset.name, f"{noun} {some(absent)} of the training data is missing here", line=1)
        known = {column.name for column in self.columns}
        strange = [name for name in (column.name for column in dataset.columns) if name not in known]
        if not strange:
            return []
        return [Notice("unknown columns", f"columns that the training data did not have are ignored: {some(strange)}")]

    def _cells(self, dataset: Dataset, name: str, position: int) -> np.ndarray:
        """float64 with NaN, or objects of str with None."""
        assert dataset.table is not None
        series = dataset.table.iloc[:, position]
        kind, there = self._used[name], dataset.columns[position].kind
        if kind == "number" and there == "category" and not series.isna().all():
            row = int(np.flatnonzero(series.notna())[0])
            raise FileError(
                dataset.name,
                f"the column {name} must be numbers, as in the training data; here it holds text such as"
                f" {some([repr(series.iloc[row])])}",
                line=line_of(dataset, row),
            )
        if kind == "category" and there == "number":
            return _as_text(numbers(series), self._levels[name])
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
            what = f"the column {name} holds what training did not know: {some([repr(level) for level in strange])}"
            if self.rules.unknown == "reject":
                raise FileError(dataset.name, what)
            notices.append(Notice("unknown levels", f"{what}; it counts as none of the known levels"))
        return notices

    def _check_finite(self, dataset: Dataset, rows: np.ndarray, kept: np.ndarray) -> None:
        bad = np.argwhere(~np.isfinite(rows))
        if bad.size:
            row, feature = bad[0]
            raise FileError(
                dataset.name,
                f"the column {self.features[feature].source} is not a number that can be computed with once scaled",
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


# -- fitting --------------------------------------------------------------------------------------


def fit_table(rules: Rules, dataset: Dataset) -> TablePreparation:
    assert dataset.table is not None
    held = {column.name: _held(dataset, position) for position, column in enumerate(dataset.columns)}
    empty = [name for name, cells in held.items() if pd.isna(cells).all()]
    cells = {name: values for name, values in held.items() if name not in empty}
    notices = [Notice("empty columns", f"columns without any value are left out: {some(empty)}")] if empty else []
    if not rules.fills:
        kept = usable_rows(dataset, cells, rules)
        cells = {name: values[kept] for name, values in cells.items()}
    sources = [_source(rules, name, values) for name, values in cells.items()]
    notices += [notice for source in sources for notice in source.notices]
    features, more = _scaled(rules, sources, dataset)
    return TablePreparation(rules, tuple(dataset.columns), features, tuple(notices + more))


def complete_rows(dataset: Dataset) -> tuple[np.ndarray, list[Notice]]:
    """What `drop` leaves of a training part: rows with every cell, columns without any value apart."""
    held = {column.name: _held(dataset, position) for position, column in enumerate(dataset.columns)}
    cells = {name: values for name, values in held.items() if not pd.isna(values).all()}
    kept = usable_rows(dataset, cells, Rules(missing="drop"))
    return kept, _dropped(dataset, kept)


@dataclass(frozen=True, eq=False)
class _Source:
    """A column on its way to features, missing cells filled."""

    name: str
    levels: tuple[str | None, ...]  # (None,) for numbers
    fill: float | str | None
    values: np.ndarray
    notices: tuple[Notice, ...]

    def value(self, level: str | None) -> np.ndarray:
        return _value(self.values, level)


def _source(rules: Rules, name: str, cells: np.ndarray) -> _Source:
    number = cells.dtype != object
    fill = (_middle(rules, cells) if number else most_frequent(cells.tolist())) if rules.fills else None
    absent = int(pd.isna(cells).sum())
    notices = [] if not absent else [_fill_notice(name, absent, fill)]
    values = _filled(cells, fill)
    levels: tuple[str | None, ...] = (None,) if number else tuple(sorted(set(values.tolist())))
    if not number and len(levels) > max(MANY_LEVELS, 1):
        sentence = (
            f"the column {name} holds {len(levels)} different texts, each of them becomes a feature; is it a name?"
        )
        notices.append(Notice("many levels", sentence))
    elif not number:
        notices.append(Notice("categories", f"the text column {name} became {len(levels)} features, one per level"))
    return _Source(name, levels, fill, values, tuple(notices))


def _fill_notice(name: str, absent: int, fill: float | str | None) -> Notice:
    shown = f"{fill:.6g}" if isinstance(fill, float) else repr(fill)
    return Notice("filled", f"{counted(absent, 'missing cell')} of the column {name} became {shown}")


def _middle(rules: Rules, cells: np.ndarray) -> float:
    there = cells[~np.isnan(cells)]
    return float(there.mean()) if rules.missing == "mean" else float(most_frequent(there.tolist()))


def most_frequent(values: list[Any]) -> Any:
    """Of equally frequent ones the smallest."""
    counts = Counter(value for value in values if value is not None)
    return min(counts, key=lambda value: (-counts[value], value))


def _scaled(rules: Rules, sources: list[_Source], dataset: Dataset) -> tuple[tuple[Feature, ...], list[Notice]]:
    features: list[Feature] = []
    reaches: list[float] = []
    constant: list[Feature] = []
    for source in sources:
        for level in source.levels:
            scaling = dense_scaling(rules.scale, source.value(level)[:, None])
            _check_reach(dataset, source.name, scaling)
            shift, scale = float(scaling.shift[0]), float(scaling.scale[0])
            if scaling.constant[0]:
                constant.append(Feature(source.name, level, source.fill, float(source.value(level)[0]), 1.0))
            else:
                features.append(Feature(source.name, level, source.fill, shift, scale))
                reaches.append(float(scaling.reach[0]))
    if not constant:
        return tuple(features), spread_notice(rules.scale, [f.source for f in features], np.array(reaches))
    if not features:  # something must be left for the kernel: one column of zeros
        sentence = "every column is constant: the model can only answer with the most frequent class"
        return (constant[0],), [Notice("constant columns", sentence)]
    names = list(dict.fromkeys(f.source if f.level is None else f"{f.source} = {f.level}" for f in constant))
    dropped = Notice("constant columns", f"constant columns are left out: {some(names)}")
    return tuple(features), [dropped, *spread_notice(rules.scale, [f.source for f in features], np.array(reaches))]


def _check_reach(dataset: Dataset, name: str, scaling: Scaling) -> None:
    numbers = scaling.shift, scaling.reach, scaling.scale[~scaling.constant]
    if not all(np.isfinite(part).all() for part in numbers) or (scaling.scale == 0.0).any():
        raise FileError(dataset.name, f"the column {name} spreads wider than can be computed with; rescale it first")


# -- cells ----------------------------------------------------------------------------------------


def _as_table(dataset: Dataset) -> Dataset:
    """Sparse files whose columns have names (ARFF) hold the same as tables."""
    if dataset.table is not None:
        return dataset
    if isinstance(dataset.columns, NumberedColumns) or dataset.matrix is None:
        raise FileError(dataset.name, "the model was trained on named columns; this file has only numbered ones")
    return replace(dataset, table=pd.DataFrame(dataset.matrix.toarray()), matrix=None)


def _held(dataset: Dataset, position: int) -> np.ndarray:
    assert dataset.table is not None
    series = dataset.table.iloc[:, position]
    return numbers(series) if dataset.columns[position].kind == "number" else texts(series)


def numbers(series: pd.Series) -> np.ndarray:
    return series.to_numpy(dtype=np.float64, na_value=np.nan)


def texts(series: pd.Series) -> np.ndarray:
    cells = np.empty(len(series), dtype=object)
    cells[:] = [value if isinstance(value, str) else None for value in series]
    return cells


def _as_text(values: np.ndarray, levels: list[str]) -> np.ndarray:
    """Numbers where training saw text, such as the levels "1" and "2" beside others: by value, else spelled out."""
    spelled: dict[float, str] = {}
    for level in levels:
        try:
            spelled.setdefault(float(level), level)
        except ValueError:
            continue
    cells = np.empty(values.size, dtype=object)
    cells[:] = [None if np.isnan(value) else spelled.get(value, f"{value:g}") for value in values.tolist()]
    return cells


def _value(cells: np.ndarray, level: str | None) -> np.ndarray:
    return cells if level is None else (cells == level).astype(np.float64)


def _filled(cells: np.ndarray, fill: float | str | None) -> np.ndarray:
    if fill is None:
        return cells
    absent = pd.isna(cells)
    return np.where(absent, np.array(fill, dtype=cells.dtype), cells) if absent.any() else cells


def usable_rows(dataset: Dataset, cells: dict[str, np.ndarray], rules: Rules) -> np.ndarray:
    """All rows, or under `drop` those without a missing cell; FileError with count and first places otherwise."""
    absent = np.zeros(dataset.rows, dtype=np.int64)
    for values in cells.values():
        absent += pd.isna(values)
    if not absent.any():
        return np.arange(dataset.rows)
    if rules.missing == "reject":
        raise _missing_error(dataset, cells, absent)
    kept = np.flatnonzero(absent == 0)
    if kept.size == 0:
        raise FileError(dataset.name, "every row has a missing cell; --missing mean or most-frequent fills them")
    return kept


def _missing_error(dataset: Dataset, cells: dict[str, np.ndarray], absent: np.ndarray) -> FileError:
    first = np.flatnonzero(absent)[:PLACES].tolist()
    places = [(row, name) for row in first for name, values in cells.items() if pd.isna(values[row])][:PLACES]
    shown = ", ".join(
        f"column {name}" if line_of(dataset, row) is None else f"line {line_of(dataset, row)} column {name}"
        for row, name in places
    )
    count = int(absent.sum())
    more = ", ..." if count > len(places) else ""
    return FileError(
        dataset.name,
        f"{counted(count, 'cell')} of {counted(dataset.rows, 'row')} missing ({shown}{more});"
        " --missing drop leaves such rows out, mean or most-frequent fills them",
        line=line_of(dataset, places[0][0]),
    )


def line_of(dataset: Dataset, row: int) -> int | None:
    return None if dataset.lines is None else int(dataset.lines[row])


def _dropped(dataset: Dataset, kept: np.ndarray) -> list[Notice]:
    gone = dataset.rows - kept.size
    return [Notice("dropped rows", f"{counted(gone, 'row')} with missing cells left out")] if gone else []
