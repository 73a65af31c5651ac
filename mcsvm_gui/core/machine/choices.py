"""The choices of the form and which of them fit together, from the solvers' registries.

Importing this module is light; the first call loads the solvers.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from mcsvm.solvers.errors import Sentence
from mcsvm_gui.core.base.i18n import worded
from mcsvm_gui.core.machine import names

if TYPE_CHECKING:
    from mcsvm_gui.core.machine.request import Request

# The usual choices, in the order of the lists; the registries' other entries follow as `more`.
FIRST_MACHINES, FIRST_SOLVERS, FIRST_KERNELS = tuple(names.MACHINES), tuple(names.SOLVERS), tuple(names.KERNELS)
BIASES = tuple(names.BIASES)
FEWEST, MOST = 2, 6  # classes of the probe: with more of them, solvers accept the same problems


@dataclass(frozen=True)
class FormChoice:
    """One entry of a list; `reason` says why it does not fit the other settings, None if it does."""

    name: str
    title: str
    about: str
    reason: str | None = None
    more: bool = False


@dataclass(frozen=True)
class Choices:
    """The choices for each setting of a request, given its other settings."""

    machines: tuple[FormChoice, ...]
    solvers: tuple[FormChoice, ...]
    kernels: tuple[FormChoice, ...]
    biases: tuple[FormChoice, ...]
    parameters: tuple[str, ...]  # names of the parameters of the chosen kernel
    default_bias: str
    own_margin: float
    reason: str | None  # why this very combination is impossible


def choices(request: Request, classes: int) -> Choices:
    """Return the lists for this request, for data with `classes` classes."""
    from mcsvm.solvers.kernels import KERNELS
    from mcsvm.solvers.machines import MACHINES
    from mcsvm.solvers.methods import METHODS
    from mcsvm.solvers.problem import default_bias

    def choice(what: str, name: str, title: str, about: str, first: Iterable[str]) -> FormChoice:
        return FormChoice(name, title, about, why_not(request, classes, **{what: name}), name not in first)

    machine = MACHINES[request.machine]
    return Choices(
        machines=tuple(
            choice("machine", name, MACHINES[name].title, MACHINES[name].decides, FIRST_MACHINES)
            for name in _ordered(FIRST_MACHINES, MACHINES)
        ),
        solvers=tuple(
            choice("solver", name, name, METHODS[name].supports, FIRST_SOLVERS)
            for name in _ordered(FIRST_SOLVERS, METHODS)
        ),
        kernels=tuple(
            choice("kernel", name, name, _formula(KERNELS[name]), FIRST_KERNELS)
            for name in _ordered(FIRST_KERNELS, KERNELS)
        ),
        biases=tuple(choice("bias", name, name, "", BIASES) for name in BIASES),
        parameters=KERNELS[request.kernel].parameters,
        default_bias=default_bias(machine, KERNELS[request.kernel]),
        own_margin=float(machine.margin(max(classes, FEWEST))),
        reason=why_not(request, classes),
    )


def why_not(request: Request, classes: int, **change: str) -> str | None:
    """Return the sentence that refuses the changed request; None if it is accepted."""
    from mcsvm.solvers.errors import InputError

    try:
        changed = replace(request, **change)  # type: ignore[arg-type]
    except InputError as error:
        return worded(error)
    count = min(max(classes, FEWEST), MOST)
    return worded(_refusal(changed.machine, changed.solver, changed.kernel, changed.bias, count))


@lru_cache(maxsize=8192)
def _refusal(machine: str, solver: str, kernel: str, bias: str | None, classes: int) -> Sentence | None:
    """Try a problem with two examples per class: whether a solver accepts it depends on the names alone."""
    import numpy as np

    from mcsvm.solvers.errors import InputError
    from mcsvm.solvers.kernels import KERNELS
    from mcsvm.solvers.posing import kernel_from, pose
    from mcsvm.solvers.run.loop import refuse
    from mcsvm_gui.core.machine.request import Request

    labels = np.repeat(np.arange(classes), 2)
    rows = np.linspace(-1.0, 1.0, labels.size)[:, None]
    try:
        measure = kernel_from(kernel, KERNELS, **Request(gamma=1.0).kernel_parameters)
        refuse(pose(rows, labels, machine=machine, kernel=measure, bias=bias), solver)
    except InputError as error:
        return error.sentence
    return None


def _ordered(first: Iterable[str], registry: Iterable[str]) -> list[str]:
    return [*first, *(name for name in registry if name not in first)]


def _formula(kernel: type) -> str:
    """Return the formula of a kernel, which is the first line of its module."""
    return (sys.modules[kernel.__module__].__doc__ or "").partition("\n")[0].rstrip(".")
