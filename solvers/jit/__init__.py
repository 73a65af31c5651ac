"""Compiled loops over plain arrays: they call no kernel and hold no Python object.

`solvers/jit` imports nothing else of `solvers`, so that a hash of its files names the folder of compiled code.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba

from mcsvm.solvers.jit.dispatcher import Loop
from mcsvm.solvers.jit.store import CACHE_FOLDER, CACHE_WORKS, choose_processor

__all__ = ["CACHE_FOLDER", "CACHE_WORKS", "compiled"]

# LLVM fast-math flags that let selects and fused multiply-adds vectorise. Not for functions that test for NaN.
# "reassoc" is left out: with it, the process that compiles and a process that loads the cache give different bits.
RELAXED = {"nnan", "ninf", "nsz", "contract"}

choose_processor()


def compiled(function: Callable[..., Any] | None = None, *, relaxed: bool = False) -> Any:
    """Compile a function on its first call; it runs without the interpreter lock, and store.py saves its code."""
    if function is None:
        return lambda late: compiled(late, relaxed=relaxed)
    config: Any = numba.config
    if config.DISABLE_JIT:
        return function
    # error_model: a division that Python would check for zero is never vectorised
    options = {"nopython": True, "nogil": True, "fastmath": RELAXED if relaxed else False, "error_model": "numpy"}
    loop = Loop(function, targetoptions=options)
    if function.__module__.startswith("mcsvm.solvers."):
        loop.store_compiled_code()
    return loop
