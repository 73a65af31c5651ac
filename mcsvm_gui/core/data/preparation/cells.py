"""The cells of a table, column by column: float64 with NaN, or objects of str with None."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.data.dataset import Dataset, NumberedColumns
from mcsvm_gui.core.data.preparation.date_parts import part_of
from mcsvm_gui.core.data.preparation.rules import Feature


def as_table(dataset: Dataset) -> Dataset:
    """Convert a sparse file with named columns (ARFF) to a table with the same content."""
    if dataset.table is not None:
        return dataset
    if isinstance(dataset.columns, NumberedColumns) or dataset.matrix is None:
        raise FileError(dataset.name, "the model was trained on named columns; this file has only numbered ones")
    return replace(dataset, table=pd.DataFrame(dataset.matrix.toarray()), matrix=None)


def held_cells(dataset: Dataset, position: int) -> np.ndarray:
    assert dataset.table is not None
    series = dataset.table.iloc[:, position]
    return numbers(series) if dataset.columns[position].numeric else texts(series)


def all_held_cells(dataset: Dataset, positions: Sequence[int]) -> list[np.ndarray]:
    """Return `held_cells` of the columns at these positions.

    Taking a column out of a pandas table costs 0.1 ms, so the numbers of many short columns are taken together.
    """
    assert dataset.table is not None
    numeric = [position for position in positions if dataset.columns[position].numeric]
    if len(numeric) <= dataset.rows:
        return [held_cells(dataset, position) for position in positions]
    together = dataset.table.iloc[:, numeric].to_numpy(dtype=np.float64, na_value=np.nan)
    found = dict(zip(numeric, np.ascontiguousarray(together.T), strict=True))
    return [found[position] if position in found else held_cells(dataset, position) for position in positions]


def numbers(series: pd.Series) -> np.ndarray:
    return series.to_numpy(dtype=np.float64, na_value=np.nan)


def texts(series: pd.Series) -> np.ndarray:
    cells = np.empty(len(series), dtype=object)
    cells[:] = [value if isinstance(value, str) else None for value in series]
    return cells


def as_text(values: np.ndarray, levels: list[str]) -> np.ndarray:
    """Convert numbers to text for a column that was text in training, such as the levels "1" and "2" among words.

    A number becomes the level of the same value if there is one.
    """
    spelled: dict[float, str] = {}
    for level in levels:
        try:
            spelled.setdefault(float(level), level)
        except ValueError:
            continue
    cells = np.empty(values.size, dtype=object)
    cells[:] = [None if np.isnan(value) else spelled.get(value, f"{value:g}") for value in values.tolist()]
    return cells


def spelled_as_known(cells: np.ndarray, levels: Sequence[str], others: Sequence[str] = ()) -> np.ndarray:
    """Return the cells, with numbers respelled as in training (1 for 1.0) if only one category has that value.

    `others`: categories of training without a feature of their own that equal a level in value.
    """
    known = {*levels, *others, None}
    strange = {cell for cell in set(cells.tolist()) if cell not in known and _value(cell) is not None}
    if not strange:
        return cells
    called: dict[float, list[str]] = {}
    for level in (*levels, *others):
        if (value := _value(level)) is not None:
            called.setdefault(value, []).append(level)
    found = {cell: called.get(value, []) for cell in strange if (value := _value(cell)) is not None}
    renamed = {cell: same[0] for cell, same in found.items() if len(same) == 1}
    result = np.empty(cells.size, dtype=object)
    result[:] = [renamed.get(cell, cell) for cell in cells.tolist()]
    return result


def equal_in_value(names: Sequence[str], levels: Sequence[str]) -> tuple[str, ...]:
    """Return the names that spell the number of a level in another way."""
    values = {_value(level) for level in levels} - {None}
    return tuple(sorted(name for name in names if _value(name) in values))


def _value(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def feature_values(cells: np.ndarray, feature: Feature, levels: Sequence[str]) -> np.ndarray:
    """Return the values of a feature before shift and scale; `levels`: the levels of the column that are features."""
    if feature.part == "missing":
        return pd.isna(cells).astype(np.float64)
    values = with_fill(cells, feature.fill)
    if feature.part == "others":
        return np.array([cell not in levels and bool(cell) for cell in values.tolist()], dtype=np.float64)
    if feature.part:
        return part_of(values, feature.part)
    return values if feature.level is None else (values == feature.level).astype(np.float64)


def with_fill(cells: np.ndarray, fill: float | str | None) -> np.ndarray:
    if fill is None:
        return cells
    absent = pd.isna(cells)
    return np.where(absent, np.array(fill, dtype=cells.dtype), cells) if absent.any() else cells


def line_of(dataset: Dataset, row: int) -> int | None:
    return None if dataset.lines is None else int(dataset.lines[row])
