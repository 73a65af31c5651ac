"""Warming up compiles all that trainings of a kind need, and leaves no trace."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from combinations import BIASES, machine_for
from small_data import blobs, home, problem_of

from mcsvm.solvers.machines import MACHINES
from mcsvm.solvers.methods import METHODS
from mcsvm.solvers.run import warmup
from mcsvm.solvers.run.loop import Limits, Run

TESTS = Path(__file__).resolve().parents[2]
X, Y = blobs(n=60, classes=3, seed=5)

# Which compiled functions got a new signature in a training after its warm-up, in a process that has compiled nothing.
WATCH = """
import sys
sys.path[:0] = [{sources!r}, {tests!r}]
import gc
from numba.core.registry import CPUDispatcher
from small_data import blobs, home, problem_of
from mcsvm import InputError
from mcsvm.solvers.run.warmup import warm_up
from mcsvm.solvers.methods import METHODS
from mcsvm import Limits, Run

LEAVES = [one for one in gc.get_objects() if isinstance(one, CPUDispatcher) and one.__module__.startswith("mcsvm.")]
X, Y = blobs(n=132, classes=3, seed=5)  # more than a block
late = set()

def signatures():
    return {{(leaf.__name__, str(one)) for leaf in LEAVES for one in leaf.signatures}}

def watched(method):
    class Watched(type(method)):
        def advance(self, part, *rest):
            before = signatures()
            progress = super().advance(part, *rest)
            if len(part) > 12:
                late.update(signatures() - before)
            return progress
    found = object.__new__(Watched)
    found.__dict__.update(vars(method))
    return found

for machine in {machines!r}:
    for bias in {biases!r}:
        for name in METHODS:
            try:
                run = Run(problem_of(X, Y, machine, home(name), cost=100.0, bias=bias), name, Limits(1e-5, steps=300))
            except InputError:
                continue
            warm_up(run.current.solver, run.current.view)
            run.current.solver = watched(run.current.solver)
            while run.running:
                run.advance()
print(sorted(late), len(signatures()) > 20)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("machines", "biases"),
    [
        (["ww", "cs"], ["none", "exact"]),  # a regularized bias is no kind of its own to the warm-up
        pytest.param(["ovo"], BIASES, marks=pytest.mark.large),  # alone: nothing that another has loaded
        pytest.param(["ww", "cs", "llw", "ova", "ovo", "ats"], BIASES, marks=pytest.mark.large),
    ],
    ids=["two", "binary", "every"],
)
def test_a_warm_up_compiles_all_that_a_training_needs(machines: list[str], biases: list[str]) -> None:
    code = WATCH.format(
        sources=str(TESTS.parent / "packaging" / "python"), tests=str(TESTS), machines=machines, biases=list(biases)
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=280)
    assert (result.returncode, result.stdout.strip()) == (0, "[] True"), result.stderr


@pytest.mark.parametrize("method", METHODS)
def test_a_warm_up_changes_no_bit(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def solution() -> tuple[np.ndarray, int]:
        run = Run(problem_of(X, Y, machine_for(method, "cs"), home(method)), method, Limits(1e-3, steps=200))
        if warmed:
            warmup.warm_up(run.current.solver, run.current.view)
        while run.running:
            run.advance()
        return run.alphas()[0], run.kernel_evaluations

    warmed = False
    cold, evaluations = solution()
    monkeypatch.setattr(warmup, "_warm", set())
    warmed = True
    warm, again = solution()
    np.testing.assert_array_equal(warm, cold)
    assert evaluations == again


@pytest.mark.parametrize("machine", [name for name, entry in MACHINES.items() if entry.split == "joint"])
def test_a_rehearsal_has_the_form_of_few_classes(machine: str) -> None:
    many, few = (MACHINES[machine].form(classes, 1.0) for classes in (9, warmup.CLASSES))
    found = warmup.few_classes(many)
    np.testing.assert_allclose(found.direction, few.direction, atol=1e-12)
    np.testing.assert_array_equal(found.margin != 0.0, few.margin != 0.0)
    assert found.feasible == few.feasible
    assert found.rule.other == pytest.approx(few.rule.other)
