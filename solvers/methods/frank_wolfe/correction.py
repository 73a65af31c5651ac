"""The fully corrective step: maximise the dual within the smallest face around the point.

An in-face direction is as good as an away step (Freund, Grigas & Mazumder 2017); here it is a direction of conjugate
gradients in the face. At a bound the face loses a dimension (a drop step) and conjugate gradients are restarted.
"""

from __future__ import annotations

import numpy as np

from mcsvm.solvers.dual.geometry import BOX
from mcsvm.solvers.interrupt import tick
from mcsvm.solvers.jit.rounding import ROUNDING
from mcsvm.solvers.methods.frank_wolfe.chunk import Chunk
from mcsvm.solvers.methods.frank_wolfe.steps import take


class ChunkFace:
    """Directions that stay in the smallest face: free variables, full sums constant, balance kept."""

    def __init__(self, chunk: Chunk) -> None:
        self.free = chunk.free()
        self.groups = chunk.groups
        if self.groups is not None:
            count = self.groups.sums(self.free.astype(float))
            self.share = np.where(self.groups.full(chunk.point), 1.0 / np.maximum(count, 1.0), 0.0)
        self.basis: np.ndarray | None = None
        if chunk.balanced:
            self.rows = self._level(chunk.balance.T)
            self.basis = _orthonormal(self.rows)

    def _level(self, values: np.ndarray) -> np.ndarray:
        """Set entries that are not free to zero, and subtract the mean of the free entries of every full sum.

        Variables are along the first axis.
        """
        free = self.free.reshape(-1, *[1] * (values.ndim - 1))
        kept = np.where(free, values, 0.0)
        if self.groups is None:
            return kept
        mean = (self.groups.sums(kept).T * self.share).T
        return np.where(free, kept - self.groups.spread(mean), 0.0)

    def project(self, vector: np.ndarray) -> np.ndarray:
        kept = self._level(vector)
        return kept if self.basis is None else kept - self.basis @ (self.basis.T @ kept)

    def multipliers(self, gradient: np.ndarray) -> np.ndarray:
        """Return the bias that fits the free variables best (least squares)."""
        return np.asarray(np.linalg.lstsq(self.rows, self._level(gradient), rcond=1e-10)[0])


def _orthonormal(columns: np.ndarray) -> np.ndarray:
    """Return an orthonormal basis of the span of few columns, by their Gram matrix; directions have entries near 1."""
    squares, axes = np.linalg.eigh(columns.T @ columns)
    kept = squares > ROUNDING * max(1e-300, squares[-1])
    return columns @ (axes[:, kept] / np.sqrt(squares[kept]))


def correct(chunk: Chunk, goal: float, budget: int) -> int:
    """Take corrective steps until the gradient within the face is below `goal`; return their number."""
    steps = 0
    while steps < budget:
        taken, done = _ascend_face(chunk, goal, budget - steps)
        steps += taken
        if done:
            break
    return steps


def _ascend_face(chunk: Chunk, goal: float, budget: int) -> tuple[int, bool]:
    """Take steps of conjugate gradients (Polak & Ribiere) up to a bound; return (steps, whether no gain is left)."""
    face = ChunkFace(chunk)
    residual = direction = face.project(chunk.gradient())
    for taken in range(budget):
        slope = float(residual @ direction)
        if np.abs(residual).max(initial=0.0) <= goal or slope <= 0.0:
            return taken, True
        change, curvature = chunk.product(direction)
        longest = chunk.room(direction)
        if curvature * longest <= slope:
            bent = _bent(chunk, direction, slope, curvature)
            return taken + 1, not (bent or take(chunk, direction, slope, longest, change, curvature))
        if not take(chunk, direction, slope, longest, change, curvature):
            return taken + 1, True
        fresh = face.project(chunk.gradient())
        conjugation = max(0.0, float(fresh @ (fresh - residual)) / float(residual @ residual))
        residual, direction = fresh, fresh + conjugation * direction
        tick()
    return budget, True


def _bent(chunk: Chunk, direction: np.ndarray, slope: float, curvature: float) -> bool:
    """Take the projected step past the first bound of a box, if it raises the dual and keeps the balance.

    Return whether it was taken; sums of examples have no such step.
    """
    if chunk.groups is not None or curvature <= 0.0:
        return False
    arrived = BOX.within(chunk.point + (slope / curvature) * direction, chunk.upper)
    bent = arrived - chunk.point
    if chunk.balanced:
        inside = chunk.balance * BOX.free(arrived, chunk.upper)
        bent = bent - np.linalg.lstsq(inside @ inside.T, chunk.balance @ bent, rcond=ROUNDING)[0] @ inside
        if chunk.room(bent) < 1.0 or np.abs(chunk.balance @ bent).max() > ROUNDING * np.abs(bent).max():
            return False
    slope = float(chunk.gradient() @ bent)
    change, curvature = chunk.product(bent)
    return curvature <= slope and take(chunk, bent, slope, 1.0, change, curvature)
