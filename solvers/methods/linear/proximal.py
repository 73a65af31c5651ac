"""One proximal step: maximise dual(alpha) - |alpha - anchor|^2 / (2 sigma) by Newton steps in W.

Its own dual is smooth and unconstrained: minimise |W|^2 / 2 + sum_i of the conjugate of example i at its class
functions, whose gradient is W - X' weights(alpha(W)) with alpha(W) = projection(anchor + sigma gradient). It is
piecewise quadratic, so semismooth Newton steps end at the exact minimum (Li, Sun & Toh 2018 for the lasso).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from solvers.dual.quantities import weights_of
from solvers.methods.linear.system import Columns, System
from solvers.problem import Part
from solvers.work import Work

NEWTON_STEPS = 60  # of one proximal step, at most
TRIES = 20  # step lengths of one line search, at most
LEVEL = 1e-3  # share of sum(alpha) by which the balance may be missed: repairing it costs little dual
FLAT = 0.3  # share of the first slope that may be left where a line search ends
FARTHER = 10.0  # factor by which a step length may grow at once


@dataclass
class Trial:
    """A point W with its class functions and the alpha that follows from it."""

    vectors: np.ndarray  # (width, outputs)
    functions: np.ndarray  # (n, outputs)
    alpha: np.ndarray
    weights: np.ndarray  # of alpha
    full: np.ndarray  # (n,) whether a bounded sum is at its bound


class ProximalStep:
    def __init__(self, part: Part, columns: Columns, anchor: np.ndarray, sigma: float) -> None:
        self.part, self.columns, self.anchor, self.sigma = part, columns, anchor, sigma
        self.system = System(columns, part.form, sigma)

    def at(self, vectors: np.ndarray, functions: np.ndarray) -> Trial:
        alpha, full = self.part.geometry.respond(self.part, functions, self.anchor, self.sigma)
        return Trial(vectors, functions, alpha, weights_of(self.part, alpha), full)

    def residual(self, trial: Trial) -> np.ndarray:
        """Minus the gradient in W."""
        return self.columns.rows.T @ trial.weights - self.columns.stiffness[:, None] * trial.vectors

    def is_level(self, trial: Trial, residual: np.ndarray) -> bool:
        """Whether the balance of a free bias nearly holds: at small costs class functions do not show it."""
        tilt = np.abs(residual[self.columns.stiffness == 0.0]).max(initial=0.0)
        return bool(tilt <= LEVEL * trial.alpha.sum())

    def newton(self, trial: Trial, residual: np.ndarray) -> Work[Trial | None]:
        """The next point, or None where no direction descends any more."""
        free = self.part.geometry.face(trial.alpha, self.part.upper)
        self.system.look(self.part.labels, free, trial.full)
        direction = yield from self.system.solve(residual)
        slope = -float(np.vdot(residual, direction))
        if not slope < 0.0:
            return None
        return (yield from self.search(trial, direction, self.columns.rows @ direction, slope))

    def search(self, trial: Trial, direction: np.ndarray, moved: np.ndarray, slope: float) -> Work[Trial]:
        """Line search for a slope of nearly zero: slopes still show what values lose to rounding."""
        low, high, length = 0.0, np.inf, 1.0
        at_low, at_high = slope, np.inf
        for _ in range(TRIES):
            other = self.at(trial.vectors + length * direction, trial.functions + length * moved)
            yield
            here = self.slope(other, direction, moved)
            if abs(here) <= -FLAT * slope:
                return other
            if here < 0.0:
                low, at_low = length, here
            else:
                high, at_high = length, here
            if high < np.inf:
                share = at_low / (at_low - at_high)
                length = low + min(max(share, 0.1), 0.9) * (high - low)
            else:
                length *= min(max(slope / (slope - here), 2.0), FARTHER) if here > slope else FARTHER
        return other

    def slope(self, trial: Trial, direction: np.ndarray, moved: np.ndarray) -> float:
        bent = float(np.vdot(self.columns.stiffness[:, None] * trial.vectors, direction))
        return bent - float(np.vdot(trial.weights, moved))

    def solve(self, vectors: np.ndarray, closeness: float, most: int) -> Work[tuple[Trial, int, bool]]:
        """Until functions are within `closeness` of those of alpha, relative to how far alpha moves.

        (the point, how many Newton steps it took, whether `most` of them were enough)
        """
        trial, steps = self.at(vectors, self.columns.rows @ vectors), 0
        while steps < most:
            residual = self.residual(trial)
            off = float(np.abs(self.columns.rows @ residual).max())
            near = off <= max(closeness, 0.05 * float(np.abs(trial.alpha - self.anchor).max()) / self.sigma)
            if near and self.is_level(trial, residual):
                return trial, steps, True
            following = yield from self.newton(trial, residual)
            if following is None:
                return trial, steps, True
            trial, steps = following, steps + 1
        return trial, steps, False
