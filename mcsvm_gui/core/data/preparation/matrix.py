"""Preparation of sparse files: columns by index (LIBSVM) or name (ARFF). Zero stays zero, unless few cells are zero."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from mcsvm.solvers.errors import Sentence
from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.data.dataset import Column, Dataset, Notice, NoticeTally, NumberedColumns
from mcsvm_gui.core.data.options import Rules
from mcsvm_gui.core.data.preparation.rules import Feature, Prepared, Rows, finite, notices_of, some_names
from mcsvm_gui.core.data.preparation.scaling import (
    NOTHING_VARIES,
    Scaling,
    constant_notice,
    dense_scaling,
    sparse_scaling,
    spread_notice,
)
from mcsvm_gui.core.data.spellings import class_order

DENSE = 0.25  # share of nonzero cells from which a file is treated as a table of numbers
DENSE_BYTES = 2**31


@dataclass(frozen=True, eq=False)
class MatrixPreparation:
    rules: Rules
    first: int  # the number of the first column: 1, or 0 for zero-based files
    total: int
    names: tuple[str, ...] | None  # if columns have names, these identify a column, not its position
    dense: bool
    kept: np.ndarray  # increasing positions, from 0, of the columns that became features
    shift: np.ndarray
    scale: np.ndarray
    notices: tuple[Notice, ...]

    @property
    def columns(self) -> Sequence[Column]:
        if self.names is not None:
            return tuple(Column(name, "number") for name in self.names)
        return NumberedColumns(self.first, self.total)

    @property
    def every_feature(self) -> Sequence[Feature]:
        return self.features

    @property
    def width(self) -> int:
        """The number of features of the kernel."""
        return int(self.kept.size)

    @property
    def sources(self) -> tuple[str, ...]:
        """The column of the file that each feature comes from."""
        columns = self.columns
        return tuple(columns[column].name for column in self.kept.tolist())

    @property
    def titles(self) -> tuple[str, ...]:
        return self.sources

    @property
    def plain(self) -> bool:
        return True

    @property
    def needs(self) -> tuple[str, ...]:
        return ()

    def arrays(self) -> dict[str, np.ndarray]:
        return {}

    @property
    def date_order(self) -> str:
        return ""

    @property
    def unused(self) -> tuple[str, ...]:
        return ()

    @property
    def features(self) -> Sequence[Feature]:
        parts = zip(self.kept.tolist(), self.shift.tolist(), self.scale.tolist(), strict=True)
        columns = self.columns
        return tuple(Feature(columns[column].name, None, None, shift, scale) for column, shift, scale in parts)

    def apply(self, dataset: Dataset) -> Prepared:
        matrix, positions = self._aligned(dataset)
        notices = self._more(dataset, matrix, positions)
        rows = _scale(self._select(matrix, positions), self.shift, self.scale, self.dense)
        values = rows.data if sp.issparse(rows) else rows
        if not np.isfinite(values).all():
            raise FileError(dataset.name, "a value is too large to be computed with once scaled")
        return Prepared(rows, np.arange(dataset.rows), tuple(notices))

    def _aligned(self, dataset: Dataset) -> tuple[sp.csr_array, np.ndarray]:
        """Return the nonzero cells, and for each of them its column's position in training, or -1."""
        named = not isinstance(dataset.columns, NumberedColumns)
        if self.names is None:
            if dataset.matrix is None or named:
                raise FileError(dataset.name, "the model was trained on numbered columns (LIBSVM); these have names")
            positions = dataset.matrix.indices.astype(np.int64) + (_first(dataset.columns) - self.first)
            return dataset.matrix, np.where((positions >= 0) & (positions < self.total), positions, -1)
        if not named:
            raise FileError(dataset.name, "the model was trained on named columns; this file has only numbered ones")
        matrix = _sparse(dataset)
        place = {name: position for position, name in enumerate(self.names)}
        where = np.array([place.get(column.name, -1) for column in dataset.columns], dtype=np.int64)
        absent = np.setdiff1d(self.kept, where).tolist()
        if absent:
            missing = some_names([self.names[position] for position in absent])
            raise FileError(dataset.name, "columns of the training data are missing here: {missing}", missing=missing)
        return matrix, where[matrix.indices]

    def _select(self, matrix: sp.csr_array, positions: np.ndarray) -> sp.csr_array:
        """Return the columns that became features, in the order of training."""
        places = np.searchsorted(self.kept, positions)
        known = self.kept[np.minimum(places, self.kept.size - 1)] == positions
        rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
        shape = matrix.shape[0], self.kept.size
        chosen = sp.csr_array((matrix.data[known], (rows[known], places[known])), shape=shape)
        chosen.sort_indices()
        return chosen

    def _more(self, dataset: Dataset, matrix: sp.csr_array, positions: np.ndarray) -> list[Notice]:
        beyond = [dataset.columns[column].name for column in np.unique(matrix.indices[positions < 0]).tolist()]
        if not beyond:
            return []
        return [Notice.of("unknown columns", NoticeTally(_ignored, words=tuple(beyond)))]

    def document(self) -> dict[str, Any]:
        return {
            "kind": "matrix",
            "rules": vars(self.rules),
            "first": self.first,
            "total": self.total,
            "names": None if self.names is None else list(self.names),
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
        if not scale.all():
            raise ValueError("a column scaled by 0")
        names = None if document["names"] is None else tuple(document["names"])
        if names is not None and (len(names) != total or not all(isinstance(name, str) for name in names)):
            raise ValueError("columns without name")
        return cls(Rules(**document["rules"]), first, total, names, dense, kept, shift, scale, notices_of(document))


def _ignored(tally: NoticeTally) -> Sentence:
    beyond = sorted(tally.words, key=class_order)
    return Sentence("columns that the training data did not have are ignored: {beyond}", beyond=some_names(beyond))


def many_filled(filled: int, count: int, width: int) -> bool:
    """Return whether so many cells are not zero that a file is treated as a table of numbers."""
    return filled >= DENSE * count * width and 8 * count * width <= DENSE_BYTES


def fit_matrix(rules: Rules, dataset: Dataset, dense: bool | None = None) -> MatrixPreparation:
    """Fit the preparation. `dense`: whether to treat the file as a table of numbers; None: its own cells decide."""
    matrix = dataset.matrix
    assert matrix is not None
    count, width = matrix.shape
    dense = many_filled(matrix.nnz, count, width) if dense is None else dense
    scaling = _scaling(rules.scale, matrix, dataset.weights, dense=dense)
    first, notices = _first(dataset.columns), []
    kept = np.flatnonzero(~scaling.constant)
    if kept.size == 0:
        notices, kept = [Notice("constant columns", NOTHING_VARIES)], np.array([0])
        scaling = Scaling(np.zeros(width), np.ones(width), scaling.constant, scaling.reach)
    elif kept.size < width:
        notices = [_constant_notice(dataset.columns, np.flatnonzero(scaling.constant))]
    _check_reach(dataset, scaling, kept)
    if not dense and rules.scale != "none" and not scaling.constant.all():
        by = Sentence("largest magnitude") if rules.scale == "minmax" else Sentence("deviation")
        notices.append(
            Notice(
                "sparse",
                Sentence("the data are sparse and stay so: columns are scaled by their {by}, without shift", by=by),
            )
        )
    labels = [dataset.columns[column].name for column in kept.tolist()] if rules.scale == "none" else []
    notices += spread_notice(rules.scale, labels, scaling.reach[kept])
    shift, scale = scaling.shift[kept], scaling.scale[kept]
    named = not isinstance(dataset.columns, NumberedColumns)
    names = tuple(column.name for column in dataset.columns) if named else None
    return MatrixPreparation(rules, first, width, names, dense, kept, shift, scale, tuple(notices))


def _scaling(rule: str, matrix: sp.csr_array, weights: np.ndarray | None, *, dense: bool) -> Scaling:
    return dense_scaling(rule, matrix.toarray(), weights) if dense else sparse_scaling(rule, matrix, weights)


def _constant_notice(names: Sequence[Column], columns: np.ndarray) -> Notice:
    if columns.size <= 5:
        return constant_notice([names[column].name for column in columns.tolist()])
    return Notice(
        "constant columns",
        Sentence("{count} constant column left out", "{count} constant columns left out", count=columns.size),
    )


def _check_reach(dataset: Dataset, scaling: Scaling, kept: np.ndarray) -> None:
    numbers = np.column_stack([scaling.shift[kept], scaling.scale[kept], scaling.reach[kept]])
    bad = np.flatnonzero(~np.isfinite(numbers).all(axis=1) | (scaling.scale[kept] == 0.0))
    if bad.size:
        column = dataset.columns[int(kept[bad[0]])].name
        raise FileError(
            dataset.name, "column {name} spreads wider than can be computed with; rescale it first", name=column
        )


def _sparse(dataset: Dataset) -> sp.csr_array:
    """Return the rows as a sparse matrix; a dense file with the same columns is converted."""
    if dataset.matrix is not None:
        return dataset.matrix
    assert dataset.table is not None
    text = [column.name for column in dataset.columns if column.kind == "category"]
    if text:
        raise FileError(
            dataset.name,
            "the model was trained on numbers only; these columns hold text: {text}",
            text=some_names(text),
        )
    cells = dataset.table.to_numpy(dtype=np.float64, na_value=np.nan)
    if np.isnan(cells).any():
        raise FileError(
            dataset.name,
            Sentence(
                "{count} cell missing; the model knows no values to fill in",
                "{count} cells missing; the model knows no values to fill in",
                count=int(np.isnan(cells).sum()),
            ),
        )
    return sp.csr_array(cells)


def _first(columns: Sequence[Column]) -> int:
    return columns.first if isinstance(columns, NumberedColumns) else 1


def _scale(chosen: sp.csr_array, shift: np.ndarray, scale: np.ndarray, dense: bool) -> Rows:
    with np.errstate(over="ignore"):
        if dense:
            return (chosen.toarray() - shift) * scale
        return sp.csr_array((chosen.data * scale[chosen.indices], chosen.indices, chosen.indptr), shape=chosen.shape)
