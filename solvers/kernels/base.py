"""Kernel, the protocol: a block of values, the diagonal, definiteness, and declared parameters."""

from __future__ import annotations

from typing import Any, ClassVar, Protocol

import numpy as np

from solvers.kernels.points import Points


class Kernel(Protocol):
    """Optional: `times(left, right, weights)` = K(left, right) @ weights without forming K (linear kernel)."""

    name: ClassVar[str]
    parameters: ClassVar[tuple[str, ...]]
    by_features: ClassVar[bool]  # whether it also offers `times(left, right, weights)`: products without K

    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

    @property
    def semidefinite(self) -> bool:
        """Whether every matrix of this kernel is known to be positive semidefinite."""
        ...

    def block(self, left: Points, right: Points, out: np.ndarray) -> np.ndarray:
        """K(left, right) into `out`, in the precision of `out` (float32 or float64)."""
        ...

    def diagonal(self, points: Points) -> np.ndarray:
        """K(x, x) for every point, float64."""
        ...


class FeatureKernel(Kernel, Protocol):
    """One whose feature space is that of the points (`by_features`)."""

    def times(self, left: Points, right: Points, weights: np.ndarray) -> np.ndarray:
        """K(left, right) @ weights, through the features."""
        ...
