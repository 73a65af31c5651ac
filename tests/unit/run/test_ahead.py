"""Pairs that other threads work on ahead: the same bits, within cache_mb, and nothing lost or left behind."""

from __future__ import annotations

import io
import threading
from collections.abc import Iterator
from itertools import cycle

import numpy as np
import pytest
from small_data import blobs, problem_of

from mcsvm.solvers.dual.certificate import certify
from mcsvm.solvers.problem import Problem
from mcsvm.solvers.run.ahead import Ahead, Lane
from mcsvm.solvers.run.ending import Ending
from mcsvm.solvers.run.limits import Limits
from mcsvm.solvers.run.loop import Run
from mcsvm.solvers.run.parts import PartRun
from mcsvm.solvers.work import limited

LIMITS = {"violation": Limits(1e-4), "gap": Limits(gap_tolerance=1e-5)}


def posed(machine: str = "ovo", bias: str = "regularized") -> Problem:
    X, y = blobs(n=200, classes=5, features=3, seed=4)
    return problem_of(X, y, machine, cost=30.0, bias=bias)


def begun(limits: str = "violation", **kind: str) -> Run:
    return Run(posed(**kind), "auto", LIMITS[limits])


def ended(run: Run, slices: Iterator[int | None]) -> Run:
    while run.running:
        run.advance(next(slices))
    return run


def assert_same(one: Run, other: Run) -> None:
    assert (other.ending, other.iterations, other.decisions) == (one.ending, one.iterations, one.decisions)
    assert other.kernel_evaluations == one.kernel_evaluations
    for left, right in zip(one.alphas(), other.alphas(), strict=True):
        np.testing.assert_array_equal(left, right)
    assert other.certificate() == one.certificate()


def wait_for_helpers(monkeypatch: pytest.MonkeyPatch, begun: threading.Event) -> None:
    """On a busy machine a run may end before any helper has begun: it waits for the first."""
    go_on = Ahead.go_on

    def patient(ahead: Ahead, *arguments: int) -> int:
        count = go_on(ahead, *arguments)
        assert not count or begun.wait(60), "no helper begins"
        return count

    monkeypatch.setattr(Ahead, "go_on", patient)


@pytest.fixture
def helpers(monkeypatch: pytest.MonkeyPatch) -> set[int]:
    """The threads that worked ahead."""
    seen: set[int] = set()
    piece, begun = Lane.piece, threading.Event()

    def watched(lane: Lane, *arguments: object) -> None:
        seen.add(threading.get_ident())
        begun.set()
        piece(lane, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(Lane, "piece", watched)
    wait_for_helpers(monkeypatch, begun)
    return seen


@pytest.mark.parametrize("limits", LIMITS)
@pytest.mark.parametrize(("machine", "bias"), [("ovo", "exact"), ("ovo", "regularized"), ("dag", "none")])
def test_parts_side_by_side_give_the_same_bits(machine: str, bias: str, limits: str, helpers: set[int]) -> None:
    alone = ended(begun(limits, machine=machine, bias=bias), cycle([None]))
    assert not helpers
    small = bias == "exact" and limits == "violation"  # those are solved by compiled calls (run/small_pairs.py)
    ways: list[tuple[int, list[int | None]]] = [(2, [None]), (2, [1, 300]), (3, [64]), (8, [None])]
    for threads, slices in ways:
        with limited(threads):
            assert_same(alone, ended(begun(limits, machine=machine, bias=bias), cycle(slices)))
        assert small or helpers - {threading.get_ident()}


def test_a_checkpoint_has_the_current_part_and_goes_on_with_the_same_bits() -> None:
    alone, run = ended(begun(), cycle([None])), begun()
    with limited(2):
        while run.running:
            run.advance(100)
            if run.running:
                run = Run.load(run.problem, io.BytesIO(run.pack()))
    assert_same(alone, run)


def test_a_stop_keeps_the_parts_before(helpers: set[int]) -> None:
    run = begun()
    with limited(2):
        while run.running and len(run.alphas()[0]) and not run.alphas()[1].any():
            run.advance(50)
        run.stop()
    assert run.ending is Ending.STOPPED
    assert run.alphas()[1].any()
    parts = [certify(run.problem.part(number), alpha).certificate for number, alpha in enumerate(run.alphas())]
    assert run.certificate().dual == pytest.approx(sum(part.dual for part in parts), rel=1e-9)


def test_an_error_of_a_helper_is_raised_where_its_part_is_due(monkeypatch: pytest.MonkeyPatch) -> None:
    advance, failed = PartRun.advance, threading.Event()

    def failing(part: PartRun, steps: int, left: int | None = None) -> object:
        if threading.current_thread() is not threading.main_thread():
            failed.set()
            raise MemoryError("no room")
        return advance(part, steps, left)

    monkeypatch.setattr(PartRun, "advance", failing)
    wait_for_helpers(monkeypatch, failed)
    with limited(2), pytest.raises(MemoryError, match="no room"):
        ended(begun(), cycle([None]))


def test_a_step_limit_holds_for_any_number_of_threads(helpers: set[int]) -> None:
    """Steps of parts that are not due yet would count for nothing."""
    runs = []
    for threads in (1, 2):
        with limited(threads):
            runs.append(ended(Run(posed(), "auto", Limits(1e-4, steps=200)), cycle([None])))
    assert_same(*runs)
    assert runs[0].ending is Ending.STEP_LIMIT
    assert not helpers


def test_while_a_helper_has_the_next_part_the_run_works_on_another() -> None:
    begun: list[int] = []

    def begin(number: int) -> Iterator[None]:
        begun.append(number)
        while True:
            yield

    ahead = Ahead(begin, [1.0] * 4, 1e9)  # type: ignore[arg-type]
    ahead._lanes[1], ahead._going, ahead._fresh = Lane(1), True, 2
    taking = ahead.take(1)
    for _ in range(3):
        next(taking)
    assert begun == [2]
    ahead._lanes[1].held = False
    with pytest.raises(StopIteration) as end:
        next(taking)
    assert end.value.value.number == 1
    assert [(lane.number, lane.held) for lane in ahead._lanes.values()] == [(2, False)]


@pytest.mark.parametrize(("room", "side_by_side"), [(99.0, 0), (199.0, 0), (250.0, 1), (399.0, 2), (1e9, 3)])
def test_no_more_parts_than_have_room(room: float, side_by_side: int) -> None:
    ahead = Ahead(lambda number: pytest.fail("nobody was to begin"), [100.0] * 10, room)
    with limited(4):
        assert ahead._claimable(3) == side_by_side


def test_pairs_have_room_for_their_matrix_within_the_cache() -> None:
    sizes = np.array([3000, 2000, 100, 90])
    y = np.repeat(np.arange(4), sizes)
    problem = problem_of(np.zeros((y.size, 1)), y, "ovo")
    small = problem_of(np.zeros((y.size, 1)), y, "ovo", cache_mb=70.0)
    for number, (a, b) in enumerate(problem.pairs):
        n = int(sizes[a] + sizes[b])
        assert problem.pair_mb[number] <= problem.cache_mb
        assert problem.part(number).gram.capacity == n
        assert small.pair_mb[number] <= 70.0
