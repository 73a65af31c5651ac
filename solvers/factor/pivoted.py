"""Pivoted Cholesky: K = V V' up to a rest, from as many kernel columns as V has; it grows on demand.

A kernel of few features or small gamma is of small rank: linear of the number of features, exactly. More columns leave
those before as they are, so that the first few are a factor too, of a coarser kernel (Harbrecht, Peters & Schneider
2012).
"""

from __future__ import annotations

import weakref

import numpy as np

from solvers.budget import FACTOR
from solvers.gram import Gram
from solvers.jit.rounding import ROUNDING
from solvers.work import ENTRY, PIECE, VALUE, Work, pieces


def most_columns(gram: Gram) -> int:
    """That a factor may have, by memory."""
    n = len(gram)
    return min(n, max(FACTOR.least, int(FACTOR.memory * gram.cache_bytes // (8 * max(1, n)))))


class Factor:
    """It holds one array and no Gram, which it may be kept for: every call is given its Gram."""

    def __init__(self, gram: Gram) -> None:
        n = len(gram)
        self.rank, self.most = 0, most_columns(gram)
        self.columns = np.empty((self.most, n))  # the columns of V as rows; pages appear when they are written
        self._left = np.maximum(gram.diagonal.astype(np.float64), 0.0)
        self._rests = [float(self._left.sum())]  # the trace that is left, by columns
        self._nothing = ROUNDING * self._rests[0]
        self.whole = not self._rests[0] > 0.0  # nothing is left

    @property
    def V(self) -> np.ndarray:
        """(n, rank), a view."""
        return self.columns[: self.rank].T

    @property
    def bytes(self) -> int:
        """Of the columns that are written."""
        return 8 * self.rank * self.columns.shape[1]

    def grow(self, gram: Gram, rank: int) -> Work[None]:
        """To `rank` columns, or as many as there are or `most` allows; always of the example worst represented."""
        rank, done = min(rank, self.most), 0.0
        cost = len(gram) * (2.0 * gram.points.stored + VALUE)
        while self.rank < rank and not self.whole:
            number, pivot = self.rank, int(self._left.argmax())
            column = yield from self._column(gram, pivot)
            if number == self.rank:  # else another user of the factor appended this column during an interruption
                self._append(gram, column, pivot)
            done += cost + ENTRY * number * len(gram)
            if done > PIECE:
                done = 0.0
                yield

    @property
    def rest(self) -> float:
        """The share of the trace of K that V V' lacks."""
        return self.rest_at(self.rank)

    def rest_at(self, rank: int) -> float:
        """The same for the first `rank` columns, or all there are."""
        return self._rests[min(rank, self.rank)] / self._rests[0] if self._nothing > 0.0 else 0.0

    def _column(self, gram: Gram, pivot: int) -> Work[np.ndarray]:
        before, scale = self.columns[: self.rank], np.sqrt(self._left[pivot])
        column = np.empty((1, len(gram)))
        yield from gram.kernel.prepare(gram.points, np.float64)
        gram.kernel.block(gram.points.take(np.array([pivot])), gram.points, column)
        weights = before[:, pivot].copy()
        for examples in pieces(len(gram), ENTRY * weights.size):
            if examples.start:
                yield
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
        self._rests.append(0.0 if self.whole else left)  # 0 ends loops that ask for an ever smaller rest


FACTORS: weakref.WeakKeyDictionary[Gram, Factor] = weakref.WeakKeyDictionary()


def factor_of(gram: Gram) -> Factor:
    """One for all parts over the same examples."""
    if gram not in FACTORS:
        FACTORS[gram] = Factor(gram)
    return FACTORS[gram]
