"""A dense interior point for boxes and bounded sums, which needs as many iterations for a large C as for a small one.

minimise 1/2 x'Qx - c'x subject to x >= 0 and sums over groups <= bound (a group per variable is a box), optionally with
one equality s'x = total. Mehrotra's predictor and corrector (Nocedal & Wright, section 16.6) share one Cholesky factor;
x stays strictly feasible.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mcsvm.solvers.budget import DENSE, PATH
from mcsvm.solvers.dense.cholesky import CholeskyFactor, factored, solved
from mcsvm.solvers.interrupt import tick
from mcsvm.solvers.jit.bound import until_zero
from mcsvm.solvers.jit.rounding import ROUNDING
from mcsvm.solvers.work import ENTRIES


@dataclass
class DenseInterior:
    """The problem, to which `solve` adds the iterate.

    The iterate has x, multipliers z of x >= 0, w of the sums and y of the equality, and the slacks t of the sums.
    """

    Q: np.ndarray
    c: np.ndarray
    group: np.ndarray  # (v,) the group of each variable, in any order
    bound: np.ndarray  # (groups,)
    balance: np.ndarray | None = None  # s, or None
    total: float = 0.0  # s'x

    def solve(self, x: np.ndarray, goal: float) -> np.ndarray:
        """Solve from a strictly feasible x to KKT violations of about `goal`.

        Return x with active variables on their bounds.
        """
        self.x = x
        self.t = self.bound - self._sums(x)
        self.y = 0.0
        self.scale = float(np.abs(self.c - self.Q @ x).mean()) + ROUNDING
        self.z = np.full(x.size, self.scale)
        self.w = np.full(self.bound.size, self.scale)
        self.pairs = _same_group(self.group)
        enough = DENSE.clear * goal * float(self.bound.mean())
        for _ in range(PATH.iterations):
            if self._complementarity() <= enough or not self._iterate():
                break
        return self._onto_bounds()

    def _sums(self, x: np.ndarray) -> np.ndarray:
        return np.bincount(self.group, weights=x, minlength=self.bound.size)

    def _complementarity(self) -> float:
        return float((self.x @ self.z + self.t @ self.w) / (self.x.size + self.t.size))

    def _iterate(self) -> bool:
        factor = self._factor()
        if factor is None:
            return False
        residual = self.Q @ self.x - self.c - self.z + self.w[self.group] - self._equality_force()
        tick()
        none_x, none_t = np.zeros(self.x.size), np.zeros(self.t.size)
        dx, dz, dw, _ = self._direction(factor, residual, 0.0, none_x, none_t)
        tick()
        dt = -self._sums(dx)
        length = self._longest(dx, dz, dt, dw)
        mu = self._complementarity()
        ahead = (self.x + length * dx) @ (self.z + length * dz) + (self.t + length * dt) @ (self.w + length * dw)
        centre = mu * (ahead / (self.x.size + self.t.size) / mu) ** 3
        dx, dz, dw, dy = self._direction(factor, residual, centre, dx * dz, dt * dw)
        dt = -self._sums(dx)
        length = PATH.boundary * self._longest(dx, dz, dt, dw)
        self.x, self.z, self.w = self.x + length * dx, self.z + length * dz, self.w + length * dw
        self.t, self.y = self.t + length * dt, self.y + length * dy
        return length > PATH.shortest

    def _factor(self) -> CholeskyFactor | None:
        """Factor Q + diag(z / x), with w / t added within each group."""
        ratio, v = self.w / self.t, self.x.size
        matrix, height = np.empty((v, v)), max(1, ENTRIES // v)
        for start in range(0, v, height):
            tick()
            matrix[start : start + height] = self.Q[start : start + height]
        matrix[self.pairs] += ratio[self.group[self.pairs[0]]]
        matrix[np.diag_indices(v)] += self.z / self.x
        return factored(matrix)

    def _equality_force(self) -> np.ndarray | float:
        return 0.0 if self.balance is None else self.balance * self.y

    def _direction(
        self, factor: CholeskyFactor, residual: np.ndarray, centre: float, second_x: np.ndarray, second_t: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
        toward_x = (centre - second_x) / self.x - self.z
        toward_t = (centre - second_t) / self.t - self.w
        right = toward_x - toward_t[self.group] - residual
        dx = solved(factor, right)
        dy = 0.0
        if self.balance is not None:
            pull = solved(factor, self.balance)
            dy = (self.total - self.balance @ (self.x + dx)) / (self.balance @ pull)  # Schur complement
            dx = dx + dy * pull
        dz = toward_x - self.z / self.x * dx
        dw = toward_t + self.w / self.t * self._sums(dx)
        return dx, dz, dw, dy

    def _longest(self, dx: np.ndarray, dz: np.ndarray, dt: np.ndarray, dw: np.ndarray) -> float:
        """Return the longest step, up to 1, that keeps everything non-negative."""
        longest = 1.0
        for value, step in ((self.x, dx), (self.z, dz), (self.t, dt), (self.w, dw)):
            longest = until_zero(value, step, longest)
        return longest

    def _onto_bounds(self) -> np.ndarray:
        """Return x with variables and sums put onto a bound if they are smaller than their multiplier.

        The comparison is x / bound < z / scale for variables, and t / bound < w / scale for sums.
        """
        size = self.bound[self.group]
        x = np.where(self.x / size < self.z / self.scale, 0.0, self.x)
        full = self.t / self.bound < self.w / self.scale
        sums = self._sums(x)
        scale = np.divide(self.bound, sums, out=np.ones_like(sums), where=full & (sums > 0.0))
        return x * scale[self.group]


def _same_group(group: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the index pairs of variables that share a group."""
    order = np.argsort(group, kind="stable")
    counts = np.bincount(group)
    starts = np.cumsum(counts) - counts
    left = np.repeat(np.arange(group.size), counts[group[order]])
    offset = np.arange(left.size) - np.repeat(
        np.cumsum(counts[group[order]]) - counts[group[order]], counts[group[order]]
    )
    return order[left], order[starts[group[order[left]]] + offset]
