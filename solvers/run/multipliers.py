"""Exact bias of joint machines through any solver: the method of multipliers on b.

An unconstrained b under the penalty |b - b_before|^2 / (2 sigma) is the regularized bias with sigma in place
of 1 and a constant b_before; solving that again and again, b converges to the free one and the weights come
to sum to zero. What is left of the sum at the end is taken out of the free variables (dual/balance.py).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from solvers.budget import LOOP
from solvers.dual.quantities import weights_of
from solvers.methods.base import State
from solvers.problem import Part
from solvers.work import Work


def sigma_of(part: Part) -> float:
    """At small costs weights are small too, and b, which moves by sigma times their sum, must still get anywhere."""
    return max(LOOP.multiplier, 1.0 / max(float(part.upper.max()), 1e-300))


@dataclass
class OuterLoop:
    """How exactly the inner problems of a part are to be solved, and whether its b has come to rest."""

    strictness: float = 1.0  # what inner problems are solved to, in tolerances
    restless: int = 0
    least_move: float = np.inf

    @classmethod
    def loose(cls, tolerance: float) -> OuterLoop:
        return cls(max(1.0, LOOP.begin / tolerance))

    def update_bias(self, part: Part, state: State, tolerance: float) -> Work[bool]:
        """One step on b; whether b rests. Where it does not come to rest, the inner problems are too inexact."""
        weights = weights_of(part, state.alpha)
        step = part.offset * weights.sum(axis=0)
        moved = float(np.abs(step).max())
        functions, constant = state.functions + step, state.constant + step
        restless = moved > 0.5 * self.least_move
        if restless:
            functions = (yield from part.gram.products(weights)) + constant
            self.restless += 1
            self.strictness = max(0.5 * self.strictness, LOOP.strictest)
        state.functions[...], state.constant = functions, constant
        self.strictness = min(self.strictness, max(1.0, LOOP.follow * moved / tolerance))
        self.least_move = min(moved, self.least_move)
        rests = moved <= LOOP.look * tolerance and self.strictness <= 1.0
        return rests or self.restless > LOOP.most
