"""The last step of every dense reader: separate label and features, check them, and build a Dataset."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp

from mcsvm.solvers.errors import Sentence
from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.data.blocks.look import TableLook
from mcsvm_gui.core.data.dataset import Column, Dataset, Guess, Notice
from mcsvm_gui.core.data.options import AUTOMATIC
from mcsvm_gui.core.data.phrases import names, quoted
from mcsvm_gui.core.data.readers import label_column, labels, roles
from mcsvm_gui.core.data.readers.features import ReadFeatures, from_cells, make_table
from mcsvm_gui.core.data.readers.roles import Roles
from mcsvm_gui.core.data.readers.source import Source
from mcsvm_gui.core.data.remedies import Remedy
from mcsvm_gui.core.data.roles.choosing import rows_where
from mcsvm_gui.core.data.roles.conditions import CLASS
from mcsvm_gui.core.data.roles.naming import names_rows
from mcsvm_gui.core.data.row_source import RowFile, RowSource


@dataclass(frozen=True)
class Raw:
    """A table as a format's reader returns it. `column(j)`: float64 numbers, or text with None for an empty cell."""

    source: Source
    format: str
    names: Sequence[str]
    column: Callable[[int], np.ndarray]
    roles: Roles
    lines: np.ndarray
    decimal: str = "."
    guesses: tuple[Guess, ...] = ()
    notices: tuple[Notice, ...] = ()
    dropped: tuple[int, ...] = ()
    categories: frozenset[int] = frozenset()  # columns declared as categories, even if their values look like numbers
    before: int | None = None  # rows of the file before these, if these are a part of it
    numbers: np.ndarray | None = None  # numbers of the data rows in the file; None: all rows, counted from 1


Sparse = Callable[[], tuple[Sequence[Column], sp.csr_array]]


def assemble(raw: Raw, *, needs_label: bool, sparse: Sparse | None = None) -> Dataset:
    """Build the data set. Checks the label first: an error in it explains most errors in the other columns."""
    path, position = raw.source.path, raw.roles.label.position
    if not len(raw.lines):
        raise FileError(path, "no data rows; a data file has a line per example")
    raw, sparse = _chosen(raw, sparse)
    weighing = _weighing(raw)
    if weighing is not None and needs_label:
        raw, weighing, sparse = _counting(raw, weighing, sparse)
    checked = labels.Labels(None, ())
    if position is not None:
        name, cells = raw.names[position], raw.column(position)
        checked = labels.check(
            path,
            name,
            cells,
            raw.lines,
            needs_label=needs_label,
            guessed=raw.roles.label.guessed,
            how=raw.roles.spellings,
            merge=raw.roles.merge,
        )
    held = _dense(raw) if sparse is None else _sparse(raw, sparse)
    digest = raw.source.digest
    return Dataset(
        name=str(path),
        format=raw.format,
        columns=held.columns,
        table=held.table,
        matrix=held.matrix,
        label_name=None if checked.values is None or position is None else raw.names[position],
        labels=checked.values,
        lines=raw.lines,
        guesses=(*raw.guesses, *raw.roles.label.guesses),
        notices=(*raw.notices, *raw.roles.notices, *raw.roles.label.notices, *checked.notices, *held.notices),
        digest=digest,
        weight_name=None if weighing is None else weighing.name,
        weights=None if weighing is None else weighing.values,
        weightless=0 if weighing is None else weighing.left_out,
        row_names=held.row_names,
        order=tuple(raw.names),
        date_order=held.date_order,
        before=raw.before,
        look=held.look,
        source=None if raw.numbers is None else RowSource(raw.numbers, (RowFile(str(path), digest),)),
        kept={raw.names[j]: _words(raw.column(j)) for j in raw.roles.kept},
        **_splitting(raw, needed=needs_label),
    )


def _splitting(raw: Raw, *, needed: bool) -> dict[str, Any]:
    """Return the columns by which rows are split, with their names."""
    found: dict[str, Any] = {}
    for role, position in (("group", raw.roles.groups), ("fold", raw.roles.folds)):
        if position is not None:
            name, cells = raw.names[position], raw.column(position)
            values = roles.names_of(raw.source.path, name, cells, raw.lines, needed=needed)
            found |= {f"{role}_name": name, f"{role}s": values}
    return found


@dataclass(frozen=True)
class _Weighing:
    name: str
    values: np.ndarray
    left_out: int = 0


def _weighing(raw: Raw) -> _Weighing | None:
    position = raw.roles.weights
    if position is None:
        return None
    name = raw.names[position]
    return _Weighing(name, roles.weights_of(raw.source.path, name, raw.column(position), raw.lines, raw.decimal))


def _counting(raw: Raw, weighing: _Weighing, sparse: Sparse | None) -> tuple[Raw, _Weighing, Sparse | None]:
    """Keep the rows of positive weight; later steps do not see the other rows."""
    kept = np.flatnonzero(weighing.values > 0.0)
    gone = len(raw.lines) - kept.size
    if not gone:
        return raw, weighing, sparse
    _refuse_one_class(raw, weighing.name, kept)
    notices = (*raw.notices, *roles.left_out(weighing.name, gone))
    fewer = replace(_taking(raw, kept), notices=notices)
    return fewer, _Weighing(weighing.name, weighing.values[kept], gone), sparse and _rows_of(sparse, kept)


def _taking(raw: Raw, kept: np.ndarray) -> Raw:
    numbers = np.arange(1, len(raw.lines) + 1) if raw.numbers is None else raw.numbers
    return replace(raw, column=lambda j: raw.column(j)[kept], lines=raw.lines[kept], numbers=numbers[kept])


def _chosen(raw: Raw, sparse: Sparse | None) -> tuple[Raw, Sparse | None]:
    """Keep the requested rows; later steps do not see the other rows."""
    path, label = raw.source.path, raw.roles.label.position

    def cells(name: str) -> np.ndarray:
        if name == CLASS and name not in raw.names and label is not None:
            return labels.as_classes(raw.column(label), raw.roles.spellings)
        found = label_column.find(path, raw.names, raw.names, name, "where", needed=True)
        assert found is not None
        return raw.column(found)

    kept, notices = rows_where(path, raw.roles.where, cells, len(raw.lines))
    if kept is None:
        return raw, sparse
    return replace(_taking(raw, kept), notices=(*raw.notices, *notices)), sparse and _rows_of(sparse, kept)


def _rows_of(sparse: Sparse, kept: np.ndarray) -> Sparse:
    def chosen() -> tuple[Sequence[Column], sp.csr_array]:
        columns, matrix = sparse()
        return columns, matrix[kept]

    return chosen


def _refuse_one_class(raw: Raw, name: str, kept: np.ndarray) -> None:
    position = raw.roles.label.position
    if position is None:
        return
    codes = pd.factorize(raw.column(position))[0]
    if len(set(codes[kept].tolist())) < 2 <= len(set(codes.tolist())):
        raise FileError(
            raw.source.path,
            "only rows of class {only} have a weight above 0 in column {name}; training needs two classes",
            only=quoted(str(raw.column(position)[kept[0]])),
            name=quoted(name),
            column=name,
        )


@dataclass(frozen=True)
class _Held:
    """The features, and the columns that are only shown."""

    columns: Sequence[Column]
    table: pd.DataFrame | None
    matrix: sp.csr_array | None
    notices: tuple[Notice, ...] = ()
    row_names: Mapping[str, np.ndarray] = field(default_factory=dict)
    date_order: str = ""
    look: TableLook | None = None


def _dense(raw: Raw) -> _Held:
    kept = [j for j in range(len(raw.names)) if j not in raw.roles.taken and j not in raw.dropped]
    cells = [(raw.names[j], raw.column(j)) for j in kept]
    kinds = {raw.names[j]: kind for j, kind in raw.roles.kinds.items()}
    declared = {raw.names[j] for j in raw.categories}
    order = "" if raw.roles.date_order == AUTOMATIC else raw.roles.date_order
    found = from_cells(raw.source.path, cells, raw.lines, raw.decimal, kinds, order, declared)
    shown = _shown(raw)
    naming: tuple[Notice, ...] = ()
    if raw.roles.names_wanted:
        untitled = {raw.names[0]} if 0 in raw.roles.untitled else set()
        found, by_themselves = _without_names(found, untitled, {*kinds})
        shown |= {name: _words(cells) for name, cells in by_themselves.items()}
        naming = _named(list(by_themselves))
    table = make_table(raw.source.path, found)
    look = TableLook.of(found.columns, found.values, raw.lines, raw.before or 0)
    return _Held(
        found.columns,
        table,
        None,
        (*found.notices, *chain(*found.own), *naming, *look.notices()),
        shown,
        found.date_order,
        look,
    )


def _without_names(
    found: ReadFeatures, untitled: Set[str], decided: Set[str]
) -> tuple[ReadFeatures, dict[str, np.ndarray]]:
    """Separate the columns that only name the rows, unless no feature would remain."""
    pairs = list(zip(found.columns, found.values, strict=True))
    apart = {
        column.name: cells
        for column, cells in pairs
        if column.name not in decided and names_rows(column.name, cells, untitled=column.name in untitled)
    }
    if not apart or len(apart) == len(pairs):
        return found, {}
    return found.without(set(apart)), apart


def _named(found: Sequence[str]) -> tuple[Notice, ...]:
    if not found:
        return ()
    sentence = Sentence(
        "column {names} only names the rows: it is shown and not learned; otherwise {names_option}",
        "columns {names} only name the rows: they are shown and not learned; otherwise {names_option}",
        count=len(found),
        names=names(found),
        names_option=Remedy("names", "none", verb="say"),
    )
    return (Notice("row-names", sentence),)


def _shown(raw: Raw) -> dict[str, np.ndarray]:
    return {raw.names[j]: _words(raw.column(j)) for j in raw.roles.names}


def _words(cells: np.ndarray) -> np.ndarray:
    words = np.empty(len(cells), dtype=object)
    if cells.dtype == np.float64:
        words[:] = ["" if np.isnan(cell) else f"{cell:.15g}" for cell in cells.tolist()]
    else:
        words[:] = ["" if cell is None or pd.isna(cell) else str(cell) for cell in cells]
    return words


def _sparse(raw: Raw, sparse: Sparse) -> _Held:
    columns, matrix = sparse()
    return _Held(columns, None, matrix, row_names=_shown(raw))
