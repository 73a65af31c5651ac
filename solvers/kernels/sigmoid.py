"""tanh(gamma <x, z> + coef0): not positive semidefinite in general."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from mcsvm.solvers.kernels.base import Kernel, Magnitude
from mcsvm.solvers.kernels.points import Points, fits_single, inner_products, prepare_products


@dataclass(frozen=True)
class Sigmoid(Kernel):
    gamma: float
    coef0: float = 0.0
    name: ClassVar[str] = "sigmoid"
    parameters: ClassVar[tuple[str, ...]] = ("gamma", "coef0")
    joint_bias: ClassVar[Literal["none", "regularized"]] = "regularized"

    @property
    def semidefinite(self) -> bool:
        return False

    def _squash(self, products: np.ndarray) -> np.ndarray:
        with np.errstate(over="ignore"):  # posing.check_size refuses values that overflow
            products *= self.gamma
            products += self.coef0
        return np.tanh(products, out=products)

    def prepare(self, points: Points, dtype: Any) -> None:
        points.prepare("squares")
        prepare_products(points, dtype if fits_single(self.gamma, points) else np.float64)

    def block(self, left: Points, right: Points, out: np.ndarray) -> np.ndarray:
        if out.dtype == np.float32 and not fits_single(self.gamma, left, right):
            out[...] = self.block(left, right, np.empty(out.shape))
            return out
        return self._squash(inner_products(left, right, out))

    def largest_argument(self, points: Points) -> float:
        with np.errstate(over="ignore"):
            return float(self.gamma * np.float64(points.largest_square)) + abs(self.coef0)

    def magnitude(self, points: Points) -> Magnitude:
        """Bound the error of the values by that of the arguments, as the slope of tanh is at most 1."""
        return Magnitude(np.ones(len(points)), np.sqrt(points.stored + 4.0) * max(self.largest_argument(points), 1.0))

    def diagonal(self, points: Points) -> np.ndarray:
        return self._squash(points.squares.copy())
