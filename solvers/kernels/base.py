"""What a kernel offers: a block of values, the diagonal, and the parameters it declares."""

from __future__ import annotations

from typing import Any, ClassVar, Protocol

import numpy as np

from solvers.kernels.points import Points


class Kernel(Protocol):
    """One whose feature space is that of the points also offers `times(left, right, weights)`: products without K."""

    name: ClassVar[str]
    parameters: ClassVar[tuple[str, ...]]

    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

    @property
    def semidefinite(self) -> bool:
        """Whether every matrix of this kernel is known to be positive semidefinite."""
        ...

    def block(self, left: Points, right: Points, out: np.ndarray) -> np.ndarray:
        """K(left, right) into `out`, whose type (float32 or float64) is the precision asked for."""
        ...

    def diagonal(self, points: Points) -> np.ndarray:
        """K(x, x) for every point, float64."""
        ...
