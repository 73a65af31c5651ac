"""S2DO: two variables wherever the constraints allow (Dogan, Glasmachers & Igel 2011).

The first has the largest |gradient|, the second the largest gain with it over all variables that violate.
"""

from __future__ import annotations

from solvers.methods.base import Progress, State
from solvers.methods.sequential import loop as sequential
from solvers.methods.sequential import smo
from solvers.methods.sequential.loop import start
from solvers.methods.sequential.rules import BoxSteps
from solvers.problem import Part

NAME = "s2do"
SUPPORTS = (
    "every machine, kernel and bias: two variables at a time;"
    " for cs, and for a binary machine with exact bias, it is the same as smo"
)

__all__ = ["NAME", "SUPPORTS", "advance", "refuse", "start"]


def refuse(part: Part) -> str | None:
    return None


def advance(part: Part, state: State, steps: int, tolerance: float) -> Progress:
    if part.balanced or part.form.feasible == "simplex":
        return smo.advance(part, state, steps, tolerance)
    return sequential.advance(part, state, steps, tolerance, BoxSteps(pairs=True, scaled=False))
