"""BSVM's working set: several variables, half of them free ones nearest to optimal, half the most violating.

Hsu & Lin 2002, section III.B.
"""

from __future__ import annotations

from solvers.methods.base import Progress, State
from solvers.methods.sequential import loop as sequential
from solvers.methods.sequential.loop import start
from solvers.methods.sequential.rules import BoxSets
from solvers.problem import Part

NAME = "bsvm"
SUPPORTS = "ww, llw and other machines of separate bounds; ova and ovo with a regularized bias or none"

WORKING_SET = 10  # variables; BSVM's default
SHARE = 1e-3  # of the tolerance: how exactly the small problem is solved

__all__ = ["NAME", "SUPPORTS", "advance", "refuse", "start"]


def refuse(part: Part) -> str | None:
    if part.form.feasible == "simplex":
        return "bsvm bounds every variable on its own: it handles ww and llw, not this machine; use smo or auto."
    if part.balanced:
        return "bsvm knows no exact bias of binary machines: use bias regularized or none, or the solver smo."
    return None


def advance(part: Part, state: State, steps: int, tolerance: float) -> Progress:
    return sequential.advance(part, state, steps, tolerance, BoxSets(WORKING_SET, SHARE * tolerance))
