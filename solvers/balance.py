"""Exact bias of joint machines through any solver: the method of multipliers on b.

An unconstrained b under the penalty |b - b_before|^2 / (2 sigma) is the regularized bias with sigma in place
of 1 and a constant b_before; solving that again and again, b converges to the free one and the weights come
to sum to zero. What is left of the sum at the end is taken out of the free variables.
"""

from __future__ import annotations

import numpy as np

from solvers.methods.state import State, weights_of
from solvers.problem import Part

SIGMA = 8.0  # large: few outer rounds; small: well-conditioned inner problems. 1 to 64 differ little.


def shift(part: Part, state: State) -> float:
    """b_before := b, after an inner problem is solved; returns how far b moved (the largest |f| change)."""
    total = weights_of(part, state.alpha).sum(axis=0)
    step = part.offset * total
    state.constant += step
    state.functions += step
    return float(np.abs(step).max())


def repair(part: Part, alpha: np.ndarray, rounds: int = 50) -> np.ndarray:
    """The nearest alpha, by moves of free variables, whose weights sum to zero."""
    form, labels = part.form, part.labels
    alpha = alpha.copy()
    real = form.real[labels]
    for _ in range(rounds):
        total = weights_of(part, alpha).sum(axis=0)
        if np.abs(total).max() <= 1e-15 * max(1.0, float(np.abs(alpha).sum())):
            break
        room = np.minimum(alpha, _headroom(part, alpha)) * real
        _move(part, alpha, room, total)
    return alpha


def _headroom(part: Part, alpha: np.ndarray) -> np.ndarray:
    if part.form.feasible == "simplex":
        return np.broadcast_to((part.upper - alpha.sum(axis=1))[:, None] / alpha.shape[1], alpha.shape).clip(0.0)
    return part.upper[:, None] - alpha


def _move(part: Part, alpha: np.ndarray, room: np.ndarray, total: np.ndarray) -> None:
    """Weighted least squares: delta = room * <direction, z>, so that the sum of directions is -total."""
    example, slot = np.nonzero(room > 0.0)
    rows, weight = part.form.direction[part.labels[example], slot], room[example, slot]
    z = np.linalg.lstsq((rows * weight[:, None]).T @ rows, -total, rcond=None)[0]
    step = weight * (rows @ z)
    alpha[example, slot] += np.clip(step, -0.5 * weight, 0.5 * weight)
