"""How many threads BLAS may use: one unless asked, so that the same seed gives the same bits anywhere."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cache
from numbers import Integral
from typing import Any

from threadpoolctl import ThreadpoolController

from solvers.errors import InputError

MOST = 1024


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()  # looks through all loaded libraries: milliseconds, so once


def limited(threads: Any) -> AbstractContextManager[object]:
    if threads is not None and (
        isinstance(threads, bool) or not isinstance(threads, Integral) or not 1 <= int(threads) <= MOST
    ):
        raise InputError(f"threads must be a whole number of at least 1 and at most {MOST}, not {threads!r}.")
    return _controller().limit(limits=1 if threads is None else int(threads), user_api="blas")
