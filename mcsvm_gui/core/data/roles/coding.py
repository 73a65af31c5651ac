"""Encode text as numbers, in chunks, so that no other thread waits long for the interpreter."""

from __future__ import annotations

import numpy as np
import pandas as pd

PIECE = 20_000


def coded(cells: np.ndarray) -> tuple[np.ndarray, list[str]]:
    """Return codes (-1 for a missing cell) and the distinct texts, in order of occurrence."""
    known: dict[str, int] = {}
    parts = [np.empty(0, dtype=np.int64)]
    for first in range(0, len(cells), PIECE):
        codes, levels = pd.factorize(cells[first : first + PIECE])
        table = [known.setdefault(level, len(known)) for level in levels.tolist()]
        parts.append(np.array([*table, -1], dtype=np.int64)[codes])
    return np.concatenate(parts), list(known)


def ranks(levels: list[str], letters: int = 40) -> np.ndarray:
    """Return the rank of each text by its first letters, case-insensitively. NumPy sorts without the interpreter."""
    keys = np.empty(len(levels), dtype=f"U{2 * letters + 1}")
    for first in range(0, len(levels), PIECE):
        some = levels[first : first + PIECE]
        keys[first : first + PIECE] = [f"{one.casefold()[:letters]}\0{one[:letters]}" for one in some]
    found = np.empty(len(levels))
    found[np.argsort(keys, kind="stable")] = np.arange(len(levels))
    return found
