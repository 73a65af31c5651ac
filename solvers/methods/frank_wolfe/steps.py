"""Directions of Frank-Wolfe and its variants, and the exact line search.

The plain direction points towards the best vertex (Frank & Wolfe 1956). The away direction points away from the worst
vertex of the smallest face, if that promises more (Wolfe 1970; Guelat & Marcotte 1986). The pairwise direction points
from the worst to the best vertex (Lacoste-Julien & Jaggi 2015). A step that ends at a bound leads to a smaller face.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mcsvm.solvers.methods.frank_wolfe.chunk import Chunk
from mcsvm.solvers.methods.frank_wolfe.oracles import Oracle

# (chunk, oracle, gradient, best vertex) -> direction and the longest step along it
StepRule = Callable[[Chunk, Oracle, np.ndarray, np.ndarray], tuple[np.ndarray, float]]


def plain(chunk: Chunk, oracle: Oracle, gradient: np.ndarray, best: np.ndarray) -> tuple[np.ndarray, float]:
    return best - chunk.point, 1.0


def away(chunk: Chunk, oracle: Oracle, gradient: np.ndarray, best: np.ndarray) -> tuple[np.ndarray, float]:
    worst, _ = oracle(chunk, -gradient, True)
    towards, off = best - chunk.point, chunk.point - worst
    if gradient @ towards >= gradient @ off:
        return towards, 1.0
    return off, chunk.room(off)


def pairwise(chunk: Chunk, oracle: Oracle, gradient: np.ndarray, best: np.ndarray) -> tuple[np.ndarray, float]:
    worst, _ = oracle(chunk, -gradient, True)
    direction = best - worst
    return direction, chunk.room(direction)


def step_size(slope: float, curvature: float, longest: float) -> float:
    """Return the best step in [0, longest]; it is `longest` if the dual is not concave along the direction."""
    return longest if curvature * longest <= slope else slope / curvature


def take(
    chunk: Chunk, direction: np.ndarray, slope: float, longest: float, change: np.ndarray, curvature: float
) -> bool:
    """Take one exact step along a direction whose product is known; return whether the point moved."""
    if slope <= 0.0:  # near the optimum the best vertex may equal the worst, up to rounding
        return False
    step = step_size(slope, curvature, longest)
    if not np.isfinite(step):
        return False
    return chunk.move(direction, step, change, step * (slope - 0.5 * step * curvature))
