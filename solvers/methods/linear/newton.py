"""Proximal steps on the dual, each solved by Newton steps on W: for the linear kernel with few features.

The proximal point method ends after finitely many steps on such a problem (Rockafellar 1976), and a large sigma makes
them few; a Newton step costs a few passes over the features and a small system, whatever C is. Every bias is native:
regularized it is one more feature, exact one without a cost. Where single coordinates can move, their steps come first,
until they have cost half of what Newton steps are expected to; small costs need no more. A step is a Newton step or a
visit of a coordinate; a slice is a few Newton steps of one proximal step, or one round of visits.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

import numpy as np

from solvers.dual.balance import repair
from solvers.dual.geometry import LINE
from solvers.dual.quantities import examine, weights_of
from solvers.errors import Sentence
from solvers.methods.base import Method, Progress, State, refresh
from solvers.methods.linear.coordinate import LinearState, fresh, rounds, visit_price
from solvers.methods.linear.features import refuse_other_kernels
from solvers.methods.linear.proximal import NEWTON_STEPS, FeatureStep
from solvers.methods.linear.system import DENSE, Columns
from solvers.methods.proximal import End, Trial
from solvers.problem import Part
from solvers.work import Work, finish

SIGMA, GROWTH, LARGEST = 1.0, 4.0, 1e8  # proximal parameter, in units of the mean cost: first, growing by, at most
STRICTER, STRICTEST = 0.3, 1e-4  # factor on the tolerance for each claim that was refuted, and the least in all
AT_ONCE = 0.05  # seconds, roughly, of Newton steps in a slice
CLOSE, CLOSER = 0.1, 0.1  # share of the tolerance to which functions follow alpha; factor on it after a step in vain
LOSS = 1e-3  # share of the dual begun with that the first step may cost
IN_VAIN = 6  # proximal steps without a rise of the dual before it stalls
EXPECTED = 20  # Newton steps


class Phase(Enum):
    VISITING = auto()  # coordinate steps
    NEWTON = auto()


@dataclass(kw_only=True)
class NewtonState(LinearState):
    phase: Phase
    point: np.ndarray  # W with the bias; empty where it is to be computed from alpha
    sigma: float = SIGMA  # in units of the mean cost
    inside: int = 0  # Newton steps taken of a proximal step that is not ended
    floor: float = -np.inf  # the dual that a proximal step must exceed
    in_vain: int = 0  # proximal steps since the dual rose
    closeness: float = CLOSE
    doubt: float = 1.0  # factor on the tolerance: the certificate's b may be another


@dataclass(frozen=True)
class LinearNewton(Method[NewtonState]):
    name: str = "linear-newton"
    supports: str = "every machine and bias, with the linear kernel: made for many examples of few features, at any C"
    keeps_balance = True

    def refuse(self, part: Part) -> Sentence | None:
        return refuse_other_kernels(self.name, part) or super().refuse(part)

    def start(self, part: Part, seed: int) -> NewtonState:
        phase = Phase.VISITING if visiting_budget(part) > 0.0 else Phase.NEWTON
        state: NewtonState = NewtonState.zero(part, **fresh(part, seed), phase=phase, point=np.empty((0, 0)))
        return state

    def refuted(self, part: Part, state: NewtonState) -> None:
        state.doubt = max(STRICTER * state.doubt, STRICTEST)

    def advance(self, part: Part, state: NewtonState, steps: int, tolerance: float) -> Work[Progress]:
        tolerance *= state.doubt
        if state.phase is Phase.VISITING:
            if state.inside_round or state.steps * visit_price(part) < visiting_budget(part):
                return (yield from rounds(part, state, 1, tolerance))
            yield from refresh(part, state)
            state.phase = Phase.NEWTON
        columns = columns_of(part)
        if state.point.size == 0:
            yield from begin(part, columns, state)
        if state.inside == 0 and examine(part, state.alpha, state.functions).violation <= tolerance:
            return Progress.CONVERGED
        yield from move(part, state, columns, tolerance)
        return Progress.STALLED if state.in_vain > IN_VAIN else Progress.MOVING

    def rehearse(self, part: Part) -> None:
        """Coordinate steps end with a tiny problem before any Newton step."""
        state = self.start(part, 0)
        state.phase = Phase.NEWTON
        finish(self.advance(part, state, 1, 1e-3))


def visiting_budget(part: Part) -> float:
    """Seconds, roughly, that coordinate steps may take: half of what the Newton steps may."""
    return 0.0 if part.balanced else 0.5 * EXPECTED * newton_price(part)


def newton_price(part: Part) -> float:
    """Seconds, roughly, of a Newton step: measured, only to compare."""
    k, unknowns, stored = (
        part.form.outputs,
        (part.gram.points.features + 1) * part.form.outputs,
        part.gram.points.stored,
    )
    example = 4e-8 + 4e-9 * stored if k == 1 else 1e-8 + 1e-9 * stored
    return len(part) * k * example + 1e-10 * min(unknowns, DENSE) ** 3 + 3e-4


def columns_of(part: Part) -> Columns:
    kept = part.kept.get("linear columns")
    if kept is None:
        kept = part.kept["linear columns"] = Columns.of(part)
    found: Columns = kept
    return found


def begin(part: Part, columns: Columns, state: NewtonState) -> Work[None]:
    """From an alpha made elsewhere, whose dual no step may lead far below: one near the optimum may still violate."""
    if part.geometry == LINE:
        products = yield from part.gram.products(weights_of(part, state.alpha))
        state.constant = state.constant + wanted_shift(part, state)
        state.functions[...] = products + state.constant
    dual = dual_of(part, columns, state.alpha)[0]
    state.floor = dual - LOSS * abs(dual)
    state.point = point_of(part, columns, state)


def wanted_shift(part: Part, state: State) -> float:
    """By how much a free bias of two classes should move: its free variables' median residual, both classes alike."""
    free, wanted = LINE.free(state.alpha, part.upper)[:, 0], LINE.wish(part, state.functions)
    sides = [wanted[free & (part.labels == side)] for side in (0, 1)]
    return float(np.mean([np.median(side) for side in sides])) if all(map(len, sides)) else 0.0


def point_of(part: Part, columns: Columns, state: State) -> np.ndarray:
    vectors = columns.rows.T @ weights_of(part, state.alpha)
    if part.balanced:
        vectors[-1] = state.constant
    return vectors


def move(part: Part, state: NewtonState, columns: Columns, tolerance: float) -> Work[None]:
    """One proximal step, or a part of a long one; its result becomes the state where its dual is higher."""
    sigma, closeness = float(state.sigma * part.upper.mean()), state.closeness * tolerance
    step = FeatureStep(part, columns, state.alpha, sigma, closeness)
    most = min(max(1, int(AT_ONCE / newton_price(part))), NEWTON_STEPS - state.inside)
    trial, steps, end = yield from step.solve(step.begin(state.point), most)
    state.steps += max(steps, 1)
    state.inside += steps
    if end is End.STEPS and state.inside < NEWTON_STEPS:
        state.point = trial.point
        return
    state.inside = 0
    alpha = repair(part, trial.alpha) if part.balanced else trial.alpha
    if settle(part, state, columns, alpha, trial):
        state.point, state.in_vain = trial.point, 0
        state.sigma = min(GROWTH * state.sigma, LARGEST)
    else:
        state.point = point_of(part, columns, state)
        state.in_vain += 1
        state.closeness *= CLOSER
        state.sigma /= GROWTH


def dual_of(part: Part, columns: Columns, alpha: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """With W, without a free bias, and the sums of the weights."""
    weights = weights_of(part, alpha)
    vectors = columns.rows.T @ weights
    energy = 0.5 * float(np.vdot(columns.stiffness[:, None] * vectors, vectors))
    return float(np.vdot(part.form.margin[part.labels], alpha)) - energy, vectors, weights.sum(axis=0)


def settle(part: Part, state: NewtonState, columns: Columns, alpha: np.ndarray, trial: Trial) -> bool:
    """Whether this alpha is better; if so the state goes there, with functions made of it."""
    dual, vectors, sums = dual_of(part, columns, alpha)
    if dual <= state.floor:
        return False
    state.floor = dual
    state.alpha[...] = alpha
    state.constant = trial.point[-1].copy() if part.balanced else part.offset * sums
    if part.balanced:
        vectors[-1] = state.constant
    state.functions[...] = columns.rows @ vectors
    return True
