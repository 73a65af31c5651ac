"""The central path: Mehrotra's predictor and corrector with further centrality corrections (Gondzio 1996).

minimise 1/2 x'Qx - m'x subject to x >= 0, totals <= U (each variable, or the sum of an example), and for an exact bias
sum_i W_i = 0. z and w are the multipliers of the bounds, t is the slack of each total. The start satisfies the
equality, and steps keep it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mcsvm.solvers.budget import PATH
from mcsvm.solvers.dual.balance import even_values
from mcsvm.solvers.factor.layout import Layout
from mcsvm.solvers.factor.normal import DIAGONALS, Columns, Diagonal, normals_for
from mcsvm.solvers.interrupt import tick
from mcsvm.solvers.jit.rounding import ROUNDING


@dataclass
class PathPoint:
    """A point of the path, or a step along it."""

    x: np.ndarray  # (n, q), see Layout
    z: np.ndarray  # (n, q)
    t: np.ndarray  # (n, q) or (n, 1)
    w: np.ndarray  # as t
    b: np.ndarray  # (outputs,) the multipliers of the equality

    def ahead(self, step: PathPoint, length: float) -> PathPoint:
        pairs = zip(vars(self).values(), vars(step).values(), strict=True)
        return PathPoint(*(value + length * change for value, change in pairs))

    def products(self) -> float:
        return float(np.vdot(self.x, self.z) + np.vdot(self.t, self.w))

    def longest(self, step: PathPoint) -> float:
        """Return the longest step, up to 1, that keeps everything positive."""
        longest = 1.0
        for value, change in ((self.x, step.x), (self.z, step.z), (self.t, step.t), (self.w, step.w)):
            steepest = float((change / value).min())
            longest = min(longest, -1.0 / steepest) if steepest < 0.0 else longest
        return longest


class Path:
    """The path on V V'. `failed` counts the forms of the Newton system that have failed.

    Callers keep it in the State.
    """

    def __init__(self, layout: Layout, columns: Columns, given: np.ndarray, failed: int = 0) -> None:
        self.layout, self.columns, self.given, self.failed = layout, columns, given, failed
        self.normals = normals_for(layout, columns)

    # -- a point ----------------------------------------------------------------------------------

    def functions(self, weights: np.ndarray) -> np.ndarray:
        """Return the class functions by V V' in place of K, with the constant given from outside."""
        return self.columns.functions(weights) + self.given

    def mean(self, point: PathPoint) -> float:
        """Return the mean complementarity product."""
        return point.products() / self.layout.pairs

    def start(self) -> PathPoint:
        """Return half of `_even`, with equal complementarity products.

        Starts near zero were slower, because their gradients are far off.
        """
        layout = self.layout
        x = 0.5 * self._even()
        t = layout.upper - layout.total(x)
        mean = float((layout.margin * layout.upper).mean())
        return PathPoint(x, mean / x, t, mean / t, np.zeros(self.given.size))

    def _even(self) -> np.ndarray:
        """Return the largest x with equal variables in each example.

        For an exact bias also with equal sums of all classes.
        """
        layout = self.layout
        values = layout.part.geometry.even(layout.upper, layout.slot.shape[1])
        if self.columns.exact:
            values = even_values(layout.part)[:, None]
        return np.repeat(values, layout.slot.shape[1], axis=1)

    # -- a step -----------------------------------------------------------------------------------

    def advance(self, point: PathPoint, goal: float) -> PathPoint | None:
        """Return the next point, or None if every form of the Newton system fails or the path is blocked.

        The factor gets more columns as the dual residual falls, until its error is below PATH.rest * goal.
        """
        weights = self.layout.weights(point.x)
        residual = self._residual(point, weights)
        off_by = max(goal, float(np.abs(residual).max()))
        self.columns.suffice(weights, PATH.rest * off_by)
        bearable = PATH.bearable * max(off_by, self.mean(point) / float(point.x.mean()))
        diagonal = DIAGONALS[self.layout.part.geometry](point.z / point.x, point.w / point.t)
        for failed in range(self.failed, len(self.normals)):
            self.normal, self.error = self.normals[failed], 0.0
            tick()
            prepared = self.normal.prepare(diagonal)
            after = self._step(point, weights, diagonal) if prepared else None
            if after is not None and self.error <= bearable:
                self.failed = failed
                return after
        self.failed = len(self.normals)
        return None

    def _step(self, point: PathPoint, weights: np.ndarray, diagonal: Diagonal) -> PathPoint | None:
        residual = self._residual(point, weights)
        off = -weights.sum(axis=0)
        mean = self.mean(point)

        def direction(toward_x: np.ndarray, toward_t: np.ndarray, share: float) -> PathPoint:
            return self._direction(diagonal, share * residual, share * off, toward_x, toward_t)

        step = direction(-point.z, -point.w, 1.0)
        tick()
        length = point.longest(step)
        after = point.ahead(step, length)
        centre = mean * (self.mean(after) / mean) ** 3
        del after
        tick()
        more = direction((centre - step.x * step.z) / point.x, (centre - step.t * step.w) / point.t, 0.0)
        tick()
        step = step.ahead(more, 1.0)
        length = point.longest(step)
        for _ in range(PATH.corrections):
            factor, extra = PATH.longer
            wanted = min(1.0, factor * length + extra)
            tick()
            after = point.ahead(step, wanted)
            toward_x, toward_t = (
                outside(after.x * after.z, centre) / point.x,
                outside(after.t * after.w, centre) / point.t,
            )
            del after
            more = direction(toward_x, toward_t, 0.0)
            tick()
            other = step.ahead(more, 1.0)
            longer = point.longest(other)
            if longer < length + PATH.gained * (wanted - length) or longer <= length:
                break
            step, length = other, longer
        length = min(1.0, PATH.boundary * length)
        return point.ahead(step, length) if length > PATH.shortest else None

    def _residual(self, point: PathPoint, weights: np.ndarray) -> np.ndarray:
        functions = self.functions(weights)
        return -self.layout.gradient(functions + point.b) - point.z + point.w

    def _direction(
        self,
        diagonal: Diagonal,
        residual: np.ndarray,
        off: np.ndarray,
        toward_x: np.ndarray,
        toward_t: np.ndarray,
    ) -> PathPoint:
        x, b = self._solve(diagonal, toward_x - toward_t - residual, off)
        tick()
        t = -self.layout.total(x)
        return PathPoint(x, toward_x - diagonal.own * x, t, toward_t - diagonal.bound * t, b)

    def _solve(self, diagonal: Diagonal, right: np.ndarray, off: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Solve (Q + D) x + read(b) = right by iterative refinement, for an exact bias with sum of weights(x) = off."""
        layout, columns = self.layout, self.columns
        x, b = np.zeros_like(right), np.zeros(off.size)
        rest, rest_off, left = right, off, np.inf
        enough = ROUNDING * float(np.abs(right).max())
        for _ in range(2):  # the solution, and one step of iterative refinement
            dx, db = self._solve_once(diagonal, rest, rest_off)
            tick()
            weights = layout.weights(x + dx)
            functions = columns.functions(weights)
            tick()
            trial = right - diagonal.times(x + dx) - layout.read(functions + b + db)
            if not float(np.abs(trial).max()) < left:
                break
            x, b, rest, rest_off = x + dx, b + db, trial, off - weights.sum(axis=0)
            left = float(np.abs(rest).max())
            if left <= enough:
                break
            tick()
        self.error = max(self.error, left)
        return x, b

    def _solve_once(self, diagonal: Diagonal, right: np.ndarray, off: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        layout, columns = self.layout, self.columns
        inside = diagonal.solve(right)
        tick()
        pull = columns.reduce(layout.weights(inside))
        if columns.exact:
            pull[0] -= off
        u = self.normal.solve(pull)
        tick()
        b = u[0] if columns.exact else np.zeros(off.size)
        read = layout.read(columns.expand(u))
        tick()
        return inside - diagonal.solve(read), b


def outside(products: np.ndarray, centre: float) -> np.ndarray:
    """Return the change that brings products back into the band [band * centre, centre / band].

    The change is at least -centre / band.
    """
    low, high = PATH.band * centre, centre / PATH.band
    change = np.where(products < low, low - products, np.where(products > high, high - products, 0.0))
    return np.maximum(change, -high)
