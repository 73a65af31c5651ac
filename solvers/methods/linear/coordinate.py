"""Dual coordinate ascent for the linear kernel: it keeps W = X' weights and never computes K.

A visit updates all variables of one example; examples are visited in a permuted order, with shrinking
(jit/linear/loop.py). A round is a number of epochs, and slices end between rounds; a step is a visit.

In a binary machine with an exact bias, a single variable cannot keep the balance sum_i W_i = 0. Visits therefore solve
the part with the penalty (b - b_k)^2 / (2 sigma) in place of a free b, and b_(k+1) = b_k + sigma sum_i W_i whenever the
solution is close enough (the method of multipliers, as in run/multipliers.py for joint machines, but here inside a
round, as a move of b costs one sum). At the end of a round a copy of alpha is balanced by small moves of its free
variables.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mcsvm.solvers.budget import LINEAR, VISITS
from mcsvm.solvers.dual.balance import repair
from mcsvm.solvers.dual.geometry import LINE
from mcsvm.solvers.dual.quantities import dual_of, examine, weights_of
from mcsvm.solvers.errors import Sentence
from mcsvm.solvers.interrupt import tick
from mcsvm.solvers.jit.linear import loop as jit
from mcsvm.solvers.jit.linear.sum import all_members
from mcsvm.solvers.jit.rounding import ROUNDING
from mcsvm.solvers.methods.base import Method, Progress, State, dual_at
from mcsvm.solvers.methods.linear.features import functions_of, refuse_other_kernels, rows_of, vectors_of
from mcsvm.solvers.problem import Part, with_offset
from mcsvm.solvers.work import PIECE_SECONDS

# First state of the random number generator: FIRST_STATE + STATE_STRIDE * seed mod 2^63.
FIRST_STATE, STATE_STRIDE = 88172645463325252, 0x9E3779B97F4A7C15


@dataclass(kw_only=True)
class LinearState(State):
    vectors: np.ndarray  # (features, outputs) W of the visits; empty: to be computed from alpha
    moving_alpha: np.ndarray  # alpha of the visits; `alpha` and `functions` change at the end of a round
    moving_constant: np.ndarray
    order: np.ndarray  # (n,) the active examples first
    active: int  # number of active examples
    lot: int  # state of the random number generator
    members: np.ndarray  # (n, slots) for bounded sums: the variables of each example, active ones first
    sizes: np.ndarray  # (n,) number of active variables of each example
    threshold: float = np.inf  # this and the next three: `marks` and `counts` of jit/linear/loop.py
    position: int = 0
    begun: int = -1
    worst: float = 0.0
    visiting: bool = False  # whether a round has begun and not ended
    left: int = 0  # remaining visits of this round
    claimed: bool = False  # the violations that visits have seen are below the tolerance
    strictness: float = 1.0  # factor on the tolerance
    aim: float = LINEAR.begin  # exact bias: the violation at which b moves next

    @property
    def inside_round(self) -> bool:
        return self.visiting or self.claimed


def fresh(part: Part, seed: int) -> dict[str, object]:
    """Return the fields of a `LinearState` at alpha = 0."""
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

    def advance(self, part: Part, state: LinearState, steps: int, tolerance: float) -> Progress:
        return rounds(part, state, steps, tolerance)


def rounds(part: Part, state: LinearState, steps: int, tolerance: float) -> Progress:
    if state.vectors.size == 0:
        state.vectors = vectors_of(part, state.alpha)
    goal = state.steps + steps
    while state.inside_round or state.steps < goal:
        progress = coordinate_round(part, state, tolerance)
        if progress is not Progress.MOVING:
            return progress
    return Progress.MOVING


def visited(part: Part) -> Part:
    """Return the part that visits solve, which has a penalized bias in place of an exact bias."""
    if part.geometry != LINE:
        return part
    sigma = LINEAR.penalty * float(part.gram.diagonal.mean()) or 1.0
    return part.view("penalized bias", sigma) or part.keep_view("penalized bias", sigma, with_offset(part, sigma))


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


def coordinate_round(part: Part, state: LinearState, tolerance: float) -> Progress:
    inner, stop = visited(part), state.strictness * tolerance
    if not state.inside_round:
        begin_round(part, state)
    task, rows = task_of(inner), rows_of(part)
    visits = max(1, int(PIECE_SECONDS / visit_price(part)))
    while state.visiting and not state.claimed and (state.left > 0 or state.begun >= 0):
        if state.steps_left <= 0:
            break
        some = min(visits, state.steps_left)
        counts = np.array([state.active, state.lot, state.position, state.begun], dtype=np.int64)
        marks = np.array([state.threshold, state.worst])
        moving = state.vectors, state.moving_constant, state.moving_alpha, state.order, counts, marks
        if task.own > 0.0:
            done, state.claimed = jit.run_epochs_of_sums(
                rows, task, *moving, state.members, state.sizes, stop, some, state.left
            )
        else:
            aim = stop if inner is part else max(state.aim, LINEAR.inner * stop)
            done, state.claimed = jit.run_epochs(rows, task, *moving, aim, some, state.left)
        state.active, state.lot, state.position, state.begun = counts.tolist()
        state.threshold, state.worst = marks.tolist()
        state.steps, state.left = state.steps + done, state.left - done
        if state.claimed and inner is not part:
            state.claimed = move_bias(inner, state, LINEAR.inner * stop)
        tick()
    if state.visiting:
        if inner is part:
            end_round(part, state)
        else:
            end_balanced_round(part, inner, state)
        tick()
    return progress_of(part, state, tolerance) if state.claimed else Progress.MOVING


def begin_round(part: Part, state: LinearState) -> None:
    state.visiting, state.left = True, LINEAR.round_visits * len(part)
    if state.moving_alpha.size == 0:
        state.moving_alpha, state.moving_constant = state.alpha.copy(), state.constant.copy()
    if state.members.size:
        all_members(part.form.length, part.labels, state.members, state.sizes)


def end_round(part: Part, state: LinearState) -> None:
    """Copy the alpha of the round to the state, and compute its functions."""
    vectors = vectors_of(part, state.moving_alpha) if state.claimed else state.vectors
    functions = functions_of(part, vectors, state.moving_constant)
    state.vectors, state.functions = vectors, functions
    state.alpha, state.constant = state.moving_alpha, state.moving_constant
    end_visits(state)


def end_visits(state: LinearState) -> None:
    """Drop the alpha of the visits: the next round starts from the alpha of the state."""
    state.moving_alpha, state.moving_constant, state.visiting = np.empty((0, 0)), np.empty(0), False


def move_bias(inner: Part, state: LinearState, closest: float) -> bool:
    """Take one step of the method of multipliers; return whether b and the visits have converged."""
    step = bias_step(inner, state)
    closely = state.aim <= closest
    state.moving_constant, state.aim = state.moving_constant + step, LINEAR.follow * abs(step)
    return closely and abs(step) <= closest


def bias_step(inner: Part, state: LinearState) -> float:
    """Return sigma sum_i W_i, which the constant of the visits contains in addition to b."""
    return inner.offset * float(weights_of(inner, state.moving_alpha).sum())


def end_balanced_round(part: Part, inner: Part, state: LinearState) -> None:
    """Copy the balanced alpha of the round to the state; if it lowers the dual, visits continue from their own alpha.

    If the visits did not get close enough to move b, b moves here: for the balanced alpha sigma sum_i W_i is zero.
    """
    step, alpha = bias_step(inner, state), repair(part, state.moving_alpha)
    bias = state.moving_constant - step if state.claimed else state.moving_constant
    vectors = vectors_of(part, alpha)
    functions = functions_of(part, vectors, bias)
    before = dual_at(part, state)
    if dual_of(part, alpha, functions, bias) >= before - ROUNDING * abs(before):
        state.vectors, state.functions, state.alpha, state.constant = vectors, functions, alpha, bias
        end_visits(state)
    else:
        state.moving_constant, state.visiting = bias + step, False


def progress_of(part: Part, state: LinearState, tolerance: float) -> Progress:
    """Check a claim by the violation at the current point: it was based on violations at the times of visits."""
    state.claimed = False
    if examine(part, state.alpha, state.functions).violation <= tolerance:
        return Progress.CONVERGED
    state.strictness *= LINEAR.stricter
    return Progress.MOVING


def visit_price(part: Part) -> float:
    """Return the price of a visit of one example, in seconds: for comparison with Newton steps, and for loop sizes."""
    k, stored = part.form.outputs, part.gram.points.stored
    if k == 1:
        return LINEAR.class_price + LINEAR.stored_price * stored
    if part.geometry.sums:  # most variables are shrunk
        return LINEAR.sum_price + LINEAR.sum_stored_price * stored
    return LINEAR.visit_price + k * (LINEAR.stored_price * stored + LINEAR.class_price)
