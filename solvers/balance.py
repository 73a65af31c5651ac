"""Exact bias of joint machines through any solver: the method of multipliers on b.

An unconstrained b under the penalty |b - b_before|^2 / (2 sigma) is the regularized bias with sigma in place
of 1 and a constant b_before; solving that again and again, b converges to the free one and the weights come
to sum to zero. What is left of the sum at the end is taken out of the free variables.
"""

from __future__ import annotations

import numpy as np

from solvers.methods.repair import balanced, repair
from solvers.methods.state import State, weights_of
from solvers.problem import Part

__all__ = ["SIGMA", "balanced", "repair", "shift"]

SIGMA = 8.0  # large: few outer rounds; small: well-conditioned inner problems. 1 to 64 differ little.


def shift(part: Part, state: State) -> float:
    """b_before := b, after an inner problem is solved; returns how far b moved (the largest |f| change)."""
    total = weights_of(part, state.alpha).sum(axis=0)
    step = part.offset * total
    state.constant += step
    state.functions += step
    return float(np.abs(step).max())
