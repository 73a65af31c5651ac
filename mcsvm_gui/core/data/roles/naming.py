"""Columns that name or count the rows: if learned, they would separate sorted classes, and nothing else."""

from __future__ import annotations

import numpy as np

_IDS = {"id", "index", "idx", "row", "rowid", "row_id", "row_number", "rownames", "unnamed: 0"}
_COUNTS = _IDS | {"no", "nr", "num", "number", "sample", "#", "n"}  # often such columns, but not certainly
_NAMES = {"name", "names", "row.names", "rowname", "row_name"}
_ENOUGH = 20  # rows in which all values differ hardly by chance


def counts_rows(name: str, values: np.ndarray) -> bool:
    return len(values) >= enough_to_count(name) and counted_from(values) is not None


def enough_to_count(name: str) -> int:
    """Return the number of rows that suffices: in a short file a column may count by chance, unless its name fits."""
    return 3 if name.isdigit() or _bare(name) in _COUNTS else _ENOUGH


def counted_from(values: np.ndarray, before: int = 0) -> float | None:
    """Return 0 or 1 if the values count the rows from there, else None. `before`: rows of the file before these."""
    start = float(values[0]) - before
    return start if start in (0.0, 1.0) and np.array_equal(values, values[0] + np.arange(values.size)) else None


def names_rows(name: str, values: np.ndarray, *, untitled: bool) -> bool:
    """Return whether a column certainly names rows, and is not learned: an id, or R's first column without a title."""
    if not untitled and _bare(name) not in _IDS | _NAMES:
        return False
    if values.dtype == np.float64:
        return counts_rows(name, values) or (untitled and _rises(values))
    cells = values.tolist()
    enough = untitled or len(cells) >= _ENOUGH
    return enough and len(cells) > 1 and None not in cells and len(set(cells)) == len(cells)


def _rises(values: np.ndarray) -> bool:
    """Return whether the values may be numbers of rows some of which were removed."""
    whole = len(values) > 2 and np.isfinite(values).all() and (values == np.floor(values)).all()
    return bool(whole and values[0] >= 0.0 and (np.diff(values) > 0.0).all())


def _bare(name: str) -> str:
    return name.strip("_:. ").lower()
