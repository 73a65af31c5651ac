"""The fully corrective step: maximise the dual within the smallest face around the point.

An in-face direction is as good as an away step (Freund, Grigas & Mazumder 2017), so here it is the one of
conjugate gradients in the face; at a bound the face loses a dimension (a drop step) and they begin anew.
"""

from __future__ import annotations

import numpy as np

from solvers.methods.frank_wolfe.chunk import Chunk
from solvers.methods.frank_wolfe.steps import take


class Face:
    """Directions that stay in the smallest face: free variables, full sums constant, balance kept."""

    def __init__(self, chunk: Chunk) -> None:
        self.free = chunk.free()
        self.groups = chunk.groups
        if self.groups is not None:
            count = self.groups.sums(self.free.astype(float))
            self.share = np.where(self.groups.full(chunk.point), 1.0 / np.maximum(count, 1.0), 0.0)
        self.basis: np.ndarray | None = None
        if chunk.balanced:
            self.rows = np.column_stack([self._level(row) for row in chunk.balance])
            self.basis = np.where(self.free[:, None], _orthonormal(self.rows), 0.0)

    def _level(self, vector: np.ndarray) -> np.ndarray:
        """Free entries only, and in every full sum without their mean."""
        kept = np.where(self.free, vector, 0.0)
        if self.groups is None:
            return kept
        mean = self.groups.spread(self.groups.sums(kept) * self.share)
        return np.where(self.free, kept - mean, 0.0)

    def project(self, vector: np.ndarray) -> np.ndarray:
        kept = self._level(vector)
        return kept if self.basis is None else kept - self.basis @ (self.basis.T @ kept)

    def multipliers(self, gradient: np.ndarray) -> np.ndarray:
        """The bias that the free variables call for (least squares)."""
        return np.asarray(np.linalg.lstsq(self.rows, self._level(gradient), rcond=1e-10)[0])


def _orthonormal(columns: np.ndarray) -> np.ndarray:
    left, singular, _ = np.linalg.svd(columns, full_matrices=False)
    return left[:, singular > 1e-10 * max(1e-300, singular[0])]


def correct(chunk: Chunk, goal: float, budget: int) -> int:
    """Until the gradient within the face is below `goal`; returns the steps taken."""
    steps = 0
    while steps < budget:
        taken, done = _climb_face(chunk, goal, budget - steps)
        steps += taken
        if done:
            break
    return steps


def _climb_face(chunk: Chunk, goal: float, budget: int) -> tuple[int, bool]:
    """Conjugate gradients up to a bound; returns (steps, whether there is nothing left to gain)."""
    face = Face(chunk)
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
        turn = max(0.0, float(fresh @ (fresh - residual)) / float(residual @ residual))
        residual, direction = fresh, fresh + turn * direction
    return budget, True


def _bent(chunk: Chunk, direction: np.ndarray, slope: float, curvature: float) -> bool:
    """In a box without balance: the step past the first bound, bent at every bound, where the dual agrees."""
    if chunk.groups is not None or chunk.balanced or curvature <= 0.0:
        return False
    bent = np.clip(chunk.point + (slope / curvature) * direction, 0.0, chunk.upper) - chunk.point
    slope = float(chunk.gradient() @ bent)
    change, curvature = chunk.product(bent)
    return curvature <= slope and take(chunk, bent, slope, 1.0, change, curvature)
