"""The content of a file as an immutable value: columns, classes, guesses, warnings."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal, overload

import numpy as np
import pandas as pd
import scipy.sparse as sp

from mcsvm.solvers.errors import Sentence
from mcsvm_gui.core.data.phrases import NO_LINES, Lines
from mcsvm_gui.core.data.row_source import FILE, ROW, RowSource
from mcsvm_gui.core.data.spellings import class_order

if TYPE_CHECKING:
    from mcsvm_gui.core.data.blocks.look import TableLook


@dataclass(frozen=True)
class Guess:
    """A guess of a reader, and the option that overrides it."""

    what: str
    value: str
    option: str


@dataclass(frozen=True)
class NoticeTally:
    """The counts in a notice, by which notices of several parts of a file are added up; `say` makes the sentence."""

    say: Callable[[NoticeTally], Sentence]
    count: int = 0
    more: int = 0  # of another kind
    lines: Lines = NO_LINES
    about: str = ""  # the column, if there is a notice for each
    columns: tuple[str, ...] = ()
    words: tuple[str, ...] = ()

    def joined(self, later: NoticeTally) -> NoticeTally:
        columns = tuple(dict.fromkeys((*self.columns, *later.columns)))
        words = tuple(dict.fromkeys((*self.words, *later.words)))
        lines = self.lines.joined(later.lines)
        more = self.more + later.more
        return NoticeTally(self.say, self.count + later.count, more, lines, self.about, columns, words)


@dataclass(frozen=True)
class Notice:
    """A warning as a value: a code for programs, and a sentence for users, which names the possible remedies."""

    code: str
    sentence: Sentence
    tally: NoticeTally | None = field(default=None, compare=False, repr=False, kw_only=True)

    @staticmethod
    def of(code: str, tally: NoticeTally) -> Notice:
        return Notice(code, tally.say(tally), tally=tally)


# dates are seconds since 1970, by the local clock of their place
ColumnKind = Literal["number", "category", "text", "date"]


@dataclass(frozen=True)
class Column:
    name: str
    kind: ColumnKind

    @property
    def numeric(self) -> bool:
        """Whether its cells are float64, NaN for missing; else they are text, None for missing."""
        return self.kind in ("number", "date")


@dataclass(frozen=True)
class NumberedColumns(Sequence[Column]):
    """The columns of a sparse file, named by index and created on demand: there may be millions."""

    first: int
    total: int

    def __len__(self) -> int:
        return self.total

    def __iter__(self) -> Iterator[Column]:
        return (Column(str(index), "number") for index in range(self.first, self.first + self.total))

    @overload
    def __getitem__(self, position: int) -> Column: ...

    @overload
    def __getitem__(self, position: slice) -> tuple[Column, ...]: ...

    def __getitem__(self, position: int | slice) -> Column | tuple[Column, ...]:
        indices = range(self.first, self.first + self.total)[position]
        if isinstance(indices, range):
            return tuple(Column(str(index), "number") for index in indices)
        return Column(str(indices), "number")


@dataclass(frozen=True, eq=False)
class Dataset:
    name: str  # the file as the user named it
    format: str
    columns: Sequence[Column]  # features in file order; LIBSVM: named by index
    table: pd.DataFrame | None  # dense: float64 columns (NaN = missing) and object columns of str (None = missing)
    matrix: sp.csr_array | None  # sparse; exactly one of table and matrix
    label_name: str | None  # None if the file has no label column
    labels: np.ndarray | None  # (rows,) object array of str: class names as in the file, outer blanks stripped
    lines: np.ndarray | None  # (rows,) line of each row in the file, if known
    guesses: tuple[Guess, ...]
    notices: tuple[Notice, ...]
    digest: str  # of the uncompressed bytes
    weight_name: str | None = None  # None if no column of weights was named
    weights: np.ndarray | None = None  # (rows,) float64, not negative; positive if the rows are used for training
    group_name: str | None = None
    groups: np.ndarray | None = None  # (rows,) numbers or text: rows of one group stay together in splits
    fold_name: str | None = None
    folds: np.ndarray | None = None  # (rows,) numbers or text: the fold in which each row is tested
    weightless: int = 0  # rows of weight 0 that were left out
    tables: tuple[str, ...] = ()  # of a file with several
    # text columns that are shown, but never learned from
    row_names: Mapping[str, np.ndarray] = field(default_factory=dict)
    order: tuple[str, ...] = ()  # all columns of the file, whatever their use; empty for LIBSVM files
    date_order: str = ""  # the order of day and month, if there are dates that need it
    before: int | None = None  # if these are a part of a file's rows: the number of rows before them
    look: TableLook | None = None  # the facts from which the notices about its columns are made
    source: RowSource | None = None  # None: all data rows of the file with this digest, in order
    kept: Mapping[str, np.ndarray] = field(default_factory=dict)  # further columns that are written next to predictions
    class_list: tuple[str, ...] = ()  # the classes in their order, if that is not the usual one

    @property
    def rows(self) -> int:
        held = self.table if self.table is not None else self.matrix
        assert held is not None
        return int(held.shape[0])

    @cached_property
    def row_source(self) -> RowSource:
        """Return the file of each row, and its number among the data rows of that file."""
        if self.source is not None:
            return self.source
        return RowSource.of_file(self.name, self.digest, self.rows, self.before or 0)

    @property
    def row_numbers(self) -> np.ndarray:
        """Return (rows,) the number of each row among the data rows of its file, from 1."""
        return self.row_source.numbers

    @property
    def row_columns(self) -> dict[str, np.ndarray]:
        """Return the columns that identify a row besides its number: its file, if there are several, and its names."""
        files = self.row_source.file_names
        return {**({} if files is None else {FILE: files}), **self.row_names}

    @property
    def row_headings(self) -> tuple[str, ...]:
        """Return the headings of the columns that every table of rows begins with."""
        return (ROW, *self.row_columns)

    @property
    def unused(self) -> tuple[str, ...]:
        """Columns of the file that are excluded from learning."""
        used = {column.name for column in self.columns} if self.order else set()
        used |= set(self.with_roles)
        return tuple(name for name in self.order if name not in used)

    @property
    def with_roles(self) -> tuple[str, ...]:
        """Return the columns of the file that are label, weight, group or fold."""
        return tuple(
            name for name in (self.label_name, self.weight_name, self.group_name, self.fold_name) if name is not None
        )

    def row_cells(self, position: int) -> list[object]:
        """Return the cells under `row_headings` for the row at this position."""
        return [int(self.row_numbers[position]), *(cells[position] for cells in self.row_columns.values())]

    @cached_property
    def _counts(self) -> dict[str, int]:
        values = pd.Series([] if self.labels is None else self.labels, dtype=object).value_counts()
        names = [name for name in self.class_list if name in values.index] or sorted(values.index, key=class_order)
        return {name: int(values[name]) for name in names}

    @property
    def classes(self) -> tuple[str, ...]:
        """Return the distinct labels, as in `class_list`, or numbers by value and then text by code point."""
        return tuple(self._counts)

    @property
    def class_counts(self) -> tuple[int, ...]:
        """One count per class, in the order of `classes`."""
        return tuple(self._counts.values())

    @cached_property
    def class_totals(self) -> dict[str, float]:
        """Rows of each class, or the sum of their weights, in the order of `classes`."""
        if self.weights is None or self.labels is None:
            return dict(zip(self.classes, self.class_counts, strict=True))
        sums = pd.Series(self.weights).groupby(self.labels).sum()
        return {name: float(sums[name]) for name in self.classes}

    @cached_property
    def missing(self) -> int:
        """The number of missing feature cells."""
        return 0 if self.table is None else int(self.table.isna().to_numpy().sum())

    def counting(self) -> Dataset:
        """Return the rows of positive weight; a row of weight 0 does not count."""
        if self.weights is None or self.weights.all():
            return self
        kept = self.weights > 0.0
        gone = self.weightless + int(self.rows - kept.sum())
        return replace(self.take(kept), digest=self.digest, weightless=gone)

    def take(self, index: np.ndarray | Sequence[int]) -> Dataset:
        """Return the rows at these positions, or the rows that a mask selects, as a Dataset with its own digest.

        Rows keep their numbers and names.
        """
        chosen = np.asarray(index)
        chosen = np.flatnonzero(chosen) if chosen.dtype == bool else chosen.astype(np.int64)
        return replace(
            self,
            table=None if self.table is None else self.table.iloc[chosen].reset_index(drop=True),
            matrix=None if self.matrix is None else self.matrix[chosen],
            labels=None if self.labels is None else self.labels[chosen],
            lines=None if self.lines is None else self.lines[chosen],
            weights=None if self.weights is None else self.weights[chosen],
            groups=None if self.groups is None else self.groups[chosen],
            folds=None if self.folds is None else self.folds[chosen],
            row_names={name: cells[chosen] for name, cells in self.row_names.items()},
            kept={name: cells[chosen] for name, cells in self.kept.items()},
            source=self.row_source.take(chosen),
            digest=hashlib.sha256(self.digest.encode() + chosen.astype("<i8").tobytes()).hexdigest(),
        )
