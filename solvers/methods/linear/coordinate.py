"""Dual coordinate steps for the linear kernel: W is kept and never K.

One example at a time, all its variables, in a permuted order and with sleeping examples (jit/linear.py). A binary
machine with exact bias takes sets of variables instead, since a single one cannot keep the balance: the QUOTA most
violating, half of each sign, solved together (Kao et al. 2004, section 5, q = 30; the choice is Joachims').
A round is a number of epochs, or of sets, and a slice ends between rounds; a step is a visit, or one set.
"""

from __future__ import annotations

import numpy as np

from solvers.dual.quantities import equality_range, examine
from solvers.jit import line as pair
from solvers.jit.linear import loop as leaf
from solvers.methods.base import Progress, State
from solvers.methods.linear.features import read_functions, refuse_other_kernels, rows_of, vectors_of
from solvers.methods.sequential.whole_example import geometry
from solvers.problem import Part

NAME = "linear"
SUPPORTS = "every machine and bias, with the linear kernel: one weight per feature in place of kernel values"

ROUND = 16  # visits per example of a round
SETS = 64  # of a round
QUOTA = 30  # variables of a set
SHARE = 0.1  # of the violation, to which a set is solved
PATIENCE = 20  # steps per variable of a set
LOT = 88172645463325252  # where the lots begin


def refuse(part: Part) -> str | None:
    return refuse_other_kernels(NAME, part)


def start(part: Part) -> State:
    state = State.zero(part)
    state.memory["vectors"] = np.empty((0, 0))  # W, or empty where it is to be made of alpha
    state.memory["order"] = np.arange(len(part))
    state.memory["counts"] = np.array([len(part), LOT], dtype=np.int64)
    state.memory["threshold"] = np.array([np.inf])
    state.memory["strictness"] = np.ones(1)  # lessened by every claim that the functions made anew refute
    return state


def advance(part: Part, state: State, steps: int, tolerance: float) -> Progress:
    if state.memory["vectors"].size == 0:
        state.memory["vectors"] = vectors_of(part, state.alpha)
    goal, round_of = state.steps + steps, balanced_round if part.balanced else coordinate_round
    while state.steps < goal:
        progress = round_of(part, state, tolerance)
        if progress is not Progress.MOVING:
            return progress
    if not part.balanced:
        read_functions(part, state, state.memory["vectors"])
    return Progress.MOVING


def task_of(part: Part) -> leaf.Task:
    form = part.form
    sums = form.feasible == "simplex"
    alike = geometry(form) if sums and not form.real.diagonal().any() else None
    return leaf.Task(
        form.rule, form.length, part.labels, part.upper, part.curvature, part.offset, sums, *(alike or (0.0, 0.0))
    )


def coordinate_round(part: Part, state: State, tolerance: float) -> Progress:
    memory, task = state.memory, task_of(part)
    run_epochs = leaf.run_epochs_of_sums if task.own > 0.0 else leaf.run_epochs
    steps, claimed = run_epochs(
        rows_of(part.gram), task, memory["vectors"], state.constant, state.alpha, memory["order"], memory["counts"],
        memory["threshold"], tolerance * float(memory["strictness"][0]), ROUND * len(part),
    )  # fmt: skip
    state.steps += steps
    if not claimed:
        return Progress.MOVING
    memory["vectors"] = vectors_of(part, state.alpha)
    read_functions(part, state, memory["vectors"])
    if examine(part, state.alpha, state.functions).violation <= tolerance:
        return Progress.CONVERGED
    memory["strictness"] *= 0.7
    return Progress.MOVING


# -- binary, exact bias ----------------------------------------------------------------------------


def balanced_round(part: Part, state: State, tolerance: float) -> Progress:
    vectors = state.memory["vectors"]
    for _ in range(SETS):
        read_functions(part, state, vectors)
        high, low = equality_range(part, state.alpha, state.functions)
        if high - low <= tolerance:
            state.memory["vectors"] = vectors_of(part, state.alpha)
            return Progress.CONVERGED
        if not move_set(part, state, vectors, max(0.5 * tolerance, SHARE * (high - low))):
            return Progress.STALLED
        state.steps += 1
    read_functions(part, state, vectors)
    return Progress.MOVING


def move_set(part: Part, state: State, vectors: np.ndarray, goal: float) -> bool:
    """The most violating variables of either sign, solved together; returns whether anything moved."""
    sign = part.form.direction[part.labels, 0, 0]
    beta, bound = sign * state.alpha[:, 0], sign * part.upper
    low, high = np.minimum(bound, 0.0), np.maximum(bound, 0.0)
    z = sign * part.form.margin[part.labels, 0] - state.functions[:, 0]
    chosen = extremes(np.where(beta < high, z, -np.inf), np.where(beta > low, z, np.inf))
    points = part.gram.points.take(chosen)
    kernel = part.gram.kernel.block(points, points, np.empty((chosen.size, chosen.size), np.float32))
    some = beta[chosen]
    pair.solve_pairs(kernel, z[chosen], some, low[chosen], high[chosen], goal, PATIENCE * chosen.size, 0)
    change = some - beta[chosen]
    state.alpha[chosen, 0] = sign[chosen] * some
    vectors += (points.rows.T @ change)[:, None]
    return bool(change.any())


def extremes(rising: np.ndarray, falling: np.ndarray) -> np.ndarray:
    """Half of the set from those that should rise most, half from those that should fall most; sorted."""
    half = min(QUOTA // 2, rising.size)
    top = np.argpartition(-rising, half - 1)[:half]
    bottom = np.argpartition(falling, half - 1)[:half]
    return np.unique(np.concatenate([top[np.isfinite(rising[top])], bottom[np.isfinite(falling[bottom])]]))
