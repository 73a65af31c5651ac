"""The fully corrective step: maximise the dual within the smallest face around the point.

An in-face direction is as good as an away step (Freund, Grigas & Mazumder 2017), so here it is the one of
conjugate gradients in the face; at a bound the face loses a dimension (a drop step) and they begin anew.
"""

from __future__ import annotations

import numpy as np

from solvers.methods.frank_wolfe.chunk import Chunk


class Face:
    """Directions that stay in the smallest face: free variables, full sums constant, balance kept."""

    def __init__(self, chunk: Chunk) -> None:
        self.free = chunk.free()
        self.starts = chunk.starts
        if self.starts is not None:
            self.sizes = np.diff(np.append(self.starts, self.free.size))
            count = np.add.reduceat(self.free.astype(float), self.starts)
            self.share = np.where(chunk.full() & (count > 0), 1.0 / np.maximum(count, 1.0), 0.0)
        self.basis: np.ndarray | None = None
        if chunk.target is not None:
            self.rows = np.column_stack([self._level(row) for row in chunk.balance])
            self.basis = _orthonormal(self.rows)

    def _level(self, vector: np.ndarray) -> np.ndarray:
        """Free entries only, and in every full sum without their mean."""
        kept = np.where(self.free, vector, 0.0)
        if self.starts is None:
            return kept
        mean = np.add.reduceat(kept, self.starts) * self.share
        return np.where(self.free, kept - np.repeat(mean, self.sizes), 0.0)

    def project(self, vector: np.ndarray) -> np.ndarray:
        kept = self._level(vector)
        return kept if self.basis is None else kept - self.basis @ (self.basis.T @ kept)

    def multipliers(self, gradient: np.ndarray) -> np.ndarray:
        """The bias that the free variables call for (least squares)."""
        return np.linalg.lstsq(self.rows, self._level(gradient), rcond=1e-10)[0]


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
            return taken + 1, not _leave(chunk, direction, change, slope, curvature, longest)
        step = slope / curvature
        if not chunk.move(direction, step, change, 0.5 * step * slope):
            return taken + 1, True
        fresh = face.project(chunk.gradient())
        turn = max(0.0, float(fresh @ (fresh - residual)) / float(residual @ residual))
        residual, direction = fresh, fresh + turn * direction
    return budget, True


def _leave(chunk: Chunk, direction: np.ndarray, change: np.ndarray, slope: float, curvature: float, longest: float) -> bool:
    """Go to the bound; in a box without balance through all bounds on the way, where the dual agrees."""
    if chunk.starts is None and chunk.target is None and curvature > 0.0:
        bent = np.clip(chunk.point + (slope / curvature) * direction, 0.0, chunk.upper) - chunk.point
        gradient = chunk.gradient()
        bent_change, bent_curvature = chunk.product(bent)
        if bent_curvature <= gradient @ bent:
            return chunk.move(bent, 1.0, bent_change, float(gradient @ bent) - 0.5 * bent_curvature)
    return chunk.move(direction, longest, change, longest * (slope - 0.5 * longest * curvature))


