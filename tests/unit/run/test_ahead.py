"""Pairs that other threads work on ahead: the same bits, within cache_mb, and nothing lost or left behind."""

from __future__ import annotations

import io
import threading
import time
from collections.abc import Iterator
from itertools import cycle

import numpy as np
import pytest
from small_data import blobs, interrupt, problem_of

from mcsvm.solvers.dual.certificate import certify
from mcsvm.solvers.interrupt import listening, tick
from mcsvm.solvers.methods import METHODS
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
    train, begun = Ahead._train, threading.Event()

    def watched(ahead: Ahead, lane: Lane, *, by_helper: bool = False) -> None:
        seen.add(threading.get_ident())
        begun.set()
        train(ahead, lane, by_helper=by_helper)

    monkeypatch.setattr(Ahead, "_train", watched)
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


def test_slices_left_at_any_tick_give_the_same_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also of parts that the run trains while it waits for a helper, and begins again later."""
    alone = ended(begun(), cycle([None]))
    interrupt(monkeypatch, 3)
    with limited(2):
        assert_same(alone, ended(begun(), cycle([None, 40])))


def test_a_stop_is_heard_while_the_run_waits_for_a_helper(monkeypatch: pytest.MonkeyPatch) -> None:
    train, waiting = Ahead._train, threading.Event()

    def patient(ahead: Ahead, lane: Lane, *, by_helper: bool = False) -> None:
        while by_helper:
            waiting.set()
            time.sleep(0.001)
            tick()
        train(ahead, lane)

    monkeypatch.setattr(Ahead, "_train", patient)
    wait_for_helpers(monkeypatch, waiting)
    run = begun()
    with limited(2):
        while run.running:
            run.advance(look=lambda _: run.stop() if run._begun is None else None)
    assert run.ending is Ending.STOPPED


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

    def failing(part: PartRun, steps: int, left: int | None = None) -> None:
        if threading.current_thread() is not threading.main_thread():
            failed.set()
            raise MemoryError("no room")
        advance(part, steps, left)

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
    problem, begun = posed(), []

    def begin(number: int) -> PartRun:
        begun.append(number)
        ahead._lanes[1].done = number == 3
        return PartRun(problem.part(number), METHODS["auto"], LIMITS["violation"])

    ahead = Ahead(begin, [1.0] * 9, 1e9)
    first = ahead._lanes[1] = Lane(1, run=PartRun(problem.part(1), METHODS["auto"], LIMITS["violation"]))
    ahead._going, ahead._fresh = True, 2
    assert ahead.take(1) is first.run
    assert begun == [2, 3]
    assert [(lane.number, lane.done) for lane in ahead._lanes.values()] == [(2, True), (3, True)]
    assert all(lane.run is not None and lane.run.finished is not None for lane in ahead._lanes.values())


def test_helpers_wait_while_the_run_is_looked_at_and_leave_at_a_stop(helpers: set[int]) -> None:
    steps: list[int] = []
    run = begun()
    ahead = run._pairs.ahead
    assert ahead is not None

    def work_of_helpers() -> int:
        return sum(lane.done for lane in ahead._lanes.values())

    def look(_: object) -> None:
        if not steps:
            before = work_of_helpers()
            time.sleep(0.05)
            steps.append(work_of_helpers() - before)
            run.stop()

    with limited(2), listening(lambda: None, rest=0.0):
        run.advance(10**9, look)
    assert run.ending is Ending.STOPPED
    assert steps
    assert steps[0] <= 1, "a part may be at its last step when the look begins"
    deadline = time.monotonic() + 30.0
    while ahead._helpers and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not ahead._helpers, "helpers have left"
    assert not ahead._lanes


@pytest.mark.parametrize(("room", "side_by_side"), [(99.0, 0), (199.0, 0), (250.0, 1), (399.0, 2), (1e9, 3)])
def test_no_more_parts_than_have_room(room: float, side_by_side: int) -> None:
    ahead = Ahead(lambda number: pytest.fail("nobody was to begin"), [100.0] * 10, room)
    with limited(4):
        assert ahead._fitting(3) == side_by_side


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
