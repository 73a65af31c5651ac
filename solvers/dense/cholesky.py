"""Cholesky factors in pieces; NumPy's factorisation, as SciPy's holds the interpreter lock."""

from __future__ import annotations

import numpy as np
from scipy.linalg.blas import dtrsm
from scipy.linalg.lapack import dpotri, dpotrs

from mcsvm.solvers.interrupt import tick
from mcsvm.solvers.work import PANEL, WHOLE, pieces

CholeskyFactor = tuple[np.ndarray, bool]  # (in the layout of LAPACK, whether it is the lower half)


def factored(matrix: np.ndarray) -> CholeskyFactor | None:
    """The factor of a matrix, of which only the lower half is read; None where it is not positive definite.

    Above the order WHOLE the factor overwrites the matrix, so that a large system is held once.
    """
    try:
        if matrix.shape[0] <= WHOLE:
            return np.linalg.cholesky(matrix).T, False
        _overwrite(matrix)
    except np.linalg.LinAlgError:
        return None
    return matrix.T, False


def _overwrite(matrix: np.ndarray) -> None:
    """Left-looking blocked Cholesky: L in the lower half of the matrix, nothing of use above its diagonal blocks."""
    n = matrix.shape[0]
    for start in range(0, n, PANEL):
        end = min(start + PANEL, n)
        before = matrix[start:end, :start].T
        for rows in pieces(n - start, 2.0 * start * PANEL):
            panel = matrix[start + rows.start : start + rows.stop]
            panel[:, start:end] -= panel[:, :start] @ before
            tick()
        corner = np.linalg.cholesky(matrix[start:end, start:end])
        matrix[start:end, start:end] = corner
        for rows in pieces(n - end, 4.0 * PANEL**2):  # dtrsm holds the interpreter lock: smaller pieces
            below = matrix[end + rows.start : end + rows.stop, start:end]
            below[...] = forward(corner, below.T).T
            tick()


def solved(factor: CholeskyFactor, right: np.ndarray) -> np.ndarray:
    """What scipy.linalg.cho_solve gives, in a third of its time where systems are small."""
    if right.size == 0:
        return np.empty_like(right)  # LAPACK refuses systems of no unknowns
    solution: np.ndarray = dpotrs(factor[0], right, lower=factor[1])[0]
    return solution


def forward(lower: np.ndarray, right: np.ndarray) -> np.ndarray:
    """lower^-1 right by forward substitution."""
    solution: np.ndarray = dtrsm(1.0, lower.T, right, trans_a=1)
    return solution


def inverse(factor: CholeskyFactor) -> np.ndarray:
    """The inverse of the factored matrix; only its lower half is valid."""
    n = factor[0].shape[0]
    if n == 0:
        return np.empty((0, 0))  # dpotri prints an error message for a 0 x 0 matrix
    if n <= WHOLE:
        return dpotri(factor[0], lower=0)[0].T
    result = np.empty((n, n))
    for columns in pieces(n, 4.0 * n * n):
        tick()
        right = np.zeros((n, columns.stop - columns.start))
        right[np.arange(columns.start, columns.stop), np.arange(right.shape[1])] = 1.0
        result[:, columns] = solved(factor, right)
    return result
