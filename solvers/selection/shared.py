"""What the trials of one fold share: prepared rows, squared distances for every gamma, kernel matrices for every C.

Training rows stand in the order of their classes, so that a pair of classes is two runs of a matrix.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from solvers.errors import InputError
from solvers.gram import Gram
from solvers.jit import newton
from solvers.kernels import KERNELS, Kernel, Points, squared_distances
from solvers.kernels.rbf import Rbf
from solvers.problem import kernel_from
from solvers.work import Work, ready

BYTES = 8


@dataclass(frozen=True)
class KernelFamily:
    """All but gamma of a kernel."""

    name: str = "rbf"
    degree: int = 3
    coef0: float = 0.0

    def at(self, gamma: float | None) -> Kernel:
        """Without gamma, the linear kernel."""
        if gamma is None:
            return kernel_from("linear", KERNELS)
        return kernel_from(self.name, KERNELS, gamma=gamma, degree=self.degree, coef0=self.coef0)


@dataclass(frozen=True, eq=False)
class FoldRows:
    """One fold as the solvers see it: prepared by what its training part alone showed, labels as 0 ... classes - 1."""

    train: Points
    labels: np.ndarray  # rising
    test: Points
    test_labels: np.ndarray  # -1 where the training part lacks the class
    names: np.ndarray  # the class of each label, as it was given

    @classmethod
    def of(cls, train: Any, labels: np.ndarray, test: Any, test_labels: np.ndarray) -> FoldRows:
        names, codes = np.unique(labels, return_inverse=True)
        if names.size < 2:
            raise InputError("the training part of a fold has one class only; take fewer folds")
        order = np.argsort(codes, kind="stable")
        places = np.minimum(np.searchsorted(names, test_labels), names.size - 1)
        known = np.where(names[places] == test_labels, places, -1)
        return cls(Points(train[order]), codes[order].astype(np.int64), Points(test), known.astype(np.int64), names)

    @property
    def classes(self) -> int:
        return self.names.size

    @cached_property
    def starts(self) -> np.ndarray:
        """Where each class begins in the training part, and where the last one ends."""
        return np.searchsorted(self.labels, np.arange(self.classes + 1))

    @property
    def bytes(self) -> int:
        """Of the two matrices, kernel values or distances."""
        return BYTES * len(self.train) * (len(self.train) + len(self.test))

    @cached_property
    def distances(self) -> Matrices:
        """Squared, for every gamma."""
        return Matrices.filled(self, squared_distances)

    def accuracy(self, predicted: np.ndarray) -> float:
        return float(np.mean(predicted == self.test_labels))


@dataclass(frozen=True, eq=False)
class Matrices:
    """float64: training by training rows, and training by test rows."""

    train: np.ndarray
    test: np.ndarray

    @classmethod
    def filled(cls, rows: FoldRows, block: Callable[[Points, Points, np.ndarray], np.ndarray]) -> Matrices:
        n, tests = len(rows.train), len(rows.test)
        return cls(block(rows.train, rows.train, np.empty((n, n))), block(rows.train, rows.test, np.empty((n, tests))))

    @classmethod
    def of_kernel(cls, rows: FoldRows, kernel: Kernel, *, keep_distances: bool) -> Matrices:
        """Of the rbf kernel from the distances that every gamma shares, where there is room to keep them."""
        if not (isinstance(kernel, Rbf) and keep_distances):
            return cls.filled(rows, kernel.block)
        shared = rows.distances
        return cls(*(kernel.from_distances(part.copy()) for part in (shared.train, shared.test)))


class SharedGram(Gram):
    """A kernel matrix that is there as a whole: nothing is computed for a row, and products are exact."""

    def __init__(self, kernel: Kernel, points: Points, matrix: np.ndarray) -> None:
        self.matrix = matrix
        super().__init__(kernel, points, matrix.size * 4 / 2**20)
        self.store = matrix.astype(np.float32)
        self.slot_of = np.arange(len(self))

    def reserve(self, holder: str, size: int) -> None:
        """The matrix is there as a whole: no row of it can make way."""

    def fetch(self, examples: np.ndarray) -> Work[np.ndarray]:
        return ready(examples)

    def products(self, weights: np.ndarray) -> Work[np.ndarray]:
        products = np.zeros((weights.shape[1], len(self)))
        newton.combine(self.matrix, np.ascontiguousarray(weights, np.float64), products)
        return ready(products.T)
