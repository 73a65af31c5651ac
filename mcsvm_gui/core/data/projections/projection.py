"""Preprocessed rows in two dimensions: principal components, discriminants, or UMAP."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp

from mcsvm_gui.core.data import preparation
from mcsvm_gui.core.data.dataset import Column, Dataset
from mcsvm_gui.core.data.preparation import Rules
from mcsvm_gui.core.data.projections.discriminants import discriminants
from mcsvm_gui.core.data.projections.neighborhoods import neighborhoods
from mcsvm_gui.core.data.projections.principal import MOST_POINTS, principal_components, thin

MOST_CELLS = 10_000_000  # of the prepared table: 80 MB
MOST_LEVELS = 100  # a text column with more levels is a name, and one feature per level would show nothing


@dataclass(frozen=True, eq=False)
class Projected:
    points: np.ndarray  # (shown, 2)
    rows: np.ndarray  # (shown,) increasing row numbers of the data set
    codes: np.ndarray  # (shown,) positions in `classes`; all 0 without labels
    classes: tuple[str, ...]
    shares: tuple[float, float]  # of the variance; for `lda` of the variance between the classes; for `umap` zeros
    total: int  # number of rows of the data set
    left_out: tuple[str, ...]  # text columns with too many levels
    way: str = "pca"
    numbers: np.ndarray | None = None  # (shown,) numbers of the rows in the file; None: positions in `rows`, from 1


def project(dataset: Dataset, scale: str = "minmax", way: str = "pca") -> Projected:
    """Project the data. The result is deterministic. `way`: pca, lda or umap. Raise InputError if that fails."""
    looked = look_at(dataset, scale)
    codes = np.zeros(looked.rows.size, dtype=np.int64)
    if dataset.labels is not None:
        place = {name: code for code, name in enumerate(dataset.classes)}
        codes = np.array([place[label] for label in dataset.labels[looked.rows].tolist()], dtype=np.int64)
    points, shares = _points(looked.prepared, codes, way)
    return Projected(
        points,
        looked.rows,
        codes,
        dataset.classes,
        shares,
        dataset.rows,
        looked.left_out,
        way,
        dataset.row_numbers[looked.rows],
    )


def _points(rows: np.ndarray | sp.csr_array, codes: np.ndarray, way: str) -> tuple[np.ndarray, tuple[float, float]]:
    if way == "lda":
        return discriminants(rows, codes)
    return (neighborhoods(rows), (0.0, 0.0)) if way == "umap" else principal_components(rows)


@dataclass(frozen=True, eq=False)
class SampledRows:
    """Preprocessed rows of a data set."""

    rows: np.ndarray  # increasing row numbers
    prepared: np.ndarray | sp.csr_array
    left_out: tuple[str, ...]


def look_at(dataset: Dataset, scale: str) -> SampledRows:
    rows = thin(dataset.labels, dataset.rows, _budget(dataset))
    part = dataset if rows.size == dataset.rows else dataset.take(rows)
    part, left_out = _without_names(part)
    if not part.columns:
        return SampledRows(rows, np.zeros((rows.size, 1)), left_out)
    rules = Rules(scale=scale, missing="mean")
    return SampledRows(rows, preparation.fit(rules, part).apply(part).rows, left_out)


def _budget(dataset: Dataset) -> int:
    if dataset.matrix is not None:
        return MOST_POINTS
    return min(MOST_POINTS, max(200, MOST_CELLS // max(1, len(dataset.columns))))


def _without_names(dataset: Dataset) -> tuple[Dataset, tuple[str, ...]]:
    if dataset.table is None:
        return dataset, ()
    table = dataset.table
    many = [
        position
        for position, column in enumerate(dataset.columns)
        if column.kind == "category" and table.iloc[:, position].nunique() > MOST_LEVELS
    ]
    if not many:
        return dataset, ()
    kept = [position for position in range(len(dataset.columns)) if position not in set(many)]
    columns: tuple[Column, ...] = tuple(dataset.columns[position] for position in kept)
    names = tuple(dataset.columns[position].name for position in many)
    return replace(dataset, columns=columns, table=table.iloc[:, kept]), names
