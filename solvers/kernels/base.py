"""Kernel: a block of values, the diagonal, definiteness, and declared parameters."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from mcsvm.solvers.kernels.points import Points


@dataclass(frozen=True)
class Bound:
    """A bound of the error of float32 blocks: |K~ - K| <= K~ (constant + slope (weight_i + weight_j)) for K~ >= 0."""

    constant: float
    slope: float
    weight: np.ndarray  # (n,)


@dataclass(frozen=True)
class Magnitude:
    """A bound |K_ij| <= size_i size_j; float64 values have an error of about `error` u size_i size_j, u = 2^-53."""

    size: np.ndarray  # (n,)
    error: float


class Kernel(ABC):
    """A kernel: a frozen dataclass of its parameters."""

    name: ClassVar[str]
    parameters: ClassVar[tuple[str, ...]]  # the fields that the estimator, the command line and searches may set
    joint_bias: ClassVar[Literal["none", "regularized"]] = "none"  # default of joint machines with this kernel
    grows: ClassVar[bool] = False  # whether values grow with the distance of the rows from zero

    def __init__(self, *args: Any, **kwargs: Any) -> None: ...  # noqa: B027 - a dataclass has its own

    @property
    @abstractmethod
    def semidefinite(self) -> bool:
        """Tell whether every matrix of this kernel is known to be positive semidefinite."""

    @abstractmethod
    def block(self, left: Points, right: Points, out: np.ndarray) -> np.ndarray:
        """Write K(left, right) into `out`, in the precision of `out` (float32 or float64), and return it."""

    @abstractmethod
    def diagonal(self, points: Points) -> np.ndarray:
        """Return K(x, x) for every point, in float64."""

    @abstractmethod
    def magnitude(self, points: Points) -> Magnitude:
        """Return how large and how exact the kernel values between these points are."""

    def largest_argument(self, points: Points) -> float:
        """Return a bound of the arguments if their error limits the precision of the values, else 0."""
        return 0.0

    def prepare(self, points: Points, dtype: Any) -> None:
        """Compute, in pieces, the arrays that `block` derives from its right points.

        Without this call, `block` computes them at once.
        """
        return

    def bound(self, points: Points) -> Bound | None:
        """Prepare the points, and return the error bound of float32 blocks between them, or None without a proof."""
        return None


class FeatureKernel(Kernel):
    """A kernel <x, z>: its features are those of the points, so that products with K do not need K."""

    @abstractmethod
    def times(self, left: Points, right: Points, weights: np.ndarray) -> np.ndarray:
        """Return K(left, right) @ weights through the features, without computing K."""
