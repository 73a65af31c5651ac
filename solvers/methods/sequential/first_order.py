"""SMO by first-order choice: the most violating variables, whatever the gain. For comparison with `smo`."""

from __future__ import annotations

from solvers.methods.base import Progress, State
from solvers.methods.sequential import loop as sequential
from solvers.methods.sequential.loop import Rule, start
from solvers.methods.sequential.rules import BoxSteps, PairsWithin, SignedPairs
from solvers.problem import Part

NAME = "smo-first-order"
SUPPORTS = (
    "every machine, kernel and bias: the variable of largest violation (ww, llw, ova without exact bias),"
    " or the most violating pair (cs; a binary machine with exact bias)"
)

__all__ = ["NAME", "SUPPORTS", "advance", "refuse", "start"]


def refuse(part: Part) -> str | None:
    return None


def advance(part: Part, state: State, steps: int, tolerance: float) -> Progress:
    return sequential.advance(part, state, steps, tolerance, rule_of(part))


def rule_of(part: Part) -> Rule:
    if part.form.feasible == "simplex":
        return PairsWithin(second_order=False)
    if part.balanced:
        return SignedPairs(second_order=False)
    return BoxSteps(pairs=False, scaled=False)
