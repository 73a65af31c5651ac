"""Rising: `auto` of searches for joint machines in a box (ww, llw), with proximal Newton steps on a whole K.

A proximal step maximises dual(x) - |x - centre|^2 / (2 sigma). Its dual is smooth in the class functions
f = K weights(u): x(f) = projection(centre + sigma gradient(f)), and x(f) = u at the optimum; methods/linear/proximal.py
does the same for linear kernels. Newton systems have the size of the free variables, and products cost only what
changes. Every x(f) is feasible, so a run ends as soon as its own violation is below the tolerance. Measured on a fold
of segment, llw: a third of the time at large C; 84 -> 58 CPU s by starting from the pair steps' point; -> 47 by reusing
factors (system.py).
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields

import numpy as np

from solvers.budget import Phase
from solvers.decision import Decision
from solvers.dual.geometry import BOX
from solvers.dual.quantities import weights_of
from solvers.factor.layout import Layout
from solvers.jit import newton
from solvers.kernels import KERNELS
from solvers.methods.auto import blocks
from solvers.methods.auto.conductor import Auto, AutoState, Why
from solvers.methods.base import Progress, State
from solvers.posing import pose
from solvers.problem import Part
from solvers.run.warmup import once
from solvers.selection.shared import SharedGram
from solvers.selection.system import System
from solvers.work import Work

SIGMA, GROWTH = 30.0, 3.0  # sigma in units of the cost: the first, and the factor from one proximal step to the next
# The first sigma is SIGMA times clip((LIGHT / free variables)^POWER, 1, MOST). Where few variables are free, a small
# sigma would free many more; where many are, systems are large, and a small sigma takes fewer Newton steps.
LIGHT, POWER, MOST = 1200.0, 3, 30.0
STEPS = 4  # Newton steps of a slice, at most: a stop waits for them
PATIENCE = 200  # Newton steps at one cost, at most; then `auto` takes over
PAIRS = 3000  # pair steps between two decisions whether Newton steps are due
# A proximal step ends when the functions are within CLOSE of max(tolerance, |x - centre| / sigma) of those of x; a line
# search at a slope of FLAT of the first one, or after TRIES step sizes.
CLOSE, FLAT, TRIES = 0.1, 0.1, 20
REFINED, SHARP = 3, 1e-9  # iterative refinement: rounds at most; residual at its end, as a share of the right side
# Price of all Newton steps at one cost, in seconds of the budget: USUAL steps, each with passes over all variables,
# products with K (per example and free variable), and a factor (per cubed free variable).
USUAL, PER_VARIABLE, PER_PRODUCT, PER_CUBE = 15, 1e-7, 4e-10, 8e-12


@dataclass
class Path:
    """The state of the proximal steps at one cost."""

    begun: bool = False
    turn: int = 0  # step count of the next decision whether Newton steps are due
    steps: int = 0  # Newton steps
    sigma: float = 0.0
    centre: np.ndarray = field(default_factory=lambda: np.empty((0, 0)))  # (n, variables)
    u: np.ndarray = field(default_factory=lambda: np.empty((0, 0)))  # (n, variables): functions = K weights(u)
    functions: np.ndarray = field(default_factory=lambda: np.empty((0, 0)))  # (outputs, n)
    factored: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=np.int64))  # variables of the last factor
    ridge: float = 0.0  # of the last factor


@dataclass
class RisingState(AutoState):
    path: Path = field(default_factory=Path)


class Rising(Auto):
    """`auto` for all costs of one fold and gamma, with Newton steps on their shared kernel matrix.

    Blocks come first, until they have cost what Newton steps would: at most twice the time of the better of the two.
    """

    def __init__(self, gram: SharedGram) -> None:
        super().__init__()
        self.gram = gram
        once("rising", _rehearse)

    def start(self, part: Part, seed: int) -> RisingState:
        begun = super().start(part, seed)
        return RisingState(**{entry.name: getattr(begun, entry.name) for entry in fields(begun)})

    def advance(self, part: Part, state: AutoState, steps: int, tolerance: float) -> Work[Progress]:
        assert isinstance(state, RisingState)
        path = state.path
        if part.gram is not self.gram or path.steps >= PATIENCE:  # warm-up on a tiny problem, or Newton steps gave up
            return (yield from super().advance(part, state, steps, tolerance))
        if not path.begun:
            if state.steps >= path.turn:
                path.begun = state.spending.total >= price(part, state.alpha)
                path.turn = state.steps + PAIRS
            if not path.begun:
                return (yield from blocks.advance(part, state, path.turn, tolerance, self.budget))
            state.keep(part)
            state.decisions.append(Decision(state.steps, Phase.PROXIMAL.value, Why.PROXIMAL_PAID.value))
            path.sigma, path.steps = 0.0, 0
        progress = Course(part, self.gram, state).advance(state, tolerance)
        if state.recovered(part) and progress is Progress.CONVERGED:
            return progress
        if path.steps >= PATIENCE or progress is Progress.CONVERGED:
            path.steps = PATIENCE
            if state.return_to_best(part):
                state.forget_rounds()
        return Progress.MILESTONE


def price(part: Part, alpha: np.ndarray) -> float:
    free = float(np.count_nonzero(BOX.free(alpha, part.upper)))
    return USUAL * (PER_VARIABLE * alpha.size + PER_PRODUCT * len(part) * free + PER_CUBE * free**3)


class Course:
    """Proximal steps at one cost; what lasts is in `state.path`."""

    def __init__(self, part: Part, gram: SharedGram, state: RisingState) -> None:
        self.part, self.gram, self.path, self.layout = part, gram, state.path, Layout.of(part)
        self.upper = part.upper[:, None]
        form, slot = part.form, self.layout.slot
        directions = form.direction.reshape(-1, form.outputs)
        self.couplings, self.kinds = directions @ directions.T, part.labels[:, None] * form.slots + slot
        if self.path.sigma == 0.0:
            centre = np.take_along_axis(state.alpha, slot, axis=1)
            free = max(1.0, float(np.count_nonzero(self.free(centre))))
            smaller = min(max(1.0, (LIGHT / free) ** POWER), MOST)
            self.path.sigma = SIGMA * float(part.upper.mean()) * smaller
            self.begin(centre, self.exact(centre))

    def exact(self, x: np.ndarray) -> np.ndarray:
        return np.ascontiguousarray(self.gram.times(weights_of(self.part, self.layout.table(x))).T)

    def free(self, x: np.ndarray) -> np.ndarray:
        return BOX.free(x, self.upper)

    def begin(self, x: np.ndarray, functions: np.ndarray) -> None:
        """Begin a proximal step at x, with a Newton step that keeps its free variables free."""
        self.path.centre = self.path.u = x
        self.path.functions = functions
        self.newton(x, np.zeros(x.shape), np.zeros(functions.shape), self.gradient(functions))

    def gradient(self, functions: np.ndarray) -> np.ndarray:
        """Of all variables."""
        out = np.empty(self.path.centre.shape)
        newton.gradients(self.part.form.rule, functions, self.part.labels, self.layout.slot, out)
        return out

    def read(self, functions: np.ndarray) -> np.ndarray:
        """<direction, f>."""
        return self.layout.margin - self.gradient(functions)

    def add_products(self, change: np.ndarray, functions: np.ndarray) -> np.ndarray:
        newton.add_products(
            self.part.form.rule, self.gram.matrix, self.part.labels, self.layout.slot, change, functions
        )
        return functions

    def advance(self, state: State, tolerance: float) -> Progress:
        before = self.path.steps
        while True:
            x = np.clip(self.path.centre + self.path.sigma * self.gradient(self.path.functions), 0.0, self.upper)
            moved = self.add_products(x - self.path.u, np.zeros(self.path.functions.shape))
            reached = self.path.functions + moved
            violation = BOX.violation(self.gradient(reached), x, self.upper)
            if violation <= tolerance or self.path.steps >= before + STEPS:
                break
            far = float(np.abs(x - self.path.centre).max()) / self.path.sigma
            read = self.read(moved)
            settled = float(np.abs(read).max()) <= CLOSE * max(tolerance, far)
            if settled or not self.newton(x, x - self.path.u, moved, -read):
                self.path.sigma *= GROWTH
                self.begin(x, self.exact(x))
            self.path.steps += 1
        state.alpha[...] = self.layout.table(x)
        state.functions[...] = reached.T
        state.steps += self.path.steps - before
        return Progress.CONVERGED if violation <= tolerance else Progress.MOVING

    def newton(self, x: np.ndarray, lacking: np.ndarray, moved: np.ndarray, wish: np.ndarray) -> bool:
        """A Newton step of u for the free variables of x, with line search; returns whether it moved."""
        step, made = self.solve(np.flatnonzero(self.free(x)), wish)
        direction, along = lacking + step, moved + made
        length = self.search(direction, along)
        self.path.u = self.path.u + length * direction
        self.path.functions = self.path.functions + length * along
        return length > 0.0

    def solve(self, chosen: np.ndarray, wish: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(change of the chosen variables that lowers their gradients by `wish`, its products with K)."""
        step, made, lack = np.zeros(wish.shape), np.zeros(self.path.functions.shape), wish
        for _ in range(REFINED if chosen.size else 0):
            part = np.zeros(wish.shape)
            part.ravel()[chosen] = self.system_of(chosen).solve(chosen, lack.ravel()[chosen])
            step += part
            self.add_products(part, made)
            lack = wish - self.read(made) - step / self.path.sigma
            if np.abs(lack.ravel()[chosen]).max() <= SHARP * np.abs(wish.ravel()[chosen]).max():
                break
        return step, made

    def system_of(self, chosen: np.ndarray) -> System:
        """The last factor, where the chosen variables differ from its own by a few; else a new one."""
        path, ridge = self.path, 1.0 / self.path.sigma
        system: System | None = self.part.kept.get("system")
        if system is None and path.factored.size:
            system = System(self.gram.matrix, self.kinds, self.couplings, path.ridge, path.factored)
        if system is None or not system.near(chosen, ridge):
            system = System(self.gram.matrix, self.kinds, self.couplings, ridge, chosen)
            path.factored, path.ridge = chosen, ridge
        self.part.kept["system"] = system
        return system

    def search(self, direction: np.ndarray, along: np.ndarray) -> float:
        """The step size where the slope nearly vanishes; slopes, as differences of values drown in rounding."""
        read, wish = self.read(along), self.path.centre + self.path.sigma * self.gradient(self.path.functions)
        level, bend = float(np.vdot(self.path.u, read)), float(np.vdot(direction, read))

        def slope(length: float) -> float:
            return level + length * bend - newton.clipped_product(wish, read, self.path.sigma * length, self.part.upper)

        first = at_low = slope(0.0)
        if first >= 0.0:
            return 0.0
        low, high, at_high, length = 0.0, np.inf, np.inf, 1.0
        for _ in range(TRIES):
            here = slope(length)
            if here <= -FLAT * first:
                if here >= FLAT * first or high == np.inf:
                    break
                low, at_low = length, here
            else:
                high, at_high = length, here
            length = low + min(max(at_low / (at_low - at_high), 0.1), 0.9) * (high - low)
        return length


def _rehearse() -> None:
    kernel = KERNELS["rbf"](gamma=1.0)
    problem = pose(np.sin(np.outer(np.arange(12), [1.0, 2.0])), np.arange(12) % 3, machine="llw", kernel=kernel)
    matrix = kernel.block(problem.points, problem.points, np.empty((12, 12)))
    gram = SharedGram(kernel, problem.points, matrix)
    part = problem.part(0, gram)
    state: RisingState = RisingState.zero(part)
    state.alpha[...] = np.where(part.form.real[part.labels], 0.5, 0.0)
    Course(part, gram, state).advance(state, 1e-3)
