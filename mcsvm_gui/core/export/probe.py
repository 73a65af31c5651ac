"""The raw rows on which an export is tried, and the model's predictions for them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp

from mcsvm.solvers.errors import InputError, Sentence
from mcsvm.solvers.model import decide
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.export.flat_model import FlatColumn, FlatModel, Rows, unused_name
from mcsvm_gui.core.machine.trained import TrainedModel

Source = Literal["row", "training row", "support vector"]
MOST_CELLS = 20_000_000  # largest number of cells of sparse rows written out in full


@dataclass(frozen=True, eq=False)
class Probe:
    """Rows to try.

    `cells` has an array per column of the flat model, float64 with NaN if missing, or text with "" if missing; or it is
    one sparse matrix of numbers.
    """

    cells: tuple[np.ndarray, ...] | sp.csr_array
    expected: np.ndarray  # class numbers; -1 if the model rejects the row
    rows: np.ndarray  # number of each row in `source`; for data rows, their number in the file
    source: Source
    probabilities: np.ndarray | None = None  # (rows, classes), if the model has them

    def __len__(self) -> int:
        return self.expected.size

    def counted(self, count: int) -> Sentence:
        """Return the number of rows in words."""
        return {
            "row": Sentence("{count} row", "{count} rows", count=count),
            "training row": Sentence("{count} training row", "{count} training rows", count=count),
            "support vector": Sentence("{count} support vector", "{count} support vectors", count=count),
        }[self.source]

    def named(self, number: int) -> Sentence:
        return {
            "row": Sentence("row {number}", number=number),
            "training row": Sentence("training row {number}", number=number),
            "support vector": Sentence("support vector {number}", number=number),
        }[self.source]

    def column(self, number: int) -> np.ndarray:
        if isinstance(self.cells, tuple):
            return self.cells[number]
        return self.cells[:, [number]].toarray().ravel()

    def numbers(self) -> np.ndarray:
        """Return the (n, columns) table if all columns are numbers."""
        if not isinstance(self.cells, tuple):
            return self.cells.toarray()
        return np.column_stack(self.cells)

    def take(self, index: np.ndarray) -> Probe:
        cells = self.cells
        part = tuple(cell[index] for cell in cells) if isinstance(cells, tuple) else cells[index]
        shares = None if self.probabilities is None else self.probabilities[index]
        return replace(self, cells=part, expected=self.expected[index], rows=self.rows[index], probabilities=shares)

    def in_full(self) -> Probe:
        """Return as many rows as may be written out with every zero."""
        return self if isinstance(self.cells, tuple) else self.some(max(1, MOST_CELLS // max(1, self.cells.shape[1])))

    def some(self, most: int) -> Probe:
        """Return at most `most` rows, evenly spread."""
        if len(self) <= most:
            return self
        return self.take(np.unique(np.linspace(0, len(self) - 1, max(1, most)).astype(np.int64)))


def prepared(plain: FlatModel, probe: Probe) -> Rows:
    """Return the features that the kernel receives."""
    if not isinstance(probe.cells, tuple):
        return _prepared_sparse(plain, probe.cells)
    if plain.steps is not None:
        cells = {column.name: _as_read(column, probe.cells[n]) for n, column in enumerate(plain.columns)}
        return plain.steps.rows(cells, len(probe))
    filled = [_filled(probe.cells[number], column.fill) for number, column in enumerate(plain.columns)]
    result = np.empty((len(probe), plain.features))
    for feature, (source, level) in enumerate(zip(plain.sources, plain.levels, strict=True)):
        value = filled[source] if level is None else (filled[source] == level)
        result[:, feature] = (value - plain.shift[feature]) * plain.scale[feature]
    return result


def _as_read(column: FlatColumn, cells: np.ndarray) -> np.ndarray:
    if column.kind != "category":
        return cells
    found = cells.copy()
    found[found == ""] = None
    return found


def _filled(cells: np.ndarray, fill: float | str | None) -> np.ndarray:
    if fill is None:
        return cells
    missing = cells == "" if isinstance(fill, str) else np.isnan(cells)
    return np.where(missing, fill, cells)


def _prepared_sparse(plain: FlatModel, cells: sp.csr_array) -> Rows:
    chosen = cells[:, plain.sources]
    if np.any(plain.shift != 0.0):
        return (chosen.toarray() - plain.shift) * plain.scale
    return sp.csr_array(chosen @ sp.diags_array(plain.scale)) if chosen.shape[1] else chosen


def from_vectors(plain: FlatModel, trained: TrainedModel) -> Probe:
    """Return raw rows that become the support vectors (up to rounding) when they are preprocessed."""
    if plain.steps is not None:
        raise InputError(
            "The export was not written, as there are no rows to try it on: the training data are gone, and no row can"
            " be made of words and parts of dates. Name a file to check it with."
        )
    rows = trained.model.points.rows
    cells = _raw_sparse(plain, rows) if sp.issparse(rows) else _raw_cells(plain, rows)
    count = rows.shape[0]
    probe = Probe(cells, np.zeros(count, dtype=np.int64), np.arange(1, count + 1), "support vector")
    values = trained.model.decision(prepared(plain, probe))
    by_rule = plain.rule is not None
    expected = plain.choose(values) if by_rule else decide(trained.model.machine, values, plain.classes)
    return replace(probe, expected=expected, probabilities=plain.probabilities(values))


def _raw_sparse(plain: FlatModel, rows: sp.csr_array) -> sp.csr_array:
    """Undo the scaling of sparse rows; they have no shift, and may have a million columns."""
    entries = rows.tocoo()
    row, feature = entries.coords
    values = entries.data / plain.scale[feature]
    return sp.csr_array((values, (row, plain.sources[feature])), shape=(rows.shape[0], len(plain.columns)))


def _raw_cells(plain: FlatModel, rows: np.ndarray) -> tuple[np.ndarray, ...]:
    raw = rows / np.where(plain.scale == 0.0, 1.0, plain.scale) + plain.shift
    return tuple(_raw(plain, raw, number) for number in range(len(plain.columns)))


def _raw(plain: FlatModel, raw: np.ndarray, number: int) -> np.ndarray:
    members = np.flatnonzero(plain.sources == number)
    levels = plain.columns[number].levels
    if levels is None:
        return raw[:, members[0]] if members.size else np.zeros(len(raw))
    known = raw[:, members].max(axis=1) > 0.5
    names = np.array([plain.levels[member] for member in members], dtype=object)[raw[:, members].argmax(axis=1)]
    return np.where(known, names, unused_name("?", levels))


def of_dataset(plain: FlatModel, trained: TrainedModel, dataset: Dataset, source: Source = "row") -> Probe:
    """Build the probe of a data set, without rows that have a missing cell and no rule for it."""
    every = _numbered(plain, dataset) if dataset.table is None else _cells(plain, dataset)
    rows = np.flatnonzero(_usable(plain, every))
    cells = tuple(cell[rows] for cell in every) if isinstance(every, tuple) else every[rows]
    numbers = {name: number for number, name in enumerate(plain.class_names)}
    found = trained.predictions(dataset if rows.size == dataset.rows else dataset.take(rows), probabilities=True)
    expected = np.array([-1 if label is None else numbers[label] for label in found.labels], dtype=np.int64)
    return Probe(cells, expected, dataset.row_numbers[rows], source, found.probabilities)


def _cells(plain: FlatModel, dataset: Dataset) -> tuple[np.ndarray, ...]:
    """Return the cells column by column; a column without features may be absent."""
    places = {column.name: place for place, column in enumerate(dataset.columns)}
    needed = {plain.columns[source].name for source in plain.sources.tolist()}
    assert dataset.table is not None
    cells = []
    for column in plain.columns:
        place = places.get(column.name)
        if place is None and column.name in needed:
            raise InputError(
                "The data to check the export with has no column {name!r}, which the model needs.", name=column.name
            )
        fits = place is not None and dataset.columns[place].kind == column.kind
        if column.name in needed and not fits:
            raise InputError(
                "The column {name!r} is of another kind here than in the data trained on.", name=column.name
            )
        cells.append(_column(dataset.table.iloc[:, place], column) if fits else np.zeros(dataset.rows))
    return tuple(cells)


def _column(series: Any, column: FlatColumn) -> np.ndarray:
    if column.numeric:
        return series.to_numpy(dtype=np.float64, na_value=np.nan)
    return np.array([value if isinstance(value, str) else "" for value in series], dtype=object)


def _numbered(plain: FlatModel, dataset: Dataset) -> sp.csr_array:
    """Return the columns by their numbers, wherever the file starts to count; absent columns are zero."""
    assert dataset.matrix is not None
    known = {column.name: place for place, column in enumerate(plain.columns)}
    places = np.array([known.get(column.name, -1) for column in dataset.columns], dtype=np.int64)
    entries = dataset.matrix.tocoo()
    here = places[entries.coords[1]] >= 0
    where = (entries.coords[0][here], places[entries.coords[1][here]])
    return sp.csr_array((entries.data[here], where), shape=(dataset.rows, len(known)))


def _usable(plain: FlatModel, cells: Any) -> np.ndarray:
    """Return which rows have no missing cell in the columns that need a value."""
    if not isinstance(cells, tuple):
        return np.ones(cells.shape[0], dtype=bool)
    usable = np.ones(len(cells[0]), dtype=bool)
    for number in set(plain.sources.tolist()):
        column, values = plain.columns[number], cells[number]
        if column.fill is None:
            usable &= ~np.isnan(values) if column.numeric else values != ""
    return usable
