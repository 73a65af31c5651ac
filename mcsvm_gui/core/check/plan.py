"""A plan of data, training and test, and everything that checks of data examine, each value computed once."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pandas as pd

from mcsvm.solvers.errors import InputError, Sentence
from mcsvm_gui.core.data import inspection, preparation, splitting
from mcsvm_gui.core.data.dataset import Column, Dataset, Notice, NumberedColumns
from mcsvm_gui.core.data.formats import READERS
from mcsvm_gui.core.data.options import Rules
from mcsvm_gui.core.data.preparation.cells import all_held_cells, held_cells
from mcsvm_gui.core.data.remedies import for_column
from mcsvm_gui.core.data.roles.grouping import likely_groups
from mcsvm_gui.core.data.splitting import Split
from mcsvm_gui.core.machine.request import Request

LOOKED = 4_000  # largest number of rows that columns are checked on, a random sample: a share of 1% is known to 0.3%
CELLS = 4_000_000  # largest number of cells in these rows; 0.2 s for all checks of columns
MOST_LEVELS = 200  # of prepared columns: each level makes a column of all rows; more levels are reported immediately
FULLEST = 2_000  # columns of a sparse file that are checked: those with the most stored cells


class Held(NamedTuple):
    """A column of the examined rows: float64 with NaN, or objects of str with None."""

    position: int
    column: Column
    cells: np.ndarray

    @property
    def name(self) -> str:
        return self.column.name

    @property
    def numeric(self) -> bool:
        return self.cells.dtype != object


class PreparedPlan(NamedTuple):
    notices: tuple[Notice, ...]
    error: InputError | None  # why training is impossible


@dataclass(frozen=True, eq=False)
class CheckedPlan:
    dataset: Dataset
    test: Dataset | None = None  # rows of another file
    rules: Rules = field(default_factory=Rules)
    split: str = "auto"
    holdout: float | None = None  # None if there is a test file
    folds: int = 5
    seed: int = 0
    kernel: str = "rbf"
    weighted: bool = False  # whether classes are weighted

    @classmethod
    def of(cls, request: Request, dataset: Dataset, test: Dataset | None = None, folds: int = 5) -> CheckedPlan:
        same = {name: getattr(request, name) for name in ("rules", "split", "holdout", "seed", "kernel")}
        return cls(dataset, test, folds=folds, weighted=request.class_weight is not None, **same)

    # -- sides ------------------------------------------------------------------------------------

    @cached_property
    def sides(self) -> Split | None:
        """Training rows and held-out rows."""
        if self.holdout is None or self.test is not None or self.dataset.labels is None:
            return None
        try:
            return splitting.held_out(self.dataset, self.holdout, self.seed, self.split)
        except InputError:
            return None

    @cached_property
    def training(self) -> Dataset:
        return self.dataset if self.sides is None else self.dataset.take(self.sides.train)

    @cached_property
    def keys(self) -> np.ndarray:
        """(rows,) equal for equal rows."""
        return inspection.row_keys(self.dataset)

    @cached_property
    def tested(self) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
        """Keys of training rows, keys of test rows, and the positions of the test rows; None without a test."""
        if self.test is not None:
            other = _with_columns_of(self.dataset, self.test)
            return None if other is None else (self.keys, inspection.row_keys(other), np.arange(other.rows))
        if self.sides is None:
            return None
        return self.keys[self.sides.train], self.keys[self.sides.test], self.sides.test

    def name_rows_by(self, name: str) -> Sentence | None:
        """Return the option that makes a column name the rows; None if the columns of the format cannot be chosen."""
        known = READERS[self.dataset.format].options if self.dataset.format in READERS else ()
        return for_column("names", name) if "names" in known else None

    def leave_out(self, name: str) -> Sentence | None:
        """Return the option that leaves a column out; None if the columns of the format cannot be chosen."""
        known = READERS[self.dataset.format].options if self.dataset.format in READERS else ()
        return for_column("drop", name) if "drop" in known else None

    # -- columns ----------------------------------------------------------------------------------

    @cached_property
    def looked(self) -> np.ndarray:
        """Rows that columns are checked on, in increasing order."""
        width = len(self._positions)
        return some_rows(self.dataset.rows, width, self.seed)

    @cached_property
    def codes(self) -> np.ndarray:
        """(looked,) classes by number."""
        labels = self.dataset.labels
        assert labels is not None
        return pd.factorize(labels[self.looked])[0]

    @cached_property
    def columns(self) -> list[Held]:
        return held_columns(self.dataset, self.looked, self._positions)

    @cached_property
    def _positions(self) -> np.ndarray:
        matrix = self.dataset.matrix
        if matrix is None:  # the features of texts are words, so texts are not checked
            return np.flatnonzero([column.kind != "text" for column in self.dataset.columns])
        if matrix.shape[1] <= FULLEST:
            return np.arange(len(self.dataset.columns))
        stored = np.bincount(matrix.indices, minlength=matrix.shape[1])
        return np.sort(np.argsort(-stored, kind="stable")[:FULLEST])

    @cached_property
    def likely_groups(self) -> dict[str, int]:
        """Columns that look like groups of rows, with their numbers of groups."""
        return likely_groups(self.dataset)

    def whole(self, held: Held) -> np.ndarray:
        """Return all cells of a column of a table."""
        return held_cells(self.dataset, held.position)

    # -- preparation ------------------------------------------------------------------------------

    @cached_property
    def levels(self) -> dict[int, int]:
        """The number of different texts of each categorical column of a table, by its position."""
        table, columns = self.dataset.table, self.dataset.columns
        if table is None:
            return {}
        return {
            position: int(table.iloc[:, position].nunique())
            for position, column in enumerate(columns)
            if column.kind == "category"
        }

    @cached_property
    def prepared(self) -> PreparedPlan:
        """Notices or the error of the preparation; missing cells are reported elsewhere."""
        refused = self.rules.missing == "reject" and self.dataset.missing > 0
        rules = replace(self.rules, missing="mean") if refused else self.rules
        few = [position for position in range(len(self.dataset.columns)) if self.levels.get(position, 0) <= MOST_LEVELS]
        if not few:
            return PreparedPlan((), None)
        try:
            part, dropped = preparation.complete(rules, _with_columns(self.dataset, few))
            notices = (*dropped, *preparation.fit(rules, part).notices)
        except InputError as error:
            return PreparedPlan((), error)
        return PreparedPlan(tuple(one for one in notices if not (refused and one.code == "filled")), None)


def _with_columns(dataset: Dataset, kept: list[int]) -> Dataset:
    if len(kept) == len(dataset.columns):
        return dataset
    assert dataset.table is not None
    columns = tuple(dataset.columns[position] for position in kept)
    return replace(dataset, columns=columns, table=dataset.table.iloc[:, kept])


def some_rows(rows: int, width: int, seed: int) -> np.ndarray:
    most = min(LOOKED, max(200, CELLS // max(1, width)))
    if rows <= most:
        return np.arange(rows)
    return np.sort(np.random.default_rng(seed).choice(rows, most, replace=False))


def held_columns(dataset: Dataset, rows: np.ndarray, positions: np.ndarray) -> list[Held]:
    part = dataset.take(rows)
    if part.matrix is not None:
        dense = part.matrix[:, positions].toarray().T
        cells = dict(zip(positions.tolist(), np.asarray(dense, dtype=np.float64), strict=True))
    else:
        cells = dict(zip(positions.tolist(), all_held_cells(part, positions.tolist()), strict=True))
    return [Held(position, dataset.columns[position], cells[position]) for position in cells]


def _with_columns_of(training: Dataset, other: Dataset) -> Dataset | None:
    """Return the columns in the order of training, so that equal rows are equal; None if any column is missing."""
    if (training.matrix is None) != (other.matrix is None) or isinstance(training.columns, NumberedColumns):
        return other if training.matrix is not None and other.matrix is not None else None
    place = {column.name: position for position, column in enumerate(other.columns)}
    if any(place.get(column.name) is None for column in training.columns):
        return None
    order = [place[column.name] for column in training.columns]
    kinds: list[Column] = [other.columns[position] for position in order]
    if other.table is not None:
        return replace(other, columns=kinds, table=other.table.iloc[:, order])
    assert other.matrix is not None
    return replace(other, columns=kinds, matrix=other.matrix[:, order])
