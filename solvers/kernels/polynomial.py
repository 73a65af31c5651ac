"""(gamma <x, z> + coef0)^degree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from mcsvm.solvers.kernels.base import Kernel, Magnitude
from mcsvm.solvers.kernels.points import Points, fits_single, inner_products, prepare_products


@dataclass(frozen=True)
class Polynomial(Kernel):
    gamma: float
    degree: int = 3
    coef0: float = 0.0
    name: ClassVar[str] = "polynomial"
    parameters: ClassVar[tuple[str, ...]] = ("gamma", "degree", "coef0")
    joint_bias: ClassVar[Literal["none", "regularized"]] = "regularized"
    grows: ClassVar[bool] = True

    @property
    def semidefinite(self) -> bool:
        return self.coef0 >= 0.0

    def _raise(self, products: np.ndarray) -> np.ndarray:
        with np.errstate(over="ignore"):  # posing.check_size refuses values that overflow
            products *= self.gamma
            products += self.coef0
            return np.power(products, self.degree, out=products)

    def prepare(self, points: Points, dtype: Any) -> None:
        points.prepare("squares")
        prepare_products(points, dtype if fits_single(self.gamma, points) else np.float64)

    def block(self, left: Points, right: Points, out: np.ndarray) -> np.ndarray:
        if out.dtype == np.float32 and not fits_single(self.gamma, left, right):
            out[...] = self.block(left, right, np.empty(out.shape))
            return out
        return self._raise(inner_products(left, right, out))

    def magnitude(self, points: Points) -> Magnitude:
        """Bound the values by |<x, z>| <= |x| |z|; a power multiplies relative errors by its degree."""
        with np.errstate(over="ignore"):
            size = (self.gamma * points.squares + abs(self.coef0)) ** (0.5 * self.degree)
        return Magnitude(size, self.degree * np.sqrt(points.stored + 4.0))

    def diagonal(self, points: Points) -> np.ndarray:
        return self._raise(points.squares.copy())
