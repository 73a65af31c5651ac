"""Compiled leaves: loops over plain arrays, no kernel, no Python object."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba

from solvers.jit.store import CACHE_FOLDER, CACHE_WORKS, Store, choose_processor

__all__ = ["CACHE_FOLDER", "CACHE_WORKS", "compiled"]

# For selects and fused multiply-adds that vectorise; never on a function that tests for NaN.
# Not "reassoc": with it the process that compiles and those that load the cache give different bits.
RELAXED = {"nnan", "ninf", "nsz", "contract"}

choose_processor()


def compiled(function: Callable[..., Any] | None = None, *, relaxed: bool = False) -> Any:
    """Compile without the interpreter lock; functions of `solvers` are kept, under the hash of its sources."""
    if function is None:
        return lambda late: compiled(late, relaxed=relaxed)
    config: Any = numba.config
    # error_model: a division that Python would check for zero is never vectorised
    found: Any = numba.njit(nogil=True, fastmath=RELAXED if relaxed else False, error_model="numpy")(function)
    if function.__module__.startswith("solvers.") and not config.DISABLE_JIT:
        found._cache = Store(function)
    return found
