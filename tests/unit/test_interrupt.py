"""Ticks: who listens is called, may stop the computation, and costs it no time by its clock."""

from __future__ import annotations

import threading
import time
from itertools import pairwise

import pytest
from small_data import blobs, problem_of
from ticks import counted, stopped_at

from mcsvm.solvers import clock
from mcsvm.solvers.interrupt import Stopped, listening, tick, unless
from mcsvm.solvers.run.ending import Ending
from mcsvm.solvers.run.limits import Limits
from mcsvm.solvers.run.loop import Run
from mcsvm.solvers.run.trace import Sample


def ticks(count: int) -> str:
    for _ in range(count):
        tick()
    return "done"


def test_nobody_listens_at_first() -> None:
    assert ticks(3) == "done"


def test_each_tick_calls_the_listener_and_none_after_its_context() -> None:
    assert counted(lambda: ticks(5)) == ("done", 5)
    assert stopped_at(3, lambda: ticks(5)) == (None, False)
    assert stopped_at(6, lambda: ticks(5)) == ("done", True)


def test_listeners_around_are_called_too_the_latest_first() -> None:
    called: list[str] = []
    with listening(lambda: called.append("outer"), rest=0.0):
        with listening(lambda: called.append("inner"), rest=0.0):
            tick()
        tick()
    assert called == ["inner", "outer", "outer"]


def test_a_listener_rests_between_two_calls() -> None:
    called: list[float] = []
    with listening(lambda: called.append(time.perf_counter()), rest=0.01):
        ends = time.perf_counter() + 0.1
        while time.perf_counter() < ends:
            tick()
    assert 1 <= len(called) <= 10
    assert all(later - earlier >= 0.01 for earlier, later in pairwise(called))


def test_what_a_listener_computes_is_not_listened_to() -> None:
    called: list[str] = []

    def listener() -> None:
        called.append(ticks(2))

    with listening(listener, rest=0.0):
        tick()
    assert called == ["done"]


def test_other_threads_are_not_listened_to() -> None:
    called: list[int] = []
    with listening(lambda: called.append(1), rest=0.0):
        other = threading.Thread(target=tick)
        other.start()
        other.join()
    assert called == []


def test_a_stop_ends_what_was_asked_for_and_passes_what_lies_within() -> None:
    asked: list[int] = []

    def stopped() -> bool:
        asked.append(1)
        return len(asked) > 2

    def inner() -> str | None:
        return unless(lambda: False, lambda: ticks(100))

    with listening(lambda: None, rest=0.0):
        assert unless(stopped, inner) is None
    assert unless(lambda: True, lambda: pytest.fail("it was not to begin")) is None
    assert unless(lambda: False, inner) == "done"


def test_the_clock_is_held_while_a_listener_is_called() -> None:
    shown: list[float] = []

    def listener() -> None:
        began = clock.seconds()
        time.sleep(0.02)
        shown.append(clock.seconds() - began)

    watch = clock.Stopwatch()
    with listening(listener, rest=0.0):
        wall = time.perf_counter()
        with watch:
            ticks(5)
        wall = time.perf_counter() - wall
    assert shown == [0.0] * 5
    assert wall >= 0.1
    assert watch.seconds <= wall - 0.1


def test_a_stopwatch_shows_what_has_passed_within_too() -> None:
    watch = clock.Stopwatch()
    watch.seconds = 3.0
    with watch:
        time.sleep(0.01)
        within = watch.seconds
    assert 3.01 <= within <= watch.seconds
    assert watch.seconds == watch.seconds


def slow_run(method: str = "auto") -> Run:
    return Run(problem_of(*blobs(n=300), "ww", cost=100.0), method, Limits(1e-6))


@pytest.mark.parametrize("way", ["stops", "leaves"])
def test_who_looks_at_a_run_may_stop_it_or_leave_the_slice(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mcsvm.solvers.interrupt.REST", 0.0)
    run, looks = slow_run("smo"), 0

    def look(sample: Sample) -> bool:
        nonlocal looks
        looks += 1
        if looks == 3 and way == "stops":
            run.stop()
        return looks == 3 and way == "leaves"

    run.advance(10**9, look)
    assert looks == 3
    assert run.running is (way == "leaves")
    assert run.ending is (Ending.STOPPED if way == "stops" else None)
    while run.running:
        run.advance()
    assert (run.ending is Ending.CONVERGED) is (way == "leaves")


def test_a_stop_around_a_run_passes_through_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """As of a search that trains several: the run itself goes on running."""
    monkeypatch.setattr("mcsvm.solvers.interrupt.REST", 0.0)
    run = slow_run()
    assert stopped_at(2, lambda: run.advance(10**9)) == (None, False)
    assert run.running


def test_a_time_limit_is_heard_within_a_slice() -> None:
    run = Run(problem_of(*blobs(n=300), "ww", cost=1e4), "smo", Limits(1e-12, seconds=0.1))
    run.advance(10**9)
    assert run.ending is Ending.TIME_LIMIT
    assert run.seconds >= 0.1


def test_a_stopped_says_by_whom() -> None:
    assert Stopped("me").by == "me"
