"""Where slices end, and where work is interrupted, changes no bit of any method: neither its path nor its state."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import is_dataclass
from enum import Enum
from itertools import chain, cycle
from typing import Any

import numpy as np
import pytest
from small_data import blobs, home, problem_of
from ticks import stopped_at

from mcsvm.solvers.methods.base import Method, Progress, State, stored_fields
from mcsvm.solvers.methods.frank_wolfe.table import FRANK_WOLFE_METHODS
from mcsvm.solvers.methods.lasvm import method as lasvm
from mcsvm.solvers.methods.lasvm.table import LASVM_METHODS
from mcsvm.solvers.methods.linear import coordinate
from mcsvm.solvers.methods.linear.table import LINEAR_METHODS
from mcsvm.solvers.methods.sequential import loop as sequential
from mcsvm.solvers.methods.sequential.table import SEQUENTIAL_METHODS
from mcsvm.solvers.problem import Part, Problem

MACHINES = "ww", "cs", "llw", "ova", "ovo"
COSTS = 3.0, 3e3, 3e4
SLICES = {"1": [1], "17": [17], "64": [64], "4096": [4096]}
# Steps after which runs are compared as they stand: shrinking, passes, rounds and Newton steps have had their turn.
MOST = {"linear": 20_000, "linear-newton": 200_000}
FEW = 200
TOLERANCE = 1e-5
CACHE_MB = 0.01  # the row store holds 43 of 60 rows

ROWS = SEQUENTIAL_METHODS, LASVM_METHODS, FRANK_WOLFE_METHODS, LINEAR_METHODS
METHODS = {method.name: method for method in chain[Any](*ROWS)}


def posed(machine: str, cost: float, method: str) -> Problem:
    features, labels = blobs(n=60, classes=3, features=3)
    return problem_of(features, labels, machine, home(method), cost=cost, cache_mb=CACHE_MB)


def pairs() -> list[tuple[str, str]]:
    """Every method with the machines that it takes."""
    return [
        (name, machine)
        for name, method in METHODS.items()
        for machine in MACHINES
        if method.refuse(posed(machine, 1.0, name).part(0)) is None
    ]


class MethodRun:
    """One method on one part, driven by slices; `interrupt` begins again from copies, as from a checkpoint."""

    def __init__(self, method: Method[Any], problem: Problem, seed: int = 0) -> None:
        self.method, self.problem, self.part = method, problem, problem.part(0)
        self.state: State = method.start(self.part, seed)
        joint = self.part.balanced and self.part.form.outputs > 1
        self.most = FEW if joint else MOST.get(method.name, FEW)
        self.progress = Progress.MOVING

    @property
    def ended(self) -> bool:
        return self.progress not in (Progress.MOVING, Progress.MILESTONE) or self.state.steps >= self.most

    def by_slices(self, slices: Iterator[int]) -> MethodRun:
        while not self.ended:
            steps = min(next(slices), self.most - self.state.steps)
            self.progress = self.method.advance(self.part, self.state, steps, TOLERANCE)
        return self

    def by_checkpoints(self, slices: Iterator[int], *, within: bool) -> MethodRun:
        """A copy at every return and, `within`, after 1 to 2048 pieces: a round cut short begins again."""
        random = np.random.default_rng(0)
        while not self.ended:
            until = min(self.state.steps + next(slices), self.most)
            returned = False
            while not returned:
                most = int(2 ** random.integers(0, 12)) if within else None
                returned = self._advance(until - self.state.steps, most)
                self.part, self.state = copied(self.problem, self.part, self.state)
        return self

    def _advance(self, steps: int, most: int | None) -> bool:
        """Advance to the end of the slice, or up to this tick; return whether it ended."""

        def advance() -> Progress:
            return self.method.advance(self.part, self.state, steps, TOLERANCE)

        progress, ended = (advance(), True) if most is None else stopped_at(most, advance)
        if progress is not None:
            self.progress = progress
        return ended


def copied(problem: Problem, part: Part, state: State) -> tuple[Part, State]:
    """What a checkpoint gives back: nothing that was kept aside survives."""
    fresh = problem.part(0)
    fresh.gram.restore(part.gram.pack())
    return fresh, deepcopy(state)


def contents(value: Any, prefix: str = "") -> dict[str, Any]:
    found = {}
    for name in stored_fields(value):
        inner = getattr(value, name)
        found |= contents(inner, f"{prefix}{name}.") if is_dataclass(inner) else {prefix + name: inner}
    return found


def assert_same(one: MethodRun, other: MethodRun) -> None:
    assert other.progress is one.progress
    left, right = contents(one.state), contents(other.state)
    assert left.keys() == right.keys()
    for name, value in left.items():
        np.testing.assert_array_equal(right[name], value, err_msg=name)
    assert other.part.gram.evaluations == one.part.gram.evaluations


@pytest.mark.parametrize("cost", COSTS)
@pytest.mark.parametrize(("method", "machine"), pairs())
def test_slices_of_any_length_give_the_same_bits(method: str, machine: str, cost: float) -> None:
    problem = posed(machine, cost, method)
    whole = MethodRun(METHODS[method], problem).by_slices(cycle([65_536]))
    random = np.random.default_rng(0).integers(1, 500, 100).tolist()
    for slices in (*SLICES.values(), random):
        assert_same(whole, MethodRun(METHODS[method], problem).by_slices(cycle(slices)))


@pytest.mark.parametrize("cost", COSTS)
@pytest.mark.parametrize(("method", "machine"), pairs())
def test_a_checkpoint_after_any_slice_changes_no_bit(method: str, machine: str, cost: float) -> None:
    problem = posed(machine, cost, method)
    whole = MethodRun(METHODS[method], problem).by_slices(cycle([65_536]))
    assert_same(whole, MethodRun(METHODS[method], problem).by_checkpoints(cycle([17]), within=False))


@pytest.fixture
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compiled calls of a few steps, where tiny problems would take one."""
    monkeypatch.setattr(sequential, "PIECE", 1e4)
    monkeypatch.setattr(lasvm, "PIECE", 1e4)
    monkeypatch.setattr(coordinate, "PIECE_SECONDS", 5e-5)


@pytest.mark.parametrize("cost", COSTS)
@pytest.mark.parametrize(("method", "machine"), pairs())
def test_a_checkpoint_after_any_piece_of_work_changes_no_bit(
    method: str, machine: str, cost: float, request: pytest.FixtureRequest
) -> None:
    problem = posed(machine, cost, method)
    whole = MethodRun(METHODS[method], problem).by_slices(cycle([65_536]))
    request.getfixturevalue("small_pieces")
    assert_same(whole, MethodRun(METHODS[method], problem).by_checkpoints(cycle([100]), within=True))


@pytest.mark.parametrize("name", METHODS)
def test_a_state_keeps_numbers_arrays_and_enums_alone(name: str) -> None:
    machine = next(machine for method, machine in pairs() if method == name)
    run = MethodRun(METHODS[name], posed(machine, 3.0, name)).by_slices(cycle([20]))
    for key, value in contents(run.state).items():
        assert isinstance(value, np.ndarray | int | float | bool | Enum), key


@pytest.mark.parametrize(("method", "machine"), [("lasvm", "ova"), ("lasvm-active", "ovo"), ("linear", "ww")])
def test_the_seed_changes_the_path_and_not_the_optimum(method: str, machine: str) -> None:
    problem = posed(machine, 3.0, method)
    paths = []
    for seed in (0, 0, 7):
        run = MethodRun(METHODS[method], problem, seed)
        run.most = 1_000_000
        paths.append(run.by_slices(cycle([4096])).state)
    np.testing.assert_array_equal(paths[0].alpha, paths[1].alpha)
    assert (paths[0].alpha != paths[2].alpha).any()
    np.testing.assert_allclose(paths[0].functions, paths[2].functions, atol=1e-3)
