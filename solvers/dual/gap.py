"""Relative duality gap: the difference of a primal and a dual value as a share of the larger one."""

from __future__ import annotations

import numpy as np

TINY = float(np.finfo(np.float64).tiny)
ZERO = 2.0**-48  # primal and dual values below this share of the problem's scale are rounding errors


def relative_gap(primal: float, dual: float) -> float:
    """Return (primal - dual) / max(|primal|, |dual|), which does not depend on the scale of the problem."""
    return (primal - dual) / max(abs(primal), abs(dual), TINY)


def relative_gaps(primal: np.ndarray, dual: np.ndarray) -> np.ndarray:
    """Return the relative gap of every pair of values."""
    return (primal - dual) / np.maximum(np.maximum(np.abs(primal), np.abs(dual)), TINY)


def is_zero(primal: float, dual: float, scale: float) -> bool:
    """Tell whether both values are rounding errors of a problem whose costs sum to `scale`.

    The error of a loss is a few roundings of 1, so the error of the primal is a few roundings of the sum of the costs.
    If the optimum is smaller than that error (rows of length 1e100 have weights of 1e-100), this precision cannot
    prove a relative gap, and the average loss is below `ZERO`.
    """
    return max(abs(primal), abs(dual)) <= ZERO * scale
