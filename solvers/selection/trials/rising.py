"""Rising: `auto` of searches for joint machines in a box (ww, llw), with proximal steps on a whole K (proximal.py).

Every x of a proximal step is feasible, so a run ends as soon as the violation of x is below the tolerance. Measured on
a fold of segment, llw: a third of the time at large C; 84 -> 58 CPU s by starting from the point of the pair steps;
then 47 by reusing factors (system.py).
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields

import numpy as np

from mcsvm.solvers.budget import RISING, Phase
from mcsvm.solvers.decision import Decision
from mcsvm.solvers.dual.geometry import BOX
from mcsvm.solvers.dual.quantities import weights_of
from mcsvm.solvers.factor.layout import Layout
from mcsvm.solvers.kernels import KERNELS
from mcsvm.solvers.methods.auto import blocks
from mcsvm.solvers.methods.auto.conductor import Auto, AutoState, Why
from mcsvm.solvers.methods.base import Progress
from mcsvm.solvers.methods.proximal import End
from mcsvm.solvers.posing import pose
from mcsvm.solvers.problem import Part
from mcsvm.solvers.selection.trials.proximal import VariableStep
from mcsvm.solvers.selection.trials.shared import SharedGram


@dataclass
class ProximalProgress:
    """The state of the proximal steps at one cost."""

    begun: bool = False
    turn: int = 0  # step count at which to decide next whether Newton steps begin
    steps: int = 0  # number of Newton steps
    spent: float = 0.0  # their price, in seconds of the budget
    sigma: float = 0.0  # sigma of the next proximal step; 0 before the first
    factored: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=np.int64))  # variables of the last factor
    ridge: float = 0.0  # ridge of the last factor


@dataclass
class RisingState(AutoState):
    path: ProximalProgress = field(default_factory=ProximalProgress)


class Rising(Auto):
    """`auto` for all costs of one fold and gamma, with Newton steps on their shared kernel matrix.

    Blocks come first, until they have cost as much as Newton steps would: at most twice the time of the better one.
    """

    def __init__(self, gram: SharedGram) -> None:
        super().__init__()
        self.gram = gram

    def start(self, part: Part, seed: int) -> RisingState:
        begun = super().start(part, seed)
        return RisingState(**{entry.name: getattr(begun, entry.name) for entry in fields(begun)})

    def effort(self, state: AutoState) -> float:
        assert isinstance(state, RisingState)
        return super().effort(state) + state.path.spent

    def advance(self, part: Part, state: AutoState, steps: int, tolerance: float) -> Progress:
        assert isinstance(state, RisingState)
        path = state.path
        gave_up = path.steps >= RISING.patience
        if part.gram is not self.gram or gave_up:  # run/warmup.py calls with another gram, of a tiny problem
            return super().advance(part, state, steps, tolerance)
        if not path.begun:
            if state.steps >= path.turn:
                path.begun = state.spending.total >= price(part, state.alpha)
                path.turn = state.steps + RISING.pairs
            if not path.begun:
                return blocks.advance(part, state, path.turn, tolerance, self.budget)
            state.keep(part)
            state.decisions.append(Decision(state.steps, Phase.PROXIMAL.value, Why.PROXIMAL_PAID.value))
            path.sigma, path.steps = 0.0, 0
        progress = steps_at(part, self.gram, state, tolerance)
        if state.recovered(part) and progress is Progress.CONVERGED:
            return progress
        if path.steps >= RISING.patience or progress is Progress.CONVERGED:
            path.steps = RISING.patience
            if state.return_to_best(part):
                state.forget_rounds()
        return Progress.MILESTONE


def price(part: Part, alpha: np.ndarray) -> float:
    """Estimate the seconds that the Newton steps at one cost take, from the free variables of alpha."""
    free = float(np.count_nonzero(BOX.free(alpha, part.upper)))
    products = RISING.product_price * len(part) * free
    return RISING.usual * (RISING.variable_price * alpha.size + products + RISING.cube_price * free**3)


def steps_at(part: Part, gram: SharedGram, state: RisingState, tolerance: float) -> Progress:
    """Carry out one proximal step, to its end or to a point whose violation is small enough."""
    path, layout = state.path, Layout.of(part)
    x = np.take_along_axis(state.alpha, layout.slot, axis=1)
    sigma = path.sigma or first_sigma(part, x)
    step = VariableStep(part, gram, x, sigma, tolerance)
    step.resume(path.factored, path.ridge)
    trial = step.begin()
    trial, steps, end = step.solve(trial, max(1, RISING.patience - path.steps))
    alpha = layout.table(trial.alpha)
    reached = step.reached if end is not End.STEPS else gram.products(weights_of(part, alpha))
    state.alpha[...], state.functions[...] = alpha, reached
    state.steps, path.steps = state.steps + steps + 1, path.steps + steps + 1
    path.spent += (steps + 1) * price(part, alpha) / RISING.usual
    path.sigma, part.kept["system"] = RISING.growth * sigma, step.system
    if step.system is not None:
        path.factored, path.ridge = step.system.chosen, step.system.ridge
    return Progress.CONVERGED if step.violation <= tolerance else Progress.MOVING


def first_sigma(part: Part, x: np.ndarray) -> float:
    free = max(1.0, float(np.count_nonzero(BOX.free(x, part.upper))))
    raised = min(max(1.0, (RISING.light / free) ** RISING.power), RISING.raised)
    return RISING.first * float(part.upper.mean()) * raised


def compile_steps() -> None:
    """Compile Newton steps on a shared kernel matrix."""
    kernel = KERNELS["rbf"](gamma=1.0)
    problem = pose(np.sin(np.outer(np.arange(12), [1.0, 2.0])), np.arange(12) % 3, machine="llw", kernel=kernel)
    matrix = kernel.block(problem.points, problem.points, np.empty((12, 12)))
    gram = SharedGram(kernel, problem.points, matrix)
    part = problem.part(0, gram)
    state: RisingState = RisingState.zero(part)
    state.alpha[...] = np.where(part.form.real[part.labels], 0.5, 0.0)
    steps_at(part, gram, state, 1e-3)
