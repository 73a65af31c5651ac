"""The registry of methods, which move alpha to the optimum: one file or one folder each.

A new method is a `Method` (base.py) and one line in `METHODS`.
"""

from __future__ import annotations

from typing import Any

from mcsvm.solvers.methods.auto.conductor import Auto
from mcsvm.solvers.methods.base import Method, Progress, State
from mcsvm.solvers.methods.frank_wolfe.table import FRANK_WOLFE_METHODS
from mcsvm.solvers.methods.interior import InteriorPoint
from mcsvm.solvers.methods.lasvm.table import LASVM_METHODS
from mcsvm.solvers.methods.linear.table import LINEAR_METHODS
from mcsvm.solvers.methods.sequential.table import SEQUENTIAL_METHODS

METHODS: dict[str, Method[Any]] = {
    method.name: method
    for method in (
        *(Auto(), InteriorPoint()),
        *(*LINEAR_METHODS, *SEQUENTIAL_METHODS, *FRANK_WOLFE_METHODS, *LASVM_METHODS),
    )
}

__all__ = ["METHODS", "Method", "Progress", "State"]
