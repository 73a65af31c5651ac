"""The kernel rows of a run go with it at once: nothing that a method keeps waits for the garbage collector."""

from __future__ import annotations

import gc
import weakref

import pytest
from small_data import blobs, problem_of

from mcsvm.solvers.gram import Gram
from mcsvm.solvers.machines import MACHINES
from mcsvm.solvers.run.limits import Limits
from mcsvm.solvers.run.loop import Run

X, Y = blobs(n=60, classes=3, seed=0)


@pytest.mark.slow
@pytest.mark.parametrize("stopped", [False, True])
@pytest.mark.parametrize("method", ["auto", "ipm", "fw", "smo"])
@pytest.mark.parametrize("machine", MACHINES)
def test_no_cycle_holds_the_kernel_rows(
    machine: str, method: str, stopped: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[weakref.ref[Gram]] = []
    begin = Gram.__init__

    def watched(gram: Gram, *given: object, **named: object) -> None:
        begin(gram, *given, **named)  # type: ignore[arg-type]
        made.append(weakref.ref(gram))

    monkeypatch.setattr(Gram, "__init__", watched)
    problem = problem_of(X, Y, machine, "rbf", cost=1e3)
    run = Run(problem, method, Limits(1e-3, steps=2000))
    gc.collect()
    gc.disable()
    try:
        while run.running:
            run.advance(16)
            if stopped:
                run.stop()
        run.model()
        del run, problem
        assert made
        assert [gram for gram in made if gram() is not None] == []
    finally:
        gc.enable()
