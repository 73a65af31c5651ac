"""A dense interior point for small boxes and sums: as many iterations for a large C as for a small one.

minimise 1/2 x'Qx - c'x subject to x >= 0 and sums over groups <= bound (a group per variable is a box), optionally
with one balance s'x fixed. Mehrotra's predictor and corrector share one Cholesky factor; x stays strictly feasible.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_solve

from solvers.dense.cholesky import Factor, factored

ITERATIONS = 40
TO_THE_EDGE = 0.99
CLEAR = 1e-5  # complementarity, as a share of goal times bound, at which the active set is clear


@dataclass
class Interior:
    """x with the multipliers z of x >= 0 and w of the sums; t is what is left of each sum."""

    Q: np.ndarray
    c: np.ndarray
    group: np.ndarray  # (v,) ascending or any; each sum's members
    bound: np.ndarray  # (groups,)
    balance: np.ndarray | None = None  # s, or None
    total: float = 0.0  # s'x

    def solve(self, x: np.ndarray, goal: float) -> np.ndarray:
        """From a strictly feasible x to violations of about `goal`, with the active variables put onto their bounds."""
        self.x = x
        self.t = self.bound - self._sums(x)
        self.y = 0.0
        self.scale = float(np.abs(self.c - self.Q @ x).mean()) + 1e-12
        self.z = np.full(x.size, self.scale)
        self.w = np.full(self.bound.size, self.scale)
        self.pairs = _within(self.group)
        enough = CLEAR * goal * float(self.bound.mean())
        for _ in range(ITERATIONS):
            if self._complementarity() <= enough or not self._iterate():
                break
        return self._settle()

    def _sums(self, x: np.ndarray) -> np.ndarray:
        return np.bincount(self.group, weights=x, minlength=self.bound.size)

    def _complementarity(self) -> float:
        return float((self.x @ self.z + self.t @ self.w) / (self.x.size + self.t.size))

    def _iterate(self) -> bool:
        ratio = self.w / self.t
        matrix = self.Q.copy()
        matrix[self.pairs] += ratio[self.group[self.pairs[0]]]
        matrix[np.diag_indices(self.x.size)] += self.z / self.x
        factor = factored(matrix)
        if factor is None:
            return False
        residual = self.Q @ self.x - self.c - self.z + self.w[self.group] - self._pull(self.y)
        none_x, none_t = np.zeros(self.x.size), np.zeros(self.t.size)
        dx, dz, dw, _ = self._direction(factor, residual, 0.0, none_x, none_t)
        dt = -self._sums(dx)
        length = self._length(dx, dz, dt, dw)
        mu = self._complementarity()
        ahead = (self.x + length * dx) @ (self.z + length * dz) + (self.t + length * dt) @ (self.w + length * dw)
        centre = mu * (ahead / (self.x.size + self.t.size) / mu) ** 3
        dx, dz, dw, dy = self._direction(factor, residual, centre, dx * dz, dt * dw)
        dt = -self._sums(dx)
        length = TO_THE_EDGE * self._length(dx, dz, dt, dw)
        self.x, self.z, self.w = self.x + length * dx, self.z + length * dz, self.w + length * dw
        self.t, self.y = self.t + length * dt, self.y + length * dy
        return length > 1e-10

    def _pull(self, y: float) -> np.ndarray | float:
        return 0.0 if self.balance is None else self.balance * y

    def _direction(
        self, factor: Factor, residual: np.ndarray, centre: float, second_x: np.ndarray, second_t: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
        toward_x = (centre - second_x) / self.x - self.z
        toward_t = (centre - second_t) / self.t - self.w
        right = toward_x - toward_t[self.group] - residual
        dx = cho_solve(factor, right, check_finite=False)
        dy = 0.0
        if self.balance is not None:
            pull = cho_solve(factor, self.balance, check_finite=False)
            dy = (self.total - self.balance @ (self.x + dx)) / (self.balance @ pull)
            dx = dx + dy * pull
        dz = toward_x - self.z / self.x * dx
        dw = toward_t + self.w / self.t * self._sums(dx)
        return dx, dz, dw, dy

    def _length(self, dx: np.ndarray, dz: np.ndarray, dt: np.ndarray, dw: np.ndarray) -> float:
        shortest = 1.0
        for value, step in ((self.x, dx), (self.z, dz), (self.t, dt), (self.w, dw)):
            falls = step < 0.0
            if falls.any():
                shortest = min(shortest, float((-value[falls] / step[falls]).min()))
        return shortest

    def _settle(self) -> np.ndarray:
        """A variable is at its bound where the multiplier, not the distance, is what stays away from zero."""
        size = self.bound[self.group]
        x = np.where(self.x / size < self.z / self.scale, 0.0, self.x)
        full = self.t / self.bound < self.w / self.scale
        sums = self._sums(x)
        scale = np.divide(self.bound, sums, out=np.ones_like(sums), where=full & (sums > 0.0))
        return x * scale[self.group]


def _within(group: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Index pairs of variables that share a sum."""
    order = np.argsort(group, kind="stable")
    counts = np.bincount(group)
    starts = np.cumsum(counts) - counts
    left = np.repeat(np.arange(group.size), counts[group[order]])
    offset = np.arange(left.size) - np.repeat(
        np.cumsum(counts[group[order]]) - counts[group[order]], counts[group[order]]
    )
    return order[left], order[starts[group[order[left]]] + offset]
