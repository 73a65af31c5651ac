"""What a run counts and when it looks: seconds, samples of interrupted slices, moves of b, steps of small pairs."""

from __future__ import annotations

import time
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from small_data import blobs, problem_of

from mcsvm.solvers import interrupt
from mcsvm.solvers.budget import PAIRS
from mcsvm.solvers.dual.quantities import weights_of
from mcsvm.solvers.run import small_pairs
from mcsvm.solvers.run.ahead import Ahead
from mcsvm.solvers.run.limits import Limits
from mcsvm.solvers.run.loop import Run
from mcsvm.solvers.run.multipliers import OuterLoop
from mcsvm.solvers.run.small_pairs import SmallPairs
from mcsvm.solvers.run.trace import Sample


def test_seconds_are_those_that_passed() -> None:
    run, began = Run(problem_of(*blobs(n=60), "ova"), "smo"), time.perf_counter()
    assert run.seconds == 0.0
    while run.running:
        run.advance(100)
    assert 0.0 < run.seconds <= time.perf_counter() - began


def test_a_sample_within_a_slice_is_of_where_the_run_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where samples cost nothing, each call gives a new one if anything has moved, and the old one if not."""
    monkeypatch.setattr(interrupt, "REST", 0.0)
    monkeypatch.setattr("mcsvm.solvers.run.loop.SAMPLE_REST", 0.0)
    run, samples = Run(problem_of(*blobs(n=300), "ww", cost=100.0), "smo", Limits(1e-6)), []

    def look(sample: Sample) -> bool:
        assert sample.iteration == run.iterations
        samples.append(sample)
        return len(samples) >= 200

    run.advance(10**6, look)
    within = [one for one in samples if one not in run.trace]
    assert len(within) > 1, "nothing was looked at within the slice"
    assert len({one.iteration for one in within}) == len({id(one) for one in within})


def test_a_part_that_the_run_takes_is_begun_by_nobody_else() -> None:
    ahead = Ahead(lambda number: pytest.fail("nobody was to begin"), [1.0] * 4, 1e9)
    ahead.go_on(0, 1)
    assert ahead.take(1) is None
    assert ahead.take(2) is None
    lane = ahead._claim()
    assert lane is not None
    assert lane.number == 3
    assert ahead._claim() is None


@pytest.mark.parametrize(("before", "restless"), [(2.0, 0), (1.99, 1), (np.inf, 0)])
def test_a_move_of_b_is_too_large_above_half_of_the_least(before: float, restless: int) -> None:
    part = problem_of(*blobs(n=30), "ova", bias="regularized").part(0)
    alpha = np.zeros((30, 1))
    alpha[part.labels == 0] = 0.5
    moved = abs(part.offset * weights_of(part, alpha).sum())
    state = SimpleNamespace(alpha=alpha, functions=np.zeros((30, 1)), constant=np.zeros(1))
    outer = OuterLoop(least_move=before * moved)
    outer.update_bias(part, state, 1e-3)
    assert outer.restless == restless
    assert outer.least_move == moved


def test_small_pairs_take_so_many_steps_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def endless(*arguments: object) -> tuple[int, int]:
        asked.append(int(arguments[8]))
        return small_pairs.two_class.MOVING, asked[-1]

    monkeypatch.setattr(small_pairs, "PAIRS", replace(PAIRS, patience=5))
    monkeypatch.setattr(small_pairs, "SEARCH_STEPS_TIMES_ROWS", 1)
    monkeypatch.setattr(small_pairs.two_class, "advance", endless)
    problem = problem_of(*blobs(n=75), "ovo")
    assert SmallPairs(problem, Limits()).solve(0) is None
    assert asked == [100, 100, 50], "five steps for each of 50 examples, at most 100 in a call"
