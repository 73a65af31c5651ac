"""Compiled code is made or loaded before the clock starts: by a tiny problem of the same kind, once per process.

A kind is what decides which compiled functions run and with which types: the method and the shape of the part.
"""

from __future__ import annotations

import numpy as np

from solvers.dual.certificate import certify
from solvers.gram import Gram
from solvers.jit import sums as simplex
from solvers.kernels import KERNELS, Points
from solvers.methods import METHODS, Method, Progress
from solvers.methods.auto import proximal, splitting
from solvers.problem import Part

EXAMPLES, CLASSES = 12, 3
STEPS = 50
KERNEL = KERNELS["rbf"](gamma=1.0)
warm: set[tuple[str, str, bool, bool, bool]] = set()


def warm_up(method: Method, part: Part) -> None:
    """Nothing, if a part of this kind was here before."""
    linear = part.gram.kernel.name == "linear"
    kind = method.NAME, part.form.feasible, part.balanced, part.form.outputs == 1, linear
    if kind not in warm:
        warm.add(kind)
        _rehearse(method, tiny(part))


def tiny(part: Part) -> Part:
    """A few points, two of them alike, of the first classes."""
    labels = np.arange(EXAMPLES) % min(CLASSES, part.form.classes)
    points = Points(np.sin(np.outer(np.maximum(np.arange(EXAMPLES), 1), [1.0, 2.0])))
    kernel = part.gram.kernel if part.gram.kernel.name == "linear" else KERNEL
    return Part(part.form, labels, np.ones(EXAMPLES), Gram(kernel, points, 1.0), part.bias, part.offset)


def _rehearse(method: Method, part: Part) -> None:
    state = method.start(part)
    if method.advance(part, state, STEPS, 1e-3) is Progress.MOVING:
        method.advance(part, state, STEPS, 1e-3)
    certify(part, state.alpha, hint=state.constant)
    if method.NAME == "auto":
        _project(part)
        if splitting.applies(part):
            splitting.Splitting(part, rho=1.0, rank=EXAMPLES).carry(state, steps=1)
        if not part.balanced:
            _take_proximal_step(method, part)
    elif method.NAME == "linear-newton":  # whose coordinate steps end with a tiny problem
        _take_newton_steps(method, part)
    elif method.NAME == "ipm":  # which ends with it
        _rehearse(METHODS["auto"], part)


def _take_newton_steps(method: Method, part: Part) -> None:
    state = method.start(part)
    state.memory["visiting"][0] = 0.0
    method.advance(part, state, STEPS, 1e-3)


def _take_proximal_step(method: Method, part: Part) -> None:
    state = method.start(part)
    proximal.begin(part, state)
    proximal.advance(part, state, 0.0)


def _project(part: Part) -> None:
    """What polishing falls back to, which no tiny problem needs."""
    value, ones = np.full(2, 0.5), np.ones(2)
    if part.balanced:
        simplex.project_box_sum(value, np.zeros(2), ones, 1.0)
    elif part.form.feasible == "simplex":
        simplex.project_sums(value, np.zeros(2, dtype=np.int64), ones)
