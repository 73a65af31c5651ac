"""Face-Newton: when the active set settles, solve for all free variables at once (MATH: section 4).

Where pair steps crawl (large C, smooth kernels) few variables are free and Q_FF delta = g_F is small: a Cholesky
factor in float64 does what a hundred thousand pair steps would. Sums (cs with its slack, exact bias) are kept by
moving each free variable against one reference of its group, so that the system stays positive definite.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.linalg import cho_solve

from solvers.dense.cholesky import factored
from solvers.jit import sums as simplex
from solvers.jit.box import SNAP

RIDGE = 1e-11  # share of the largest diagonal entry added to Q_FF: directions without curvature stay put
HALVINGS = 8


@dataclass
class Face:
    """A dense problem: maximise g'x - 1/2 x'Qx around `value`, low <= value <= high; if `tied`, group sums are kept."""

    Q: np.ndarray
    gradient: np.ndarray
    value: np.ndarray
    low: np.ndarray
    high: np.ndarray
    group: np.ndarray  # (v,) the group of each variable
    tied: ClassVar[bool] = False

    def newton_step(self) -> bool:
        """One step towards the maximum over the free variables; returns whether it gained anything."""
        free = np.flatnonzero((self.value > self.low) & (self.value < self.high))
        moving, against = self._directions(free)
        if moving.size == 0:
            return False
        matrix, right = self._reduced(moving, against)
        step = _solve(matrix, right)
        if step is None:
            return False
        full = np.zeros(self.value.size)
        full[moving] = step
        if against is not None:
            np.subtract.at(full, against, step)
        return self._walk(full)

    def _directions(self, free: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
        """The variables to solve for, and the free one with most room in each one's group to balance it."""
        if not self.tied:
            return free, None
        room = np.minimum(self.value - self.low, self.high - self.value)[free]
        order = free[np.lexsort((room, self.group[free]))]
        last = np.flatnonzero(np.diff(self.group[order], append=-1) != 0)
        holder = np.full(int(self.group.max()) + 1, -1)
        holder[self.group[order[last]]] = order[last]
        moving = free[holder[self.group[free]] != free]
        return moving, holder[self.group[moving]]

    def _reduced(self, moving: np.ndarray, against: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
        """Q and gradient in the directions e_moving - e_against."""
        matrix, right = self.Q[np.ix_(moving, moving)], self.gradient[moving]
        if against is not None:
            cross = self.Q[np.ix_(moving, against)]
            matrix -= cross
            matrix -= cross.T
            matrix += self.Q[np.ix_(against, against)]
            right = right - self.gradient[against]
        return matrix, right

    def _walk(self, step: np.ndarray) -> bool:
        """The best of a few shortened steps, each brought back to the feasible set; whether it was cut short."""
        best_gain, best, length = 0.0, np.zeros(step.size), 1.0
        for _ in range(HALVINGS):
            trial = self.project(self.value + length * step) - self.value
            gain = trial @ self.gradient - 0.5 * trial @ (self.Q @ trial)
            if gain > best_gain:
                best_gain, best = gain, trial
            elif best_gain > 0.0:
                break
            if length == 1.0 and np.abs(trial - step).max() <= SNAP * np.abs(step).max():
                break
            length *= 0.5
        self._move(best)
        return best_gain > 0.0

    def jump(self, value: np.ndarray) -> None:
        """Go to another feasible point, if it is better."""
        step = value - self.value
        if step @ self.gradient - 0.5 * step @ (self.Q @ step) > 0.0:
            self._move(step)

    def project(self, value: np.ndarray) -> np.ndarray:
        """The nearest feasible point."""
        return np.clip(value, self.low, self.high)

    def _move(self, step: np.ndarray) -> None:
        self.gradient -= self.Q @ step
        value, low, high = self.value + step, self.low, self.high
        at_low = value - low < SNAP * np.maximum(np.abs(low), self.value - low)
        at_high = high - value < SNAP * np.maximum(np.abs(high), high - self.value)
        self.value[...] = np.where(at_low, low, np.where(at_high, high, value)).clip(low, high)


def _solve(matrix: np.ndarray, right: np.ndarray) -> np.ndarray | None:
    """matrix^-1 right, or None where it is not positive definite even with the ridge."""
    ridged = matrix  # its caller's no more
    ridged[np.diag_indices(right.size)] += RIDGE * max(1e-300, float(matrix.diagonal().max()))
    factor = factored(ridged)
    return None if factor is None else cho_solve(factor, right, check_finite=False)


class BalancedFace(Face):
    """One group: the sum of all stays what it is."""

    tied = True

    def project(self, value: np.ndarray) -> np.ndarray:
        return simplex.project_box_sum(value, self.low, self.high, float(self.value.sum()))


class SumsFace(Face):
    """Every group's sum stays at its bound (`high`), the slack being one of the group."""

    tied = True

    def project(self, value: np.ndarray) -> np.ndarray:
        return simplex.project_sums(value, self.group, self.high)
