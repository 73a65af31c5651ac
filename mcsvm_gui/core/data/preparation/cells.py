"""The cells of a table, column by column: float64 with NaN, or objects of str with None."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.data.dataset import Dataset, NumberedColumns


def as_table(dataset: Dataset) -> Dataset:
    """Sparse files whose columns have names (ARFF) hold the same as tables."""
    if dataset.table is not None:
        return dataset
    if isinstance(dataset.columns, NumberedColumns) or dataset.matrix is None:
        raise FileError(dataset.name, "the model was trained on named columns; this file has only numbered ones")
    return replace(dataset, table=pd.DataFrame(dataset.matrix.toarray()), matrix=None)


def held_cells(dataset: Dataset, position: int) -> np.ndarray:
    assert dataset.table is not None
    series = dataset.table.iloc[:, position]
    return numbers(series) if dataset.columns[position].kind == "number" else texts(series)


def numbers(series: pd.Series) -> np.ndarray:
    return series.to_numpy(dtype=np.float64, na_value=np.nan)


def texts(series: pd.Series) -> np.ndarray:
    cells = np.empty(len(series), dtype=object)
    cells[:] = [value if isinstance(value, str) else None for value in series]
    return cells


def as_text(values: np.ndarray, levels: list[str]) -> np.ndarray:
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


def feature_values(cells: np.ndarray, level: str | None) -> np.ndarray:
    return cells if level is None else (cells == level).astype(np.float64)


def filled(cells: np.ndarray, fill: float | str | None) -> np.ndarray:
    if fill is None:
        return cells
    absent = pd.isna(cells)
    return np.where(absent, np.array(fill, dtype=cells.dtype), cells) if absent.any() else cells


def line_of(dataset: Dataset, row: int) -> int | None:
    return None if dataset.lines is None else int(dataset.lines[row])
