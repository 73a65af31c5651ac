"""tanh(gamma <x, z> + coef0): not positive semidefinite in general."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from solvers.kernels.base import Kernel, Magnitude
from solvers.kernels.points import Points, inner_products, prepare_products
from solvers.work import Work


@dataclass(frozen=True)
class Sigmoid(Kernel):
    gamma: float
    coef0: float = 0.0
    name: ClassVar[str] = "sigmoid"
    parameters: ClassVar[tuple[str, ...]] = ("gamma", "coef0")

    @property
    def semidefinite(self) -> bool:
        return False

    def _squash(self, products: np.ndarray) -> np.ndarray:
        products *= self.gamma
        products += self.coef0
        return np.tanh(products, out=products)

    def prepare(self, points: Points, dtype: Any) -> Work[None]:
        return prepare_products(points, dtype)

    def block(self, left: Points, right: Points, out: np.ndarray) -> np.ndarray:
        return self._squash(inner_products(left, right, out))

    def magnitude(self, points: Points) -> Magnitude:
        """The slope of tanh is at most 1: its values are as exact as the products, and below 1."""
        with np.errstate(over="ignore"):
            size = np.sqrt(np.maximum(self.gamma * points.squares + abs(self.coef0), 1.0))
        return Magnitude(size, np.sqrt(points.stored + 4.0))

    def diagonal(self, points: Points) -> np.ndarray:
        return self._squash(points.squares.copy())
