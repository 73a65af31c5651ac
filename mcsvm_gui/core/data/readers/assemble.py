"""The last step of every dense reader: label and features apart, checked, and put into a Dataset."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp

from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.data.dataset import Column, Dataset, Guess, Notice
from mcsvm_gui.core.data.phrases import quoted
from mcsvm_gui.core.data.readers import labels, roles
from mcsvm_gui.core.data.readers.features import from_cells, look_at, make_table
from mcsvm_gui.core.data.readers.roles import Roles
from mcsvm_gui.core.data.readers.source import Source


@dataclass(frozen=True)
class Raw:
    """A table as a format's reader leaves it. `column(j)`: float64 numbers, or text with None for nothing."""

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
    categories: frozenset[int] = frozenset()  # declared, whatever their values look like


Sparse = Callable[[], tuple[Sequence[Column], sp.csr_array]]


def assemble(raw: Raw, *, needs_label: bool, sparse: Sparse | None = None) -> Dataset:
    """Checks the label first: what is wrong with it explains most of what is wrong with the rest."""
    path, position = raw.source.path, raw.roles.label.position
    if not len(raw.lines):
        raise FileError(path, "no data rows; a data file has a line per example")
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
        )
    columns, table, matrix, looked = _dense(raw) if sparse is None else _sparse(sparse)
    return Dataset(
        name=str(path),
        format=raw.format,
        columns=columns,
        table=table,
        matrix=matrix,
        label_name=None if checked.values is None or position is None else raw.names[position],
        labels=checked.values,
        lines=raw.lines,
        guesses=(*raw.guesses, *raw.roles.label.guesses),
        notices=(*raw.notices, *raw.roles.notices, *raw.roles.label.notices, *checked.notices, *looked),
        digest=raw.source.digest,
        weight_name=None if weighing is None else weighing.name,
        weights=None if weighing is None else weighing.values,
        weightless=0 if weighing is None else weighing.left_out,
        **_splitting(raw, needed=needs_label),
    )


def _splitting(raw: Raw, *, needed: bool) -> dict[str, Any]:
    """Columns that rows are split by, with their names."""
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
    """The rows of positive weight: nothing that comes after sees the others."""
    kept = np.flatnonzero(weighing.values > 0.0)
    gone = len(raw.lines) - kept.size
    if not gone:
        return raw, weighing, sparse
    _refuse_one_class(raw, weighing.name, kept)
    notices = (*raw.notices, *roles.left_out(weighing.name, gone))
    fewer = replace(raw, column=lambda j: raw.column(j)[kept], lines=raw.lines[kept], notices=notices)
    return fewer, _Weighing(weighing.name, weighing.values[kept], gone), sparse and _rows_of(sparse, kept)


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


_Features = tuple[Sequence[Column], pd.DataFrame | None, sp.csr_array | None, list[Notice]]


def _dense(raw: Raw) -> _Features:
    kept = [j for j in range(len(raw.names)) if j not in raw.roles.taken and j not in raw.dropped]
    found = [(raw.names[j], raw.column(j)) for j in kept]
    declared = {raw.names[j] for j in raw.categories}
    values, notices = from_cells(raw.source.path, found, raw.lines, raw.decimal, declared)
    columns, table = make_table(raw.source.path, [name for name, _ in found], values)
    return columns, table, None, notices + look_at(columns, values, raw.lines)


def _sparse(sparse: Sparse) -> _Features:
    columns, matrix = sparse()
    return columns, None, matrix, []
