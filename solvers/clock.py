"""The clock that trainings are timed by: it stands still while the calling thread compiles or loads compiled code."""

from __future__ import annotations

import time

from mcsvm.solvers.jit.dispatcher import seconds_compiling


def seconds() -> float:
    """Return seconds since some moment; only differences on one thread mean anything."""
    return time.perf_counter() - seconds_compiling()
