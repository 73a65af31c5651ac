"""The way along the central path: Mehrotra's predictor and corrector, with further corrections of what strays.

minimise 1/2 x'Qx - m'x subject to x >= 0, totals <= U (each variable, or the sum of an example), for an exact bias
sum_i W_i = 0. z, w are the multipliers of the bounds, t what is left of each total. The start keeps the equality, and
so does every step.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from solvers.dual.balance import level
from solvers.factor.layout import Layout
from solvers.factor.normal import Columns, Diagonal, normals_for

TO_THE_EDGE = 0.995
BLOCKED = 1e-6  # a step this short leads nowhere
LOST = 0.1  # of what the gradients are off by, or the gap lets them be: there rounding has won
REFINEMENTS = 3
COARSE = 0.1  # of what the gradients are off by: an error of the class functions that does not matter
EXACTLY = 1e-12  # share of the right side that a Newton system may be off by
CORRECTIONS = 3  # of stray products (Gondzio), as long as they lengthen the step
STRAY = 0.1  # products between this share of the mean and its inverse stay as they are


@dataclass
class Point:
    x: np.ndarray
    z: np.ndarray
    t: np.ndarray
    w: np.ndarray
    b: np.ndarray  # (outputs,) the multipliers of the equality

    def ahead(self, step: Point, length: float) -> Point:
        pairs = zip(vars(self).values(), vars(step).values(), strict=True)
        return Point(*(value + length * change for value, change in pairs))

    def products(self) -> float:
        return float(np.vdot(self.x, self.z) + np.vdot(self.t, self.w))

    def room(self, step: Point) -> float:
        """The longest step, up to 1, that keeps everything positive."""
        longest = 1.0
        for value, change in ((self.x, step.x), (self.z, step.z), (self.t, step.t), (self.w, step.w)):
            steepest = float((change / value).min())
            longest = min(longest, -1.0 / steepest) if steepest < 0.0 else longest
        return longest


class Path:
    def __init__(self, layout: Layout, columns: Columns, given: np.ndarray) -> None:
        self.layout, self.columns, self.given = layout, columns, given
        self.normals = normals_for(layout, columns)

    # -- what a point says ------------------------------------------------------------------------

    def functions(self, weights: np.ndarray) -> np.ndarray:
        """By V in place of K, with what is given from outside."""
        return self.columns.functions(weights) + self.given

    def mean(self, point: Point) -> float:
        return point.products() / self.layout.pairs

    def start(self) -> Point:
        """Halfway between the bounds, all products alike: better than small x, far off as the gradients then are."""
        layout = self.layout
        x = 0.5 * self._even()
        t = layout.upper - layout.total(x)
        mean = float((layout.margin * layout.upper).mean())
        return Point(x, mean / x, t, mean / t, np.zeros(self.given.size))

    def _even(self) -> np.ndarray:
        """A point in the middle of the bounds; for an exact bias one of equal totals in all classes, which balance."""
        layout = self.layout
        shape = layout.upper / (layout.slot.shape[1] if layout.sums else 1.0)
        if self.columns.exact:
            shape = level(layout.part)[:, None]
        return np.repeat(shape, layout.slot.shape[1], axis=1)

    # -- a step -----------------------------------------------------------------------------------

    def advance(self, point: Point, goal: float) -> Point | None:
        """The next point, or None where Newton systems fail in every form or the way is blocked.

        A coarse kernel does while the gradients are far off; towards the end it is as fine as `goal` asks for.
        """
        weights = self.layout.weights(point.x)
        residual = self._residual(point, weights)
        off_by = max(goal, float(np.abs(residual).max()))
        self.columns.suffice(weights, COARSE * off_by)
        bearable = LOST * max(off_by, self.mean(point) / float(point.x.mean()))  # it costs as much as the gap has
        diagonal = Diagonal(self.layout, point.z / point.x, point.w / point.t)
        while self.normals:
            self.normal, self.error = self.normals[0], 0.0
            after = self._step(point, weights, diagonal) if self.normal.prepare(diagonal) else None
            if after is not None and self.error <= bearable:
                return after
            del self.normals[0]
        return None

    def _step(self, point: Point, weights: np.ndarray, diagonal: Diagonal) -> Point | None:
        residual = self._residual(point, weights)
        off = -weights.sum(axis=0)
        mean = self.mean(point)

        def direction(toward_x: np.ndarray, toward_t: np.ndarray, share: float) -> Point:
            return self._direction(diagonal, share * residual, share * off, toward_x, toward_t)

        step = direction(-point.z, -point.w, 1.0)
        length = point.room(step)
        after = point.ahead(step, length)
        centre = mean * (self.mean(after) / mean) ** 3
        more = direction((centre - step.x * step.z) / point.x, (centre - step.t * step.w) / point.t, 0.0)
        step = step.ahead(more, 1.0)
        length = point.room(step)
        for _ in range(CORRECTIONS):
            wanted = min(1.0, 1.5 * length + 0.3)
            after = point.ahead(step, wanted)
            more = direction(
                stray(after.x * after.z, centre) / point.x, stray(after.t * after.w, centre) / point.t, 0.0
            )
            other = step.ahead(more, 1.0)
            longer = point.room(other)
            if longer < length + 0.1 * (wanted - length) or longer <= length:
                break
            step, length = other, longer
        length = min(1.0, TO_THE_EDGE * length)
        return point.ahead(step, length) if length > BLOCKED else None

    def _residual(self, point: Point, weights: np.ndarray) -> np.ndarray:
        return -self.layout.gradient(self.functions(weights) + point.b) - point.z + point.w

    def _direction(
        self,
        diagonal: Diagonal,
        residual: np.ndarray,
        off: np.ndarray,
        toward_x: np.ndarray,
        toward_t: np.ndarray,
    ) -> Point:
        x, b = self._solve(diagonal, toward_x - toward_t - residual, off)
        t = -self.layout.total(x)
        return Point(x, toward_x - diagonal.own * x, t, toward_t - diagonal.bound * t, b)

    def _solve(self, diagonal: Diagonal, right: np.ndarray, off: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(Q + D) x + read(b) = right, and for an exact bias sum of weights(x) = off; refined while that helps."""
        layout, columns = self.layout, self.columns
        x, b = np.zeros_like(right), np.zeros(off.size)
        rest, rest_off, left = right, off, np.inf
        enough = EXACTLY * float(np.abs(right).max())
        for _ in range(1 + REFINEMENTS):
            dx, db = self._solve_roughly(diagonal, rest, rest_off)
            weights = layout.weights(x + dx)
            trial = right - diagonal.times(x + dx) - layout.read(columns.functions(weights) + b + db)
            if not float(np.abs(trial).max()) < left:
                break
            x, b, rest, rest_off = x + dx, b + db, trial, off - weights.sum(axis=0)
            left = float(np.abs(rest).max())
            if left <= enough:
                break
        self.error = max(self.error, left)
        return x, b

    def _solve_roughly(self, diagonal: Diagonal, right: np.ndarray, off: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        layout, columns = self.layout, self.columns
        inside = diagonal.solve(right)
        pull = columns.reduce(layout.weights(inside))
        if columns.exact:
            pull[0] -= off
        u = self.normal.solve(pull)
        b = u[0] if columns.exact else np.zeros(off.size)
        return inside - diagonal.solve(layout.read(columns.V @ u)), b


def stray(products: np.ndarray, centre: float) -> np.ndarray:
    """What would bring products outside the band around `centre` back to it, bounded from below."""
    low, high = STRAY * centre, centre / STRAY
    change = np.where(products < low, low - products, np.where(products > high, high - products, 0.0))
    return np.maximum(change, -high)
