"""A solver step by step: the variables of a step, their changes, and their gradients before it.

The run is the solver's own; a step is described by alpha before and after it.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from mcsvm.solvers.dual.certificate import certify
from mcsvm.solvers.dual.quantities import gradients
from mcsvm.solvers.methods.frank_wolfe.table import PLAIN
from mcsvm.solvers.problem import Problem
from mcsvm.solvers.run.limits import Limits
from mcsvm.solvers.run.loop import Run
from mcsvm_gui.core.playground.drawing import Drawing
from mcsvm_gui.core.playground.fit_options import TOLERANCE, FitOptions
from mcsvm_gui.core.playground.fitting import posed

SOLVERS = "smo", "s2do", "fw"
SINGLE = {"fw": replace(PLAIN, steps_of_round=1)}  # otherwise it checks only after a round of steps


@dataclass(frozen=True)
class Update:
    """The change of one variable in a step."""

    point: int
    part: int  # index of the independent problem; 0 for joint machines
    slot: int
    change: float
    gradient: float  # of the dual, before the step


class Walk:
    """One solver on one machine: call `advance` repeatedly; `updates` are the changes of the last step."""

    def __init__(self, drawing: Drawing, setting: FitOptions, machine: str, solver: str) -> None:
        self.solver, self.drawing = solver, drawing
        self.run = Run(posed(drawing, setting, machine), SINGLE.get(solver, solver), Limits(tolerance=TOLERANCE))
        self.updates: tuple[Update, ...] = ()

    @property
    def problem(self) -> Problem:
        return self.run.problem

    @property
    def running(self) -> bool:
        return self.run.running

    def advance(self, steps: int) -> None:
        """Take `steps` single steps."""
        goal = self.run.iterations + steps
        while self.run.running and self.run.iterations < goal:
            self._step()

    def go_on(self, seconds: float) -> None:
        """Take steps for this time, then a single one, so that it can be described."""
        end, self.updates = time.perf_counter() + seconds, ()
        while self.run.running and time.perf_counter() < end:
            self.run.advance(max(1, self.run.iterations // 4))  # evenly spaced on the logarithmic axis of the plot
        if self.run.running:
            self._step()

    def _step(self) -> None:
        before = [alpha.copy() for alpha in self.run.alphas()]
        self.run.advance(1)
        found = tuple(_updates(self.problem, before, self.run.alphas()))
        if found:  # the last slice may only have confirmed the optimum
            self.updates = found


def _updates(problem: Problem, before: list[np.ndarray], after: list[np.ndarray]) -> list[Update]:
    """Return the updates of the step, the largest first."""
    updates = []
    for number, now in enumerate(after):
        past = before[number] if number < len(before) else np.zeros_like(now)
        changed = np.argwhere(now != past)
        if len(changed):
            slopes, rows = _gradients(problem, number, past), np.arange(len(problem))[problem.rows_of(number)]
            updates += [
                Update(int(rows[i]), number, int(p), float(now[i, p] - past[i, p]), float(slopes[i, p]))
                for i, p in changed
            ]
    return sorted(updates, key=lambda update: -abs(update.change))


def _gradients(problem: Problem, number: int, alpha: np.ndarray) -> np.ndarray:
    part = problem.part(number)
    proof = certify(part, alpha)
    return gradients(part, proof.products + proof.bias)


def rivals(problem: Problem, update: Update) -> tuple[int, int | None]:
    """Return the class that a variable supports and the class against it (None: all others), as positions in `used`."""
    own = int(problem.labels[update.point])
    if problem.machine.split == "one-vs-rest":
        return update.part, None
    if problem.machine.split == "pairs":
        first, second = list(combinations(range(problem.classes), 2))[update.part]
        return (own, second if own == first else first)
    return own, (update.slot if update.slot != own else None)
