"""Phase SPLITTING: bursts of ADMM over a factor of the kernel, K ~ V V' (Boyd et al. 2011, section 3.1).

Every step moves all variables and costs two products with the factor. The dual is split into the weights z of a
feasible alpha, computed example by example, and the weights `target`, a proximal step for the quadratic form of the
kernel, computed with (K + rho I)^-1; u is the scaled multiplier of target = z. Errors that many examples share
vanish in a few steps, while blocks are slow to remove them. Errors of single examples stay, and blocks remove these. A
smaller rho removes shared errors faster and needs more columns.
"""

from __future__ import annotations

import numpy as np

from mcsvm.solvers.budget import Budget
from mcsvm.solvers.dense.cholesky import factored, forward
from mcsvm.solvers.dual.geometry import BOX, SUMS
from mcsvm.solvers.dual.quantities import gradients, weights_of
from mcsvm.solvers.factor.normal import Columns
from mcsvm.solvers.interrupt import tick
from mcsvm.solvers.jit import splitting
from mcsvm.solvers.jit.rounding import SINGLE
from mcsvm.solvers.methods.base import Point
from mcsvm.solvers.problem import Part
from mcsvm.solvers.work import PLACE, VALUE, pieces


def applies(part: Part) -> bool:
    """Return whether jit/splitting.py has the step of the part.

    It has no step for an equality, nor for a machine with both an own slot and f_y in its other slots.
    """
    rule = part.form.rule
    return part.geometry in (BOX, SUMS) and not (rule.own != 0.0 and rule.cross != 0.0)


def weights_up_to_constants(part: Part, alpha: np.ndarray) -> np.ndarray:
    """Return the (n, outputs) weights of alpha, up to a constant per example that centred functions do not read."""
    rule, own = part.form.rule, np.flatnonzero(part.labels < part.form.slots)
    labels = part.labels[own]
    made = np.multiply(rule.other, alpha, order="C")
    made[own, labels] = rule.own * alpha[own, labels] + rule.cross * alpha[own].sum(axis=1)
    return made


def penalty_for(part: Part, state: Point, budget: Budget) -> float:
    """Return rho = admm_stiffness |functions| / |weights| at the current point."""
    made = float(np.linalg.norm(weights_up_to_constants(part, state.alpha)))
    return budget.admm_stiffness * float(np.linalg.norm(state.functions)) / max(made, 1e-300)


class Splitting:
    """A burst. `half` is (n, columns), float32: half half' = V (rho + V'V)^-1 V' = 1 - rho (V V' + rho)^-1."""

    def __init__(self, part: Part, rho: float, columns: Columns, half: np.ndarray) -> None:
        self.part, self.rho, self.columns, self.half = part, rho, columns, half

    @classmethod
    def prepare(cls, part: Part, rho: float, rank: int) -> Splitting:
        columns = Columns(part.gram, part.offset, exact=False, cap=rank)
        columns.use(rank)  # other phases may have grown the factor further; results must not depend on it
        square = columns.square()
        square[np.diag_indices_from(square)] += rho
        factor = factored(square)
        assert factor is not None, "rho > 0"
        half = np.empty((len(part), columns.width), np.float32)
        for rows in pieces(len(part), 4.0 * columns.width * (columns.width + VALUE)):
            tick()
            half[rows] = forward(factor[0].T, columns.gather(np.arange(rows.start, rows.stop))).T
        return cls(part, rho, columns, half)

    def centre(self, table: np.ndarray) -> tuple[np.ndarray, np.ndarray | float]:
        """Return (table minus its mean over outputs, that mean) if functions are centred, else (table, 0)."""
        if not self.part.form.centred:
            return table, 0.0
        mean = table.mean(axis=1, keepdims=True)
        return table - mean, mean

    def kernel_update(self, pull: np.ndarray) -> np.ndarray:
        """Return rho (K + rho I)^-1 pull."""
        pull, mean = self.centre(pull)
        n, outputs = pull.shape
        reduced = np.empty((self.half.shape[1], outputs), np.float32)
        for columns in pieces(self.half.shape[1], n * (8.0 + 2.0 * outputs)):
            np.matmul(self.half[:, columns].T, pull, out=reduced[columns])
            tick()
        moved = np.empty((n, outputs), np.float32)
        for rows in pieces(n, self.half.shape[1] * (8.0 + 2.0 * outputs)):
            tick()
            np.matmul(self.half[rows], reduced, out=moved[rows])
        return pull - moved + mean

    def run(self, point: Point, budget: Budget) -> bool:
        """Run ADMM steps, then move `point` towards their alpha while the dual rises; return whether it moved."""
        part, form = self.part, self.part.form
        z, u, pull = self._begin(point)
        alpha = np.empty(point.alpha.shape, np.float32)
        sums = part.geometry.sums
        for _ in range(budget.admm_steps):
            tick()
            target = self.kernel_update(pull + z - u)
            target = np.float32(budget.admm_relaxation) * target + np.float32(1.0 - budget.admm_relaxation) * z
            for i in pieces(len(part), PLACE * z.shape[1]):
                tick()
                splitting.example_steps(
                    form.rule, sums, part.labels[i], part.upper[i], self.rho, target[i], z[i], u[i], alpha[i]
                )
        return move_towards(part, point, onto_bounds(part, alpha.astype(np.float64)))

    def _begin(self, point: Point) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return (z, u, pull) at the point.

        pull = (functions by the factor - exact functions) / rho makes the steps exact at the point.
        """
        made = weights_up_to_constants(self.part, point.alpha)
        by_factor, _ = self.centre(self.columns.functions(made))
        tables = made, -point.functions / self.rho, (by_factor - point.functions) / self.rho
        z, u, pull = (np.asarray(table, np.float32, order="C") for table in tables)
        return z, u, pull


def move_towards(part: Part, point: Point, alpha: np.ndarray) -> bool:
    """Move to the point of largest dual between `point` and alpha; return whether it moved.

    The point changes at the end, after the last tick.
    """
    step = alpha - point.alpha
    weights = weights_of(part, alpha)
    constant = point.constant + part.offset * (weights - weights_of(part, point.alpha)).sum(axis=0)
    tick()
    functions = part.gram.products(weights) + constant
    tick()
    before = float(np.vdot(gradients(part, point.functions), step))
    after = float(np.vdot(gradients(part, functions), step))
    share = 1.0 if before + after >= 0.0 else max(0.0, before / (before - after))
    point.alpha += share * step
    point.functions += share * (functions - point.functions)
    point.constant = point.constant + share * (constant - point.constant)
    return share > 0.0


def onto_bounds(part: Part, alpha: np.ndarray) -> np.ndarray:
    """Return alpha with variables (sums) that are within single precision of a bound put onto it."""
    geometry, upper = part.geometry, part.upper[:, None]
    return geometry.within(geometry.snapped(alpha, upper, SINGLE), upper)
