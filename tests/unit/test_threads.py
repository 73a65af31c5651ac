"""Who asks for a number of BLAS threads gets it for as long as it works, whoever comes and goes meanwhile."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QThread
from threadpoolctl import threadpool_info

from solvers.threads import limited


def blas() -> set[int]:
    np.ones((2, 2)) @ np.ones((2, 2))
    return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


@given(st.data())
def test_one_that_leaves_takes_nothing_from_those_that_stay(data) -> None:
    """Threads of one process come and go in any order."""
    with limited(2):
        inside = []
        for _ in range(data.draw(st.integers(1, 6))):
            if inside and data.draw(st.booleans()):
                inside.pop(data.draw(st.integers(0, len(inside) - 1))).__exit__(None, None, None)
            else:
                inside.append(limited(1))
                inside[-1].__enter__()
            assert blas() == {1 if inside else 2}
        for left in inside:
            left.__exit__(None, None, None)
        assert blas() == {2}


class Thread(QThread):
    """Python knows it from its first word on, and never hears that it ended."""

    seen: set[int]

    def run(self) -> None:
        with limited(1):
            self.seen = blas()


def test_a_thread_that_was_there_before_keeps_no_other_from_its_number() -> None:
    with limited(2):
        for _ in range(2):
            thread = Thread()
            thread.start()
            assert thread.wait(10_000)
            assert thread.seen == {1}
            assert blas() == {2}
            with limited(1):
                assert blas() == {1}
            assert blas() == {2}
