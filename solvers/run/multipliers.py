"""The exact bias of joint machines with any solver: the method of multipliers on b.

If b is not free but has the penalty |b - b_k|^2 / (2 sigma), the part has a regularized bias of offset sigma and the
constant b_k, which any solver can train. b_(k+1) = b_k + sigma sum_i W_i converges to the free b, and sum_i W_i to
zero. At the end, moves of free variables remove the remainder of the sum (dual/balance.py).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mcsvm.solvers.budget import LOOP
from mcsvm.solvers.dual.quantities import weights_of
from mcsvm.solvers.kernels.moved import Moved
from mcsvm.solvers.methods.base import State
from mcsvm.solvers.problem import Part


def sigma_of(part: Part) -> float:
    """Return max(LOOP.multiplier, 1 / max U, and with a moved kernel its mean diagonal).

    b moves by sigma sum_i W_i, and the weights are small if the costs are small or the kernel values are large.
    """
    kernel = part.gram.kernel
    size = float(part.gram.diagonal.mean()) if isinstance(kernel, Moved) else 0.0
    return max(LOOP.multiplier, 1.0 / max(float(part.upper.max()), 1e-300), size)


@dataclass
class OuterLoop:
    """The tolerance of the inner problems of a part, and whether its b has converged."""

    strictness: float = 1.0  # violation to which inner problems are solved, in units of the tolerance
    restless: int = 0  # number of moves of b that were more than half of the smallest one
    least_move: float = np.inf  # the smallest move of b

    @classmethod
    def loose(cls, tolerance: float) -> OuterLoop:
        return cls(max(1.0, LOOP.begin / tolerance))

    def update_bias(self, part: Part, state: State, tolerance: float) -> bool:
        """Take one step on b; return whether b has converged, or has moved too far too often.

        If a move is more than half of the smallest one so far, the inner problems were solved too inexactly. The next
        one is then solved to half the violation, with exact functions.
        """
        weights = weights_of(part, state.alpha)
        step = part.offset * weights.sum(axis=0)
        moved = float(np.abs(step).max())
        functions, constant = state.functions + step, state.constant + step
        restless = moved > 0.5 * self.least_move
        if restless:
            functions = part.gram.products(weights) + constant
            self.restless += 1
            self.strictness = max(0.5 * self.strictness, LOOP.strictest)
        state.functions[...], state.constant = functions, constant
        self.strictness = min(self.strictness, max(1.0, LOOP.follow * moved / tolerance))
        self.least_move = min(moved, self.least_move)
        converged = moved <= LOOP.look * tolerance and self.strictness <= 1.0
        return converged or self.restless > LOOP.most
