"""`linear-newton`: proximal steps on the dual, solved by Newton steps on W, for the linear kernel with few features.

On a quadratic programme the proximal point method ends after finitely many steps (Rockafellar 1976), and after few
steps if sigma is large. A Newton step costs a few passes over the features and a small system, whatever C is. A
regularized bias is one more feature; an exact bias is a feature without the term 1/2 b^2. Coordinate steps come first
if C is small enough for them. They end if a round hardly lowers a large violation, or if they have cost half of the
expected Newton steps. A step is a Newton step or a visit of a coordinate; a slice is a few Newton steps of one proximal
step, or one round of visits.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

import numpy as np

from mcsvm.solvers.budget import LINEAR, PROXIMAL
from mcsvm.solvers.dual.balance import repair
from mcsvm.solvers.dual.geometry import LINE
from mcsvm.solvers.dual.quantities import examine, linear_of, weights_of
from mcsvm.solvers.errors import Sentence
from mcsvm.solvers.interrupt import tick
from mcsvm.solvers.methods.base import Method, Progress, State, refresh
from mcsvm.solvers.methods.linear.coordinate import LinearState, fresh, rounds, visit_price
from mcsvm.solvers.methods.linear.features import refuse_other_kernels
from mcsvm.solvers.methods.linear.proximal import FeatureStep
from mcsvm.solvers.methods.linear.system import Features
from mcsvm.solvers.methods.proximal import End, Iterate
from mcsvm.solvers.problem import Part
from mcsvm.solvers.work import PIECE_SECONDS


class NewtonPhase(Enum):
    VISITING = auto()  # coordinate steps
    NEWTON = auto()


@dataclass(kw_only=True)
class NewtonState(LinearState):
    phase: NewtonPhase
    point: np.ndarray  # W with the bias; empty: to be computed from alpha
    sigma: float = LINEAR.first  # in units of the mean cost
    inside: int = 0  # Newton steps so far in an unfinished proximal step
    floor: float = -np.inf  # the dual that the next proximal step must exceed
    in_vain: int = 0  # consecutive proximal steps that did not raise the dual
    closeness: float = LINEAR.close  # of the functions to those of alpha at the end, in tolerances
    doubt: float = 1.0  # factor on the tolerance after refuted claims: the certificate may choose another b
    round_violation: float = np.inf  # violation at the end of the last round of visits
    round_end: int = 0  # step count at the end of that round
    visits_end: bool = False  # whether no round of visits follows that round
    patient: bool = False  # Newton steps have stalled before: visits continue until their budget is spent


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

    def advance(self, part: Part, state: NewtonState, steps: int, tolerance: float) -> Progress:
        tolerance *= state.doubt
        if state.phase is NewtonPhase.VISITING:
            if state.inside_round:  # after a stop within a round: continue only to its end
                return rounds(part, state, 0, tolerance)
            if visits_continue(part, state):
                return rounds(part, state, 1, tolerance)
            refresh(part, state)
            state.phase = NewtonPhase.NEWTON
        features = features_of(part)
        if state.point.size == 0:
            begin(part, features, state)
        if state.inside == 0 and examine(part, state.alpha, state.functions).violation <= tolerance:
            return Progress.CONVERGED
        move(part, state, features, tolerance)
        if state.in_vain <= LINEAR.vain:
            return Progress.MOVING
        if state.patient or not visits_pay(part, state.steps, np.inf, 0.0):
            return Progress.STALLED
        return_to_visits(part, state)
        return Progress.MOVING

    def rehearse(self, part: Part) -> None:
        """Compile a Newton step: coordinate steps solve a tiny problem before any Newton step."""
        state = self.start(part, 0)
        state.phase = NewtonPhase.NEWTON
        self.advance(part, state, 1, 1e-3)


def return_to_visits(part: Part, state: NewtonState) -> None:
    """Spend the rest of the budget of visits, which may end exactly at an optimum where Newton steps stall."""
    state.phase, state.patient, state.visits_end, state.in_vain = NewtonPhase.VISITING, True, False, 0
    state.point, state.vectors = np.empty((0, 0)), np.empty((0, 0))
    state.active, state.threshold, state.begun, state.round_end = len(part), np.inf, -1, state.steps


def visits_continue(part: Part, state: NewtonState) -> bool:
    """Return whether another round of visits begins; decide once at the end of each round."""
    if state.steps > state.round_end:
        violation = examine(part, state.alpha, state.functions).violation
        before = np.inf if state.patient else state.round_violation
        state.visits_end = not visits_pay(part, state.steps, before, violation)
        state.round_violation, state.round_end = violation, state.steps
    return not state.visits_end


def visits_pay(part: Part, visits: int, before: float, after: float) -> bool:
    """Return whether another round of visits comes before Newton steps.

    `before` and `after` are the violations at the beginning and at the end of the last round. Visits end if a round
    hardly lowers a violation that exceeds the margin: at a large C the first rounds leave violations of the size of the
    functions. Below the margin they may end exactly where Newton steps stall.
    """
    lost = after > LINEAR.fall * before and after > float(part.form.margin.max())
    return not lost and visits * visit_price(part) < visiting_budget(part)


def visiting_budget(part: Part) -> float:
    """Return the price up to which coordinate steps continue, in seconds: half that of the expected Newton steps.

    An exact bias takes more epochs than a fixed bias: if the budget is too small for them, Newton steps come at once.
    They also come at once if the part is tiny, as they end exactly. Coordinate steps do not keep the balance of a joint
    machine.
    """
    price = newton_price(part)
    budget = 0.5 * LINEAR.expected * price
    if not part.balanced:
        return budget
    pays = budget >= LINEAR.least_epochs * len(part) * visit_price(part) and price > LINEAR.tiny * LINEAR.newton_price
    return budget if pays and part.form.outputs == 1 else 0.0


def newton_price(part: Part) -> float:
    """Return the price of a Newton step, in seconds."""
    k, unknowns, stored = (
        part.form.outputs,
        (part.gram.points.features + 1) * part.form.outputs,
        part.gram.points.stored,
    )
    each, feature = LINEAR.one_price if k == 1 else LINEAR.all_price
    examples = len(part) * k * (each + feature * stored)
    return examples + LINEAR.unknown_price * min(unknowns, LINEAR.dense) ** 3 + LINEAR.newton_price


def features_of(part: Part) -> Features:
    if "linear features" not in part.kept:
        part.kept["linear features"] = Features.of(part)
    found: Features = part.kept["linear features"]
    return found


def begin(part: Part, features: Features, state: NewtonState) -> None:
    """Set W and the floor of the dual from the alpha of coordinate steps or of a warm start."""
    dual, vectors, _ = dual_of(part, features, state.alpha)
    if part.geometry == LINE:
        products = part.gram.products(weights_of(part, state.alpha))
        state.constant = state.constant + suggested_shift(part, state)
        state.functions[...] = products + state.constant
    state.floor, state.point = dual - LINEAR.loss * abs(dual), with_bias(part, vectors, state)


def suggested_shift(part: Part, state: State) -> float:
    """Return the change of b that free variables suggest.

    It is the mean of the two classes' medians of s m - f, or 0 if a class has no free variable.
    """
    free, residuals = LINE.free(state.alpha, part.upper)[:, 0], LINE.beta_gradient(part, state.functions)
    sides = [residuals[free & (part.labels == side)] for side in (0, 1)]
    return float(np.mean([np.median(side) for side in sides])) if all(map(len, sides)) else 0.0


def with_bias(part: Part, vectors: np.ndarray, state: State) -> np.ndarray:
    """Return W; for an exact bias, its last row becomes the b of the state."""
    if part.balanced:
        vectors[-1] = state.constant
    return vectors


def move(part: Part, state: NewtonState, features: Features, tolerance: float) -> None:
    """Take one proximal step, or a few Newton steps of a long one; move the state to the result if the dual rises."""
    sigma, closeness = float(state.sigma * part.upper.mean()), state.closeness * tolerance
    step = FeatureStep(part, features, state.alpha, sigma, closeness)
    most = min(max(1, int(PIECE_SECONDS / newton_price(part))), PROXIMAL.steps - state.inside, state.steps_left)
    trial = step.begin(state.point)
    trial, steps, end = step.solve(trial, most)
    if end is End.STEPS and state.inside + steps < PROXIMAL.steps:
        state.steps, state.inside = state.steps + max(steps, 1), state.inside + steps
        state.point = trial.point
        return
    alpha = repair(part, trial.alpha) if part.balanced else trial.alpha
    if accept(part, state, features, alpha, trial):
        state.point, state.in_vain = trial.point, 0
        state.sigma = min(LINEAR.growth * state.sigma, LINEAR.largest)
    else:
        state.point = with_bias(part, features.reduce(weights_of(part, state.alpha)), state)
        state.in_vain += 1
        state.closeness *= LINEAR.closer
        state.sigma /= LINEAR.growth
    state.steps, state.inside = state.steps + max(steps, 1), 0


def dual_of(part: Part, features: Features, alpha: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """Return (the dual of alpha, W without an exact bias, the sums of the weights)."""
    weights = weights_of(part, alpha)
    vectors = features.reduce(weights)
    tick()
    energy = 0.5 * float(np.vdot(features.stiffness[:, None] * vectors, vectors))
    return linear_of(part, alpha) - energy, vectors, weights.sum(axis=0)


def accept(part: Part, state: NewtonState, features: Features, alpha: np.ndarray, trial: Iterate) -> bool:
    """Move the state to this alpha if its dual is larger than the floor; return whether it is."""
    dual, vectors, sums = dual_of(part, features, alpha)
    if not dual > state.floor:  # also rejects a dual of NaN
        return False
    constant = trial.point[-1].copy() if part.balanced else part.offset * sums
    if part.balanced:
        vectors[-1] = constant
    functions = features.expand(vectors)
    state.floor, state.constant = dual, constant
    state.alpha[...], state.functions[...] = alpha, functions
    return True
