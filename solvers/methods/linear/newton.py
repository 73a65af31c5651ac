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

from solvers.budget import LINEAR, PROXIMAL
from solvers.dual.balance import repair
from solvers.dual.geometry import LINE
from solvers.dual.quantities import examine, weights_of
from solvers.errors import Sentence
from solvers.methods.base import Method, Progress, State, refresh
from solvers.methods.linear.coordinate import LinearState, fresh, rounds, visit_price
from solvers.methods.linear.features import refuse_other_kernels
from solvers.methods.linear.proximal import FeatureStep
from solvers.methods.linear.system import Features
from solvers.methods.proximal import End, Iterate
from solvers.problem import Part
from solvers.work import PIECE_SECONDS, Work, finish


class NewtonPhase(Enum):
    VISITING = auto()  # coordinate steps
    NEWTON = auto()


@dataclass(kw_only=True)
class NewtonState(LinearState):
    phase: NewtonPhase
    point: np.ndarray  # W with the bias; empty where it is to be computed from alpha
    sigma: float = LINEAR.first  # in units of the mean cost
    inside: int = 0  # Newton steps taken of a proximal step that is not ended
    floor: float = -np.inf  # the dual that a proximal step must exceed
    in_vain: int = 0  # proximal steps since the dual rose
    closeness: float = LINEAR.close
    doubt: float = 1.0  # factor on the tolerance after refuted claims: a certificate may choose another b


@dataclass(frozen=True)
class LinearNewton(Method[NewtonState]):
    name: str = "linear-newton"
    supports: str = "every machine and bias, with the linear kernel: made for many examples of few features, at any C"
    keeps_balance = True

    def refuse(self, part: Part) -> Sentence | None:
        return refuse_other_kernels(self.name, part) or super().refuse(part)

    def start(self, part: Part, seed: int) -> NewtonState:
        phase = NewtonPhase.VISITING if visiting_budget(part) > 0.0 else NewtonPhase.NEWTON
        state: NewtonState = NewtonState.zero(part, **fresh(part, seed), phase=phase, point=np.empty((0, 0)))
        return state

    def refuted(self, part: Part, state: NewtonState) -> None:
        state.doubt = max(LINEAR.doubt * state.doubt, LINEAR.strictest)

    def advance(self, part: Part, state: NewtonState, steps: int, tolerance: float) -> Work[Progress]:
        tolerance *= state.doubt
        if state.phase is NewtonPhase.VISITING:
            if state.inside_round or state.steps * visit_price(part) < visiting_budget(part):
                return (yield from rounds(part, state, 1, tolerance))
            yield from refresh(part, state)
            state.phase = NewtonPhase.NEWTON
        features = yield from features_of(part)
        if state.point.size == 0:
            yield from begin(part, features, state)
        if state.inside == 0 and examine(part, state.alpha, state.functions).violation <= tolerance:
            return Progress.CONVERGED
        yield from move(part, state, features, tolerance)
        return Progress.STALLED if state.in_vain > LINEAR.vain else Progress.MOVING

    def rehearse(self, part: Part) -> None:
        """Coordinate steps end with a tiny problem before any Newton step."""
        state = self.start(part, 0)
        state.phase = NewtonPhase.NEWTON
        finish(self.advance(part, state, 1, 1e-3))


def visiting_budget(part: Part) -> float:
    """Seconds, roughly, that coordinate steps may take: half of what the Newton steps may."""
    return 0.0 if part.balanced else 0.5 * LINEAR.expected * newton_price(part)


def newton_price(part: Part) -> float:
    """Seconds, roughly, of a Newton step: measured, only to compare."""
    k, unknowns, stored = (
        part.form.outputs,
        (part.gram.points.features + 1) * part.form.outputs,
        part.gram.points.stored,
    )
    each, feature = LINEAR.one_price if k == 1 else LINEAR.all_price
    examples = len(part) * k * (each + feature * stored)
    return examples + LINEAR.unknown_price * min(unknowns, LINEAR.dense) ** 3 + LINEAR.newton_price


def features_of(part: Part) -> Work[Features]:
    if "linear features" not in part.kept:
        part.kept["linear features"] = yield from Features.of(part)
    found: Features = part.kept["linear features"]
    return found


def begin(part: Part, features: Features, state: NewtonState) -> Work[None]:
    """From an alpha made elsewhere, whose dual no step may lead far below: one near the optimum may still violate."""
    dual = (yield from dual_of(part, features, state.alpha))[0]
    vectors = yield from features.reduce(weights_of(part, state.alpha))
    if part.geometry == LINE:
        products = yield from part.gram.products(weights_of(part, state.alpha))
        state.constant = state.constant + wanted_shift(part, state)
        state.functions[...] = products + state.constant
    state.floor, state.point = dual - LINEAR.loss * abs(dual), with_bias(part, vectors, state)


def wanted_shift(part: Part, state: State) -> float:
    """By how much a free bias of two classes should move: its free variables' median residual, both classes alike."""
    free, wanted = LINE.free(state.alpha, part.upper)[:, 0], LINE.wish(part, state.functions)
    sides = [wanted[free & (part.labels == side)] for side in (0, 1)]
    return float(np.mean([np.median(side) for side in sides])) if all(map(len, sides)) else 0.0


def with_bias(part: Part, vectors: np.ndarray, state: State) -> np.ndarray:
    """W with the bias of the state where it is free."""
    if part.balanced:
        vectors[-1] = state.constant
    return vectors


def move(part: Part, state: NewtonState, features: Features, tolerance: float) -> Work[None]:
    """One proximal step, or a part of a long one; its result becomes the state where its dual is higher."""
    sigma, closeness = float(state.sigma * part.upper.mean()), state.closeness * tolerance
    step = FeatureStep(part, features, state.alpha, sigma, closeness)
    most = min(max(1, int(PIECE_SECONDS / newton_price(part))), PROXIMAL.steps - state.inside)
    trial = yield from step.begin(state.point)
    trial, steps, end = yield from step.solve(trial, most)
    if end is End.STEPS and state.inside + steps < PROXIMAL.steps:
        state.steps, state.inside = state.steps + max(steps, 1), state.inside + steps
        state.point = trial.point
        return
    alpha = repair(part, trial.alpha) if part.balanced else trial.alpha
    if (yield from settle(part, state, features, alpha, trial)):
        state.point, state.in_vain = trial.point, 0
        state.sigma = min(LINEAR.growth * state.sigma, LINEAR.largest)
    else:
        state.point = with_bias(part, (yield from features.reduce(weights_of(part, state.alpha))), state)
        state.in_vain += 1
        state.closeness *= LINEAR.closer
        state.sigma /= LINEAR.growth
    state.steps, state.inside = state.steps + max(steps, 1), 0


def dual_of(part: Part, features: Features, alpha: np.ndarray) -> Work[tuple[float, np.ndarray, np.ndarray]]:
    """With W, without a free bias, and the sums of the weights."""
    weights = weights_of(part, alpha)
    vectors = yield from features.reduce(weights)
    energy = 0.5 * float(np.vdot(features.stiffness[:, None] * vectors, vectors))
    return float(np.vdot(part.form.margin[part.labels], alpha)) - energy, vectors, weights.sum(axis=0)


def settle(part: Part, state: NewtonState, features: Features, alpha: np.ndarray, trial: Iterate) -> Work[bool]:
    """Whether this alpha is better; if so the state goes there, with functions made of it."""
    dual, vectors, sums = yield from dual_of(part, features, alpha)
    if dual <= state.floor:
        return False
    constant = trial.point[-1].copy() if part.balanced else part.offset * sums
    if part.balanced:
        vectors[-1] = constant
    functions = yield from features.expand(vectors)
    state.floor, state.constant = dual, constant
    state.alpha[...], state.functions[...] = alpha, functions
    return True
