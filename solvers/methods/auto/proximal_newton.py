"""The proximal step over a factor of the kernel, K ~ V V'; coordinates are V' times the change of the weights.

Newton systems have one row per column of V, or one per free variable if these are fewer. The first functions are exact,
so that a coarse factor only slows the steps down; a small sigma needs few columns.
"""

from __future__ import annotations

import numpy as np

from mcsvm.solvers.budget import PROXIMAL
from mcsvm.solvers.dense.cholesky import factored, solved
from mcsvm.solvers.dual.quantities import weights_of
from mcsvm.solvers.factor.layout import Layout
from mcsvm.solvers.factor.normal import DIAGONALS, Columns, normals_for
from mcsvm.solvers.interrupt import tick
from mcsvm.solvers.jit.rounding import RIDGE, ROUNDING
from mcsvm.solvers.methods.base import Point
from mcsvm.solvers.methods.proximal import Iterate, NewtonStep, ProximalStep
from mcsvm.solvers.problem import Part
from mcsvm.solvers.work import pieces


class FactorStep(ProximalStep):
    """Solves (1 + sigma sum_i R_i' P_i R_i (x) v_i v_i') step = residual; R_i are the directions of free variables."""

    def __init__(self, part: Part, columns: Columns, state: Point, sigma: float) -> None:
        super().__init__(part, state.alpha, sigma)
        self.columns, self.layout = columns, Layout.of(part)
        self.before = weights_of(part, self.anchor)
        self.functions = np.ascontiguousarray(state.functions)

    def begin(self) -> Iterate:
        return self.at(np.zeros((self.columns.width, self.functions.shape[1])), self.functions)

    def weights(self, alpha: np.ndarray) -> np.ndarray:
        """Return the weights of alpha minus those of the anchor."""
        return weights_of(self.part, alpha) - self.before

    def residual(self, trial: Iterate) -> np.ndarray:
        return self.columns.reduce(trial.weights) - trial.point

    def expand(self, coordinates: np.ndarray) -> np.ndarray:
        return self.columns.expand(coordinates)

    def close(self, trial: Iterate, residual: np.ndarray, lacking: np.ndarray) -> bool:
        return float(np.abs(lacking).max()) <= PROXIMAL.close * self.away(trial)

    def newton(self, trial: Iterate, residual: np.ndarray, lacking: np.ndarray) -> NewtonStep | None:
        free = self.free(trial.alpha)
        # with more variables than columns, the system of variables is singular except for the term 1 / sigma
        few = np.count_nonzero(free) <= self.columns.width
        step = (self.by_variables if few else self.by_columns)(trial, free, residual)
        if step is None:
            return None
        moved = self.columns.expand(step)
        return NewtonStep(step, moved, step, moved, -float(np.vdot(residual, step)))

    def by_variables(self, trial: Iterate, free: np.ndarray, residual: np.ndarray) -> np.ndarray | None:
        example, reading = self.readings(free, trial.full)
        V = self.columns.gather(example)  # a column per free variable
        matrix = np.empty((example.size, example.size))
        for rows in pieces(example.size, 2.0 * example.size * (V.shape[0] + reading.shape[1])):
            tick()
            np.matmul(V[:, rows].T, V, out=matrix[rows])
            matrix[rows] *= reading[rows] @ reading.T
        matrix[np.diag_indices_from(matrix)] += 1.0 / self.sigma + RIDGE * float(matrix.diagonal().max(initial=0.0))
        factor = factored(matrix)
        if factor is None:
            return None
        right = np.einsum("ij,ij->i", V.T @ residual, reading)
        step: np.ndarray = residual - V @ (reading * solved(factor, right)[:, None])
        return step

    def readings(self, free: np.ndarray, full: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return (example, direction) of each free variable. In a sum at its bound, directions have mean zero."""
        example, slot = np.nonzero(free)
        reading = self.part.form.direction[self.part.labels[example], slot]
        if not full.any():
            return example, reading
        counts, mean = free.sum(axis=1), np.zeros(self.functions.shape)
        np.add.at(mean, example, reading / counts[example][:, None])
        reading = reading - full[example][:, None] * mean[example]
        some = ~full[example] | (counts[example] > 1)
        return example[some], reading[some]

    def by_columns(self, trial: Iterate, free: np.ndarray, residual: np.ndarray) -> np.ndarray | None:
        own = np.where(np.take_along_axis(free, self.layout.slot, axis=1), 1.0 / self.sigma, np.inf)
        slack = np.where(trial.full, np.inf, ROUNDING / self.sigma)[:, None]
        diagonal = DIAGONALS[self.part.geometry].proximal(own, slack)
        for normal in normals_for(self.layout, self.columns):
            if normal.prepare(diagonal):
                return normal.solve(residual)
        return None
