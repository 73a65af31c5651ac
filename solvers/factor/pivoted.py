"""Pivoted Cholesky factor K ~ V V', from one kernel column for each column of V; it grows on demand.

Kernels of few features or small gamma have a small numerical rank; that of the linear kernel is at most its number of
features. New columns do not change earlier ones, so the first columns are the factor of a coarser approximation
(Harbrecht, Peters & Schneider 2012).
"""

from __future__ import annotations

import weakref

import numpy as np

from mcsvm.solvers.budget import FACTOR
from mcsvm.solvers.gram import Gram
from mcsvm.solvers.interrupt import tick
from mcsvm.solvers.jit.rounding import ROUNDING
from mcsvm.solvers.work import ENTRY, pieces


def most_columns(gram: Gram) -> int:
    """Return the number of columns that a factor may have, by FACTOR.memory."""
    n = len(gram)
    return min(n, max(FACTOR.least, int(FACTOR.memory * gram.cache_bytes // (8 * max(1, n)))))


class Factor:
    """V with the diagonal of K - V V'. Callers pass the Gram: a reference to it would keep it alive in FACTORS."""

    def __init__(self, gram: Gram) -> None:
        n = len(gram)
        self.rank, self.most = 0, most_columns(gram)
        self.columns = np.empty((self.most, n))  # the columns of V as rows; pages appear when they are written
        self._left = np.maximum(gram.diagonal.astype(np.float64), 0.0)
        self._rests = [float(self._left.sum())]  # trace of K - V V', by number of columns
        self._nothing = ROUNDING * self._rests[0]
        self.whole = not self._rests[0] > 0.0  # K = V V' up to rounding

    @property
    def V(self) -> np.ndarray:
        """Return (n, rank), a view."""
        return self.columns[: self.rank].T

    @property
    def bytes(self) -> int:
        """Return the bytes of the columns so far."""
        return 8 * self.rank * self.columns.shape[1]

    def grow(self, gram: Gram, rank: int) -> None:
        """Grow to `rank` columns, but no more than `most`.

        The pivot is always the largest diagonal entry of K - V V'.
        """
        rank = min(rank, self.most)
        while self.rank < rank and not self.whole:
            pivot = int(self._left.argmax())
            column = self._column(gram, pivot)
            self._append(gram, column, pivot)
            tick()

    @property
    def rest(self) -> float:
        """Return trace(K - V V') / trace(K)."""
        return self.rest_at(self.rank)

    def rest_at(self, rank: int) -> float:
        """Return the same for the first `rank` columns, or for all columns if there are fewer."""
        return self._rests[min(rank, self.rank)] / self._rests[0] if self._nothing > 0.0 else 0.0

    def _column(self, gram: Gram, pivot: int) -> np.ndarray:
        before, scale = self.columns[: self.rank], np.sqrt(self._left[pivot])
        column = gram.exact_column(pivot)
        weights = before[:, pivot].copy()
        for examples in pieces(len(gram), ENTRY * weights.size):
            tick()
            column[:, examples] -= weights @ before[:, examples]
        column /= scale
        return column[0]

    def _append(self, gram: Gram, column: np.ndarray, pivot: int) -> None:
        gram.reserve("factor", self.bytes + 8 * len(gram))
        self.columns[self.rank] = column
        self._left -= column * column
        np.maximum(self._left, 0.0, out=self._left)
        self._left[pivot] = 0.0
        self.rank += 1
        left = float(self._left.sum())
        self.whole = left <= self._nothing
        self._rests.append(0.0 if self.whole else left)  # 0 ends loops that request an ever smaller rest


FACTORS: weakref.WeakKeyDictionary[Gram, Factor] = weakref.WeakKeyDictionary()


def factor_of(gram: Gram) -> Factor:
    """Return the factor of a Gram, which all parts over the same examples share."""
    if gram not in FACTORS:
        FACTORS[gram] = Factor(gram)
    return FACTORS[gram]
