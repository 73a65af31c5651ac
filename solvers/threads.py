"""How many threads BLAS may use: one unless asked, so that the same seed gives the same bits anywhere.

The number is one for the whole process: of threads that ask at the same time the latest is obeyed, and the number
of before comes back when the last of them leaves, so that none works on with a number nobody asked for.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from numbers import Integral
from typing import Any

from threadpoolctl import OpenBLASController, ThreadpoolController

from solvers.errors import InputError

MOST = 1024

_lock = threading.Lock()
_asked: dict[object, int] = {}  # by those inside, in the order they came
_before: list[Any] = []  # what knows the number of before, while anybody is inside


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()  # looks through all loaded libraries: milliseconds, so once


def limited(threads: Any) -> AbstractContextManager[object]:
    if threads is not None and (
        isinstance(threads, bool) or not isinstance(threads, Integral) or not 1 <= int(threads) <= MOST
    ):
        raise InputError(f"threads must be a whole number of at least 1 and at most {MOST}, not {threads!r}.")
    return _inside(1 if threads is None else int(threads))


@contextmanager
def _inside(count: int) -> Iterator[None]:
    mine = object()
    with _lock:
        _take_control()
        limiter = _controller().limit(limits=count, user_api="blas")
        if not _asked:
            _before.append(limiter)
        _asked[mine] = count
    try:
        yield
    finally:
        with _lock:
            _take_control()
            del _asked[mine]
            if _asked:
                _controller().limit(limits=next(reversed(_asked.values())), user_api="blas")
            else:
                _before.pop().restore_original_limits()


def _take_control() -> None:
    """OpenBLAS has one number for all threads, and threadpoolctl lets one thread alone set it, in silence, until that
    thread ends or lets go; Qt's threads never end for Python. Here the lock does what that rule is for."""
    OpenBLASController.clear_controlling_thread(force=True)
