"""Methods: how alpha moves. One file each, one line here.

A method is a module with NAME, SUPPORTS (a sentence), refuse(part) -> why not, or None,
start(part) -> State and advance(part, state, steps, tolerance) -> Progress.
"""

from __future__ import annotations

from typing import Protocol

from solvers.methods import interior as ipm
from solvers.methods.auto import conductor as auto
from solvers.methods.base import Progress, State
from solvers.methods.frank_wolfe import method as fw
from solvers.methods.lasvm import method as lasvm
from solvers.methods.linear import coordinate as linear
from solvers.methods.linear import newton as linear_newton
from solvers.methods.sequential import bsvm, first_order, s2do, smo, whole_example
from solvers.problem import Part


class Method(Protocol):
    @property
    def NAME(self) -> str: ...

    @property
    def SUPPORTS(self) -> str: ...

    def refuse(self, part: Part) -> str | None: ...

    def start(self, part: Part) -> State: ...

    def advance(self, part: Part, state: State, steps: int, tolerance: float) -> Progress: ...


METHODS: dict[str, Method] = {
    module.NAME: module
    for module in (
        *(auto, ipm, linear, linear_newton, s2do, smo, first_order),
        *(whole_example, bsvm, fw.PLAIN, fw.AWAY, fw.PAIRWISE),
        *(lasvm.RANDOM, lasvm.GRADIENT, lasvm.ACTIVE, lasvm.FIRST_ORDER),
    )
}

__all__ = ["METHODS", "Method", "Progress", "State"]
