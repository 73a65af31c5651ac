"""Refuse a limit on memory (`ulimit -v`) under which compiled libraries would loop instead of failing.

OpenBLAS asks for its buffers again and again until it gets them, and it holds the interpreter's lock while it is
loaded: a process that is refused memory there could only be killed.
"""

from __future__ import annotations

import os

from mcsvm.solvers.errors import InputError

LIBRARIES = 800  # MB of address space for Python, NumPy, SciPy, pandas and numba: 701 to 804 on two cores
EACH_CORE = 100  # MB for the stack, the heap and the buffers of a thread
MEGABYTE = 1 << 20


def cores() -> int:
    """Return the number of cores that the process may use; each library starts that many threads."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def check_address_space() -> None:
    """Raise InputError if the limit on address space is too low to load the libraries."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    needed = LIBRARIES + EACH_CORE * cores()
    if limit not in (resource.RLIM_INFINITY, -1) and limit < needed * MEGABYTE:
        raise InputError(
            "the memory of this process is limited to {limit} MB (ulimit -v), and at least {needed} MB are needed;"
            " raise the limit",
            limit=limit // MEGABYTE,
            needed=needed,
        )
