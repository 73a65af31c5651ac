"""Preparation of sparse files: columns by index, zero stays zero unless most cells are filled anyway."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from mcsvm_gui.core.dataset import Column, Dataset, Notice, NumberedColumns
from mcsvm_gui.core.errors import FileError
from mcsvm_gui.core.preparation.rules import Feature, Prepared, Rows, Rules, counted, finite, notices_of, some
from mcsvm_gui.core.preparation.scaling import Scaling, dense_scaling, sparse_scaling, spread_notice

DENSE = 0.25  # share of filled cells from which a file is treated as a table of numbers
DENSE_BYTES = 2**31


@dataclass(frozen=True, eq=False)
class MatrixPreparation:
    rules: Rules
    first: int  # the number of the first column: 1, or 0 for zero-based files
    total: int
    dense: bool
    kept: np.ndarray  # rising column positions, from 0, that became features
    shift: np.ndarray
    scale: np.ndarray
    notices: tuple[Notice, ...]

    @property
    def columns(self) -> NumberedColumns:
        return NumberedColumns(self.first, self.total)

    @property
    def features(self) -> Sequence[Feature]:
        parts = zip(self.kept.tolist(), self.shift.tolist(), self.scale.tolist(), strict=True)
        return tuple(Feature(str(self.first + column), None, None, shift, scale) for column, shift, scale in parts)

    def apply(self, dataset: Dataset) -> Prepared:
        if dataset.matrix is None:
            raise FileError(
                dataset.name, "the model was trained on numbered columns (LIBSVM); this file has named ones"
            )
        notices = self._more(dataset)
        rows = _scale(self.select(dataset.matrix, _first(dataset.columns)), self.shift, self.scale, self.dense)
        values = rows.data if sp.issparse(rows) else rows
        if not np.isfinite(values).all():
            raise FileError(dataset.name, "a value is too large to be computed with once scaled")
        return Prepared(rows, np.arange(dataset.rows), tuple(notices))

    def select(self, matrix: sp.csr_array, first: int) -> sp.csr_array:
        """The kept columns of a matrix whose first column has another number, or of another width."""
        positions = matrix.indices.astype(np.int64) + (first - self.first)
        places = np.searchsorted(self.kept, positions)
        known = np.zeros(places.size, dtype=bool)
        within = places < self.kept.size
        known[within] = self.kept[places[within]] == positions[within]
        rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
        chosen = sp.csr_array(
            (matrix.data[known], (rows[known], places[known])), shape=(matrix.shape[0], self.kept.size)
        )
        chosen.sort_indices()
        return chosen

    def _more(self, dataset: Dataset) -> list[Notice]:
        assert dataset.matrix is not None
        first, last = self.first, self.first + self.total - 1
        indices = dataset.matrix.indices.astype(np.int64) + _first(dataset.columns)
        beyond = np.unique(indices[(indices > last) | (indices < first)]).tolist()
        if not beyond:
            return []
        sentence = f"columns that the training data did not have are ignored: {some([str(index) for index in beyond])}"
        return [Notice("unknown columns", sentence)]

    def document(self) -> dict[str, Any]:
        return {
            "kind": "matrix",
            "rules": vars(self.rules),
            "first": self.first,
            "total": self.total,
            "dense": self.dense,
            "kept": self.kept.tolist(),
            "shift": self.shift.tolist(),
            "scale": self.scale.tolist(),
            "notices": [[notice.code, notice.sentence] for notice in self.notices],
        }

    @classmethod
    def read(cls, document: dict[str, Any]) -> MatrixPreparation:
        first, total, dense = document["first"], document["total"], document["dense"]
        kept = np.array(document["kept"], dtype=np.int64)
        shift, scale = finite(document["shift"]), finite(document["scale"])
        if not (type(first) is int and type(total) is int and isinstance(dense, bool) and 0 <= first < 2**62):
            raise ValueError("columns without number")
        rising = kept.ndim == 1 and np.all(np.diff(kept) > 0) and 0 < kept.size == shift.size == scale.size
        if not rising or kept[0] < 0 or kept[-1] >= total or (not dense and shift.any()):
            raise ValueError("columns that are not there")
        return cls(Rules(**document["rules"]), first, total, dense, kept, shift, scale, notices_of(document))


def fit_matrix(rules: Rules, dataset: Dataset) -> MatrixPreparation:
    matrix = dataset.matrix
    assert matrix is not None
    count, width = matrix.shape
    dense = matrix.nnz >= DENSE * count * width and 8 * count * width <= DENSE_BYTES
    scaling = dense_scaling(rules.scale, matrix.toarray()) if dense else sparse_scaling(rules.scale, matrix)
    first, notices = _first(dataset.columns), []
    kept = np.flatnonzero(~scaling.constant)
    if kept.size == 0:
        sentence = "every column is constant: the model can only answer with the most frequent class"
        notices, kept = [Notice("constant columns", sentence)], np.array([0])
        scaling = Scaling(np.zeros(width), np.ones(width), scaling.constant, scaling.reach)
    elif kept.size < width:
        notices = [_constant_notice(first, np.flatnonzero(scaling.constant))]
    _check_reach(dataset, first, scaling, kept)
    if not dense and rules.scale != "none":
        by = "largest magnitude" if rules.scale == "minmax" else "deviation"
        notices.append(
            Notice("sparse", f"the data are sparse and stay so: columns are scaled by their {by}, without shift")
        )
    names = [str(first + column) for column in kept.tolist()] if rules.scale == "none" else []
    notices += spread_notice(rules.scale, names, scaling.reach[kept])
    shift, scale = scaling.shift[kept], scaling.scale[kept]
    return MatrixPreparation(rules, first, width, dense, kept, shift, scale, tuple(notices))


def _constant_notice(first: int, columns: np.ndarray) -> Notice:
    if columns.size <= 5:
        return Notice("constant columns", f"constant columns are left out: {some([str(first + c) for c in columns])}")
    return Notice("constant columns", f"{counted(columns.size, 'constant column')} left out")


def _check_reach(dataset: Dataset, first: int, scaling: Scaling, kept: np.ndarray) -> None:
    numbers = np.column_stack([scaling.shift[kept], scaling.scale[kept], scaling.reach[kept]])
    bad = np.flatnonzero(~np.isfinite(numbers).all(axis=1) | (scaling.scale[kept] == 0.0))
    if bad.size:
        column = first + int(kept[bad[0]])
        raise FileError(dataset.name, f"column {column} spreads wider than can be computed with; rescale it first")


def _first(columns: Sequence[Column]) -> int:
    return columns.first if isinstance(columns, NumberedColumns) else 1


def _scale(chosen: sp.csr_array, shift: np.ndarray, scale: np.ndarray, dense: bool) -> Rows:
    with np.errstate(over="ignore"):
        if dense:
            return (chosen.toarray() - shift) * scale
        return sp.csr_array((chosen.data * scale[chosen.indices], chosen.indices, chosen.indptr), shape=chosen.shape)
