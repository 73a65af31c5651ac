"""BLAS keeps to one thread while anybody trains; pieces of work go to as many threads as were asked for."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from copies import import_path
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QThread
from threadpoolctl import threadpool_info
from ticks import counted

from mcsvm.solvers import work
from mcsvm.solvers.work import PIECE, cores, limited, spread, workers


def blas() -> set[int]:
    np.ones((2, 2)) @ np.ones((2, 2))
    return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


@pytest.mark.slow
@settings(deadline=None)
@given(st.data())
def test_blas_has_one_thread_until_the_last_has_left(data) -> None:
    """Threads of one process come and go in any order."""
    before, inside = blas(), []
    for _ in range(data.draw(st.integers(1, 6))):
        if inside and data.draw(st.booleans()):
            inside.pop(data.draw(st.integers(0, len(inside) - 1))).__exit__(None, None, None)
        else:
            inside.append(limited(data.draw(st.integers(1, 3))))
            inside[-1].__enter__()
        assert blas() == ({1} if inside else before)
    for left in inside:
        left.__exit__(None, None, None)
    assert blas() == before


def test_a_thread_may_use_as_many_as_it_asked_for() -> None:
    with limited(3):
        assert workers() == 3
        with limited(2):
            assert workers() == 2
        assert workers() == 3
        elsewhere: list[int] = []
        other = threading.Thread(target=lambda: elsewhere.append(workers()))
        other.start()
        other.join()
        assert elsewhere == [1]


@pytest.mark.parametrize("count", [1, 2, 3, 8])
def test_every_piece_is_done_once_by_any_number_of_threads(count: int) -> None:
    done = np.zeros(50, dtype=int)

    def mark(piece: int) -> None:
        done[piece] += 1

    with limited(count):
        _, ticks = counted(lambda: spread(mark, range(50), PIECE / 4))
    assert (done == 1).all()
    assert ticks == -(-50 // (4 * count))


def test_none_is_all_cores_as_many_as_are_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    with limited(None):
        assert workers() == cores() >= 1
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    with limited(None):
        assert workers() == 1


def test_those_who_work_at_the_same_time_share_the_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work, "cores", lambda: 4)
    inside, leave = threading.Event(), threading.Event()

    def stay() -> None:
        with limited(4):
            inside.set()
            leave.wait(10)

    other = threading.Thread(target=stay)
    with limited(4), limited(4):
        assert work.share(4) == 4  # one thread, though inside twice
        other.start()
        assert inside.wait(10)
        assert work.share(4) == 2
        leave.set()
        other.join()
        assert work.share(4) == 4


def test_helpers_that_are_kept_busy_elsewhere_are_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    pool, leave = ThreadPoolExecutor(1), threading.Event()
    monkeypatch.setattr(work, "_pool", lambda: pool)
    pool.submit(leave.wait, 10)
    done: list[int] = []
    with limited(2):
        spread(done.append, range(8), PIECE)
    leave.set()
    pool.shutdown()
    assert sorted(done) == list(range(8))


def test_an_error_in_a_piece_is_raised_whoever_did_it() -> None:
    def fail(piece: int) -> None:
        raise ArithmeticError(str(piece))

    with limited(2), pytest.raises(ArithmeticError):
        spread(fail, [1, 2], PIECE)


class Thread(QThread):
    """Python knows it from its first word on, and never hears that it ended."""

    seen: set[int]

    def run(self) -> None:
        with limited(1):
            self.seen = blas()


def test_a_thread_that_was_there_before_keeps_no_other_from_its_number() -> None:
    before = blas()
    for _ in range(2):
        thread = Thread()
        thread.start()
        assert thread.wait(10_000)
        assert thread.seen == {1}
        assert blas() == before
        with limited(1):
            assert blas() == {1}
        assert blas() == before


def test_libraries_that_come_later_are_limited_too() -> None:
    """NumPy and SciPy have a BLAS each; compiled code calls SciPy's, which may not be loaded yet."""
    code = """
from mcsvm.solvers.work import limited
with limited(1):
    import scipy.linalg
    from threadpoolctl import threadpool_info
    print({one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"})
"""
    environment = {**os.environ, "PYTHONPATH": import_path(), "OPENBLAS_NUM_THREADS": "2"}
    answer = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert answer.stdout == "{1}\n"
