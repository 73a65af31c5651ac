"""Methods: how alpha moves. What the registry names, one file or one folder each.

A new method is a `Method` (base.py) and one line in `METHODS`.
"""

from __future__ import annotations

from typing import Any

from solvers.methods.auto.conductor import Auto
from solvers.methods.base import Method, Progress, State
from solvers.methods.frank_wolfe.table import FRANK_WOLFE
from solvers.methods.interior import InteriorPoint
from solvers.methods.lasvm.table import LASVM
from solvers.methods.linear.table import LINEAR
from solvers.methods.sequential.table import SEQUENTIAL

METHODS: dict[str, Method[Any]] = {
    method.name: method
    for method in (
        *(Auto(), InteriorPoint()),
        *(*LINEAR, *SEQUENTIAL, *FRANK_WOLFE, *LASVM),
    )
}

__all__ = ["METHODS", "Method", "Progress", "State"]
