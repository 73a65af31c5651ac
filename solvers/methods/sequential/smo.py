"""SMO: the smallest working set that the constraints allow, chosen by the largest gain (second order)."""

from __future__ import annotations

from solvers.methods.base import Progress, State
from solvers.methods.sequential import loop as sequential
from solvers.methods.sequential.loop import Rule, start
from solvers.methods.sequential.rules import BoxSteps, PairsWithin, SignedPairs
from solvers.problem import Part

NAME = "smo"
SUPPORTS = (
    "every machine, kernel and bias: one variable at a time (ww, llw, ova without exact bias),"
    " two of one example (cs), two of a binary machine with exact bias"
)

__all__ = ["NAME", "SUPPORTS", "advance", "refuse", "rule_of", "start"]


def refuse(part: Part) -> str | None:
    return None


def advance(part: Part, state: State, steps: int, tolerance: float) -> Progress:
    return sequential.advance(part, state, steps, tolerance, rule_of(part))


def rule_of(part: Part) -> Rule:
    if part.form.feasible == "simplex":
        return PairsWithin(second_order=True)
    if part.balanced:
        return SignedPairs(second_order=True)
    return BoxSteps(pairs=False, scaled=True)
