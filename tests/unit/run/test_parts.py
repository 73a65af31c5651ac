"""What a run does with a claim of convergence that float64 refutes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from small_data import blobs, problem_of

from mcsvm.solvers.budget import LOOP
from mcsvm.solvers.methods import METHODS
from mcsvm.solvers.methods.base import Method, Progress, State
from mcsvm.solvers.problem import Part
from mcsvm.solvers.run.ending import Ending
from mcsvm.solvers.run.limits import Limits
from mcsvm.solvers.run.loop import Run

PAIRS = METHODS["smo"]
X, Y = blobs(n=30, classes=2, features=2, seed=3)


class OffBalance(Method[Any]):
    """smo, which at every claim of convergence lets one variable break the equality by a ten-thousandth of C."""

    name, supports = "off balance", "a test"

    def __init__(self) -> None:
        self.tolerances: list[float] = []
        self.refutations = 0

    def start(self, part: Part, seed: int) -> State:
        state: State = PAIRS.start(part, seed)
        return state

    def advance(self, part: Part, state: State, steps: int, tolerance: float) -> Progress:
        if len(part) == Y.size:  # no warm-up
            self.tolerances.append(tolerance)
        progress: Progress = PAIRS.advance(part, state, steps, tolerance)
        if progress is Progress.CONVERGED:
            inside = np.flatnonzero(part.geometry.free(state.alpha, part.upper)[:, 0])[0]
            state.alpha[inside] = min(state.alpha[inside, 0] + 1e-4, float(part.upper[inside]))
        return progress

    def refuted(self, part: Part, state: State) -> None:
        self.refutations += 1


@pytest.mark.parametrize("gap", [None, 0.5])
def test_an_infeasible_point_does_not_tighten_the_tolerance(gap: float | None) -> None:
    """Its violation and its gap are small enough: the method is told, and asked for no more than before."""
    method = OffBalance()
    run = Run(problem_of(X, Y, "ova", cost=1.0, bias="exact"), method, Limits(1e-2, gap))
    while run.running:
        run.advance(10_000)
    assert run.ending is Ending.STALLED
    assert set(method.tolerances) == {1e-2}
    assert method.refutations > LOOP.most
