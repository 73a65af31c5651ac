"""The Newton system of a proximal step in the space of W: identity plus sigma times what the free variables span.

Class functions and features form the unknown (features, outputs); a column of ones joins the features where there is
a bias. An example adds x x' (x) R' P R, R being how its variables read the class functions and P the Jacobian of
its projection onto the feasible set. Small systems are factored, large ones solved by conjugate gradients.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg as sl
import scipy.sparse as sp

from solvers.jit.linear_system import couple
from solvers.machines import DualForm
from solvers.problem import Part

DENSE = 1600  # unknowns up to which the system is factored
RIDGE = 1e-12  # share of the largest entry, for what no free variable determines
ROUNDS, EXACTNESS = 400, 1e-3  # of conjugate gradients


@dataclass(frozen=True)
class Columns:
    """Features, and the bias as one more: regularized with weight sqrt(offset), or free."""

    rows: Any  # (n, width), dense or CSR
    stiffness: np.ndarray  # (width,) of |W|^2 / 2: 1, or 0 for a free bias

    @classmethod
    def of(cls, part: Part) -> Columns:
        rows, width = part.gram.points.rows, part.gram.points.features
        height = 1.0 if part.balanced else np.sqrt(part.offset)
        stiffness = np.ones(width + (height > 0.0))
        if height > 0.0:
            extra = np.full((len(part), 1), height)
            join = sp.hstack if part.gram.points.sparse else np.hstack
            rows = join([rows, sp.csr_array(extra) if part.gram.points.sparse else extra])
            stiffness[-1] = 0.0 if part.balanced else 1.0
        return cls(sp.csr_array(rows) if part.gram.points.sparse else np.ascontiguousarray(rows), stiffness)

    @property
    def width(self) -> int:
        return self.stiffness.size


def reading_table(form: DualForm) -> np.ndarray:
    """(classes, slots, outputs): directions less a constant, which the zero sum of the functions hides."""
    index, value = form.reading
    table = np.zeros(form.direction.shape)
    np.put_along_axis(table, index, value, axis=2)
    return table


class System:
    """The generalized Hessian at one point."""

    def __init__(self, columns: Columns, form: DualForm, sigma: float) -> None:
        self.columns, self.sigma, self.outputs = columns, sigma, form.outputs
        self.table, self.shiftable = reading_table(form), form.centred
        self.centred = form.centred and bool(np.abs(form.direction - self.table).max() > 1e-12)

    def look(self, labels: np.ndarray, free: np.ndarray, full: np.ndarray) -> None:
        """Which variables are free, and of bounded sums, which are at their bound."""
        chosen = np.flatnonzero(free.any(axis=1))
        self.coupling = np.empty((self.outputs, self.outputs, chosen.size))
        couple(self.table, labels[chosen], free[chosen], full[chosen], self.coupling)
        self.rows = self.columns.rows[chosen]

    def solve(self, residual: np.ndarray) -> np.ndarray:
        """The step in W for a residual (width, outputs)."""
        step = self._factored(residual) if residual.size <= DENSE else self._iterated(residual)
        return self._shiftless(step)

    # -- factored ---------------------------------------------------------------------------------

    def _factored(self, residual: np.ndarray) -> np.ndarray:
        width, k = self.columns.width, self.outputs
        blocks = np.zeros((k, width, k, width))
        for a in range(k):
            for b in range(a + 1):
                blocks[a, :, b, :] = blocks[b, :, a, :] = self._block(a, b)
        if self.centred:
            blocks -= blocks.mean(axis=0)
            blocks -= blocks.mean(axis=2)[:, :, None, :]
        matrix = self.sigma * blocks.reshape(k * width, k * width)
        matrix[np.diag_indices_from(matrix)] += np.tile(self.columns.stiffness, k)
        self._hold_biases(matrix, residual)
        step = sl.cho_solve(sl.cho_factor(matrix, lower=True, overwrite_a=True), residual.T.ravel())
        return np.ascontiguousarray(step.reshape(k, width).T)

    def _block(self, a: int, b: int) -> np.ndarray:
        weight = self.coupling[a, b]
        some = np.flatnonzero(weight)
        rows = self.rows if some.size == weight.size else self.rows[some]
        if sp.issparse(rows):
            return (rows.T @ (sp.diags_array(weight[some]) @ rows)).toarray()
        return rows.T @ (weight[some][:, None] * rows)

    def _hold_biases(self, matrix: np.ndarray, residual: np.ndarray) -> None:
        """A free bias that no variable holds steps by about 1; a common shift of all biases is nothing."""
        free = np.flatnonzero(self.columns.stiffness == 0.0)
        if free.size == 0:
            return
        where = np.arange(self.outputs) * self.columns.width + free[0]
        size = max(float(matrix.diagonal().max()), 1e-300)
        loose = matrix[where, where] <= RIDGE * size
        matrix[where, where] += np.where(loose, np.abs(residual[free[0]]) + RIDGE * size, RIDGE * size)
        if self.shiftable:
            matrix[np.ix_(where, where)] += max(float(matrix[where, where].mean()), RIDGE * size) / self.outputs

    # -- conjugate gradients ----------------------------------------------------------------------

    def _iterated(self, residual: np.ndarray) -> np.ndarray:
        squares = self.rows.multiply(self.rows) if sp.issparse(self.rows) else self.rows**2
        diagonal = self.sigma * (squares.T @ np.einsum("aai->ia", self.coupling)) + self.columns.stiffness[:, None]
        loose = diagonal <= RIDGE * float(diagonal.max())
        held = np.where(loose, np.abs(residual) + RIDGE, 0.0)  # as in `_hold_biases`
        diagonal += held
        step, left = np.zeros_like(residual), residual.copy()
        scaled = self._shiftless(left / diagonal)
        along, size, goal = scaled.copy(), float(np.vdot(left, scaled)), EXACTNESS * np.linalg.norm(residual)
        for _ in range(ROUNDS):
            image = self._apply(along) + held * along
            curvature = float(np.vdot(along, image))
            if size <= 0.0 or curvature <= RIDGE * float(np.vdot(along, along)):
                break
            amount = size / curvature
            step += amount * along
            left -= amount * image
            if np.linalg.norm(left) <= goal:
                break
            scaled = self._shiftless(left / diagonal)
            before, size = size, float(np.vdot(left, scaled))
            along = scaled + size / before * along
        return step

    def _shiftless(self, vectors: np.ndarray) -> np.ndarray:
        """A common shift of all class functions is nothing where only their differences count."""
        return vectors - vectors.mean(axis=1, keepdims=True) if self.shiftable else vectors

    def _apply(self, vectors: np.ndarray) -> np.ndarray:
        centred = vectors - vectors.mean(axis=1, keepdims=True) if self.centred else vectors
        moved = np.einsum("abi,ib->ia", self.coupling, self.rows @ centred)
        image = self.sigma * (self.rows.T @ moved)
        if self.centred:
            image -= image.mean(axis=1, keepdims=True)
        return image + self.columns.stiffness[:, None] * vectors
