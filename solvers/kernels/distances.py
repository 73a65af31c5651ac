"""Squared distances |x - z|^2 of close pairs of rows, recomputed from differences. Used by the rbf kernels.

The matrix product |x|^2 + |z|^2 - 2 <x, z> has an error proportional to |x|^2 + |z|^2, however close x and z are. If a
distance is below the share CLOSE of |x|^2 + |z|^2, it is computed again from x - z. Then equal rows have distance 0,
and every other distance has a relative error of at most (3 features + 11) u / CLOSE at any scale of the columns.
Only duplicates and rows that differ by less than 1% of their distance from the origin are computed twice.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from mcsvm.solvers.jit.close import find_below

CLOSE: dict[np.dtype[Any], float] = {np.dtype(np.float64): 2.0**-14, np.dtype(np.float32): 2.0**-8}
FEW = 128  # up to this many rows are searched without a first check of each row's smallest value
PAIRS = 1 << 12  # rows per subtraction


def refine_close(
    distances: np.ndarray, left: Any, right: Any, left_squares: np.ndarray, right_squares: np.ndarray
) -> None:
    """Replace, in place, the squared distances of close pairs by those of the differences of the rows.

    `left_squares` and `right_squares` are the |x|^2 and |z|^2 that the distances were computed from.
    """
    if not distances.size:
        return
    share = CLOSE[distances.dtype]
    rows, columns = places_below(distances, 1.0, share * left_squares, share * right_squares)
    if not rows.size:
        return
    if sp.issparse(left) or sp.issparse(right):
        distances[rows, columns] = _sparse_differences(left, right, rows, columns)
    else:
        distances[rows, columns] = subtract_pairs(left, right, rows, columns)


def places_below(values: np.ndarray, sign: float, left: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the (rows, columns) at which sign * value is below left[row] + right[column]."""
    candidates = np.arange(len(values))
    if candidates.size > FEW:  # few rows include comparisons with themselves, and a tile may have no close pair
        least = values.min(axis=1) if sign > 0.0 else -values.max(axis=1)
        candidates = np.flatnonzero(least < left + right.max())
        if not candidates.size:
            return candidates, candidates
    kind, size = values.dtype.type, 2 * (len(values) + 8)
    left, right = left.astype(kind), right.astype(kind)
    while True:
        rows, columns = np.empty((2, size), np.int64)
        count = find_below(values, kind(sign), candidates, left, right, rows, columns)
        if count <= size:
            return rows[:count], columns[:count]
        size = count


def subtract_pairs(left: np.ndarray, right: np.ndarray, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Return |left[row] - right[column]|^2 for pairs of rows, in double precision."""
    squares = np.empty(rows.size)
    for start in range(0, rows.size, PAIRS):
        chunk = slice(start, start + PAIRS)
        difference = left[rows[chunk]].astype(np.float64, copy=False) - right[columns[chunk]]
        squares[chunk] = np.einsum("ij,ij->i", difference, difference)
    return squares


def _sparse_differences(left: Any, right: Any, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Return |left[row] - right[column]|^2 for pairs of rows; at least one of the two sides is sparse."""
    squares = np.empty(rows.size)
    for start in range(0, rows.size, PAIRS):
        chunk = slice(start, start + PAIRS)
        difference = sp.csr_array(left[rows[chunk]]) - sp.csr_array(right[columns[chunk]])
        squares[chunk] = np.asarray(difference.multiply(difference).sum(axis=1)).ravel()
    return squares


def rehearse() -> None:
    """Compile or load the functions for blocks and strips of either precision."""
    rows, squares = np.ones((2, 3)), np.ones(2)
    for dtype in CLOSE:
        wide = np.zeros((2, 4), dtype)
        for values in (wide[:, :2].copy(), wide[:, :2]):
            refine_close(values, rows, rows, squares, squares)
