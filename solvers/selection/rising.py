"""Newton steps from one cost to the next: for joint machines in a box, where pair steps are dear.

A proximal step, maximise dual(x) - |x - centre|^2 / (2 sigma), has a dual of its own that is smooth in the class
functions f = K V: there x(f) = projection(centre + sigma gradient(f)), and V = weights(x(f)) at its optimum (as
methods/primal/proximal.py has it for linear kernels). The functions of the cost before begin it, as they change less
than alpha does; only the free variables need a system. Every x(f) is feasible, so that its own gradient may end it.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from solvers.jit.newton import solve_free
from solvers.methods import auto, two_level
from solvers.methods.low_rank.layout import Layout
from solvers.methods.state import Progress, State, weights_of
from solvers.problem import Part
from solvers.run import Run
from solvers.selection.shared import SharedGram

SIGMA, GROWTH = 300.0, 3.0  # of the proximal step, in units of the cost: first, and growing by
STEPS = 4  # of a slice, which a wish to stop waits for
PATIENCE = 200  # steps for a cost, after which another way is gone
PAIRS = 3000  # pair steps of a slice before
CLOSE, FLAT, TRIES = 0.05, 0.1, 20
# What all Newton steps at a cost take, in seconds, roughly: products by the matrix, and systems of the free variables,
# which are more on the way than at its end.
USUAL, MORE = 60, 1.4
PER_ENTRY, PER_CUBE = 1.2e-9, 1e-11


class Rising:
    """A method for the costs of one fold and gamma: what it learns at one it keeps for the next.

    Pair steps come first, until they cost what Newton steps would: at most twice the time of the better of the two.
    Where Newton steps were needed, the next cost begins with them, as it is harder still.
    """

    NAME, SUPPORTS = auto.NAME, auto.SUPPORTS
    refuse, wind_up = staticmethod(auto.refuse), staticmethod(auto.wind_up)

    def __init__(self, gram: SharedGram) -> None:
        self.gram = gram
        self.course: Course | None = None
        self.before: np.ndarray | None = None  # weights at the cost before
        self.patience = 0.0  # what pair steps may cost
        warm_up()

    def start(self, part: Part) -> State:
        self.course = None
        return auto.start(part)

    def keep(self, run: Run) -> None:
        """The optimum at this cost, for the next one."""
        part, alpha = run.problem.part(0), run.alphas()[0]
        self.before = weights_of(part, alpha)
        self.patience = price(part, alpha) if self.course is None else 0.0

    def advance(self, part: Part, state: State, steps: int, tolerance: float) -> Progress:
        if part.gram is not self.gram:
            return auto.advance(part, state, steps, tolerance)  # a tiny problem to compile with
        if self.course is None:
            patience = self.patience if self.before is not None else price(part, state.alpha)
            if state.memory["effort"][3] < patience:
                return two_level.advance(part, state, PAIRS, tolerance)
            weights = weights_of(part, state.alpha) if self.before is None else self.before
            self.course = Course(part, self.gram, state.alpha, weights)
        if self.course.steps >= PATIENCE:
            return auto.advance(part, state, steps, tolerance)
        return self.course.advance(state, tolerance)


def price(part: Part, alpha: np.ndarray) -> float:
    free = MORE * np.count_nonzero((alpha > 0.0) & (alpha < part.upper[:, None]))
    return USUAL * (PER_ENTRY * len(part) ** 2 + PER_CUBE * free**3)


class Course:
    """Proximal steps at one cost."""

    def __init__(self, part: Part, gram: SharedGram, alpha: np.ndarray, weights: np.ndarray) -> None:
        self.gram, self.layout = gram, Layout(part)
        self.upper, self.sigma, self.steps = part.upper[:, None], SIGMA * float(part.upper.mean()), 0
        self.centre = np.take_along_axis(alpha, self.layout.slot, axis=1)
        self.V = weights
        form, slot = part.form, self.layout.slot
        directions = form.direction.reshape(-1, form.outputs)
        self.couplings, self.kinds = directions @ directions.T, part.labels[:, None] * form.slots + slot

    def advance(self, state: State, tolerance: float) -> Progress:
        layout = self.layout
        self.functions, before = self.gram.times(self.V), self.steps
        while True:
            x = np.clip(self.centre + self.sigma * layout.gradient(self.functions), 0.0, self.upper)
            lacking = layout.weights(x) - self.V
            moved = self.gram.times(lacking)
            reached = self.functions + moved
            violation = violation_of(layout.gradient(reached), x, self.upper)
            if violation <= tolerance or self.steps >= before + STEPS:
                break
            far = float(np.abs(x - self.centre).max()) / self.sigma
            if float(np.abs(moved).max()) <= max(CLOSE * tolerance, CLOSE * far) or not self.newton(x, lacking, moved):
                self.centre, self.sigma = x, GROWTH * self.sigma
            self.steps += 1
        state.alpha[...] = layout.table(x)
        state.functions[...] = reached
        state.steps += self.steps - before
        return Progress.CONVERGED if violation <= tolerance else Progress.MOVING

    def newton(self, x: np.ndarray, lacking: np.ndarray, moved: np.ndarray) -> bool:
        """One step in V; returns whether there was a way down."""
        free = (x > 0.0) & (x < self.upper)
        step = np.zeros(x.shape)
        if free.any():
            examples = np.ascontiguousarray(np.nonzero(free)[0])  # compiled for no other layout
            right = -self.layout.read(moved)[free]
            step[free] = solve_free(
                self.gram.matrix, examples, self.kinds[free], self.couplings, 1.0 / self.sigma, right
            )
        change = self.layout.weights(step)
        direction, along = lacking + change, moved + self.gram.times(change)
        length = self.search(direction, along)
        self.V = self.V + length * direction
        self.functions = self.functions + length * along
        return length > 0.0

    def search(self, direction: np.ndarray, along: np.ndarray) -> float:
        """To where the slope nearly vanishes: slopes see what values lose to rounding."""
        wish = self.centre + self.sigma * self.layout.gradient(self.functions)
        read = self.layout.read(along)
        level, bend = float(np.vdot(self.V, along)), float(np.vdot(direction, along))

        def slope(length: float) -> float:
            answer = np.clip(wish - (length * self.sigma) * read, 0.0, self.upper)
            return level + length * bend - float(np.vdot(answer, read))

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
    solve_free(np.eye(2), np.arange(2), np.zeros(2, np.int64), np.eye(1), 1.0, np.ones(2))
