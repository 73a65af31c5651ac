"""exp(-gamma ||x - z||^2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from solvers.kernels.base import Bound, Kernel
from solvers.kernels.centred import UNIT, exponent_error, rbf_values
from solvers.kernels.points import Points, inner_products, prepare_products
from solvers.work import Work

# Largest gamma |x - mean|^2 (gamma |x|^2 of sparse rows) for blocks in float32, whose exponents then err by at most
# 0.01 up to 1000 features, and in fact by 5e-5. Above it the block is computed in float64.
SINGLE_PRECISION_REACH = 500.0
BEARABLE = 1.0 / 16.0  # proved error of an exponent, at most, for a bound: exp(t) - 1 <= 1.07 t up to it
EXPONENTIAL = 16.0 * UNIT  # relative error of np.exp in float32, at most; NumPy measured 2.5 ulp, which are 5 UNIT


def squared_distances(left: Points, right: Points, out: np.ndarray) -> np.ndarray:
    """|x - z|^2 for every pair: one matrix serves every gamma."""
    return np.maximum(scaled_distances(left, right, 1.0, out), 0.0, out=out)


def scaled_distances(left: Points, right: Points, scale: float, out: np.ndarray) -> np.ndarray:
    """scale |x - z|^2, whose rounding may change its sign; by one matrix product where the features are dense."""
    if left.sparse or right.sparse:
        return _scaled_sparse(left, right, scale, out)
    lifted = left.lifted(right.origin, scale).astype(out.dtype, copy=False)
    return np.matmul(lifted, right.folded(out.dtype), out=out)


def _scaled_sparse(left: Points, right: Points, scale: float, out: np.ndarray) -> np.ndarray:
    inner_products(left, right, out)
    out *= -2.0 * scale
    out += (scale * left.squares[:, None]).astype(out.dtype)
    out += (scale * right.squares).astype(out.dtype)
    return out


def _largest_square(left: Points, right: Points) -> float:
    return max(left.largest_square, right.largest_square)


@dataclass(frozen=True)
class Rbf(Kernel):
    gamma: float
    name: ClassVar[str] = "rbf"
    parameters: ClassVar[tuple[str, ...]] = ("gamma",)

    @property
    def semidefinite(self) -> bool:
        return True

    def from_distances(self, distances: np.ndarray) -> np.ndarray:
        """Kernel values of squared distances, which are kept."""
        values = np.multiply(distances, -self.gamma)
        return np.exp(values, out=values)

    def prepare(self, points: Points, dtype: Any) -> Work[None]:
        if dtype == np.float32:
            yield from points.prepare("centred")
            if self._near(points, points):
                return
        if points.sparse:
            yield from points.prepare("squares")
            beyond = self.gamma * points.largest_square > SINGLE_PRECISION_REACH
            yield from prepare_products(points, np.float64 if beyond else dtype)
        else:
            yield from points.prepare("folded")

    def block(self, left: Points, right: Points, out: np.ndarray) -> np.ndarray:
        if out.dtype == np.float32:
            if self._near(left, right):
                assert left.centred is not None
                assert right.centred is not None
                return rbf_values(left.centred, right.centred, self.gamma, out)
            if not right.sparse or self.gamma * _largest_square(left, right) > SINGLE_PRECISION_REACH:
                out[...] = self.block(left, right, np.empty(out.shape))
                return out
        exponents = scaled_distances(left, right, -self.gamma, out)
        return np.exp(np.minimum(exponents, 0.0, out=out), out=out)

    def _near(self, left: Points, right: Points) -> bool:
        """Whether both have been moved to one mean, and float32 suffices."""
        a, b = left.centred, right.centred
        if a is None or b is None or a.mean is not b.mean:
            return False
        return b.factor(self.gamma) * b.largest <= SINGLE_PRECISION_REACH

    def bound(self, points: Points) -> Work[Bound | None]:
        yield from self.prepare(points, np.float32)
        centred, error = points.centred, exponent_error(points.features)
        if centred is None or not self._near(points, points):
            return None
        factor = centred.factor(self.gamma)
        if not 2.0 * factor * centred.largest * error <= BEARABLE:
            return None
        return Bound(2.0 * EXPONENTIAL, 1.07 * error, factor * centred.halves)

    def diagonal(self, points: Points) -> np.ndarray:
        return np.ones(len(points))
