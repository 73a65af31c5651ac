"""exp(-gamma ||x - z||^2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from solvers.kernels.base import Kernel
from solvers.kernels.points import Points, folded_in, inner_products, prepare_products
from solvers.work import Work

# Largest gamma |x|^2 for blocks in float32: |x|^2 + |z|^2 - 2 <x, z> loses about 1e-7 of |x|^2, so that exponents err
# by 5e-5. Above it the block is computed in float64.
SINGLE_PRECISION_REACH = 500.0


def squared_distances(left: Points, right: Points, out: np.ndarray) -> np.ndarray:
    """|x - z|^2 for every pair: one matrix serves every gamma."""
    return np.maximum(scaled_distances(left, right, 1.0, out), 0.0, out=out)


def scaled_distances(left: Points, right: Points, scale: float, out: np.ndarray) -> np.ndarray:
    """scale |x - z|^2, whose rounding may change its sign; by one matrix product where the features are dense."""
    if left.sparse or right.sparse:
        return _scaled_sparse(left, right, scale, out)
    return np.matmul((scale * left.lifted).astype(out.dtype, copy=False), right.folded(out.dtype), out=out)


def _scaled_sparse(left: Points, right: Points, scale: float, out: np.ndarray) -> np.ndarray:
    inner_products(left, right, out)
    out *= -2.0 * scale
    out += (scale * left.squares[:, None]).astype(out.dtype)
    out += (scale * right.squares).astype(out.dtype)
    return out


@dataclass(frozen=True)
class Rbf(Kernel):
    gamma: float
    name: ClassVar[str] = "rbf"
    parameters: ClassVar[tuple[str, ...]] = ("gamma",)

    @property
    def semidefinite(self) -> bool:
        return True

    def from_distances(self, distances: np.ndarray) -> np.ndarray:
        """Kernel values, written over the squared distances."""
        distances *= -self.gamma
        return np.exp(distances, out=distances)

    def prepare(self, points: Points, dtype: Any) -> Work[None]:
        yield from points.prepare("squares")
        beyond = self.gamma * points.largest_square > SINGLE_PRECISION_REACH
        if points.sparse:
            yield from prepare_products(points, np.float64 if beyond else dtype)
        else:
            yield from points.prepare(folded_in(np.float64 if beyond else dtype))

    def block(self, left: Points, right: Points, out: np.ndarray) -> np.ndarray:
        largest = max(left.largest_square, right.largest_square)
        if out.dtype == np.float32 and self.gamma * largest > SINGLE_PRECISION_REACH:
            out[...] = self.block(left, right, np.empty(out.shape))
            return out
        exponents = scaled_distances(left, right, -self.gamma, out)
        return np.exp(np.minimum(exponents, 0.0, out=out), out=out)

    def diagonal(self, points: Points) -> np.ndarray:
        return np.ones(len(points))
