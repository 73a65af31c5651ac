"""A Newton system of free variables, factored once for all the sets of variables that differ from it by a few.

Variables that come border the matrix, those that go are held at zero by a multiplier each: both need one row of the
factor's inverse, which is cheaper than another factor while they are few.
"""

from __future__ import annotations

import numpy as np

from solvers.jit import newton

BLOCK = 128  # rows of a factor at once
FEW, LARGE = 1 / 8, 400  # variables that come or go, per variable of a system of so many: a smaller one is soon made


class System:
    """Q + ridge, Q[a, b] = couplings[kind a, kind b] K[example a, example b], of the variables `chosen`, which rise.

    Variables are numbered row by row as they stand in `kinds`, (examples, variables).
    """

    def __init__(
        self, K: np.ndarray, kinds: np.ndarray, couplings: np.ndarray, ridge: float, chosen: np.ndarray
    ) -> None:
        self.K, self.kinds, self.couplings, self.ridge, self.chosen = K, kinds, couplings, ridge, chosen
        self.upper = newton.factor_free(K, chosen // kinds.shape[1], kinds.ravel()[chosen], couplings, ridge).T

    def near(self, chosen: np.ndarray, ridge: float) -> bool:
        if ridge != self.ridge or self.chosen.size < LARGE:
            return False
        apart = np.setxor1d(chosen, self.chosen, assume_unique=True).size
        return bool(apart <= FEW * self.chosen.size)

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
        """Each row becomes the solution of U'y = row."""
        for start in range(0, rows.shape[1], BLOCK):
            stop = start + BLOCK
            piece = np.linalg.solve(self.upper[start:stop, start:stop].T, rows[:, start:stop].T).T
            rows[:, start:stop] = piece
            rows[:, stop:] -= piece @ self.upper[start:stop, stop:]

    def backward(self, x: np.ndarray) -> np.ndarray:
        """The solution of U y = x."""
        y = x.copy()
        for start in reversed(range(0, x.size, BLOCK)):
            stop = start + BLOCK
            y[start:stop] -= self.upper[start:stop, stop:] @ y[stop:]
            y[start:stop] = np.linalg.solve(self.upper[start:stop, start:stop], y[start:stop])
        return y
