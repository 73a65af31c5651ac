"""The working set of Crammer & Singer: all variables of the most violating example, solved exactly by a sort.

Hsu & Lin 2002, section IV, equations 18 and 20.
"""

from __future__ import annotations

import numpy as np

from solvers.machines import DualForm
from solvers.methods.base import Progress, State
from solvers.methods.sequential import loop as sequential
from solvers.methods.sequential.loop import start
from solvers.methods.sequential.rules import WholeExamples
from solvers.problem import Part

NAME = "whole-example"
SUPPORTS = "cs and adm: machines with one bounded sum per example whose directions there are all alike"

__all__ = ["NAME", "SUPPORTS", "advance", "refuse", "start"]


def refuse(part: Part) -> str | None:
    if part.form.feasible != "simplex":
        return (
            "whole-example takes all variables of an example at once, which only pays where their sum is bounded:"
            " it handles cs and adm, not this machine; use s2do, bsvm or auto."
        )
    if geometry(part.form) is None:
        return (
            "whole-example needs directions that are all alike within an example: it handles cs and adm,"
            " not this machine; use smo or auto."
        )
    return None


def geometry(form: DualForm) -> tuple[float, float] | None:
    """(own, shared) with <d_p, d_q> = own [p = q] + shared within every example, or None."""
    inner = np.einsum("ypc,yqc->ypq", form.direction, form.direction)
    both = form.real[:, :, None] & form.real[:, None, :]
    same = np.eye(form.slots, dtype=bool)
    lengths, others = inner[both & same], inner[both & ~same]
    shared = float(others[0]) if others.size else 0.0
    own = float(lengths[0]) - shared
    alike = np.allclose(lengths, own + shared) and np.allclose(others, shared)
    return (own, shared) if alike and own > 1e-9 else None


def advance(part: Part, state: State, steps: int, tolerance: float) -> Progress:
    shape = geometry(part.form)
    assert shape is not None
    return sequential.advance(part, state, steps, tolerance, WholeExamples(*shape))
