"""Dual coordinate ascent for the linear kernel: W = X' weights is kept and never K.

One example at a time, all its variables, in a permuted order and with shrinking (jit/linear/loop.py). A binary machine
with exact bias takes working sets instead, since a single variable cannot keep the balance: the most violating
variables, half to rise and half to fall, solved together (Kao et al. 2004, section 5, q = 30; selection by Joachims).
A round is a number of epochs, and slices end between rounds, or after a working set; a step is a visit, or one set.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mcsvm.solvers.budget import INNER, LINEAR, VISITS
from mcsvm.solvers.dual.geometry import LINE
from mcsvm.solvers.dual.quantities import examine
from mcsvm.solvers.errors import Sentence
from mcsvm.solvers.jit import line as pair
from mcsvm.solvers.jit.linear import loop as jit
from mcsvm.solvers.jit.linear.sum import all_members
from mcsvm.solvers.methods.base import Method, Progress, State
from mcsvm.solvers.methods.linear.features import functions_of, refuse_other_kernels, rows_of, vectors_of
from mcsvm.solvers.problem import Part
from mcsvm.solvers.work import PIECE_SECONDS, Work

# First state of the random number generator: FIRST_STATE + STATE_STRIDE * seed mod 2^63.
FIRST_STATE, STATE_STRIDE = 88172645463325252, 0x9E3779B97F4A7C15


@dataclass(kw_only=True)
class LinearState(State):
    vectors: np.ndarray  # (features, outputs) W; empty: to be computed from alpha
    moving_alpha: np.ndarray  # alpha inside a round, empty between rounds; `alpha` and `functions` change at its end
    moving_constant: np.ndarray
    order: np.ndarray  # (n,) the active examples first
    active: int  # how many examples are active
    lot: int  # state of the random number generator
    members: np.ndarray  # (n, slots) for bounded sums: the variables of each example, active ones first
    sizes: np.ndarray  # (n,) number of active variables of each example
    threshold: float = np.inf  # this and the next three: `marks` and `counts` of jit/linear/loop.py
    position: int = 0
    begun: int = -1
    worst: float = 0.0
    left: int = 0  # visits that are left in this round
    claimed: bool = False  # the violations met by visits are below the tolerance
    strictness: float = 1.0  # factor on the tolerance

    @property
    def inside_round(self) -> bool:
        return self.moving_alpha.size > 0 or self.claimed


def fresh(part: Part, seed: int) -> dict[str, object]:
    """The fields of a `LinearState` at alpha = 0."""
    uniform = task_of(part).own > 0.0
    return {
        "vectors": np.empty((0, 0)),
        "moving_alpha": np.empty((0, 0)),
        "moving_constant": np.empty(0),
        "order": np.arange(len(part)),
        "active": len(part),
        "lot": (FIRST_STATE + STATE_STRIDE * seed) % 2**63,
        "members": np.zeros((len(part), part.form.slots if uniform else 0), dtype=np.int32),
        "sizes": np.zeros(len(part) if uniform else 0, dtype=np.int64),
    }


@dataclass(frozen=True)
class Coordinate(Method[LinearState]):
    name: str = "linear"
    supports: str = "every machine and bias, with the linear kernel: one weight per feature in place of kernel values"

    def refuse(self, part: Part) -> Sentence | None:
        return refuse_other_kernels(self.name, part) or super().refuse(part)

    def start(self, part: Part, seed: int) -> LinearState:
        state: LinearState = LinearState.zero(part, **fresh(part, seed))
        return state

    def advance(self, part: Part, state: LinearState, steps: int, tolerance: float) -> Work[Progress]:
        return (yield from rounds(part, state, steps, tolerance))


def rounds(part: Part, state: LinearState, steps: int, tolerance: float) -> Work[Progress]:
    if state.vectors.size == 0:
        state.vectors = yield from vectors_of(part, state.alpha)
    goal = state.steps + steps
    if part.geometry == LINE:
        return (yield from balanced_steps(part, state, goal, tolerance))
    while state.inside_round or state.steps < goal:
        progress = yield from coordinate_round(part, state, tolerance)
        if progress is not Progress.MOVING:
            return progress
    return Progress.MOVING


def task_of(part: Part) -> jit.LinearProblem:
    task = part.kept.get("linear task")
    if task is None:
        task = part.kept["linear task"] = _task(part)
    found: jit.LinearProblem = task
    return found


def _task(part: Part) -> jit.LinearProblem:
    form, labels = part.form, part.labels
    sums = part.geometry.sums
    own, shared = (form.uniform if sums and not form.real.diagonal().any() else None) or (0.0, 0.0)
    sign = margin = diagonal = np.empty(0)
    if form.outputs == 1:
        sign = np.where(labels == 0, form.rule.own, form.rule.other)
        margin = np.where(labels == 0, form.rule.margin_own, form.rule.margin_other)
        diagonal = form.length[labels, 0] * part.curvature
    return jit.LinearProblem(
        form.rule, form.length, labels, part.upper, part.curvature, part.offset, sums, own, shared,
        sign, margin, diagonal, VISITS,
    )  # fmt: skip


def coordinate_round(part: Part, state: LinearState, tolerance: float) -> Work[Progress]:
    if not state.inside_round:
        begin_round(part, state)
    task, rows, stop = task_of(part), rows_of(part), state.strictness * tolerance
    visits = max(1, int(PIECE_SECONDS / visit_price(part)))
    while state.moving_alpha.size and not state.claimed and (state.left > 0 or state.begun >= 0):
        counts = np.array([state.active, state.lot, state.position, state.begun], dtype=np.int64)
        marks = np.array([state.threshold, state.worst])
        moving = state.vectors, state.moving_constant, state.moving_alpha, state.order, counts, marks
        if task.own > 0.0:
            done, state.claimed = jit.run_epochs_of_sums(
                rows, task, *moving, state.members, state.sizes, stop, visits, state.left
            )
        else:
            done, state.claimed = jit.run_epochs(rows, task, *moving, stop, visits, state.left)
        state.active, state.lot, state.position, state.begun = counts.tolist()
        state.threshold, state.worst = marks.tolist()
        state.steps, state.left = state.steps + done, state.left - done
        yield
    if state.moving_alpha.size:
        yield from end_round(part, state)
        yield
    return progress_of(part, state, tolerance) if state.claimed else Progress.MOVING


def begin_round(part: Part, state: LinearState) -> None:
    state.left = LINEAR.round_visits * len(part)
    state.moving_alpha, state.moving_constant = state.alpha.copy(), state.constant.copy()
    if state.members.size:
        all_members(part.form.length, part.labels, state.members, state.sizes)


def end_round(part: Part, state: LinearState) -> Work[None]:
    """Copy the alpha of the round to the state, and compute its functions."""
    vectors = (yield from vectors_of(part, state.moving_alpha)) if state.claimed else state.vectors
    functions = yield from functions_of(part, vectors, state.moving_constant)
    state.vectors, state.functions = vectors, functions
    state.alpha, state.constant = state.moving_alpha, state.moving_constant
    state.moving_alpha, state.moving_constant = np.empty((0, 0)), np.empty(0)


def progress_of(part: Part, state: LinearState, tolerance: float) -> Progress:
    """Check a claim, which rests on violations at the times of visits, by the violation at the current point."""
    state.claimed = False
    if examine(part, state.alpha, state.functions).violation <= tolerance:
        return Progress.CONVERGED
    state.strictness *= LINEAR.stricter
    return Progress.MOVING


def visit_price(part: Part) -> float:
    """The price of a visit of one example, in seconds: to compare with Newton steps, and for sizes of pieces."""
    k, stored = part.form.outputs, part.gram.points.stored
    if k == 1:
        return LINEAR.class_price + LINEAR.stored_price * stored
    if part.geometry.sums:  # most variables are shrunk
        return LINEAR.sum_price + LINEAR.sum_stored_price * stored
    return LINEAR.visit_price + k * (LINEAR.stored_price * stored + LINEAR.class_price)


# -- binary, exact bias ----------------------------------------------------------------------------


def balanced_steps(part: Part, state: LinearState, goal: int, tolerance: float) -> Work[Progress]:
    while True:
        state.functions[...] = yield from functions_of(part, state.vectors, state.constant)
        if state.steps >= goal:
            return Progress.MOVING
        yield
        high, low = LINE.span(part, state.alpha, state.functions)
        if high - low <= tolerance:
            state.vectors = yield from vectors_of(part, state.alpha)
            return Progress.CONVERGED
        if not move_set(part, state, max(0.5 * tolerance, INNER.share * (high - low))):
            return Progress.STALLED
        state.steps += 1


def move_set(part: Part, state: LinearState, goal: float) -> bool:
    """Solve for a working set of the most violating variables; returns whether anything moved."""
    beta, low, high = LINE.signed(part, state.alpha)
    z = LINE.beta_gradient(part, state.functions)
    rises, falls = LINE.movable(part, state.alpha)
    chosen = extremes(np.where(rises, z, -np.inf), np.where(falls, z, np.inf))
    points = part.gram.points.take(chosen)
    kernel = part.gram.kernel.block(points, points, np.empty((chosen.size, chosen.size), np.float32))
    some = beta[chosen]
    pair.solve_pairs(kernel, z[chosen], some, low[chosen], high[chosen], goal, LINEAR.set_patience * chosen.size, 0)
    change = some - beta[chosen]
    state.alpha[chosen, 0] = LINE.signs(part, chosen) * some
    state.vectors += (points.in_double().rows.T @ change)[:, None]
    return bool(change.any())


def extremes(rising: np.ndarray, falling: np.ndarray) -> np.ndarray:
    """The working set: half from beta that should rise most, half from those that should fall most."""
    half = min(LINEAR.set_variables // 2, rising.size)
    top = np.argpartition(-rising, half - 1)[:half]
    bottom = np.argpartition(falling, half - 1)[:half]
    return np.unique(np.concatenate([top[np.isfinite(rising[top])], bottom[np.isfinite(falling[bottom])]]))
