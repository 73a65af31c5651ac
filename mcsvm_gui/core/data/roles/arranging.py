"""Sort or filter the rows of a data set for a table of up to a million rows.

The work is done in chunks, so that no other thread waits long for the interpreter.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mcsvm.solvers.errors import InputError
from mcsvm_gui.core.data.dataset import Dataset, NumberedColumns
from mcsvm_gui.core.data.roles.arrangement import NAME, Arrangement, Place
from mcsvm_gui.core.data.roles.coding import PIECE, coded, ranks
from mcsvm_gui.core.data.roles.conditions import CLASS, conditions
from mcsvm_gui.core.data.roles.picking import picked


def arranged(dataset: Dataset, asked: Arrangement, scale: str = "minmax") -> np.ndarray | None:
    """Return row numbers; None for all in original order. Missing cells come last.

    Raise InputError if the condition is invalid.
    """
    rows, by, descending = picked(dataset, asked.pick, scale), asked.by, asked.descending
    if asked.where.strip():
        held = _holding(dataset, asked.where)
        rows = np.flatnonzero(held) if rows is None else rows[held[rows]]
    if by is None:
        return rows
    keys = _ranks(cells_of(dataset, by))
    keys = -keys if descending else keys
    order = np.argsort(keys if rows is None else keys[rows], kind="stable")  # NaN is last in both orders
    return order if rows is None else rows[order]


def cells_of(dataset: Dataset, place: Place) -> np.ndarray:
    if isinstance(place, int):
        if dataset.matrix is not None:
            return np.asarray(dataset.matrix[:, [place]].toarray()).ravel()
        assert dataset.table is not None
        return dataset.table.iloc[:, place].to_numpy(copy=False)
    if place.startswith(NAME):
        return dataset.row_names[place.removeprefix(NAME)]
    found = dataset.labels if place == "label" else dataset.weights
    assert found is not None
    return found


def _holding(dataset: Dataset, where: str) -> np.ndarray:
    held = np.ones(dataset.rows, dtype=bool)
    for condition in conditions(where):
        cells = cells_of(dataset, _place(dataset, condition.column))
        pieces = [condition.holds(piece) for piece in _pieces(cells)]
        held &= np.concatenate(pieces)
    return held


def _place(dataset: Dataset, name: str) -> Place:
    if name in (CLASS, dataset.label_name) and dataset.labels is not None:
        return "label"
    if name == dataset.weight_name:
        return "weight"
    if name in dataset.row_names:
        return f"{NAME}{name}"
    columns = dataset.columns
    if isinstance(columns, NumberedColumns):
        if name.isdecimal() and columns.first <= int(name) < columns.first + columns.total:
            return int(name) - columns.first
    else:
        for number, column in enumerate(columns):
            if column.name == name:
                return number
    raise InputError("there is no column {name!r} here", name=name)


def _pieces(cells: np.ndarray) -> Iterator[np.ndarray]:
    for first in range(0, max(1, len(cells)), PIECE):
        yield cells[first : first + PIECE]


def _ranks(cells: np.ndarray) -> np.ndarray:
    """Return float64 ranks in the order of the values, NaN for missing; text is ranked case-insensitively."""
    if cells.dtype == np.float64:
        return cells
    codes, levels = coded(cells)
    return np.append(ranks(levels), np.nan)[codes]
