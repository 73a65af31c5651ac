"""Which versions of compiled functions Python has asked for; what compiled code asks of its helpers is its own affair.

`Dispatcher.signatures` alone would not do: a helper that two compiled functions call with a float32 and a float64
has two versions where the cache was cold, and none where it was warm.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from numba.core.dispatcher import Dispatcher

ASKED: defaultdict[str, set[str]] = defaultdict(set)


def watch() -> None:
    """From now on, note every type with which Python calls a compiled function of ours for the first time."""
    compile_for = Dispatcher._compile_for_args

    def noted(self: Dispatcher, *arguments: Any, **named: Any) -> Any:
        if self.py_func.__module__.startswith("mcsvm.solvers."):
            kinds = tuple(self.typeof_pyval(argument) for argument in arguments)
            ASKED[f"{self.py_func.__module__}.{self.py_func.__qualname__}"].add(str(kinds))
        return compile_for(self, *arguments, **named)

    Dispatcher._compile_for_args = noted
