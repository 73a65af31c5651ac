"""The proximal step in the variables themselves, on a whole kernel matrix, for all costs of a fold and gamma.

Coordinates are u, (n, variables of an example), with f = K weights(u); at the optimum x(f) = u. Newton systems have the
size of the free variables, and one factor serves several of them (system.py). Products are computed for changed
variables only, and slopes take one compiled pass without x. Inside, class functions are (outputs, n), so that products
run along examples.
"""

from __future__ import annotations

import numpy as np

from mcsvm.solvers.budget import RISING
from mcsvm.solvers.dual.geometry import BOX
from mcsvm.solvers.dual.quantities import weights_of
from mcsvm.solvers.factor.layout import Layout
from mcsvm.solvers.jit import newton
from mcsvm.solvers.methods.proximal import Iterate, NewtonStep, ProximalStep, SearchLine
from mcsvm.solvers.problem import Part
from mcsvm.solvers.selection.trials.shared import SharedGram
from mcsvm.solvers.selection.trials.system import VariableSystem


class VariableStep(ProximalStep):
    """`reached` and `violation` are the class functions and the KKT violation of the x that `close` examined last."""

    flat = 0.1  # less than PROXIMAL.flat: a slope costs one compiled pass, far less than a Newton step
    reached: np.ndarray
    violation: float

    def __init__(self, part: Part, gram: SharedGram, x: np.ndarray, sigma: float, tolerance: float) -> None:
        super().__init__(part, x, sigma)
        self.gram, self.tolerance, self.layout = gram, tolerance, Layout.of(part)
        self.upper = part.upper[:, None]
        directions = part.form.direction.reshape(-1, part.form.outputs)
        self.couplings = directions @ directions.T
        self.kinds = part.labels[:, None] * part.form.slots + self.layout.slot
        self.system: VariableSystem | None = None

    def resume(self, chosen: np.ndarray, ridge: float) -> None:
        """Restore the last factor of the step before, or rebuild it for these variables: it may serve here too."""
        self.system = self.part.kept.get("system")
        if self.system is None and chosen.size:
            self.system = self.factored(chosen, ridge)

    # -- class functions --------------------------------------------------------------------------

    def gradient(self, functions: np.ndarray) -> np.ndarray:
        """Return the gradient of all variables."""
        out = np.empty(self.anchor.shape)
        newton.gradients(self.part.form.rule, functions.T, self.part.labels, self.layout.slot, out)
        return out

    def read(self, functions: np.ndarray) -> np.ndarray:
        """Return <direction, f> for each variable."""
        return self.layout.margin - self.gradient(functions)

    def unclipped(self, functions: np.ndarray) -> np.ndarray:
        """Return anchor + sigma gradient, whose projection onto the box is x."""
        return np.asarray(self.anchor + self.sigma * self.gradient(functions))

    def add_products(self, change: np.ndarray, functions: np.ndarray) -> None:
        part = self.part
        newton.add_products(part.form.rule, self.gram.matrix, part.labels, self.layout.slot, change, functions.T)

    # -- the step ---------------------------------------------------------------------------------

    def begin(self) -> Iterate:
        """Start from the anchor, by a Newton step that keeps its free variables free."""
        functions = self.gram.products(weights_of(self.part, self.layout.table(self.anchor)))
        start = self.at(self.anchor, functions)
        step, along = self.solved(self.free(self.anchor), self.gradient(functions))
        move = self.move(start, step, along)
        return self.search(start, move) if move.slope < 0.0 else start

    def at(self, point: np.ndarray, functions: np.ndarray) -> Iterate:
        x = np.clip(self.unclipped(functions), 0.0, self.upper)
        return Iterate(point, functions, x, x, np.empty(0, dtype=bool))

    def free(self, alpha: np.ndarray) -> np.ndarray:
        return BOX.free(alpha, self.upper)

    def residual(self, trial: Iterate) -> np.ndarray:
        return trial.alpha - trial.point

    def expand(self, coordinates: np.ndarray) -> np.ndarray:
        functions = np.zeros((self.part.form.outputs, len(self.part))).T
        self.add_products(coordinates, functions)
        return functions

    def close(self, trial: Iterate, residual: np.ndarray, lacking: np.ndarray) -> bool:
        self.reached = trial.functions + lacking
        self.violation = BOX.violation(self.gradient(self.reached), trial.alpha, self.upper)
        near = RISING.close * max(self.tolerance, self.away(trial))
        return self.violation <= self.tolerance or float(np.abs(self.read(lacking)).max()) <= near

    def newton(self, trial: Iterate, residual: np.ndarray, lacking: np.ndarray) -> NewtonStep | None:
        step, along = self.solved(self.free(trial.alpha), -self.read(lacking))
        return self.move(trial, residual + step, lacking + along)

    def move(self, trial: Iterate, direction: np.ndarray, along: np.ndarray) -> NewtonStep:
        read = self.read(along)
        return NewtonStep(direction, along, read, read, -float(np.vdot(trial.alpha - trial.point, read)))

    def line(self, trial: Iterate, move: NewtonStep) -> ClippedLine:
        return ClippedLine(self, trial, move)

    # -- Newton systems ---------------------------------------------------------------------------

    def solved(self, free: np.ndarray, residual: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return (change of the free variables that lowers their gradients by `residual`, its products with K)."""
        chosen, lack = np.flatnonzero(free), residual
        step, along = np.zeros(residual.shape), np.zeros((self.part.form.outputs, len(self.part))).T
        for _ in range(RISING.refinements if chosen.size else 0):
            more = np.zeros(residual.shape)
            more.ravel()[chosen] = self.system_of(chosen).solve(chosen, lack.ravel()[chosen])
            step += more
            self.add_products(more, along)
            lack = residual - self.read(along) - step / self.sigma
            if np.abs(lack.ravel()[chosen]).max() <= RISING.sharp * np.abs(residual.ravel()[chosen]).max():
                break
        return step, along

    def system_of(self, chosen: np.ndarray) -> VariableSystem:
        """Return the last factor if the chosen variables differ from its own by a few, else a new one."""
        if self.system is None or not self.system.near(chosen, 1.0 / self.sigma):
            self.system = self.factored(chosen, 1.0 / self.sigma)
        return self.system

    def factored(self, chosen: np.ndarray, ridge: float) -> VariableSystem:
        return VariableSystem(self.gram.matrix, self.kinds, self.couplings, ridge, chosen)


class ClippedLine(SearchLine):
    def __init__(self, step: VariableStep, start: Iterate, move: NewtonStep) -> None:
        super().__init__(step, start, move)
        self.sigma, self.upper, self.unclipped = step.sigma, step.part.upper, step.unclipped(start.functions)
        self.level, self.bend = float(np.vdot(start.point, move.seen)), float(np.vdot(move.direction, move.seen))

    def slope(self, length: float) -> float:
        clipped: float = newton.clipped_product(self.unclipped, self.move.seen, self.sigma * length, self.upper)
        return self.level + length * self.bend - clipped

    def end(self, length: float) -> Iterate:
        return self.ahead(length)
