"""The proximal step in W = X' weights, with a bias as one more feature: for the linear kernel with few features."""

from __future__ import annotations

import numpy as np

from mcsvm.solvers.budget import LINEAR, PROXIMAL
from mcsvm.solvers.methods.linear.system import Features, FeatureSystem
from mcsvm.solvers.methods.proximal import Iterate, NewtonStep, ProximalStep, largest
from mcsvm.solvers.problem import Part


class FeatureStep(ProximalStep):
    farthest = PROXIMAL.farthest

    def __init__(self, part: Part, features: Features, anchor: np.ndarray, sigma: float, closeness: float) -> None:
        super().__init__(part, anchor, sigma)
        self.features, self.stiffness = features, features.stiffness[:, None]
        self.closeness = closeness  # distance of the class functions to those of alpha that always suffices
        self.system = FeatureSystem(features, part.form, sigma)

    def begin(self, vectors: np.ndarray) -> Iterate:
        return self.at(vectors, self.expand(vectors))

    def residual(self, trial: Iterate) -> np.ndarray:
        return self.features.reduce(trial.weights) - self.stiffness * trial.point

    def expand(self, coordinates: np.ndarray) -> np.ndarray:
        return self.features.expand(coordinates)

    def close(self, trial: Iterate, residual: np.ndarray, lacking: np.ndarray) -> bool:
        near = largest(lacking) <= max(self.closeness, PROXIMAL.close * self.away(trial))
        return near and self.is_level(trial, residual)

    def is_level(self, trial: Iterate, residual: np.ndarray) -> bool:
        """Return whether sum_i W_i is small, for an exact bias: at a small C class functions do not show it."""
        tilt = np.abs(residual[self.features.stiffness == 0.0]).max(initial=0.0)
        return bool(tilt <= LINEAR.level * trial.alpha.sum())

    def newton(self, trial: Iterate, residual: np.ndarray, lacking: np.ndarray) -> NewtonStep | None:
        self.system.set_point(self.part.labels, self.free(trial.alpha), trial.full)
        step = self.system.solve(residual)
        moved = self.expand(step)
        return NewtonStep(step, moved, self.stiffness * step, moved, -float(np.vdot(residual, step)))
