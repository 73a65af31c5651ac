"""Proximal steps on the dual, each solved by Newton steps on W: for the linear kernel with few features.

The proximal point method ends after finitely many steps on such a problem (Rockafellar 1976), and a large sigma makes
them few; a Newton step costs a few passes over the features and a small system, whatever C is. Every bias is native:
regularized it is one more feature, exact one that costs nothing. Where single coordinates can move, their steps come
first, until they have cost half of what Newton's are expected to; small costs need no more. A step is a Newton step or
a visit of a coordinate; a slice is a few Newton steps of one proximal step, or one round of visits.
"""

from __future__ import annotations

import weakref

import numpy as np

from solvers.dual.balance import repair
from solvers.dual.quantities import equality_range, examine, weights_of
from solvers.methods.base import Progress, State, refresh
from solvers.methods.linear import coordinate as linear
from solvers.methods.linear.features import refuse_other_kernels, stored_of
from solvers.methods.linear.proximal import NEWTON_STEPS, ProximalStep, Trial
from solvers.methods.linear.system import DENSE, Columns
from solvers.problem import Part

NAME = "linear-newton"
SUPPORTS = "every machine and bias, with the linear kernel: made for many examples of few features, at any C"
KEEPS_BALANCE = True

SIGMA, GROWTH, LARGEST = 1.0, 4.0, 1e8  # proximal parameter, in units of the cost: first, growing by, at most
STRICTER, STRICTEST = 0.3, 1e-4  # the tolerance after each claim that was refuted, and at last
AT_ONCE = 0.05  # seconds, roughly, of Newton steps in a slice
CLOSE = 0.1  # share of the tolerance, to which class functions follow alpha at least
LOSS = 1e-3  # share of the dual begun with that the first step may cost
IDLE = 6  # proximal steps in vain before it stalls
EXPECTED = 20  # Newton steps

COLUMNS: weakref.WeakKeyDictionary[Part, Columns] = weakref.WeakKeyDictionary()


def refuse(part: Part) -> str | None:
    return refuse_other_kernels(NAME, part)


def start(part: Part) -> State:
    state = linear.start(part)
    state.memory["point"] = np.empty((0, 0))  # W with the bias, or empty where it is to be made of alpha
    state.memory["sigma"] = np.array([SIGMA])
    state.memory["best"] = np.array([-np.inf, 0.0])  # the dual, and proximal steps since it rose
    state.memory["close"] = np.array([CLOSE])
    state.memory["strict"] = np.array([1.0])  # of the tolerance: the certificate's b may be another
    state.memory["inside"] = np.array([0.0])  # Newton steps taken of a proximal step that goes on
    state.memory["visiting"] = np.array([0.0 if part.balanced else price_of(part)])  # seconds left for coordinates
    return state


def refuted(state: State) -> None:
    state.memory["strict"] = np.maximum(STRICTER * state.memory["strict"], STRICTEST)


def advance(part: Part, state: State, steps: int, tolerance: float) -> Progress:
    tolerance *= float(state.memory["strict"][0])
    if state.memory["visiting"][0] > 0.0:
        return visit(part, state, tolerance)
    columns = columns_of(part)
    if state.memory["point"].size == 0:
        begin(part, columns, state)
    if state.memory["inside"][0] == 0.0 and violation_of(part, state) <= tolerance:
        return Progress.CONVERGED
    move(part, state, columns, tolerance)
    return Progress.STALLED if state.memory["best"][1] > IDLE else Progress.MOVING


def visit(part: Part, state: State, tolerance: float) -> Progress:
    """A round of coordinate steps."""
    before = state.steps
    progress = linear.advance(part, state, 1, tolerance)
    state.memory["visiting"] -= (state.steps - before) * visit_price(part)
    if progress is Progress.MOVING and state.memory["visiting"][0] <= 0.0:
        refresh(part, state)
    return progress


def visit_price(part: Part) -> float:
    """Seconds, roughly, of a visit of one example: measured, only to compare."""
    k, stored = part.form.outputs, stored_of(part)
    if k == 1:
        return 3e-8 + 1.2e-9 * stored
    if part.form.feasible == "simplex":  # most variables sleep
        return 1.3e-7 + 8e-9 * stored
    return 1.5e-7 + k * (1.2e-9 * stored + 3e-8)


def price_of(part: Part) -> float:
    """Half of what the Newton steps may cost."""
    return 0.5 * EXPECTED * newton_price(part)


def newton_price(part: Part) -> float:
    """Seconds, roughly, of a Newton step."""
    k, unknowns = part.form.outputs, (part.gram.points.features + 1) * part.form.outputs
    example = 4e-8 + 4e-9 * stored_of(part) if k == 1 else 1e-8 + 1e-9 * stored_of(part)
    return len(part) * k * example + 1e-10 * min(unknowns, DENSE) ** 3 + 3e-4


def columns_of(part: Part) -> Columns:
    columns = COLUMNS.get(part)
    if columns is None:
        columns = COLUMNS[part] = Columns.of(part)
    return columns


def begin(part: Part, columns: Columns, state: State) -> None:
    """From an alpha made elsewhere, whose dual no step may lead far below: one near the optimum may still violate."""
    if part.balanced and part.form.outputs == 1:
        state.constant = state.constant + wanted_shift(part, state)
        refresh(part, state)
    dual = dual_of(part, columns, state.alpha)[0]
    state.memory["best"][0] = dual - LOSS * abs(dual)
    state.memory["point"] = point_of(part, columns, state)


def wanted_shift(part: Part, state: State) -> float:
    """Of a free bias of two classes: what their free variables ask for, both classes alike."""
    free = (state.alpha[:, 0] > 0.0) & (state.alpha[:, 0] < part.upper)
    wanted = part.form.direction[part.labels, 0, 0] * part.form.margin[part.labels, 0] - state.functions[:, 0]
    sides = [wanted[free & (part.labels == side)] for side in (0, 1)]
    return float(np.mean([np.median(side) for side in sides])) if all(map(len, sides)) else 0.0


def point_of(part: Part, columns: Columns, state: State) -> np.ndarray:
    vectors = columns.rows.T @ weights_of(part, state.alpha)
    if part.balanced:
        vectors[-1] = state.constant
    return vectors


def violation_of(part: Part, state: State) -> float:
    if part.balanced and part.form.outputs == 1:
        high, low = equality_range(part, state.alpha, state.functions)
        return high - low
    return examine(part, state.alpha, state.functions).violation


def move(part: Part, state: State, columns: Columns, tolerance: float) -> None:
    """One proximal step, or a part of a long one; what it finds becomes the state where its dual is higher."""
    memory = state.memory
    sigma = float(memory["sigma"][0] * part.upper.mean())
    step = ProximalStep(part, columns, state.alpha, sigma)
    most = min(max(1, int(AT_ONCE / newton_price(part))), NEWTON_STEPS - int(memory["inside"][0]))
    trial, steps, ended = step.solve(memory["point"], float(memory["close"][0]) * tolerance, most)
    state.steps += max(steps, 1)
    memory["inside"] += steps
    if not ended and memory["inside"][0] < NEWTON_STEPS:
        memory["point"] = trial.vectors
        return
    memory["inside"][0] = 0.0
    alpha = repair(part, trial.alpha) if part.balanced else trial.alpha
    if settle(part, state, columns, alpha, trial):
        memory["point"], memory["best"][1] = trial.vectors, 0.0
        memory["sigma"][0] = min(GROWTH * float(memory["sigma"][0]), LARGEST)
    else:
        memory["point"] = point_of(part, columns, state)
        memory["best"][1] += 1.0
        memory["close"] *= 0.1
        memory["sigma"] /= GROWTH


def dual_of(part: Part, columns: Columns, alpha: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """With W, without a free bias, and the sums of the weights."""
    weights = weights_of(part, alpha)
    vectors = columns.rows.T @ weights
    energy = 0.5 * float(np.vdot(columns.stiffness[:, None] * vectors, vectors))
    return float(np.vdot(part.form.margin[part.labels], alpha)) - energy, vectors, weights.sum(axis=0)


def settle(part: Part, state: State, columns: Columns, alpha: np.ndarray, trial: Trial) -> bool:
    """Whether this alpha is better; if so the state goes there, with functions made of it."""
    dual, vectors, sums = dual_of(part, columns, alpha)
    if dual <= state.memory["best"][0]:
        return False
    state.memory["best"][0] = dual
    state.alpha[...] = alpha
    state.constant = trial.vectors[-1].copy() if part.balanced else part.offset * sums
    if part.balanced:
        vectors[-1] = state.constant
    state.functions[...] = columns.rows @ vectors
    return True
