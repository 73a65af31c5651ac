"""exp(-gamma ||x - z||^2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from solvers.kernels.points import Points, inner_products

# ||x||^2 + ||z||^2 - 2 x.z loses about 1e-7 of ||x||^2 in float32; above this the block is computed in float64.
SINGLE_PRECISION_REACH = 500.0


def squared_distances(left: Points, right: Points, out: np.ndarray) -> np.ndarray:
    """||x - z||^2 for every pair: one matrix serves every gamma."""
    inner_products(left, right, out)
    out *= -2.0
    out += left.squares[:, None].astype(out.dtype)
    out += right.squares.astype(out.dtype)
    return np.maximum(out, 0.0, out=out)


@dataclass(frozen=True)
class Rbf:
    gamma: float
    name: ClassVar[str] = "rbf"
    parameters: ClassVar[tuple[str, ...]] = ("gamma",)

    def from_distances(self, distances: np.ndarray) -> np.ndarray:
        """The kernel in place of its squared distances."""
        distances *= -self.gamma
        return np.exp(distances, out=distances)

    def block(self, left: Points, right: Points, out: np.ndarray) -> np.ndarray:
        largest = max(left.largest_square, right.largest_square)
        if out.dtype == np.float32 and self.gamma * largest > SINGLE_PRECISION_REACH:
            out[...] = self.block(left, right, np.empty(out.shape))
            return out
        return self.from_distances(squared_distances(left, right, out))

    def diagonal(self, points: Points) -> np.ndarray:
        return np.ones(len(points))
