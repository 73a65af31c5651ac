"""Newton steps for joint machines in a box, where pair steps are dear: as costs rise.

A proximal step, maximise dual(x) - |x - centre|^2 / (2 sigma), has a dual of its own that is smooth in the class
functions f = K weights(u): there x(f) = projection(centre + sigma gradient(f)), and x(f) = u at its optimum (as
methods/primal/proximal.py has it for linear kernels). Only the free variables need a system, and products only what
changes. Every x(f) is feasible, so that its own gradient may end it.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

from solvers.dual.quantities import weights_of
from solvers.factor.layout import Layout
from solvers.jit import newton
from solvers.kernels import KERNELS
from solvers.methods.auto import blocks as two_level
from solvers.methods.auto import conductor as auto
from solvers.methods.base import Progress, State
from solvers.problem import Part, pose
from solvers.selection.shared import SharedGram
from solvers.selection.system import System

SIGMA, GROWTH = 30.0, 3.0  # of the proximal step, in units of the cost: first, and growing by
# A small one leaves many variables free, which is dear where few are; fewer steps are better where systems are large.
LIGHT, POWER, MOST = 1200.0, 3, 30.0  # so it begins (LIGHT / free variables)^POWER times as large, within 1 and MOST
STEPS = 4  # of a slice, which a wish to stop waits for
PATIENCE = 200  # steps for a cost, after which another way is gone
PAIRS = 3000  # pair steps of a slice before
CLOSE, FLAT, TRIES = 0.1, 0.1, 20
REFINED, SHARP = 3, 1e-9  # times that a solution is bettered, and what it may lack, a share of what it is for
# What all Newton steps at a cost take, in seconds, roughly: passes over all variables, products, and systems
USUAL, PER_VARIABLE, PER_PRODUCT, PER_CUBE = 15, 1e-7, 4e-10, 8e-12


class Rising:
    """A method for the costs of one fold and gamma.

    Pair steps come first, until they cost what Newton steps would: at most twice the time of the better of the two.
    """

    NAME, SUPPORTS = auto.NAME, auto.SUPPORTS
    refuse, wind_up = staticmethod(auto.refuse), staticmethod(auto.wind_up)

    def __init__(self, gram: SharedGram) -> None:
        self.gram = gram
        self.course: Course | None = None
        warm_up()

    def start(self, part: Part) -> State:
        self.course = None
        return auto.start(part)

    def advance(self, part: Part, state: State, steps: int, tolerance: float) -> Progress:
        if part.gram is not self.gram:
            return auto.advance(part, state, steps, tolerance)  # a tiny problem to compile with
        if self.course is None:
            if state.memory["effort"][3] < price(part, state.alpha):
                return two_level.advance(part, state, PAIRS, tolerance)
            self.course = Course(part, self.gram, state.alpha)
        if self.course.steps >= PATIENCE:
            return auto.advance(part, state, steps, tolerance)
        return self.course.advance(state, tolerance)


def price(part: Part, alpha: np.ndarray) -> float:
    free = float(np.count_nonzero((alpha > 0.0) & (alpha < part.upper[:, None])))
    return USUAL * (PER_VARIABLE * alpha.size + PER_PRODUCT * len(part) * free + PER_CUBE * free**3)


class Course:
    """Proximal steps at one cost."""

    def __init__(self, part: Part, gram: SharedGram, alpha: np.ndarray) -> None:
        self.part, self.gram, self.layout, self.steps = part, gram, Layout(part), 0
        self.upper, self.sigma = part.upper[:, None], SIGMA * float(part.upper.mean())
        form, slot = part.form, self.layout.slot
        directions = form.direction.reshape(-1, form.outputs)
        self.couplings, self.kinds = directions @ directions.T, part.labels[:, None] * form.slots + slot
        self.system: System | None = None
        self.centre = np.take_along_axis(alpha, slot, axis=1)
        crowd = max(1.0, float(np.count_nonzero(self.free(self.centre))))
        self.sigma *= min(max(1.0, (LIGHT / crowd) ** POWER), MOST)
        self.begin(self.centre, self.exact(self.centre))

    def exact(self, x: np.ndarray) -> np.ndarray:
        return np.ascontiguousarray(self.gram.times(weights_of(self.part, self.layout.table(x))).T)

    def free(self, x: np.ndarray) -> np.ndarray:
        return (x > 0.0) & (x < self.upper)

    def begin(self, x: np.ndarray, functions: np.ndarray) -> None:
        """A proximal step around x, first along the way that leaves its free variables free."""
        self.centre = self.u = x
        self.functions = functions
        self.newton(x, np.zeros(x.shape), np.zeros(functions.shape), self.gradient(functions))

    def gradient(self, functions: np.ndarray) -> np.ndarray:
        """Of all variables."""
        out = np.empty(self.centre.shape)
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
        before = self.steps
        while True:
            x = np.clip(self.centre + self.sigma * self.gradient(self.functions), 0.0, self.upper)
            moved = self.add_products(x - self.u, np.zeros(self.functions.shape))
            reached = self.functions + moved
            violation = violation_of(self.gradient(reached), x, self.upper)
            if violation <= tolerance or self.steps >= before + STEPS:
                break
            far = float(np.abs(x - self.centre).max()) / self.sigma
            read = self.read(moved)
            settled = float(np.abs(read).max()) <= CLOSE * max(tolerance, far)
            if settled or not self.newton(x, x - self.u, moved, -read):
                self.sigma *= GROWTH
                self.begin(x, self.exact(x))
            self.steps += 1
        state.alpha[...] = self.layout.table(x)
        state.functions[...] = reached.T
        state.steps += self.steps - before
        return Progress.CONVERGED if violation <= tolerance else Progress.MOVING

    def newton(self, x: np.ndarray, lacking: np.ndarray, moved: np.ndarray, wish: np.ndarray) -> bool:
        """One step of u towards `wish`, were what is free at x to stay free; returns whether there was a way down."""
        step, made = self.solve(np.flatnonzero(self.free(x)), wish)
        direction, along = lacking + step, moved + made
        length = self.search(direction, along)
        self.u = self.u + length * direction
        self.functions = self.functions + length * along
        return length > 0.0

    def solve(self, chosen: np.ndarray, wish: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The change of the chosen variables that lowers their gradients by `wish`, and its products."""
        step, made, lack = np.zeros(wish.shape), np.zeros(self.functions.shape), wish
        for _ in range(REFINED if chosen.size else 0):
            part = np.zeros(wish.shape)
            part.ravel()[chosen] = self.system_of(chosen).solve(chosen, lack.ravel()[chosen])
            step += part
            self.add_products(part, made)
            lack = wish - self.read(made) - step / self.sigma
            if np.abs(lack.ravel()[chosen]).max() <= SHARP * np.abs(wish.ravel()[chosen]).max():
                break
        return step, made

    def system_of(self, chosen: np.ndarray) -> System:
        ridge = 1.0 / self.sigma
        if self.system is None or not self.system.near(chosen, ridge):
            self.system = System(self.gram.matrix, self.kinds, self.couplings, ridge, chosen)
        return self.system

    def search(self, direction: np.ndarray, along: np.ndarray) -> float:
        """To where the slope nearly vanishes: slopes see what values lose to rounding."""
        read, wish = self.read(along), self.centre + self.sigma * self.gradient(self.functions)
        level, bend = float(np.vdot(self.u, read)), float(np.vdot(direction, read))

        def slope(length: float) -> float:
            return level + length * bend - newton.clipped_product(wish, read, self.sigma * length, self.part.upper)

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


def violation_of(gradient: np.ndarray, x: np.ndarray, upper: np.ndarray) -> float:
    up = gradient[x < upper].max(initial=0.0)
    return float(max(up, -gradient[x > 0.0].min(initial=0.0)))


@cache
def warm_up() -> None:
    """Compiled before any clock starts, once per process."""
    kernel = KERNELS["rbf"](gamma=1.0)
    problem = pose(np.sin(np.outer(np.arange(12), [1.0, 2.0])), np.arange(12) % 3, machine="llw", kernel=kernel)
    matrix = kernel.block(problem.points, problem.points, np.empty((12, 12)))
    gram = SharedGram(kernel, problem.points, matrix)
    part = replace(problem.part(0), gram=gram)
    Course(part, gram, np.full((12, 3), 0.5)).advance(State.zero(part), 1e-3)
