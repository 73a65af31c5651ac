"""The Newton system of a proximal step in W: stiffness + sigma sum_i x_i x_i' (x) R_i' P_i R_i, (features * outputs)^2.

R_i has the directions of the free variables of example i, P_i is the Jacobian of its projection onto the feasible set.
A bias is one more feature, a column of ones. Small systems are factored, large ones solved by conjugate gradients.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp

from mcsvm.solvers.budget import LINEAR
from mcsvm.solvers.dense.cholesky import CholeskyFactor, factored, solved
from mcsvm.solvers.interrupt import tick
from mcsvm.solvers.jit.linear.system import add_squares, couple_functions, couplings, pair_of
from mcsvm.solvers.jit.rounding import RIDGE, RIDGES, ROUNDING
from mcsvm.solvers.kernels.points import in_double, passes, rows_times, transposed_times
from mcsvm.solvers.machines import DualForm
from mcsvm.solvers.problem import Part
from mcsvm.solvers.work import MOVE, WHOLE, pieces


@dataclass(frozen=True)
class Features:
    """The features and a column for a bias: sqrt(offset) if it is regularized, 1 without stiffness if it is exact."""

    rows: Any  # (n, width), dense or CSR
    stiffness: np.ndarray  # (width,) factors in |W|^2 / 2: 1, or 0 for a free bias

    @classmethod
    def of(cls, part: Part) -> Features:
        points, width = part.gram.points, part.gram.points.features
        height = 1.0 if part.balanced else np.sqrt(part.offset)
        if height == 0.0:
            return cls(points.rows, np.ones(width))
        stiffness = np.append(np.ones(width), 0.0 if part.balanced else 1.0)
        if points.sparse:
            extra = sp.csr_array(np.full((len(part), 1), height))
            return cls(sp.csr_array(sp.hstack([points.rows, extra])), stiffness)
        dtype = points.rows.dtype if np.float32(height) == height else np.float64  # the dtype holds `height` exactly
        rows = np.empty((len(part), width + 1), dtype)
        for some in passes(len(part), width):
            rows[some, :-1], rows[some, -1] = points.rows[some], height
            tick()
        return cls(rows, stiffness)

    def reduce(self, weights: np.ndarray) -> np.ndarray:
        """Return X' weights, (width, outputs)."""
        return transposed_times(self.rows, weights)

    def expand(self, vectors: np.ndarray) -> np.ndarray:
        """Return X vectors, (n, outputs)."""
        return rows_times(self.rows, vectors)

    @property
    def width(self) -> int:
        return self.stiffness.size

    @property
    def stored(self) -> float:
        """The mean number of stored numbers per row."""
        return float(self.rows.nnz / max(self.rows.shape[0], 1)) if sp.issparse(self.rows) else float(self.width)


class FeatureSystem:
    """The system at one point: a generalized Hessian of psi (methods/proximal.py)."""

    def __init__(self, features: Features, form: DualForm, sigma: float) -> None:
        self.features, self.sigma, self.outputs = features, sigma, form.outputs
        self.rule, self.shiftable = form.rule, form.centred
        self.centred = form.centred and max(abs(form.rule.constant_own), abs(form.rule.constant_other)) > ROUNDING

    def set_point(self, labels: np.ndarray, free: np.ndarray, full: np.ndarray) -> None:
        """Set which variables are `free`, and which bounded sums are at their bound (`full`)."""
        self.starts, self.examples, self.values = couplings(self.rule, self.outputs, labels, free, full)

    def solve(self, residual: np.ndarray) -> np.ndarray:
        """Return the step in W for a residual (width, outputs)."""
        step = self._factored(residual) if residual.size <= LINEAR.dense else self._iterated(residual)
        return self._shiftless(step)

    # -- factored ---------------------------------------------------------------------------------

    def _factored(self, residual: np.ndarray) -> np.ndarray:
        width, k = self.features.width, self.outputs
        blocks = self._weighted_squares()
        if self.centred:
            blocks -= blocks.mean(axis=0)
            blocks -= blocks.mean(axis=2)[:, :, None, :]
        matrix = self.sigma * blocks.reshape(k * width, k * width)
        matrix[np.diag_indices_from(matrix)] += np.tile(self.features.stiffness, k)
        self._hold_biases(matrix, residual)
        factor = _ridged(matrix)
        if factor is None:
            return np.zeros_like(residual)
        step = solved(factor, residual.T.ravel())
        return np.ascontiguousarray(step.reshape(k, width).T)

    def _weighted_squares(self) -> np.ndarray:
        """Return (k, width, k, width): for each pair of outputs the sum of value x x' over its entries."""
        width, stored, k = self.features.width, self.features.stored, self.outputs
        blocks, outputs = np.zeros((k, width, k, width)), [(a, b) for a in range(k) for b in range(a + 1)]
        for some in pieces(self.examples.size, stored * (MOVE + 2.0 * min(width, 5.0 * stored))):
            tick()
            ends = np.clip(self.starts - some.start, 0, self.values[some].size).tolist()
            for (a, b), (first, last) in zip(outputs, pairwise(ends), strict=True):
                if first < last:
                    self._add_squares(blocks, a, b, slice(some.start + first, some.start + last))
        for a, b in outputs:
            blocks[b, :, a, :] = blocks[a, :, b, :]
        return blocks

    def _add_squares(self, blocks: np.ndarray, a: int, b: int, entries: slice) -> None:
        rows, examples, values = self.features.rows, self.examples[entries], self.values[entries]
        if sp.issparse(rows):  # one pass over the stored numbers; a product of sparse matrices takes four
            columns, begins = rows.indices.astype(np.int32, copy=False), rows.indptr.astype(np.int64, copy=False)
            add_squares(rows.data, columns, begins, examples, values, blocks, a, b)
        else:
            dense = in_double(rows[examples])
            blocks[a, :, b, :] += dense.T @ (values[:, None] * dense)

    def _pair(self, a: int, b: int) -> slice:
        """Return the slice of the entries of outputs a >= b."""
        place = pair_of(a, b)
        return slice(self.starts[place], self.starts[place + 1])

    def _hold_biases(self, matrix: np.ndarray, residual: np.ndarray) -> None:
        """Regularize the rows of a free bias.

        A bias that no variable determines then moves by about 1. A common shift of all biases changes no difference
        and is suppressed.
        """
        free = np.flatnonzero(self.features.stiffness == 0.0)
        if free.size == 0:
            return
        where = np.arange(self.outputs) * self.features.width + free[0]
        size = max(float(matrix.diagonal().max()), 1e-300)
        loose = matrix[where, where] <= RIDGE * size
        matrix[where, where] += np.where(loose, np.abs(residual[free[0]]) + RIDGE * size, RIDGE * size)
        if self.shiftable:
            matrix[np.ix_(where, where)] += max(float(matrix[where, where].mean()), RIDGE * size) / self.outputs

    # -- conjugate gradients ----------------------------------------------------------------------

    def _iterated(self, residual: np.ndarray) -> np.ndarray:
        self._gather()
        squares = self.rows.multiply(self.rows) if sp.issparse(self.rows) else self.rows**2
        diagonal = self.sigma * (squares.T @ self._own_couplings()) + self.features.stiffness[:, None]
        loose = diagonal <= RIDGE * float(diagonal.max())
        held = np.where(loose, np.abs(residual) + RIDGE, 0.0)  # as in `_hold_biases`
        diagonal += held
        step, left = np.zeros_like(residual), residual.copy()
        scaled = self._shiftless(left / diagonal)
        along, size, goal = scaled.copy(), float(np.vdot(left, scaled)), LINEAR.gradient_left * np.linalg.norm(residual)
        for _ in range(LINEAR.gradient_rounds):
            tick()
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

    def _gather(self) -> None:
        """Gather the rows of the examples that have entries."""
        chosen, self.places = np.unique(self.examples, return_inverse=True)
        self.rows = in_double(self.features.rows[chosen])

    def _own_couplings(self) -> np.ndarray:
        """Return (gathered rows, outputs): the diagonal entries of R' P R."""
        found = np.zeros((self.rows.shape[0], self.outputs))
        for a in range(self.outputs):
            pair = self._pair(a, a)
            found[self.places[pair], a] = self.values[pair]
        return found

    def _shiftless(self, vectors: np.ndarray) -> np.ndarray:
        """Subtract the mean over outputs if only differences of class functions count."""
        return vectors - vectors.mean(axis=1, keepdims=True) if self.shiftable else vectors

    def _apply(self, vectors: np.ndarray) -> np.ndarray:
        centred = vectors - vectors.mean(axis=1, keepdims=True) if self.centred else vectors
        functions = np.ascontiguousarray(self.rows @ centred)
        moved = np.zeros_like(functions)
        couple_functions(self.starts, self.places, self.values, functions, moved)
        image = self.sigma * (self.rows.T @ moved)
        if self.centred:
            image -= image.mean(axis=1, keepdims=True)
        return image + self.features.stiffness[:, None] * vectors


def _ridged(matrix: np.ndarray) -> CholeskyFactor | None:
    """Return the factor of matrix + ridge, with the first of RIDGES that makes it positive definite."""
    size, diagonal = float(matrix.diagonal().max()), np.diag_indices_from(matrix)
    for ridge in RIDGES:
        matrix[diagonal] += ridge * size
        factor = factored(matrix.copy() if matrix.shape[0] > WHOLE else matrix)
        if factor is not None:
            return factor
    return None
