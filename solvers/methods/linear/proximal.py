"""The proximal step in W = X' weights, a bias being one more feature: for the linear kernel with few features."""

from __future__ import annotations

import numpy as np

from solvers.methods.linear.system import Columns, System
from solvers.methods.proximal import Move, ProximalStep, Trial
from solvers.problem import Part
from solvers.work import Work, ready

NEWTON_STEPS = 60  # of one proximal step, at most
LEVEL = 1e-3  # share of sum(alpha) by which the balance may be missed: repairing it costs little dual
SHARE = 0.05  # distance of the class functions from those of alpha at the end, in units of max |alpha - anchor| / sigma


class FeatureStep(ProximalStep):
    farthest = 10.0  # a free bias that no variable determines may be far away, with no curvature on the way

    def __init__(self, part: Part, columns: Columns, anchor: np.ndarray, sigma: float, closeness: float) -> None:
        super().__init__(part, anchor, sigma)
        self.columns, self.stiffness = columns, columns.stiffness[:, None]
        self.closeness = closeness  # of the class functions to those of alpha, where SHARE asks for less
        self.system = System(columns, part.form, sigma)

    def begin(self, vectors: np.ndarray) -> Trial:
        return self.at(vectors, self.columns.rows @ vectors)

    def residual(self, trial: Trial) -> Work[np.ndarray]:
        return ready(self.columns.rows.T @ trial.weights - self.stiffness * trial.point)

    def expand(self, coordinates: np.ndarray) -> Work[np.ndarray]:
        return ready(self.columns.rows @ coordinates)

    def close(self, trial: Trial, residual: np.ndarray, lacking: np.ndarray) -> bool:
        near = float(np.abs(lacking).max()) <= max(self.closeness, SHARE * self.away(trial))
        return near and self.is_level(trial, residual)

    def is_level(self, trial: Trial, residual: np.ndarray) -> bool:
        """Whether the balance of a free bias nearly holds: at small costs class functions do not show it."""
        tilt = np.abs(residual[self.columns.stiffness == 0.0]).max(initial=0.0)
        return bool(tilt <= LEVEL * trial.alpha.sum())

    def newton(self, trial: Trial, residual: np.ndarray, lacking: np.ndarray) -> Work[Move | None]:
        self.system.look(self.part.labels, self.free(trial.alpha), trial.full)
        step = yield from self.system.solve(residual)
        moved = self.columns.rows @ step
        return Move(step, moved, self.stiffness * step, moved, -float(np.vdot(residual, step)))
