"""Cholesky factors, made while other threads go on: SciPy's functions hold the interpreter's lock, for seconds."""

from __future__ import annotations

import numpy as np

Factor = tuple[np.ndarray, bool]  # as scipy.linalg.cho_solve takes it


def factored(matrix: np.ndarray) -> Factor | None:
    """Of the lower half of a matrix; None where it is not positive definite."""
    try:
        return np.linalg.cholesky(matrix).T, False
    except np.linalg.LinAlgError:
        return None
