"""The feasible sets: Box (0 <= alpha_ip <= U_i), Sums (alpha >= 0, sum_p alpha_ip <= U_i) and Line.

Line is the box of a binary machine with an exact bias: sum_i s_i alpha_i = 0, where s is the sign of the direction. A
part has one of the three (`part.geometry`). Joint machines with an exact bias have Box or Sums, and `part.balanced`
adds the equality sum_i W_i = 0. A method whose steps depend on the feasible set has a table with a row for each set.

A variable is at its bound if it equals the bound. A sum is at its bound if it exceeds the share AT_BOUND of the bound
(jit/bound.py says why). `alpha` is (n, slots), `upper` is (n,) or (n, 1); methods of Box on single variables also
accept two arrays of equal shape.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from mcsvm.solvers.interrupt import tick
from mcsvm.solvers.jit import block, scan, sums
from mcsvm.solvers.jit.bound import AT_BOUND
from mcsvm.solvers.jit.linear.system import respond
from mcsvm.solvers.jit.rounding import ROUNDING
from mcsvm.solvers.work import strips

STRIP = 4096  # examples of a table that are transposed at once: 32 kB per class, which stays in cache

if TYPE_CHECKING:
    from mcsvm.solvers.machines import DualForm
    from mcsvm.solvers.problem import Part


class Geometry(ABC):
    """One feasible set, without any state: BOX, SUMS and LINE are the only instances."""

    title: ClassVar[str]  # in sentences: "{method} has no steps for {title}"
    sums: ClassVar[bool]  # whether the bound is on the sum of an example's variables; passed to compiled loops
    scanned: ClassVar[Callable[..., float]]  # the compiled loop of `scan`; `examined` is that of `examine`
    examined: ClassVar[Callable[..., tuple[float, float, float]]]

    def __reduce__(self) -> str:
        """Return the name of the constant, so that a pickled problem is loaded with the same instance."""
        return type(self).__name__.upper()

    # -- violations -------------------------------------------------------------------------------

    def scan(self, part: Part, alpha: np.ndarray, functions: np.ndarray, own: np.ndarray, worst: np.ndarray) -> float:
        """Return the KKT violation, and write that of every example into `worst`, (n,); `own`, (n,), is work space.

        alpha and functions are in Fortran order. With Line, `worst` is signed: positive if beta should rise.
        """
        return float(self.scanned(part.form.rule, functions.T, alpha.T, part.labels, part.upper, own, worst))

    def examine(
        self, part: Part, alpha: np.ndarray, functions: np.ndarray, bias: np.ndarray | None, violations: np.ndarray
    ) -> tuple[float, float, float]:
        """Return (violation, loss, linear term of the dual) at functions + bias, and fill `violations` by example.

        If `bias` is None, the functions already include b.
        """
        violation = loss = linear = 0.0
        for some in strips(len(part)):
            tick()
            with_b = functions[some] if bias is None else functions[some] + bias
            tables = _by_class(with_b), _by_class(alpha[some])
            found, loss, linear = self.examined(
                part.form.rule, *tables, part.labels[some], part.upper[some], violations[some], loss, linear
            )
            violation = max(violation, found)
        return violation, loss, linear

    def unclear(self, part: Part, alpha: np.ndarray, functions: np.ndarray, error: np.ndarray) -> np.ndarray:
        """Return the indices of the examples that may have a violation or a loss within the given errors.

        `functions` include b. `error` bounds the error of an example's gradients; it is relevant only if it is positive
        and alpha is zero.
        """
        top = np.empty(len(part))
        block.steepest(part.form.rule, _by_class(functions), part.labels, part.form.slots, top)
        return np.flatnonzero((error > 0.0) & ~(top + error < 0.0))

    def span(self, part: Part, alpha: np.ndarray, functions: np.ndarray) -> tuple[float, float] | None:
        """Return (high, low): the optimal b is between them, and high - low is the violation.

        None unless this is a Line.
        """
        return None

    def reduced(self, part: Part, alpha: np.ndarray, functions: np.ndarray, gradient: np.ndarray) -> np.ndarray:
        """Return the gradient of the Lagrangian, which vanishes for free variables at the optimum.

        A Line includes b.
        """
        return gradient

    @abstractmethod
    def loss(self, hinges: np.ndarray) -> np.ndarray:
        """Return the loss of each example from the hinges of its variables, (.., slots): their sum or their maximum."""

    @abstractmethod
    def hinges(self, part: Part, example: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the index of each variable's slack xi and the cost of each xi: the primal as a linear programme."""

    # -- bounds -----------------------------------------------------------------------------------

    @abstractmethod
    def reach(self, alpha: np.ndarray) -> np.ndarray:
        """Return the values that U bounds: every variable, (n, slots), or the sum of each example, (n, 1)."""

    @abstractmethod
    def at_upper(self, alpha: np.ndarray, upper: np.ndarray) -> np.ndarray:
        """Return whether each value of `reach` is at its bound."""

    def room_up(self, alpha: np.ndarray, upper: np.ndarray) -> np.ndarray:
        """Return whether each value of `reach` may rise."""
        return ~self.at_upper(alpha, upper)

    @abstractmethod
    def face(self, alpha: np.ndarray, upper: np.ndarray) -> np.ndarray:
        """Return whether each variable spans the smallest face around alpha: above zero, and in a box below U.

        Sums that are at their bound stay there.
        """

    @abstractmethod
    def free(self, alpha: np.ndarray, upper: np.ndarray) -> np.ndarray:
        """Return whether each variable may rise and fall alone, so that its gradient vanishes at the optimum."""

    @abstractmethod
    def within(self, alpha: np.ndarray, upper: np.ndarray) -> np.ndarray:
        """Return a feasible alpha near the given one, ignoring any equality."""

    @abstractmethod
    def filled(self, alpha: np.ndarray, upper: np.ndarray, full: np.ndarray) -> np.ndarray:
        """Return alpha with `reach` set exactly to its bound where `full` is true."""

    def snapped(self, alpha: np.ndarray, upper: np.ndarray, rounding: float = ROUNDING) -> np.ndarray:
        """Return alpha with variables and sums put onto a bound if they are within rounding * U of it.

        `rounding` is the relative precision with which alpha was computed.
        """
        alpha = np.where(alpha < rounding * _column(upper, alpha), 0.0, alpha)
        return self.filled(alpha, upper, self.reach(alpha) > (1.0 - rounding) * _column(upper, alpha))

    @abstractmethod
    def pinned(self, used: np.ndarray, full: np.ndarray) -> np.ndarray:
        """Return which of the variables in use cannot move: those at U, or the only variable of a sum at its bound."""

    @abstractmethod
    def even(self, upper: np.ndarray, count: np.ndarray | int) -> np.ndarray:
        """Return the largest value that all of `count` variables of an example can have at once."""

    def infeasibility(self, part: Part, alpha: np.ndarray, total: np.ndarray) -> float:
        """Return the largest amount by which alpha breaks a constraint.

        `total` is the sum of its weights, 0 if balanced.
        """
        outside = 0.0
        for some in strips(len(part)):
            used = np.where(part.form.real[part.labels[some]], alpha[some], 0.0)
            beyond = (self.reach(used) - part.upper[some, None]).max(initial=0.0)
            outside = max(outside, float(-used.min(initial=0.0)), float(beyond))
        return max(outside, float(np.abs(total).max()) if part.balanced else 0.0)

    def respond(
        self, part: Part, functions: np.ndarray, anchor: np.ndarray, sigma: float
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return projection(anchor + sigma gradient), and (n,) whether a bounded sum of it is at its bound."""
        form, alpha, full = part.form, np.empty_like(anchor), np.empty(len(part), dtype=bool)
        for some in strips(len(part)):
            tick()
            respond(
                form.rule, form.real, self.sums, part.labels[some], part.upper[some], functions[some], anchor[some],
                sigma, alpha[some], full[some],
            )  # fmt: skip
        return alpha, full

    # -- working sets of Newton steps -------------------------------------------------------------

    @abstractmethod
    def working_set(self, part: Part, alpha: np.ndarray, gradient: np.ndarray, threshold: float) -> np.ndarray:
        """Return whether each variable is free or violates by more than `threshold`.

        In a bounded sum, these are the nonzero variables, and those whose gradient is larger than the smallest gradient
        of the nonzero variables (and the slack) minus `threshold`.
        """

    @abstractmethod
    def unsettled(self, part: Part, alpha: np.ndarray, gradient: np.ndarray, distance: float) -> np.ndarray:
        """Return (n,) whether a variable is free, or would violate its bound if gradients changed by `distance`."""

    @abstractmethod
    def foremost(
        self, part: Part, alpha: np.ndarray, gradient: np.ndarray, threshold: float, least: int, share: float
    ) -> np.ndarray:
        """Select all free variables, and those of the others that violate most.

        At most max(least, share * number of free variables) others are selected.
        """

    @abstractmethod
    def rehearse(self) -> None:
        """Compile the projection of Newton steps in a face, which the tiny problem of run/warmup.py does not reach."""


class Box(Geometry):
    title = "a bound on every variable"
    sums = False
    scanned, examined = staticmethod(scan.scan_box), staticmethod(scan.examine_box)

    def loss(self, hinges: np.ndarray) -> np.ndarray:
        return np.asarray(hinges.sum(axis=-1))

    def hinges(self, part: Part, example: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return np.arange(example.size), part.upper[example]

    def reach(self, alpha: np.ndarray) -> np.ndarray:
        return alpha

    def at_upper(self, alpha: np.ndarray, upper: np.ndarray) -> np.ndarray:
        return np.asarray(alpha >= _column(upper, alpha))

    def face(self, alpha: np.ndarray, upper: np.ndarray) -> np.ndarray:
        return np.asarray((alpha > 0.0) & (alpha < _column(upper, alpha)))

    def free(self, alpha: np.ndarray, upper: np.ndarray) -> np.ndarray:
        return self.face(alpha, upper)

    def within(self, alpha: np.ndarray, upper: np.ndarray) -> np.ndarray:
        return np.asarray(np.clip(alpha, 0.0, _column(upper, alpha)))

    def filled(self, alpha: np.ndarray, upper: np.ndarray, full: np.ndarray) -> np.ndarray:
        return np.where(full, _column(upper, alpha), alpha)

    def pinned(self, used: np.ndarray, full: np.ndarray) -> np.ndarray:
        return used & full

    def even(self, upper: np.ndarray, count: np.ndarray | int) -> np.ndarray:
        return upper

    def violation(self, gradient: np.ndarray, alpha: np.ndarray, upper: np.ndarray) -> float:
        """Return the KKT violation from given gradients."""
        up = gradient[self.room_up(alpha, upper)].max(initial=0.0)
        return float(max(up, -gradient[alpha > 0.0].min(initial=0.0)))

    def working_set(self, part: Part, alpha: np.ndarray, gradient: np.ndarray, threshold: float) -> np.ndarray:
        used, room = alpha > 0.0, self.room_up(alpha, part.upper)
        wanted = (used & room) | ((gradient > threshold) & room) | ((gradient < -threshold) & used)
        return np.asarray(part.form.real[part.labels] & wanted)

    def unsettled(self, part: Part, alpha: np.ndarray, gradient: np.ndarray, distance: float) -> np.ndarray:
        return np.asarray(self.working_set(part, alpha, gradient, -distance).any(axis=1))

    def foremost(
        self, part: Part, alpha: np.ndarray, gradient: np.ndarray, threshold: float, least: int, share: float
    ) -> np.ndarray:
        real, used = part.form.real[part.labels], alpha > 0.0
        free = real & self.free(alpha, part.upper)
        violation = np.where(used, -gradient, gradient) * (real & ~free)
        return np.asarray(free | _largest(violation, threshold, max(least, int(share * free.sum()))))

    def rehearse(self) -> None:
        """Do nothing: NumPy clips, so there is nothing to compile."""


class Sums(Geometry):
    """Bounds on the sum of every example. The slack U_i - sum_p alpha_ip is a variable with gradient 0."""

    title = "a bound on the sum of every example"
    sums = True
    scanned, examined = staticmethod(scan.scan_simplex), staticmethod(scan.examine_simplex)

    def loss(self, hinges: np.ndarray) -> np.ndarray:
        return np.asarray(hinges.max(axis=-1))

    def hinges(self, part: Part, example: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return example, part.upper

    def reach(self, alpha: np.ndarray) -> np.ndarray:
        return np.asarray(alpha.sum(axis=1, keepdims=True))

    def at_upper(self, alpha: np.ndarray, upper: np.ndarray) -> np.ndarray:
        return sum_at_upper(self.reach(alpha), _column(upper, alpha))

    def face(self, alpha: np.ndarray, upper: np.ndarray) -> np.ndarray:
        return np.asarray(alpha > 0.0)

    def free(self, alpha: np.ndarray, upper: np.ndarray) -> np.ndarray:
        return np.asarray((alpha > 0.0) & ~self.at_upper(alpha, upper))

    def within(self, alpha: np.ndarray, upper: np.ndarray) -> np.ndarray:
        upper = _column(upper, alpha)
        alpha = np.clip(alpha, 0.0, upper)
        return np.asarray(alpha * (upper / np.maximum(self.reach(alpha), upper)))

    def filled(self, alpha: np.ndarray, upper: np.ndarray, full: np.ndarray) -> np.ndarray:
        total = self.reach(alpha)
        return alpha * np.divide(_column(upper, alpha), total, out=np.ones_like(total), where=full & (total > 0.0))

    def pinned(self, used: np.ndarray, full: np.ndarray) -> np.ndarray:
        return used & full & (used.sum(axis=1, keepdims=True) == 1)

    def even(self, upper: np.ndarray, count: np.ndarray | int) -> np.ndarray:
        return upper / count

    def working_set(self, part: Part, alpha: np.ndarray, gradient: np.ndarray, threshold: float) -> np.ndarray:
        real = part.form.real[part.labels]
        competing = real & ((alpha > 0.0) | (gradient > self._level(part, alpha, gradient) - threshold))
        holds_all = np.any(sum_at_upper(alpha, part.upper[:, None]), axis=1, keepdims=True)
        return np.asarray(competing & ~self.pinned(competing, holds_all))

    def unsettled(self, part: Part, alpha: np.ndarray, gradient: np.ndarray, distance: float) -> np.ndarray:
        slack = alpha.any(axis=1) & (self._level(part, alpha, gradient)[:, 0] < distance)
        return slack | self.working_set(part, alpha, gradient, distance).any(axis=1)

    def foremost(
        self, part: Part, alpha: np.ndarray, gradient: np.ndarray, threshold: float, least: int, share: float
    ) -> np.ndarray:
        real, used = part.form.real[part.labels], alpha > 0.0
        level = self._level(part, alpha, gradient)
        above = np.where(real, gradient - level, 0.0)
        violation = np.maximum(above.max(axis=1), -level[:, 0])
        room = ~self.at_upper(alpha, part.upper)[:, 0]
        free = used.any(axis=1) & (room | (used.sum(axis=1) > 1))
        some = free | _largest(np.where(free, 0.0, violation), threshold, max(least, int(share * free.sum())))
        best = np.maximum(above.max(axis=1, keepdims=True), threshold)
        return np.asarray(real & some[:, None] & (used | (above >= best)))

    def _level(self, part: Part, alpha: np.ndarray, gradient: np.ndarray) -> np.ndarray:
        """Return (n, 1) the smallest gradient of the nonzero variables of an example, including its slack.

        The slack has the gradient 0.
        """
        level = np.where(alpha > 0.0, gradient, np.inf).min(axis=1, keepdims=True)
        return np.where(self.at_upper(alpha, part.upper), level, np.minimum(level, 0.0))

    def rehearse(self) -> None:
        sums.project_sums(np.full(2, 0.5), np.zeros(2, dtype=np.int64), np.ones(2))


class Line(Box):
    """The variables beta_i = s_i alpha_i between 0 and s_i U_i with sum beta = 0; b is the multiplier of the sum."""

    title = "bounds under one equality"

    def scan(self, part: Part, alpha: np.ndarray, functions: np.ndarray, own: np.ndarray, worst: np.ndarray) -> float:
        """Compute as in Geometry.scan.

        `worst` is signed, because a step raises one beta (> 0) and lowers another (< 0).
        """
        high, low = self.span(part, alpha, functions)
        middle = 0.5 * (high + low)
        super().scan(part, alpha, functions + middle, own, worst)
        np.copysign(worst, self.beta_gradient(part, functions) - middle, out=worst)
        return high - low

    def examine(
        self, part: Part, alpha: np.ndarray, functions: np.ndarray, bias: np.ndarray | None, violations: np.ndarray
    ) -> tuple[float, float, float]:
        high, low = self.span(part, alpha, functions if bias is None else functions + bias)
        return max(0.0, high - low), *super().examine(part, alpha, functions, bias, violations)[1:]

    def span(self, part: Part, alpha: np.ndarray, functions: np.ndarray) -> tuple[float, float]:
        function, values = (np.ascontiguousarray(table[:, 0]) for table in (functions, alpha))
        high, low = scan.equality_violation(part.form.rule, function, values, part.labels, part.upper)
        return float(high), float(low)

    def unclear(self, part: Part, alpha: np.ndarray, functions: np.ndarray, error: np.ndarray) -> np.ndarray:
        """Return also the examples that may widen the span of b that the exact examples determine."""
        known = error == 0.0
        signed_margin = part.form.direction[part.labels, 0, 0] * part.form.margin[part.labels, 0]
        gradient, (rises, falls) = signed_margin - functions[:, 0], self.movable(part, alpha)
        high = gradient[known & rises].max(initial=-np.inf)
        low = gradient[known & falls].min(initial=np.inf)
        inside = np.where(rises, gradient + error < high, True) & np.where(falls, gradient - error > low, True)
        return np.union1d(super().unclear(part, alpha, functions, error), np.flatnonzero(~known & ~inside))

    def reduced(self, part: Part, alpha: np.ndarray, functions: np.ndarray, gradient: np.ndarray) -> np.ndarray:
        high, low = self.span(part, alpha, functions)
        return np.asarray(gradient - part.form.direction[part.labels, :, 0] * 0.5 * (high + low))

    def rehearse(self) -> None:
        sums.project_box_sum(np.full(2, 0.5), np.zeros(2), np.ones(2), 1.0)

    # -- the signed view --------------------------------------------------------------------------

    def signs(self, part: Part, examples: np.ndarray | slice = slice(None)) -> np.ndarray:
        if "signs" not in part.kept:
            part.kept["signs"] = part.form.direction[part.labels, 0, 0]
        signs: np.ndarray = part.kept["signs"]
        return signs[examples]

    def movable(self, part: Part, alpha: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return (n,) whether each beta may rise, and (n,) whether it may fall."""
        beta, low, high = self.signed(part, alpha)
        return np.asarray(beta < high), np.asarray(beta > low)

    def beta_gradient(
        self, part: Part, functions: np.ndarray, examples: np.ndarray | slice = slice(None)
    ) -> np.ndarray:
        """Return s m - f: the gradient of beta, without b."""
        if "signed margin" not in part.kept:
            part.kept["signed margin"] = self.signs(part) * part.form.margin[part.labels, 0]
        return np.asarray(part.kept["signed margin"][examples] - functions[examples, 0])

    def signed(
        self, part: Part, alpha: np.ndarray, examples: np.ndarray | slice = slice(None)
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return beta of these examples, its lower bounds and its upper bounds."""
        sign = self.signs(part, examples)
        bound = sign * part.upper[examples]
        return sign * alpha[examples, 0], np.minimum(bound, 0.0), np.maximum(bound, 0.0)


BOX, SUMS, LINE = Box(), Sums(), Line()


def sum_at_upper(total: np.ndarray, upper: np.ndarray) -> np.ndarray:
    return np.asarray(total >= upper * AT_BOUND)


def geometry_of(form: DualForm, exact: bool) -> Geometry:
    """Return the feasible set of a part with this form, with or without an exact bias."""
    if form.outputs == 1 and exact:
        return LINE
    return {"box": BOX, "simplex": SUMS}[form.feasible]


def _by_class(table: np.ndarray) -> np.ndarray:
    """Return the transposed table, contiguous along the examples; a table in Fortran order is not copied."""
    if table.flags.f_contiguous:
        return table.T
    turned = np.empty(table.shape[::-1])
    for start in range(0, len(table), STRIP):
        turned[:, start : start + STRIP] = table[start : start + STRIP].T
    return turned


def _column(upper: np.ndarray, alpha: np.ndarray) -> np.ndarray:
    return upper if upper.ndim == alpha.ndim else upper[:, None]


def _largest(values: np.ndarray, threshold: float, most: int) -> np.ndarray:
    """Return whether each value is above the threshold and among the `most` largest."""
    above = np.flatnonzero(values > threshold)
    if above.size > most:
        above = above[np.argpartition(-values.ravel()[above], most - 1)[:most]]
    chosen = np.zeros(values.size, dtype=bool)
    chosen[above] = True
    return chosen.reshape(values.shape)
