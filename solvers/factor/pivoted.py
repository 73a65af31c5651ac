"""Pivoted Cholesky: K = V V' up to a rest, from as many kernel columns as V has; it grows on demand.

A kernel of few features or small gamma is of small rank: linear of the number of features, exactly. More columns leave
those before as they are, so that the first few are a factor too, of a coarser kernel.
"""

from __future__ import annotations

import weakref

import numpy as np

from solvers.gram import Gram

EXACT = 1e-13  # share of the trace at which the rest is rounding
ROOM = 64  # columns by which the work space grows at least


class Factor:
    """It knows no Gram, which it may be kept for: every call is told."""

    def __init__(self, gram: Gram) -> None:
        self.rank = 0
        self._columns = np.empty((0, len(gram)))  # one column of V after the other
        self._left = np.maximum(gram.diagonal.astype(np.float64), 0.0)
        self._rests = [float(self._left.sum())]  # the trace that is left, by columns
        self._nothing = EXACT * self._rests[0]
        self.whole = not self._rests[0] > 0.0  # nothing is left
        self.V = np.empty((len(gram), 0))

    def grow(self, gram: Gram, rank: int) -> None:
        """To so many columns, or as many as there are; always of the example that is worst represented."""
        begun, rank = self.rank, min(rank, len(gram))
        self._make_room(rank)
        while self.rank < rank and not self.whole:
            self._append(gram, int(self._left.argmax()))
            left = float(self._left.sum())
            self.whole = left <= self._nothing
            self._rests.append(0.0 if self.whole else left)  # so that whoever asks for less and less comes to an end
        if self.rank > begun:
            self.V = np.ascontiguousarray(self._columns[: self.rank].T)

    @property
    def rest(self) -> float:
        """The share of the trace of K that V V' lacks."""
        return self.rest_at(self.rank)

    def rest_at(self, rank: int) -> float:
        """The same for the first `rank` columns, or all there are."""
        return self._rests[min(rank, self.rank)] / self._rests[0] if self._nothing > 0.0 else 0.0

    def _make_room(self, rank: int) -> None:
        if rank > self._columns.shape[0]:
            more = np.empty((max(ROOM, rank - self._columns.shape[0]), self._columns.shape[1]))
            self._columns = np.concatenate([self._columns, more])

    def _append(self, gram: Gram, pivot: int) -> None:
        before = self._columns[: self.rank]
        column = self._columns[self.rank : self.rank + 1]
        gram.kernel.block(gram.points.take(np.array([pivot])), gram.points, column)
        column -= before[:, pivot] @ before
        column /= np.sqrt(self._left[pivot])
        self._left -= column[0] * column[0]
        np.maximum(self._left, 0.0, out=self._left)
        self._left[pivot] = 0.0
        self.rank += 1


FACTORS: weakref.WeakKeyDictionary[Gram, Factor] = weakref.WeakKeyDictionary()


def factor_of(gram: Gram) -> Factor:
    """Kept, as all parts over the same examples and all slices need it."""
    if gram not in FACTORS:
        FACTORS[gram] = Factor(gram)
    return FACTORS[gram]
