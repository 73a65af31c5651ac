"""Proximal steps on the dual, each solved by Newton steps on W: for the linear kernel with few features.

The proximal point method ends after finitely many steps on such a problem (Rockafellar 1976), and a large sigma makes
them few; a Newton step costs one pass over the features and a small system, whatever C is. Every bias is native:
regularized it is one more feature, exact one that costs nothing. A step is a Newton step; a slice ends between
proximal ones.
"""

from __future__ import annotations

import weakref

import numpy as np

from solvers.methods.primal.features import refuse_other_kernels
from solvers.methods.primal.proximal import ProximalStep, Trial
from solvers.methods.primal.system import Columns
from solvers.methods.repair import repair
from solvers.methods.state import Progress, State, equality_range, examine, weights_of
from solvers.problem import Part

NAME = "linear-newton"
SUPPORTS = "every machine and bias, with the linear kernel: made for many examples of few features, at any C"
KEEPS_BALANCE = True

SIGMA, GROWTH, LARGEST = 1.0, 10.0, 1e8  # proximal parameter, in units of the cost: first, growing by, at most
CLOSE = 0.1  # share of the tolerance, to which class functions follow alpha at least
IDLE = 6  # proximal steps in vain before it stalls

COLUMNS: weakref.WeakKeyDictionary[Part, Columns] = weakref.WeakKeyDictionary()


def refuse(part: Part) -> str | None:
    return refuse_other_kernels(NAME, part)


def start(part: Part) -> State:
    state = State.zero(part)
    state.memory["vectors"] = np.empty((0, 0))  # W with the bias, or empty where it is to be made of alpha
    state.memory["sigma"] = np.array([SIGMA])
    state.memory["best"] = np.array([-np.inf, 0.0])  # the dual, and proximal steps since it rose
    state.memory["close"] = np.array([CLOSE])
    return state


def advance(part: Part, state: State, steps: int, tolerance: float) -> Progress:
    columns, goal = columns_of(part), state.steps + steps
    if state.memory["vectors"].size == 0:
        state.memory["vectors"] = vectors_from(part, columns, state)
    while state.steps < goal:
        if violation_of(part, state) <= tolerance:
            return Progress.CONVERGED
        move(part, state, columns, tolerance)
        if state.memory["best"][1] > IDLE:
            return Progress.STALLED
    return Progress.MOVING


def columns_of(part: Part) -> Columns:
    columns = COLUMNS.get(part)
    if columns is None:
        columns = COLUMNS[part] = Columns.of(part)
    return columns


def vectors_from(part: Part, columns: Columns, state: State) -> np.ndarray:
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
    """One proximal step; what it finds becomes the state where its dual is higher."""
    memory = state.memory
    sigma = float(memory["sigma"][0] * part.upper.mean())
    step = ProximalStep(part, columns, state.alpha, np.zeros(part.form.outputs), sigma)
    trial, steps = step.solve(memory["vectors"], float(memory["close"][0]) * tolerance)
    state.steps += steps
    alpha = repair(part, trial.alpha) if part.balanced else trial.alpha
    if settle(part, state, columns, alpha, trial):
        memory["vectors"], memory["best"][1] = trial.vectors, 0.0
        memory["sigma"][0] = min(GROWTH * float(memory["sigma"][0]), LARGEST)
    else:
        memory["vectors"] = vectors_from(part, columns, state)
        memory["best"][1] += 1.0
        memory["close"] *= 0.1
        memory["sigma"] /= GROWTH


def settle(part: Part, state: State, columns: Columns, alpha: np.ndarray, trial: Trial) -> bool:
    """Whether this alpha is better; if so the state goes there, with functions made of it."""
    weights = weights_of(part, alpha)
    vectors = columns.rows.T @ weights
    energy = 0.5 * float(np.vdot(columns.stiffness[:, None] * vectors, vectors))
    dual = float(np.vdot(part.form.margin[part.labels], alpha)) - energy
    if dual <= state.memory["best"][0]:
        return False
    state.memory["best"][0] = dual
    state.alpha[...] = alpha
    state.constant = trial.vectors[-1].copy() if part.balanced else part.offset * weights.sum(axis=0)
    if part.balanced:
        vectors[-1] = state.constant
    state.functions[...] = columns.rows @ vectors
    return True
