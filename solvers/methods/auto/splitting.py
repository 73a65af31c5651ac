"""ADMM over a factor of the kernel: all variables move in every step, which costs two products with the factor.

The dual is split into the functions that variables within their bounds make (z, found example by example) and those
that the kernel's quadratic form wants (`wanted`, found by (K + rho I)^-1, the same in all steps); u is the scaled
multiplier of wanted = z (Boyd et al. 2011, section 3.1). Errors that many examples share vanish in a few steps, where
blocks of few examples see least of them; errors of single examples stay, and blocks see these best. Small rho does the
first better and needs more columns.
"""

from __future__ import annotations

import numpy as np

from solvers.budget import BUDGET
from solvers.dense.cholesky import factored, forward
from solvers.dual.geometry import BOX, SUMS
from solvers.dual.quantities import gradients, weights_of
from solvers.factor.normal import Columns
from solvers.jit import splitting
from solvers.jit.rounding import SINGLE
from solvers.methods.base import Point
from solvers.problem import Part
from solvers.work import PIECE, PLACE, VALUE, Work, pieces


def applies(part: Part) -> bool:
    """Without an equality; where an example's variables share a class function, it is that of its class alone."""
    rule = part.form.rule
    return part.geometry in (BOX, SUMS) and not (rule.own != 0.0 and rule.before != 0.0)


def weights_up_to_constants(part: Part, alpha: np.ndarray) -> np.ndarray:
    """(n, outputs): the weights, up to a constant per example where functions sum to zero and do not see it."""
    rule, own = part.form.rule, np.flatnonzero(part.labels < part.form.slots)
    labels = part.labels[own]
    made = np.multiply(rule.other, alpha, order="C")
    made[own, labels] = rule.own * alpha[own, labels] + rule.before * alpha[own].sum(axis=1)
    return made


def penalty_for(part: Part, state: Point) -> float:
    """rho for this problem, from how large functions and variables have become."""
    made = float(np.linalg.norm(weights_up_to_constants(part, state.alpha)))
    return BUDGET.admm_stiffness * float(np.linalg.norm(state.functions)) / max(made, 1e-300)


class Splitting:
    """half half' = V (rho + V'V)^-1 V' in single precision, (n, columns); V itself is in the factor."""

    def __init__(self, part: Part, rho: float, columns: Columns, half: np.ndarray) -> None:
        self.part, self.rho, self.columns, self.half = part, rho, columns, half

    @classmethod
    def prepare(cls, part: Part, rho: float, rank: int) -> Work[Splitting]:
        columns = Columns(part.gram, part.offset, exact=False, cap=rank)
        yield from columns.use(rank)  # the same bits, however far other phases let the factor grow
        square = yield from columns.square()
        square[np.diag_indices_from(square)] += rho
        factor = yield from factored(square)
        assert factor is not None, "rho > 0"
        half = np.empty((len(part), columns.width), np.float32)
        for rows in pieces(len(part), 4.0 * columns.width * (columns.width + VALUE)):
            yield
            half[rows] = forward(factor[0].T, columns.gather(np.arange(rows.start, rows.stop))).T
        return cls(part, rho, columns, half)

    def centre(self, table: np.ndarray) -> tuple[np.ndarray, np.ndarray | float]:
        """Less the mean over the functions, to which the kernel is blind where they sum to zero; and that mean."""
        if not self.part.form.centred:
            return table, 0.0
        mean = table.mean(axis=1, keepdims=True)
        return table - mean, mean

    def kernel_update(self, pull: np.ndarray) -> Work[np.ndarray]:
        """rho (K + rho I)^-1 pull."""
        pull, mean = self.centre(pull)
        n, outputs = pull.shape
        reduced = np.empty((self.half.shape[1], outputs), np.float32)
        for columns in pieces(self.half.shape[1], n * (8.0 + 2.0 * outputs)):
            np.matmul(self.half[:, columns].T, pull, out=reduced[columns])
            if columns.stop < self.half.shape[1]:
                yield
        moved = np.empty((n, outputs), np.float32)
        for rows in pieces(n, self.half.shape[1] * (8.0 + 2.0 * outputs)):
            if rows.start:
                yield
            np.matmul(self.half[rows], reduced, out=moved[rows])
        return pull - moved + mean

    def run(self, point: Point, steps: int = BUDGET.admm_steps) -> Work[bool]:
        """ADMM steps from the point, exact there; moves it as far as the dual rises, and returns whether that is."""
        part, form = self.part, self.part.form
        z, u, pull = yield from self._begin(point)
        alpha = np.empty(point.alpha.shape, np.float32)
        sums, done = part.geometry.sums, 0.0
        cost = len(part) * (self.half.shape[1] * (16.0 + 4.0 * z.shape[1]) + PLACE * z.shape[1])
        for _ in range(steps):
            done += cost
            if done > PIECE:
                done = 0.0
                yield
            wanted = yield from self.kernel_update(pull + z - u)
            wanted = np.float32(BUDGET.admm_relaxation) * wanted + np.float32(1.0 - BUDGET.admm_relaxation) * z
            for i in pieces(len(part), PLACE * z.shape[1]):
                if i.start:
                    yield
                splitting.settle(
                    form.rule, sums, part.labels[i], part.upper[i], self.rho, wanted[i], z[i], u[i], alpha[i]
                )
        return (yield from move_towards(part, point, onto_bounds(part, alpha.astype(np.float64))))

    def _begin(self, point: Point) -> Work[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """z, u and the difference of the factor's functions and the exact ones."""
        made = weights_up_to_constants(self.part, point.alpha)
        by_factor, _ = self.centre((yield from self.columns.functions(made)))
        tables = made, -point.functions / self.rho, (by_factor - point.functions) / self.rho
        z, u, pull = (np.asarray(table, np.float32, order="C") for table in tables)
        return z, u, pull


def move_towards(part: Part, point: Point, alpha: np.ndarray) -> Work[bool]:
    """To alpha, if the dual is not lower there, else as far towards it as the dual rises; whether anywhere.

    The point is changed at the end, after the last interruption.
    """
    step = alpha - point.alpha
    weights = weights_of(part, alpha)
    constant = point.constant + part.offset * (weights - weights_of(part, point.alpha)).sum(axis=0)
    yield
    functions = (yield from part.gram.products(weights)) + constant
    yield
    before = float(np.vdot(gradients(part, point.functions), step))
    after = float(np.vdot(gradients(part, functions), step))
    share = 1.0 if before + after >= 0.0 else max(0.0, before / (before - after))
    point.alpha += share * step
    point.functions += share * (functions - point.functions)
    point.constant = point.constant + share * (constant - point.constant)
    return share > 0.0


def onto_bounds(part: Part, alpha: np.ndarray) -> np.ndarray:
    """Onto the bounds: in single precision nothing is quite there."""
    geometry, upper = part.geometry, part.upper[:, None]
    return geometry.within(geometry.snapped(alpha, upper, SINGLE), upper)
