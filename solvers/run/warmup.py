"""Compile everything that a method may need on a kind of part, by solving a tiny problem of that kind.

Trainings do not use this module: they compile functions when they first call them, outside the measured time
(clock.py). It is for programs that compile before any training: precompile.py and benchmarks. The kind (method,
feasible set, bias, ...) decides which compiled functions run, and with which types.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from dataclasses import replace
from typing import Any

import numpy as np

from mcsvm.solvers.dual.certificate import certify
from mcsvm.solvers.gram import Gram
from mcsvm.solvers.kernels import KERNELS, Points, distances
from mcsvm.solvers.machines import DualForm
from mcsvm.solvers.methods.base import Method, Progress
from mcsvm.solvers.problem import Part

EXAMPLES, CLASSES = 12, 3
STEPS = 50
KERNEL = KERNELS["rbf"](gamma=1.0)

_lock = threading.RLock()  # one thread compiles at a time; numba has such a lock of its own
_warm: set[Hashable] = set()


def once(kind: Hashable, rehearse: Callable[[], object]) -> None:
    """Call `rehearse` for a kind that no thread has rehearsed; return when some thread has done so."""
    if kind in _warm:
        return
    with _lock:
        if kind not in _warm:
            rehearse()
            _warm.add(kind)


def warm_up(method: Method[Any], part: Part) -> None:
    """Compile the functions that the method needs on a part of this kind."""
    linear = part.gram.kernel.name == "linear"
    kind = method.name, part.geometry, part.balanced, part.form.outputs == 1, linear
    once(kind, lambda: _rehearse(method, tiny(part)))


def tiny(part: Part) -> Part:
    """Return a part of the same kind with EXAMPLES points, two of them equal, of at most CLASSES classes."""
    labels = np.arange(EXAMPLES) % min(CLASSES, part.form.classes)
    points = Points(np.sin(np.outer(np.maximum(np.arange(EXAMPLES), 1), [1.0, 2.0])))
    kernel = part.gram.kernel if part.gram.kernel.name == "linear" else KERNEL
    return Part(few_classes(part.form), labels, np.ones(EXAMPLES), Gram(kernel, points, 1.0), part.bias, part.offset)


def few_classes(form: DualForm) -> DualForm:
    """Return the same machine's form for CLASSES classes, as the directions of 500 classes have 10^8 numbers."""
    if form.outputs <= CLASSES:
        return form
    direction = form.direction[:CLASSES, :CLASSES, :CLASSES]
    if form.centred:
        direction = direction - direction.mean(axis=2, keepdims=True) * np.any(direction != 0.0, axis=2, keepdims=True)
    return replace(form, direction=direction, margin=form.margin[:CLASSES, :CLASSES])


def _rehearse(method: Method[Any], part: Part) -> None:
    distances.rehearse()
    state = method.start(part, 0)
    if method.advance(part, state, STEPS, 1e-3) is Progress.MOVING:
        method.advance(part, state, STEPS, 1e-3)
    certify(part, state.alpha, hint=state.constant)
    method.rehearse(part)
    part.forget()
