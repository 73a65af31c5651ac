"""The Newton system of free variables (proximal.py), whose factor is reused for sets that differ by a few variables.

New variables border the matrix. A multiplier for each removed variable keeps it at zero (Schur complement). Each of
them costs one forward substitution, which is cheaper than a new factor if they are few: 58 -> 47 CPU s on a fold of
segment, llw.
"""

from __future__ import annotations

import numpy as np

from mcsvm.solvers.budget import SEARCH
from mcsvm.solvers.jit import newton
from mcsvm.solvers.work import PANEL


class VariableSystem:
    """A factor of Q + ridge for the sorted variables `chosen`.

    Q[a, b] = couplings[kind a, kind b] K[example a, example b]. A variable is an index into the flattened `kinds`,
    (examples, variables).
    """

    def __init__(
        self, K: np.ndarray, kinds: np.ndarray, couplings: np.ndarray, ridge: float, chosen: np.ndarray
    ) -> None:
        self.K, self.kinds, self.couplings, self.ridge, self.chosen = K, kinds, couplings, ridge, chosen
        self.upper = newton.factor_free(K, chosen // kinds.shape[1], kinds.ravel()[chosen], couplings, ridge).T

    def near(self, chosen: np.ndarray, ridge: float) -> bool:
        if ridge != self.ridge or self.chosen.size < SEARCH.worth:
            return False
        apart = np.setxor1d(chosen, self.chosen, assume_unique=True).size
        return bool(apart <= SEARCH.apart * self.chosen.size)

    def solve(self, chosen: np.ndarray, right: np.ndarray) -> np.ndarray:
        stays, comes = np.isin(self.chosen, chosen), ~np.isin(chosen, self.chosen)
        new, count = chosen[comes], self.chosen.size
        edges = np.zeros((1 + count - int(stays.sum()) + new.size, count))
        edges[0, stays] = right[~comes]
        edges[1 : 1 + new.size] = self.between(new, self.chosen)
        edges[np.arange(1 + new.size, len(edges)), np.flatnonzero(~stays)] = 1.0
        self.forward(edges)
        first, edges = edges[0], edges[1:]
        border = -edges @ edges.T
        border[: new.size, : new.size] += self.between(new, new) + self.ridge * np.eye(new.size)
        given = np.zeros(len(edges))
        given[: new.size] = right[comes]
        at_edges = np.linalg.solve(border, given - edges @ first)
        x = np.empty(chosen.size)
        x[comes] = at_edges[: new.size]
        x[~comes] = self.backward(first - at_edges @ edges)[stays]
        return x

    def between(self, some: np.ndarray, others: np.ndarray) -> np.ndarray:
        kinds, width = self.kinds.ravel(), self.kinds.shape[1]
        return self.K[np.ix_(some // width, others // width)] * self.couplings[np.ix_(kinds[some], kinds[others])]

    def forward(self, rows: np.ndarray) -> None:
        """Replace each row by the solution y of U'y = row."""
        for start in range(0, rows.shape[1], PANEL):
            stop = start + PANEL
            piece = np.linalg.solve(self.upper[start:stop, start:stop].T, rows[:, start:stop].T).T
            rows[:, start:stop] = piece
            rows[:, stop:] -= piece @ self.upper[start:stop, stop:]

    def backward(self, x: np.ndarray) -> np.ndarray:
        """Return the solution y of U y = x."""
        y = x.copy()
        for start in reversed(range(0, x.size, PANEL)):
            stop = start + PANEL
            y[start:stop] -= self.upper[start:stop, stop:] @ y[stop:]
            y[start:stop] = np.linalg.solve(self.upper[start:stop, start:stop], y[start:stop])
        return y
