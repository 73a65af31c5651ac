"""Arrays, tables and files as the data sets that models take."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp

from mcsvm.solvers.arguments import row_weights
from mcsvm.solvers.errors import InputError
from mcsvm_gui.core.data.dataset import Column, Dataset, NumberedColumns
from mcsvm_gui.core.data.options import ReadOptions
from mcsvm_gui.core.library.fitted import WEIGHTS, class_names
from mcsvm_gui.core.machine.sources import open_for
from mcsvm_gui.core.machine.trained import TrainedModel

NAME = "X"  # of the rows, in messages


def dataset_of(trained: TrainedModel, X: Any, y: Any = None, sample_weight: Any = None) -> Dataset:
    """Return rows for a model: of a file, of a pandas table by the names of its columns, of an array by their order."""
    if isinstance(X, (str, os.PathLike)):
        return open_for(trained, os.fspath(X), ReadOptions())
    if isinstance(X, Dataset):
        return X
    columns, table, matrix = _features(trained, X)
    rows = table if table is not None else matrix
    assert rows is not None
    count = int(rows.shape[0])
    labels = None if y is None else _labels(y, count)
    return Dataset(
        name=NAME,
        format="array",
        columns=columns,
        table=table,
        matrix=matrix,
        label_name=trained.label_name,
        labels=labels,
        lines=None,
        guesses=(),
        notices=(),
        digest="",
        weight_name=None if sample_weight is None else WEIGHTS,
        weights=None if sample_weight is None else row_weights(sample_weight, count),
        class_list=trained.class_names,
    )


def _labels(y: Any, count: int) -> np.ndarray:
    values = np.asarray(y)
    if values.shape != (count,):
        raise InputError(
            "y must have one label for each of the {rows} rows, not the shape {shape}.", rows=count, shape=values.shape
        )
    labels = np.empty(count, dtype=object)
    labels[:] = class_names(values)
    return labels


def _features(trained: TrainedModel, X: Any) -> tuple[Sequence[Column], pd.DataFrame | None, sp.csr_array | None]:
    known = trained.preparation.columns
    if sp.issparse(X):
        matrix = sp.csr_array(X).astype(np.float64)
        matrix.sum_duplicates()
        _check_width(known, matrix.shape[1])
        return known, None, matrix
    if hasattr(X, "columns") and hasattr(X, "to_numpy"):
        return _table(X, known)
    values = np.asarray(X)
    if values.ndim != 2:
        raise InputError(
            "X must be a table of rows and columns, not an array of {dimensions} axes.", dimensions=values.ndim
        )
    _check_width(known, values.shape[1])
    if isinstance(known, NumberedColumns):
        return known, None, sp.csr_array(values.astype(np.float64))
    return _table(pd.DataFrame(values, columns=[column.name for column in known]), known)


def _check_width(known: Sequence[Column], width: int) -> None:
    if width != len(known):
        raise InputError("X has {width} columns, and the model was trained on {known}.", width=width, known=len(known))


def _table(given: Any, known: Sequence[Column]) -> tuple[tuple[Column, ...], pd.DataFrame, None]:
    """Return the columns that the model knows, each of the kind that it had in training."""
    names = [str(name) for name in given.columns]
    kinds = {column.name: column.kind for column in known}
    columns = tuple(Column(name, kinds[name]) for name in names if name in kinds)
    frame = given if isinstance(given, pd.DataFrame) else given.to_pandas()
    frame = frame.set_axis(names, axis=1)
    cells = {column.name: _cells(column, frame[column.name]) for column in columns}
    return columns, pd.DataFrame(cells, index=range(len(frame))), None


def _cells(column: Column, series: Any) -> np.ndarray:
    """Return float64 with NaN for missing values, or objects of str with None."""
    if column.kind == "date":
        moments = pd.to_datetime(series)
        return np.asarray((moments - pd.Timestamp(0)) / pd.Timedelta(seconds=1), dtype=np.float64)
    if column.numeric:
        try:
            return np.asarray(series.to_numpy(dtype=np.float64, na_value=np.nan))
        except (TypeError, ValueError):
            raise InputError("the column {name} must be numbers, as in the training data", name=column.name) from None
    cells = np.empty(len(series), dtype=object)
    cells[:] = [None if pd.isna(value) else str(value) for value in series]
    return cells
