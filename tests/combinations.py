"""Which machines, methods, biases and kernels go together: asked of the refusal itself, before anything starts.

Laws are collected over what is trained; `laws/test_refusals.py` holds the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from itertools import product
from typing import Any

import pytest
from small_data import blobs, home

from mcsvm import InputError
from mcsvm.solvers.kernels import KERNELS
from mcsvm.solvers.posing import pose
from mcsvm.solvers.problem import BIASES
from mcsvm.solvers.run.loop import refuse

__all__ = ["BIASES", "SQUARE", "Y", "accepted", "machine_for", "refusal"]
X, Y = blobs(n=9)
SQUARE = X @ X.T  # features, and a kernel matrix where that is asked for


@cache
def refusal(machine: str, method: str, bias: str | None = None, kernel: str | None = None) -> str | None:
    """The sentence of a refusal; None of what is trained. By default the default bias, the method's home."""
    kind = KERNELS[kernel or home(method)]
    measure = kind(**dict.fromkeys(kind.parameters, 1))
    try:
        refuse(pose(SQUARE, Y, machine=machine, kernel=measure, bias=bias), method)
    except InputError as sentence:
        return str(sentence)
    return None


def accepted(*axes: Iterable[str | None]) -> list[tuple[Any, ...]]:
    """Of machines x methods, x biases, x kernels: the combinations that are trained."""
    return [combination for combination in product(*axes) if refusal(*combination) is None]


def rarely(cases: Iterable[tuple[Any, ...]], which: Callable[..., bool] = lambda *case: True) -> list[Any]:
    """The cases of a test, those that `which` names marked slow."""
    return [pytest.param(*case, marks=pytest.mark.slow) if which(*case) else case for case in cases]


def machine_for(method: str, wish: str = "ww") -> str:
    """The machine wished for, or another where the method refuses that."""
    return next(name for name in (wish, "ww", "cs", "ova") if refusal(name, method) is None)
