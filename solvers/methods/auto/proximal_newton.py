"""Proximal steps on the dual over a factor of the kernel, each found by Newton steps in the space of the factor.

A proximal step maximises dual(alpha) - |alpha - anchor|^2 / (2 sigma). Its own dual is smooth and unconstrained in D,
the change of the factor's weights: alpha(D) = projection(anchor + sigma gradient(D)), and its negative gradient is
V'(weights moved) - D. It is piecewise quadratic, so that semismooth Newton steps end at the exact minimum (Li, Sun &
Toh 2018 for the lasso), with systems as small as the factor is narrow, or as variables are free. The functions start
exact, so that a coarse factor makes nothing wrong, and a small sigma needs few columns.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_solve

from solvers.dense.cholesky import factored
from solvers.dual.quantities import weights_of
from solvers.factor.layout import Layout
from solvers.factor.normal import DIAGONALS, Columns, normals_for
from solvers.methods.base import Point
from solvers.problem import Part
from solvers.work import Work, pieces

NEWTON_STEPS = 40
TRIES = 20  # step sizes of one line search
FLAT = 0.3  # share of the slope at the start of a line search that may be left at its end
CLOSE = 0.05  # residual of the class functions at which Newton steps end, in units of max |alpha - anchor| / sigma
RIDGE = 1e-13  # share of the largest diagonal entry
FREE_SLACK = 1e-12  # curvature of a slack that is not at its bound, in units of 1 / sigma: zero could not be inverted


@dataclass
class Trial:
    """Class functions and the alpha that follows from them."""

    functions: np.ndarray  # (n, outputs)
    alpha: np.ndarray  # (n, slots)
    moved: np.ndarray  # (n, outputs) weights, less those of the anchor
    full: np.ndarray  # (n,) whether a bounded sum is at its bound


class ProximalStep:
    def __init__(self, part: Part, columns: Columns, state: Point, sigma: float) -> None:
        self.part, self.columns, self.sigma, self.layout = part, columns, sigma, Layout.of(part)
        self.anchor = np.ascontiguousarray(state.alpha)
        self.before = weights_of(part, self.anchor)
        self.functions = np.ascontiguousarray(state.functions)

    def solve(self) -> Work[tuple[np.ndarray, int]]:
        """alpha, and the number of Newton steps: NEWTON_STEPS where these did not get there."""
        trial, D = self.at(self.functions), np.zeros((self.columns.width, self.functions.shape[1]))
        for steps in range(NEWTON_STEPS):
            yield
            residual = (yield from self.columns.reduce(trial.moved)) - D
            away = float(np.abs(trial.alpha - self.anchor).max()) / self.sigma
            if float(np.abs((yield from self.columns.expand(residual))).max()) <= CLOSE * away:
                return trial.alpha, steps
            direction = yield from self.newton(trial, residual)
            if direction is None or not np.vdot(residual, direction) > 0.0:
                break
            length, trial = yield from self.search(trial, D, direction, -float(np.vdot(residual, direction)))
            D += length * direction
        return trial.alpha, NEWTON_STEPS

    def at(self, functions: np.ndarray) -> Trial:
        alpha, full = self.part.geometry.respond(self.part, functions, self.anchor, self.sigma)
        return Trial(functions, alpha, weights_of(self.part, alpha) - self.before, full)

    def search(self, trial: Trial, D: np.ndarray, direction: np.ndarray, slope: float) -> Work[tuple[float, Trial]]:
        """Along a direction, to where the slope nearly vanishes: slopes see what values lose to rounding."""
        moved = yield from self.columns.expand(direction)
        constant, linear = float(np.vdot(D, direction)), float(np.vdot(direction, direction))
        low, high, length = 0.0, np.inf, 1.0
        at_low, at_high = slope, np.inf
        for _ in range(TRIES):
            yield
            other = self.at(trial.functions + length * moved)
            here = constant + length * linear - float(np.vdot(other.moved, moved))
            if abs(here) <= -FLAT * slope or (here < 0.0 and high == np.inf and length >= 1.0):
                break
            if here < 0.0:
                low, at_low = length, here
            else:
                high, at_high = length, here
            length = low + min(max(at_low / (at_low - at_high), 0.1), 0.9) * (high - low)
        return length, other

    # (1 + sigma sum of R'PR (x) v v') direction = residual, R being how an example's free variables read the functions

    def newton(self, trial: Trial, residual: np.ndarray) -> Work[np.ndarray | None]:
        part = self.part
        free = part.geometry.face(trial.alpha, part.upper) & part.form.real[part.labels]
        # more variables than columns would make a system that is as good as singular
        few = np.count_nonzero(free) <= self.columns.width
        return (yield from (self.by_variables if few else self.by_columns)(trial, free, residual))

    def by_variables(self, trial: Trial, free: np.ndarray, residual: np.ndarray) -> Work[np.ndarray | None]:
        example, reading = self.readings(free, trial.full)
        V = self.columns.gather(example)  # a column per free variable
        matrix = np.empty((example.size, example.size))
        for rows in pieces(example.size, 2.0 * example.size * (V.shape[0] + reading.shape[1])):
            yield
            np.matmul(V[:, rows].T, V, out=matrix[rows])
            matrix[rows] *= reading[rows] @ reading.T
        matrix[np.diag_indices_from(matrix)] += 1.0 / self.sigma + RIDGE * float(matrix.diagonal().max(initial=0.0))
        factor = yield from factored(matrix)
        if factor is None:
            return None
        right = np.einsum("ij,ij->i", V.T @ residual, reading)
        step: np.ndarray = residual - V @ (reading * cho_solve(factor, right, check_finite=False)[:, None])
        return step

    def readings(self, free: np.ndarray, full: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """For each free variable its example and how it reads the functions, (k,).

        Where the sum of an example is at its bound, the mean over its free variables is subtracted.
        """
        example, slot = np.nonzero(free)
        reading = self.part.form.direction[self.part.labels[example], slot]
        if not full.any():
            return example, reading
        counts, mean = free.sum(axis=1), np.zeros(self.functions.shape)
        np.add.at(mean, example, reading / counts[example][:, None])
        reading = reading - full[example][:, None] * mean[example]
        some = ~full[example] | (counts[example] > 1)
        return example[some], reading[some]

    def by_columns(self, trial: Trial, free: np.ndarray, residual: np.ndarray) -> Work[np.ndarray | None]:
        own = np.where(np.take_along_axis(free, self.layout.slot, axis=1), 1.0 / self.sigma, np.inf)
        slack = np.where(trial.full, np.inf, FREE_SLACK / self.sigma)[:, None]
        diagonal = DIAGONALS[self.part.geometry].proximal(own, slack)
        for normal in normals_for(self.layout, self.columns):
            if (yield from normal.prepare(diagonal)):
                return normal.solve(residual)
        return None
