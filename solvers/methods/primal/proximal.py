"""One proximal step: maximise dual(alpha) - |alpha - anchor|^2 / (2 sigma) by Newton steps in W.

Its own dual is smooth and unconstrained: minimise |W|^2 / 2 + sum_i of the conjugate of example i at its class
functions, whose gradient is W - X' weights(alpha(W)) with alpha(W) = projection(anchor + sigma gradient). It is
piecewise quadratic, so that semismooth Newton steps end at the exact minimum (Li, Sun & Toh 2018 for the lasso).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from solvers.methods.primal.system import Columns, System
from solvers.methods.state import gradients, weights_of
from solvers.problem import Part

NEWTON_STEPS = 60
TRIES = 20  # lengths of one step
FLAT = 0.1  # share of the slope at the beginning that may be left at its end


@dataclass
class Trial:
    """A point W and what it makes of alpha."""

    vectors: np.ndarray  # (width, outputs)
    functions: np.ndarray  # (n, outputs), without what was given
    alpha: np.ndarray
    full: np.ndarray  # (n,) whether a bounded sum is at its bound


class ProximalStep:
    def __init__(self, part: Part, columns: Columns, anchor: np.ndarray, given: np.ndarray, sigma: float) -> None:
        self.part, self.columns, self.anchor, self.given, self.sigma = part, columns, anchor, given, sigma
        self.system = System(columns, part.form, sigma)

    def at(self, vectors: np.ndarray, functions: np.ndarray) -> Trial:
        part = self.part
        gradient = gradients(part, functions + self.given)
        wish = self.anchor + self.sigma * gradient
        if part.form.feasible == "box":
            alpha, full = np.minimum(np.maximum(wish, 0.0), part.upper[:, None]), np.zeros(len(part), bool)
        else:
            alpha, full = project_sums(wish, part.upper)
        return Trial(vectors, functions, alpha, full)

    def residual(self, trial: Trial) -> np.ndarray:
        """Minus the gradient in W."""
        made = self.columns.rows.T @ weights_of(self.part, trial.alpha)
        return made - self.columns.stiffness[:, None] * trial.vectors

    def newton(self, trial: Trial, residual: np.ndarray) -> Trial | None:
        """The next point, or None where no step decreases any more."""
        alpha, upper = trial.alpha, self.part.upper[:, None]
        free = (alpha > 0.0) & (alpha < upper) if self.part.form.feasible == "box" else alpha > 0.0
        self.system.look(self.part.labels, free, trial.full)
        direction = self.system.solve(residual)
        slope = -float(np.vdot(residual, direction))
        if not slope < 0.0:
            return None
        return self.search(trial, direction, self.columns.rows @ direction, slope)

    def search(self, trial: Trial, direction: np.ndarray, moved: np.ndarray, slope: float) -> Trial:
        """Along a direction, to where the slope nearly vanishes: slopes see what values lose to rounding."""
        low, high, length = 0.0, np.inf, 1.0
        at_low, at_high = slope, np.inf
        for _ in range(TRIES):
            other = self.at(trial.vectors + length * direction, trial.functions + length * moved)
            here = self.slope(other, direction, moved)
            if here <= -FLAT * slope:
                if here >= FLAT * slope or high == np.inf:
                    return other
                low, at_low = length, here
            else:
                high, at_high = length, here
            share = at_low / (at_low - at_high)
            length = low + min(max(share, 0.1), 0.9) * (high - low)
        return other

    def slope(self, trial: Trial, direction: np.ndarray, moved: np.ndarray) -> float:
        bent = float(np.vdot(self.columns.stiffness[:, None] * trial.vectors, direction))
        return bent - float(np.vdot(weights_of(self.part, trial.alpha), moved))

    def solve(self, vectors: np.ndarray, closeness: float) -> tuple[Trial, int]:
        """Down to functions that are `closeness` within those of alpha, relative to how far alpha moves."""
        trial, steps = self.at(vectors, self.columns.rows @ vectors), 0
        while steps < NEWTON_STEPS:
            residual = self.residual(trial)
            off = float(np.abs(self.columns.rows @ residual).max())
            if off <= max(closeness, 0.05 * float(np.abs(trial.alpha - self.anchor).max()) / self.sigma):
                break
            following = self.newton(trial, residual)
            if following is None:
                break
            trial, steps = following, steps + 1
        return trial, max(steps, 1)


def project_sums(wish: np.ndarray, upper: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Each row's nearest point with entries >= 0 and sum <= upper; which sums are at the bound."""
    alpha = np.maximum(wish, 0.0)
    full = alpha.sum(axis=1) > upper
    some, bound = wish[full], upper[full]
    falling = -np.sort(-some, axis=1)
    over = np.cumsum(falling, axis=1) - bound[:, None]
    count = np.maximum((falling * np.arange(1, some.shape[1] + 1) > over).sum(axis=1), 1)
    shift = over[np.arange(count.size), count - 1] / count
    inside = np.maximum(some - shift[:, None], 0.0)
    alpha[full] = inside * (bound / inside.sum(axis=1))[:, None]  # large wishes cost digits
    return alpha, full
