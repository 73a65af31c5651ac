"""Cholesky factors in pieces, by NumPy's factorisation, because SciPy's holds the interpreter lock."""

from __future__ import annotations

import numpy as np
from scipy.linalg.blas import dtrsm
from scipy.linalg.lapack import dpotri, dpotrs

from mcsvm.solvers.interrupt import tick
from mcsvm.solvers.work import PANEL, WHOLE, pieces

CholeskyFactor = tuple[np.ndarray, bool]  # (in the layout of LAPACK, whether it is the lower half)


def factored(matrix: np.ndarray) -> CholeskyFactor | None:
    """Return the Cholesky factor of a matrix, or None if it is not positive definite; only the lower half is read.

    Above the order WHOLE the factor overwrites the matrix, so that a large system is stored only once.
    """
    try:
        if matrix.shape[0] <= WHOLE:
            return np.linalg.cholesky(matrix).T, False
        _overwrite(matrix)
    except np.linalg.LinAlgError:
        return None
    return matrix.T, False


def _overwrite(matrix: np.ndarray) -> None:
    """Compute a left-looking blocked Cholesky factor L in the lower half of the matrix.

    The entries above its diagonal blocks have no meaning afterwards.
    """
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
    """Solve the factored system, as scipy.linalg.cho_solve does, in a third of its time for small systems."""
    if right.size == 0:
        return np.empty_like(right)  # LAPACK refuses systems without unknowns
    solution: np.ndarray = dpotrs(factor[0], right, lower=factor[1])[0]
    return solution


def forward(lower: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Return lower^-1 right by forward substitution."""
    solution: np.ndarray = dtrsm(1.0, lower.T, right, trans_a=1)
    return solution


def inverse(factor: CholeskyFactor) -> np.ndarray:
    """Return the inverse of the factored matrix; only its lower half is valid."""
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
