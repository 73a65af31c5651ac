"""tanh(gamma <x, z> + coef0): not positive semidefinite in general."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from solvers.kernels.points import Points, inner_products


@dataclass(frozen=True)
class Sigmoid:
    gamma: float
    coef0: float = 0.0
    name: ClassVar[str] = "sigmoid"
    parameters: ClassVar[tuple[str, ...]] = ("gamma", "coef0")
    by_features: ClassVar[bool] = False

    @property
    def semidefinite(self) -> bool:
        return False

    def _squash(self, products: np.ndarray) -> np.ndarray:
        products *= self.gamma
        products += self.coef0
        return np.tanh(products, out=products)

    def block(self, left: Points, right: Points, out: np.ndarray) -> np.ndarray:
        return self._squash(inner_products(left, right, out))

    def diagonal(self, points: Points) -> np.ndarray:
        return self._squash(points.squares.copy())
