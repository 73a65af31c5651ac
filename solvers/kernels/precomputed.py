"""The matrix itself: a row of features is a row of kernel values against the training examples.

`columns` are the columns of the matrix that belong to a set of training examples; `take` selects rows and columns.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mcsvm.solvers.kernels.base import Kernel, Magnitude
from mcsvm.solvers.kernels.points import Points, taken


class MatrixRows(Points):
    """Rows of the matrix and, for training examples, the column of each row."""

    def __init__(self, rows: np.ndarray, columns: np.ndarray) -> None:
        super().__init__(rows)
        self.columns = columns

    @property
    def stored(self) -> float:
        """Return 1: kernel values are copied, not computed."""
        return 1.0

    def take(self, index: np.ndarray) -> MatrixRows:
        rows = taken(self.rows, index) if self.rows.shape[1] else np.empty((index.size, 0))
        return MatrixRows(rows, self.columns[index])

    def _viewed(self, some: slice) -> MatrixRows:
        return MatrixRows(self.rows[some], self.columns[some])


@dataclass(frozen=True)
class Precomputed(Kernel):
    name: ClassVar[str] = "precomputed"
    parameters: ClassVar[tuple[str, ...]] = ()

    @property
    def semidefinite(self) -> bool:
        return False  # not known

    def block(self, left: Points, right: Points, out: np.ndarray) -> np.ndarray:
        assert isinstance(right, MatrixRows)
        out[...] = left.rows[:, right.columns]
        return out

    def magnitude(self, points: Points) -> Magnitude:
        """Return a magnitude without errors: given values are exact."""
        assert isinstance(points, MatrixRows)
        largest = float(np.abs(points.rows).max(initial=0.0))
        return Magnitude(np.full(len(points), np.sqrt(largest)), 0.0)

    def diagonal(self, points: Points) -> np.ndarray:
        assert isinstance(points, MatrixRows)
        return points.rows[np.arange(len(points)), points.columns].copy()
