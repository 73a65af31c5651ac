"""Newton steps on the free variables of a dense problem.

If pair steps are slow (large C, smooth kernels), few variables are free and Q_FF delta = g_F is small: one Cholesky
factor in float64 replaces a hundred thousand pair steps. Group sums (cs with its slack, exact bias) stay constant,
because each free variable moves against one reference variable of its group. This keeps the system positive definite.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mcsvm.solvers.budget import DENSE
from mcsvm.solvers.dense.cholesky import factored, solved
from mcsvm.solvers.interrupt import tick
from mcsvm.solvers.jit import sums as simplex
from mcsvm.solvers.jit.rounding import RIDGE, ROUNDING
from mcsvm.solvers.work import ROWS


@dataclass
class Face:
    """Maximise g'x - 1/2 x'Qx around `value`, low <= value + x <= high; if `tied`, the sum of every group is constant.

    The variables past the end of Q have no curvature: the slacks of bounded sums.
    """

    Q: np.ndarray
    gradient: np.ndarray
    value: np.ndarray
    low: np.ndarray
    high: np.ndarray
    group: np.ndarray  # (v,) the group of each variable
    tied: ClassVar[bool] = False

    def newton_step(self) -> bool:
        """Take one step towards the maximum over the free variables; return whether it gained anything."""
        free = np.flatnonzero((self.value > self.low) & (self.value < self.high))
        moving, against = self._directions(free)
        if moving.size == 0:
            return False
        matrix, right = self._reduced(moving, against)
        step = _solve(matrix, right)
        if step is None:
            return False
        del matrix
        full = np.zeros(self.value.size)
        full[moving] = step
        if against is not None:
            np.subtract.at(full, against, step)
        return self._line_search(full)

    def _directions(self, free: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
        """Return the variables to solve for, and the reference variable of each.

        The reference is the free variable of the group that is farthest from its bounds.
        """
        if not self.tied:
            return free, None
        room = np.minimum(self.value - self.low, self.high - self.value)[free]
        order = free[np.lexsort((room, self.group[free]))]
        last = np.flatnonzero(np.diff(self.group[order], append=-1) != 0)
        reference = np.full(int(self.group.max()) + 1, -1)
        reference[self.group[order[last]]] = order[last]
        moving = free[reference[self.group[free]] != free]
        return moving, reference[self.group[moving]]

    def _reduced(self, moving: np.ndarray, against: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
        """Return Q and the gradient in the directions e_moving - e_against."""
        matrix, right, last = np.empty((moving.size, moving.size)), self.gradient[moving], self.Q.shape[0]
        first = np.minimum(moving, last)  # slacks have the last column, of zeros
        second = None if against is None else np.minimum(against, last)
        for start in range(0, moving.size, ROWS):
            tick()
            rows = slice(start, start + ROWS)
            ours = self._rows(moving[rows])
            matrix[rows] = ours.take(first, axis=1)
            if against is not None and second is not None:
                theirs = self._rows(against[rows])
                matrix[rows] -= ours.take(second, axis=1)
                matrix[rows] -= theirs.take(first, axis=1)
                matrix[rows] += theirs.take(second, axis=1)
        return matrix, right if against is None else right - self.gradient[against]

    def _rows(self, variables: np.ndarray) -> np.ndarray:
        """Return rows of Q with a last column of zeros; slacks have rows of zeros."""
        known = self.Q.shape[0]
        rows = np.zeros((variables.size, known + 1))
        curved = np.flatnonzero(variables < known)
        rows[curved, :known] = self.Q[variables[curved]]
        return rows

    def _times(self, step: np.ndarray) -> np.ndarray:
        """Return Q @ step."""
        known = self.Q.shape[0]
        product = self.Q @ step[:known]
        return product if known == step.size else np.concatenate([product, np.zeros(step.size - known)])

    def _line_search(self, step: np.ndarray) -> bool:
        """Backtrack over projected steps, move to the best of them, and return whether the objective rose."""
        best_gain, best, length = 0.0, np.zeros(step.size), 1.0
        for _ in range(DENSE.halvings):
            tick()
            trial = self.project(self.value + length * step) - self.value
            gain = trial @ self.gradient - 0.5 * trial @ self._times(trial)
            if gain > best_gain:
                best_gain, best = gain, trial
            elif best_gain > 0.0:
                break
            if length == 1.0 and np.abs(trial - step).max() <= ROUNDING * np.abs(step).max():
                break
            length *= 0.5
        self._move(best)
        return best_gain > 0.0

    def jump(self, value: np.ndarray) -> None:
        """Move to this feasible point, if its objective is larger."""
        step = value - self.value
        if step @ self.gradient - 0.5 * step @ self._times(step) > 0.0:
            self._move(step)

    def project(self, value: np.ndarray) -> np.ndarray:
        """Return the nearest feasible point."""
        return np.clip(value, self.low, self.high)

    def _move(self, step: np.ndarray) -> None:
        self.gradient -= self._times(step)
        value, low, high = self.value + step, self.low, self.high
        at_low = value - low < ROUNDING * np.maximum(np.abs(low), self.value - low)
        at_high = high - value < ROUNDING * np.maximum(np.abs(high), high - self.value)
        self.value[...] = np.where(at_low, low, np.where(at_high, high, value)).clip(low, high)


def _solve(matrix: np.ndarray, right: np.ndarray) -> np.ndarray | None:
    """Return (matrix + ridge)^-1 right, or None if matrix + ridge is not positive definite; overwrites the matrix."""
    matrix[np.diag_indices(right.size)] += RIDGE * max(1e-300, float(matrix.diagonal().max()))
    factor = factored(matrix)
    return None if factor is None else solved(factor, right)


class BalancedFace(Face):
    """A face with one group, whose sum stays constant."""

    tied = True

    def project(self, value: np.ndarray) -> np.ndarray:
        return simplex.project_box_sum(value, self.low, self.high, float(self.value.sum()))


class SumsFace(Face):
    """A face of groups with their slacks, whose sum stays at the bound (`high`)."""

    tied = True

    def project(self, value: np.ndarray) -> np.ndarray:
        return simplex.project_sums(value, self.group, self.high)
