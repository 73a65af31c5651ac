"""<x, z>."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from solvers.kernels.points import Points, inner_products


@dataclass(frozen=True)
class Linear:
    name: ClassVar[str] = "linear"
    parameters: ClassVar[tuple[str, ...]] = ()
    by_features: ClassVar[bool] = True

    @property
    def semidefinite(self) -> bool:
        return True

    def block(self, left: Points, right: Points, out: np.ndarray) -> np.ndarray:
        return inner_products(left, right, out)

    def times(self, left: Points, right: Points, weights: np.ndarray) -> np.ndarray:
        """K(left, right) @ weights through the features, K never being formed."""
        return left.rows @ (right.rows.T @ weights)

    def diagonal(self, points: Points) -> np.ndarray:
        return points.squares.copy()
