"""The last step of every dense reader: label and features apart, checked, and put into a Dataset."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import scipy.sparse as sp

from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.data.dataset import Column, Dataset, Guess, Notice
from mcsvm_gui.core.data.readers import labels
from mcsvm_gui.core.data.readers.features import from_cells, look_at, make_table
from mcsvm_gui.core.data.readers.labels import LabelColumn
from mcsvm_gui.core.data.readers.source import Source


@dataclass(frozen=True)
class Raw:
    """A table as a format's reader leaves it. `column(j)`: float64 numbers, or text with None for nothing."""

    source: Source
    format: str
    names: Sequence[str]
    column: Callable[[int], np.ndarray]
    label: LabelColumn
    lines: np.ndarray
    decimal: str = "."
    guesses: tuple[Guess, ...] = ()
    notices: tuple[Notice, ...] = ()
    dropped: tuple[int, ...] = ()
    categories: frozenset[int] = frozenset()  # declared, whatever their values look like


Sparse = Callable[[], tuple[Sequence[Column], sp.csr_array]]


def assemble(raw: Raw, *, needs_label: bool, sparse: Sparse | None = None) -> Dataset:
    """Checks the label first: what is wrong with it explains most of what is wrong with the rest."""
    path, position = raw.source.path, raw.label.position
    if not len(raw.lines):
        raise FileError(path, "no data rows; a data file has a line per example")
    checked = labels.Labels(None, ())
    if position is not None:
        name, cells = raw.names[position], raw.column(position)
        checked = labels.check(path, name, cells, raw.lines, needs_label=needs_label, guessed=raw.label.guessed)
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
        guesses=(*raw.guesses, *raw.label.guesses),
        notices=(*raw.notices, *raw.label.notices, *checked.notices, *looked),
        digest=raw.source.digest,
    )


_Features = tuple[Sequence[Column], pd.DataFrame | None, sp.csr_array | None, list[Notice]]


def _dense(raw: Raw) -> _Features:
    kept = [j for j in range(len(raw.names)) if j != raw.label.position and j not in raw.dropped]
    found = [(raw.names[j], raw.column(j)) for j in kept]
    declared = {raw.names[j] for j in raw.categories}
    values, notices = from_cells(raw.source.path, found, raw.lines, raw.decimal, declared)
    columns, table = make_table(raw.source.path, [name for name, _ in found], values)
    return columns, table, None, notices + look_at(columns, values, raw.lines)


def _sparse(sparse: Sparse) -> _Features:
    columns, matrix = sparse()
    return columns, None, matrix, []
