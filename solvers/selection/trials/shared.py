"""Shared by the trials of one fold: prepared rows, squared distances (for every gamma), kernel matrices (for every C).

Training rows are sorted by class, so that a pair of classes is two ranges of rows and columns of the matrix.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from mcsvm.solvers.errors import InputError
from mcsvm.solvers.gram import Gram
from mcsvm.solvers.jit import newton
from mcsvm.solvers.kernels import KERNELS, Kernel, Points, squared_distances
from mcsvm.solvers.kernels.rbf import Rbf
from mcsvm.solvers.posing import kernel_from

ORDER_SEED = 9  # seed of the order of rows that nested subsets follow
BYTES = 8  # bytes of a float64


@dataclass(frozen=True)
class KernelFamily:
    """A kernel without its gamma: its name and its other parameters."""

    name: str = "rbf"
    parameters: tuple[tuple[str, float], ...] = ()

    @classmethod
    def of(cls, kernel: Kernel) -> KernelFamily:
        others = (name for name in kernel.parameters if name != "gamma")
        return cls(kernel.name, tuple((name, getattr(kernel, name)) for name in others))

    def at(self, gamma: float | None) -> Kernel:
        """Return the kernel with this gamma; None gives the linear kernel."""
        if gamma is None:
            return kernel_from("linear", KERNELS)
        return kernel_from(self.name, KERNELS, **{**dict(self.parameters), "gamma": gamma})


@dataclass(frozen=True, eq=False)
class FoldRows:
    """One fold in canonical form, labels 0 ... classes - 1. Preprocessing was fitted on its training part alone."""

    train: Points
    labels: np.ndarray  # sorted
    test: Points
    test_labels: np.ndarray  # -1 if the training part lacks the class
    names: np.ndarray  # the label of each class number
    weights: np.ndarray  # weights of the training rows, all positive
    test_weights: np.ndarray
    given_labels: np.ndarray  # labels of the test rows, as they were given

    @classmethod
    def of(
        cls,
        train: Any,
        labels: np.ndarray,
        test: Any,
        test_labels: np.ndarray,
        weights: np.ndarray | None = None,
        test_weights: np.ndarray | None = None,
    ) -> FoldRows:
        """Build a fold from tables of features, or Points of them; without weights every row has the weight 1."""
        weights = np.ones(labels.size) if weights is None else weights
        test_weights = np.ones(test_labels.size) if test_weights is None else test_weights
        names, codes = np.unique(labels, return_inverse=True)
        if names.size < 2:
            raise InputError("the training part of a fold has one class only; take fewer folds")
        order = np.argsort(codes, kind="stable")
        places = np.minimum(np.searchsorted(names, test_labels), names.size - 1)
        known = np.where(names[places] == test_labels, places, -1)
        train = train if isinstance(train, Points) else Points(train)
        test = test if isinstance(test, Points) else Points(test)
        sorted_labels, known = codes[order].astype(np.int64), known.astype(np.int64)
        return cls(train.take(order), sorted_labels, test, known, names, weights[order], test_weights, test_labels)

    @property
    def classes(self) -> int:
        return self.names.size

    @cached_property
    def starts(self) -> np.ndarray:
        """Return (classes + 1,) boundaries: rows starts[c] to starts[c + 1] of the training part are of class c."""
        return np.searchsorted(self.labels, np.arange(self.classes + 1))

    @property
    def prepared_bytes(self) -> int:
        """Return the bytes of the features of all rows, without derived tables."""
        return bytes_of(self.train) + bytes_of(self.test)

    @property
    def bytes(self) -> int:
        """Return the bytes of the two matrices (train x train, train x test) of kernel values, or of distances."""
        return BYTES * len(self.train) * (len(self.train) + len(self.test))

    @cached_property
    def distances(self) -> Matrices:
        """Return the squared distances, from which the rbf kernel of every gamma follows."""
        return Matrices.filled(self, squared_distances)

    @cached_property
    def _nested(self) -> dict[tuple[float, float], FoldRows]:
        return {}

    def nested(self, share: float, tested: float = 1.0) -> FoldRows:
        """Return the fold with this share of the training rows of each class, and of the test rows."""
        if share == tested == 1.0:
            return self
        if (share, tested) not in self._nested:
            self._nested[share, tested] = self._first(share, tested)
        return self._nested[share, tested]

    def _first(self, share: float, tested: float) -> FoldRows:
        rows, tests = first_of_each(self.labels, share), first_of_each(self.given_labels, tested)
        return replace(
            self,
            train=self.train.take(rows),
            labels=self.labels[rows],
            weights=self.weights[rows],
            test=self.test.take(tests),
            test_labels=self.test_labels[tests],
            test_weights=self.test_weights[tests],
            given_labels=self.given_labels[tests],
        )

    def forget_distances(self) -> None:
        for rows in (self, *self._nested.values()):
            vars(rows).pop("distances", None)

    def accuracy(self, predicted: np.ndarray) -> float:
        return float(np.average(predicted == self.test_labels, weights=self.test_weights))


def bytes_of(points: Points) -> int:
    rows = points.rows
    arrays = (rows.data, rows.indices, rows.indptr) if points.sparse else (rows,)
    return sum(int(array.nbytes) for array in arrays)


def first_of_each(labels: np.ndarray, share: float) -> np.ndarray:
    """Return the sorted numbers of a share of the rows of each class; larger shares contain the smaller ones."""
    _, codes = np.unique(labels, return_inverse=True)
    chosen = []
    for code in range(int(codes.max()) + 1):
        rows = np.flatnonzero(codes == code)
        order = np.random.default_rng([ORDER_SEED, code]).permutation(rows.size)
        chosen.append(rows[order[: math.ceil(share * rows.size)]])
    return np.sort(np.concatenate(chosen))


@dataclass(frozen=True, eq=False)
class Matrices:
    """Two float64 matrices: train x train and train x test."""

    train: np.ndarray
    test: np.ndarray

    @classmethod
    def filled(cls, rows: FoldRows, block: Callable[[Points, Points, np.ndarray], np.ndarray]) -> Matrices:
        n, tests = len(rows.train), len(rows.test)
        return cls(block(rows.train, rows.train, np.empty((n, n))), block(rows.train, rows.test, np.empty((n, tests))))

    @classmethod
    def of_kernel(cls, rows: FoldRows, kernel: Kernel, *, keep_distances: bool) -> Matrices:
        """Compute the kernel matrices; for the rbf kernel from shared distances, if there is room to cache these."""
        if not (isinstance(kernel, Rbf) and keep_distances):
            return cls.filled(rows, kernel.block)
        shared = rows.distances
        return cls(*(kernel.from_distances(part) for part in (shared.train, shared.test)))


class SharedGram(Gram):
    """A Gram over a whole float64 matrix: rows are copies, products are in float64 without kernel evaluations."""

    def __init__(self, kernel: Kernel, points: Points, matrix: np.ndarray) -> None:
        self.matrix = matrix
        super().__init__(kernel, points, matrix.size * 4 / 2**20)
        self.store = matrix.astype(np.float32)
        self.slot_of = np.arange(len(self))
        self.small = True

    def exact(self) -> np.ndarray:
        return self.matrix

    def reserve(self, holder: str, size: int) -> None:
        """Do nothing: the whole matrix is stored, and no row of it can be evicted."""

    def fetch(self, examples: np.ndarray) -> np.ndarray:
        return examples

    def products(self, weights: np.ndarray) -> np.ndarray:
        products = np.zeros((weights.shape[1], len(self)))
        newton.combine(self.matrix, np.ascontiguousarray(weights, np.float64), products)
        return products.T
