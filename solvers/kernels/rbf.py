"""exp(-gamma ||x - z||^2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from mcsvm.solvers.kernels.base import Bound, Kernel, Magnitude
from mcsvm.solvers.kernels.centred import UNIT, exponent_error, rbf_values
from mcsvm.solvers.kernels.distances import CLOSE, refine_close
from mcsvm.solvers.kernels.points import Points, inner_products, prepare_products

# Largest gamma |x - mean|^2 (gamma |x|^2 of sparse rows) for blocks in float32. With up to 1000 features, the error of
# their exponents is then at most 0.01, and in fact 5e-5. Above this limit, the block is computed in float64.
SINGLE_PRECISION_REACH = 500.0
SINGLE_PRECISION_END = 1e36  # bound of |x|^2 of sparse rows and of gamma, far below the largest float32, 3e38
BEARABLE = 1.0 / 16.0  # largest proved error of an exponent for a bound: exp(t) - 1 <= 1.07 t up to it
EXPONENTIAL = 16.0 * UNIT  # bound of the relative error of np.exp in float32; NumPy measured 2.5 ulp, which are 5 UNIT


def squared_distances(left: Points, right: Points, out: np.ndarray) -> np.ndarray:
    """Compute |x - z|^2 for every pair, in the precision of `out`: one matrix serves every gamma."""
    with np.errstate(over="ignore", invalid="ignore"):  # values that overflow are computed again, and then are infinite
        if left.sparse or right.sparse:
            squares = left.squares, right.squares
            inner_products(left, right, out)
            out *= -2.0
            out += squares[0][:, None].astype(out.dtype)
            out += squares[1].astype(out.dtype)
        else:
            lifted, folded = left.lifted(right.origin), right.folded(out.dtype)
            squares = lifted[:, -2], folded[-1]
            np.matmul(lifted.astype(out.dtype, copy=False), folded, out=out)
        refine_close(out, left.rows, right.rows, *squares)
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
        """Return the kernel values of squared distances, and leave the distances unchanged."""
        return self._values(distances, np.empty(distances.shape))

    def _values(self, distances: np.ndarray, out: np.ndarray) -> np.ndarray:
        with np.errstate(over="ignore"):
            exponents = np.multiply(distances, -self.gamma, out=out)
        return np.exp(exponents, out=out)

    def prepare(self, points: Points, dtype: Any) -> None:
        if dtype == np.float32:
            points.prepare("centred")
            if self._near(points, points):
                return
        if points.sparse:
            points.prepare("squares")
            prepare_products(points, np.float64 if self._beyond(points.largest_square) else dtype)
        else:
            points.prepare("folded")

    def block(self, left: Points, right: Points, out: np.ndarray) -> np.ndarray:
        if out.dtype == np.float32:
            if self._near(left, right):
                assert left.centred is not None
                assert right.centred is not None
                return rbf_values(left.centred, right.centred, self.gamma, out)
            if not right.sparse or self._beyond(_largest_square(left, right)):
                out[...] = self.block(left, right, np.empty(out.shape))
                return out
        return self._values(squared_distances(left, right, out), out)

    def _beyond(self, largest_square: float) -> bool:
        """Tell whether sparse rows are too long for distances in float32."""
        beyond = not 1.0 / SINGLE_PRECISION_END < self.gamma < SINGLE_PRECISION_END
        return beyond or self.gamma * largest_square > SINGLE_PRECISION_REACH or largest_square > SINGLE_PRECISION_END

    def _near(self, left: Points, right: Points) -> bool:
        """Tell whether both sides have been moved to the same mean, and float32 suffices."""
        a, b = left.centred, right.centred
        if a is None or b is None or a.mean is not b.mean:
            return False
        return b.factor(self.gamma) * b.largest <= SINGLE_PRECISION_REACH

    def bound(self, points: Points) -> Bound | None:
        self.prepare(points, np.float32)
        centred, error = points.centred, exponent_error(points.features)
        if centred is None or not self._near(points, points):
            return None
        factor = centred.factor(self.gamma)
        if not 2.0 * factor * centred.largest * error <= BEARABLE:
            return None
        return Bound(2.0 * EXPONENTIAL, 1.07 * error, factor * centred.halves)

    def magnitude(self, points: Points) -> Magnitude:
        """Bound the error by that of the distances (distances.py), as t exp(-t) <= 0.37."""
        share = min(2.0 * self.gamma * points.largest_moved_square, 0.37 / CLOSE[np.dtype(np.float64)])
        return Magnitude(np.ones(len(points)), 4.0 + share * np.sqrt(3.0 * points.stored + 11.0))

    def diagonal(self, points: Points) -> np.ndarray:
        return np.ones(len(points))
