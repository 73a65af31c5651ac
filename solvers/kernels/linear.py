"""<x, z>."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from mcsvm.solvers.kernels.base import FeatureKernel, Magnitude
from mcsvm.solvers.kernels.points import Points, inner_products, prepare_products, rows_times, transposed_times


@dataclass(frozen=True)
class Linear(FeatureKernel):
    name: ClassVar[str] = "linear"
    parameters: ClassVar[tuple[str, ...]] = ()
    joint_bias: ClassVar[Literal["none", "regularized"]] = "regularized"
    grows: ClassVar[bool] = True

    @property
    def semidefinite(self) -> bool:
        return True

    def prepare(self, points: Points, dtype: Any) -> None:
        return prepare_products(points, dtype)

    def block(self, left: Points, right: Points, out: np.ndarray) -> np.ndarray:
        return inner_products(left, right, out)

    def times(self, left: Points, right: Points, weights: np.ndarray) -> np.ndarray:
        vectors = transposed_times(right.rows, weights)
        return rows_times(left.rows, vectors)

    def magnitude(self, points: Points) -> Magnitude:
        return Magnitude(np.sqrt(points.squares), np.sqrt(points.stored + 4.0))

    def diagonal(self, points: Points) -> np.ndarray:
        return points.squares.copy()
