"""Rows with missing cells: refused with their places, left out, or all of them taken."""

from __future__ import annotations

import numpy as np
import pandas as pd

from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.data.dataset import Dataset, Notice
from mcsvm_gui.core.data.options import Rules
from mcsvm_gui.core.data.preparation.cells import held_cells, line_of
from mcsvm_gui.core.data.preparation.rules import counted

PLACES = 3  # how many missing cells are named


def complete_rows(dataset: Dataset) -> tuple[np.ndarray, list[Notice]]:
    """What `drop` leaves of a training part: rows with every cell, columns without any value apart."""
    held = {column.name: held_cells(dataset, position) for position, column in enumerate(dataset.columns)}
    cells = {name: values for name, values in held.items() if not pd.isna(values).all()}
    kept = usable_rows(dataset, cells, Rules(missing="drop"))
    return kept, dropped(dataset, kept)


def usable_rows(dataset: Dataset, cells: dict[str, np.ndarray], rules: Rules) -> np.ndarray:
    """All rows, or under `drop` those without a missing cell; FileError with count and first places otherwise."""
    absent = np.zeros(dataset.rows, dtype=np.int64)
    for values in cells.values():
        absent += pd.isna(values)
    if not absent.any():
        return np.arange(dataset.rows)
    if rules.missing == "reject":
        raise _missing_error(dataset, cells, absent)
    kept = np.flatnonzero(absent == 0)
    if kept.size == 0:
        raise FileError(dataset.name, "every row has a missing cell; --missing mean or most-frequent fills them")
    return kept


def _missing_error(dataset: Dataset, cells: dict[str, np.ndarray], absent: np.ndarray) -> FileError:
    first = np.flatnonzero(absent)[:PLACES].tolist()
    places = [(row, name) for row in first for name, values in cells.items() if pd.isna(values[row])][:PLACES]
    shown = ", ".join(
        f"column {name}" if line_of(dataset, row) is None else f"line {line_of(dataset, row)} column {name}"
        for row, name in places
    )
    count = int(absent.sum())
    more = ", ..." if count > len(places) else ""
    return FileError(
        dataset.name,
        f"{counted(count, 'cell')} of {counted(dataset.rows, 'row')} missing ({shown}{more});"
        " --missing drop leaves such rows out, mean or most-frequent fills them",
        line=line_of(dataset, places[0][0]),
    )


def dropped(dataset: Dataset, kept: np.ndarray) -> list[Notice]:
    gone = dataset.rows - kept.size
    return [Notice("dropped rows", f"{counted(gone, 'row')} with missing cells left out")] if gone else []
