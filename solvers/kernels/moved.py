"""Moved: a kernel whose feature space has its zero at phi(origin); trainings under an exact bias use it far from zero.

K~(x, z) = <phi(x) - phi(o), phi(z) - phi(o)> = K(x, z) - K(x, o) - K(o, z) + K(o, o). If sum_i W_i = 0, then W' K~ W =
W' K W, and K~ W differs from K W by the constant sum_i W_i K(x_i, o) in all rows.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from mcsvm.solvers.kernels.base import Kernel, Magnitude
from mcsvm.solvers.kernels.points import Points


@dataclass(frozen=True, eq=False)
class Moved(Kernel):
    parameters: ClassVar[tuple[str, ...]] = ()  # the parameters of the inner kernel are checked there

    inner: Kernel
    origin: np.ndarray  # (features,)
    _height: float = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_height", float(self.inner.diagonal(Points(self.origin[None]))[0]))

    @property
    def name(self) -> str:  # type: ignore[override]
        return self.inner.name

    @property
    def semidefinite(self) -> bool:
        return self.inner.semidefinite

    def heights(self, points: Points) -> np.ndarray:
        """Return K(x, origin) for every point, in float64."""
        return self.inner.block(points, Points(self.origin[None]), np.empty((len(points), 1)))[:, 0]

    def prepare(self, points: Points, dtype: Any) -> None:
        return self.inner.prepare(points, np.float64)

    def block(self, left: Points, right: Points, out: np.ndarray) -> np.ndarray:
        """Compute in float64, because the differences are small compared with their terms."""
        values = self.inner.block(left, right, out if out.dtype == np.float64 else np.empty(out.shape))
        values -= self.heights(left)[:, None]
        values -= self.heights(right) - self._height
        if values is not out:
            out[...] = values
        return out

    def diagonal(self, points: Points) -> np.ndarray:
        return np.maximum(self.inner.diagonal(points) - 2.0 * self.heights(points) + self._height, 0.0)

    def magnitude(self, points: Points) -> Magnitude:
        inner = self.inner.magnitude(points)
        return Magnitude(inner.size + np.sqrt(self._height), inner.error)
