"""Kernels as data: a name, declared parameters, and a NumPy function from two sets of points to a block of values.

A new kernel is one file with a frozen dataclass and one line in `KERNELS`.
"""

from __future__ import annotations

from mcsvm.solvers.kernels.base import Kernel
from mcsvm.solvers.kernels.linear import Linear
from mcsvm.solvers.kernels.points import Points
from mcsvm.solvers.kernels.polynomial import Polynomial
from mcsvm.solvers.kernels.precomputed import Precomputed
from mcsvm.solvers.kernels.rbf import Rbf, squared_distances
from mcsvm.solvers.kernels.sigmoid import Sigmoid

KERNELS: dict[str, type[Kernel]] = {kernel.name: kernel for kernel in (Rbf, Linear, Polynomial, Sigmoid, Precomputed)}
PARAMETERS = tuple(dict.fromkeys(name for kernel in KERNELS.values() for name in kernel.parameters))  # of any kernel

__all__ = ["KERNELS", "PARAMETERS", "Kernel", "Points", "squared_distances"]
