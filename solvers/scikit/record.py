"""FitRecord: the facts about a fit that a model file stores besides the model itself."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class FitRecord:
    """Facts about the training rows and their dual variables."""

    seed: int
    class_counts: np.ndarray  # (classes,) training rows
    total_weight: float | None  # None if no sample_weight was given
    weightless: int  # rows of weight 0, which are left out
    bounded: int  # rows with a dual variable at its upper bound
    support_alpha: np.ndarray | None  # (n_support, slots); None if alpha follows from the coefficients
