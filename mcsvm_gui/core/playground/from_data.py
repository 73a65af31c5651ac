"""Points from the current data: two of its columns, or its two widest directions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.base.i18n import tr
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.data.projections.principal import thin
from mcsvm_gui.core.data.projections.projection import project
from mcsvm_gui.core.data.spellings import class_order
from mcsvm_gui.core.playground.drawing import MOST_CLASSES, Drawing

SHOWN = 300  # most points: six machines can follow them while the user drags
OFFERED = 200  # columns to choose from


@dataclass(frozen=True, eq=False)
class Taken:
    drawing: Drawing
    words: str  # which rows were taken, and which were left out


def number_columns(dataset: Dataset) -> list[tuple[int, str]]:
    """Return (position, name) of the columns that can be an axis."""
    found = []
    for position in range(min(len(dataset.columns), 10 * OFFERED)):
        column = dataset.columns[position]
        if column.kind == "number":
            found.append((position, column.name))
        if len(found) == OFFERED:
            break
    return found


def two_columns(dataset: Dataset, across: int, up: int) -> Taken:
    values = np.stack([_values(dataset, across), _values(dataset, up)], axis=1)
    names = tr("{across} across, {up} upwards", across=dataset.columns[across].name, up=dataset.columns[up].name)
    return _taken(dataset, np.arange(dataset.rows), values, names)


def two_components(dataset: Dataset) -> Taken:
    found = project(dataset)
    return _taken(dataset, found.rows, found.points, tr("The two widest directions"))


def _values(dataset: Dataset, position: int) -> np.ndarray:
    if dataset.table is not None:
        return dataset.table.iloc[:, position].to_numpy(dtype=np.float64)
    assert dataset.matrix is not None
    return dataset.matrix[:, [position]].toarray().ravel()


def _taken(dataset: Dataset, rows: np.ndarray, values: np.ndarray, what: str) -> Taken:
    if dataset.labels is None:
        raise FileError(dataset.name, "there are no class labels; choose their column on the Data page")
    labels, complete = dataset.labels[rows], np.isfinite(values).all(axis=1)
    names = _largest(labels[complete])
    kept = np.flatnonzero(complete & np.isin(labels, names))
    kept = kept[thin(labels[kept], kept.size, SHOWN)]
    order = sorted(names, key=class_order)
    codes = np.array([order.index(label) for label in labels[kept]], dtype=np.int64)
    words = tr("{what}: {shown} of {total} rows.", what=what, shown=kept.size, total=dataset.rows)
    if len(names) < len(dataset.classes):
        words += " " + tr("Only the {count} largest classes.", count=len(names))
    return Taken(Drawing.of(_scaled(values[kept]), codes), words)


def _largest(labels: np.ndarray) -> list[str]:
    names, counts = np.unique(labels.astype(str), return_counts=True)
    return [str(name) for name in names[np.argsort(-counts, kind="stable")][:MOST_CLASSES]]


def _scaled(values: np.ndarray) -> np.ndarray:
    """Scale each axis to -1 to 1; an axis without spread becomes 0."""
    if not len(values):
        return values
    low, high = values.min(axis=0), values.max(axis=0)
    spread = np.where(high > low, high - low, 1.0)
    return np.where(high > low, 2.0 * (values - low) / spread - 1.0, 0.0)
