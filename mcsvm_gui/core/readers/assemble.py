"""The last step of every dense reader: label and features apart, checked, and put into a Dataset."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from mcsvm_gui.core.dataset import Dataset, Guess, Notice
from mcsvm_gui.core.errors import FileError
from mcsvm_gui.core.readers import labels
from mcsvm_gui.core.readers.features import from_cells, look_at, make_table
from mcsvm_gui.core.readers.labels import LabelColumn
from mcsvm_gui.core.readers.source import Source


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


def assemble(raw: Raw, *, needs_label: bool) -> Dataset:
    path, position = raw.source.path, raw.label.position
    if not len(raw.lines):
        raise FileError(path, "no data rows; a data file has a line per example")
    checked = labels.Labels(None, ())
    if position is not None:
        name, cells = raw.names[position], raw.column(position)
        checked = labels.check(path, name, cells, raw.lines, needs_label=needs_label, guessed=raw.label.guessed)
    kept = [j for j in range(len(raw.names)) if j != position and j not in raw.dropped]
    features = [(raw.names[j], raw.column(j)) for j in kept]
    values, typing = from_cells(path, features, raw.lines, raw.decimal)
    columns, table = make_table(path, [name for name, _ in features], values)
    return Dataset(
        name=path.name,
        format=raw.format,
        columns=columns,
        table=table,
        matrix=None,
        label_name=None if checked.values is None or position is None else raw.names[position],
        labels=checked.values,
        lines=raw.lines,
        guesses=(*raw.guesses, *raw.label.guesses),
        notices=(*raw.notices, *raw.label.notices, *checked.notices, *typing, *look_at(columns, table)),
        digest=raw.source.digest,
    )
