"""How a caller slices a run changes no bit of it, and no slice loses what was reached: at small and at huge costs."""

from __future__ import annotations

import io
from collections.abc import Iterator
from itertools import cycle

import numpy as np
import pytest
from small_data import blobs, interrupt, problem_of

from mcsvm.solvers.dual.certificate import certify
from mcsvm.solvers.problem import Problem
from mcsvm.solvers.run.loop import Limits, Run
from mcsvm.solvers.work import limited

MACHINES = "ww", "cs", "llw", "ova", "ovo"
COSTS = [(3.0, 1e-6), (3e3, 1e-4), (3e4, 1e-4)]  # C, and the tolerance that is within reach there
SEEDS = 0, 1, 2
SLICES = {"1": [1], "64": [64], "default": [None], "4096": [4096], "65536": [65_536]}
MOST = 60_000  # steps; beyond it a run is compared as it stands
ROUNDING = 2e-6  # share of the dual that float32 kernel rows hide


def rows(seed: int) -> tuple[np.ndarray, np.ndarray]:
    return blobs(n=40, classes=3, features=3, seed=seed)


def begun(machine: str, seed: int, cost: float, tolerance: float, start: list[np.ndarray] | None = None) -> Run:
    return Run(posed(machine, seed, cost), "auto", Limits(tolerance, steps=MOST), start)


def posed(machine: str, seed: int, cost: float) -> Problem:
    return problem_of(*rows(seed), machine, cost=cost)


def ended(run: Run, slices: Iterator[int | None]) -> Run:
    while run.running:
        run.advance(next(slices))
    return run


def assert_same(one: Run, other: Run) -> None:
    assert (one.ending, one.iterations, one.solver_used) == (other.ending, other.iterations, other.solver_used)
    for left, right in zip(one.alphas(), other.alphas(), strict=True):
        np.testing.assert_array_equal(left, right)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("cost", "tolerance"), COSTS)
@pytest.mark.parametrize("machine", MACHINES)
def test_slices_of_any_length_give_the_same_bits(machine: str, cost: float, tolerance: float, seed: int) -> None:
    whole = ended(begun(machine, seed, cost, tolerance), cycle([None]))
    random = np.random.default_rng(seed).integers(1, 5000, 1000).tolist()
    for slices in (*SLICES.values(), random):
        assert_same(whole, ended(begun(machine, seed, cost, tolerance), cycle(slices)))


@pytest.mark.parametrize(("cost", "tolerance"), COSTS)
@pytest.mark.parametrize("machine", MACHINES)
def test_a_checkpoint_between_any_two_slices_changes_no_bit(machine: str, cost: float, tolerance: float) -> None:
    whole = ended(begun(machine, 0, cost, tolerance), cycle([None]))
    run, lengths = begun(machine, 0, cost, tolerance), np.random.default_rng(1)
    while run.running:
        run.advance(int(lengths.integers(1, 400)))
        if run.running:
            run = Run.load(posed(machine, 0, cost), io.BytesIO(run.pack()))
    assert_same(whole, run)


@pytest.mark.parametrize(("cost", "tolerance"), COSTS)
@pytest.mark.parametrize("machine", MACHINES)
def test_a_checkpoint_between_any_two_pieces_changes_no_bit(
    machine: str, cost: float, tolerance: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = ended(begun(machine, 1, cost, tolerance), cycle([None]))
    interrupt(monkeypatch, 1)
    run = begun(machine, 1, cost, tolerance)
    while run.running:
        run.advance(400)
        if run.running:
            run = Run.load(posed(machine, 1, cost), io.BytesIO(run.pack()))
    assert_same(whole, run)


@pytest.mark.parametrize("warm", [False, True], ids=["cold", "warm"])
@pytest.mark.parametrize(("cost", "tolerance"), COSTS)
@pytest.mark.parametrize("machine", MACHINES)
def test_the_dual_never_falls(machine: str, cost: float, tolerance: float, *, warm: bool) -> None:
    """Recomputed in float64 after every slice: whoever stops there keeps at least what there was before."""
    start = ended(begun(machine, 0, 0.8 * cost, 0.3), cycle([64])).alphas() if warm else None
    run, before = begun(machine, 0, cost, tolerance, start), -np.inf
    while run.running:
        run.advance(16)
        dual = sum(
            certify(run.problem.part(number), alpha).certificate.dual for number, alpha in enumerate(run.alphas())
        )
        assert dual >= before - ROUNDING * abs(before)
        before = dual


@pytest.mark.parametrize("machine", MACHINES)
def test_any_number_of_threads_gives_the_same_bits(machine: str) -> None:
    """Enough rows that products are cut into pieces, which threads share."""
    X, y = blobs(n=1200, classes=3, features=3, seed=3)
    runs = []
    for count in (1, 2, 3, 8):
        with limited(count):
            run = ended(Run(problem_of(X, y, machine, cost=30.0), "auto", Limits(1e-3, steps=MOST)), cycle([None]))
            runs.append((run, run.model().decision(X)))
    for run, values in runs[1:]:
        assert_same(runs[0][0], run)
        np.testing.assert_array_equal(values, runs[0][1])
        assert run.certificate() == runs[0][0].certificate()
