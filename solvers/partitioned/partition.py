"""Partition: the rows of a training problem in one place, which stay there, with their alpha and their functions.

A run calls it in rounds. In one round it adds the change of the last block to its functions, f += K(own, block) dW, and
offers those of its own rows that violate most. A repeated round, with the same serial number, changes nothing, so that
a run may repeat it after another partition was lost.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mcsvm.solvers.dual.geometry import BOX, LINE
from mcsvm.solvers.dual.quantities import weights_of
from mcsvm.solvers.jit.choice import choose_worst
from mcsvm.solvers.kernels import Points
from mcsvm.solvers.kernels.points import in_double
from mcsvm.solvers.model import Model, decide
from mcsvm.solvers.partitioned.messages import (
    BiasKinks,
    BlockChange,
    PartitionSize,
    PartitionStanding,
    Restored,
    RowOffer,
    SupportRows,
    single_rows,
)
from mcsvm.solvers.problem import Part, Problem
from mcsvm.solvers.products import kernel_times, products_beside


class Partition:
    """The rows of one place. Their `problem` (posing.SharedTerms.problem) may lack classes, or have no rows at all.

    `weights` are the weights of the rows, unless all are equal.
    """

    def __init__(self, problem: Problem, weights: np.ndarray | None = None) -> None:
        self.problem, self._weights = problem, np.ones(len(problem)) if weights is None else weights
        self._used, self._full = (np.zeros(len(problem), dtype=bool) for _ in range(2))
        self._gram = None if problem.machine.split == "pairs" else problem.whole_gram()
        self._serial = 0
        self._part: Part | None = None

    def welcome(self) -> PartitionSize:
        zero = [self.problem.primal_at_zero(number) if len(self.problem) else 0.0 for number in self._part_numbers]
        return PartitionSize(len(self.problem), self.problem.points.stored, np.array(zero))

    @property
    def _part_numbers(self) -> range:
        return range(self.problem.part_count)

    @property
    def part(self) -> Part:
        """The current part, with the rows of this partition."""
        assert self._part is not None, "begin comes first"
        return self._part

    # -- a part -----------------------------------------------------------------------------------

    def begin(self, number: int) -> int:
        """Begin a part at alpha = 0, after the part before has ended; return the number of its rows here."""
        if self._part is not None:
            self._mark(self._part, self._used, self._full)
        self._serial = 0
        self._part = part = self.problem.part(number, self._gram)
        self._where = np.arange(len(self.problem))[self.problem.rows_of(number)]
        n, form = len(part), part.form
        self._alpha = np.zeros((n, form.slots), order="F")
        self._functions = np.zeros((n, form.outputs), order="F")
        self._recent = np.empty(0, dtype=np.int64)
        return n

    def restore(self, kept: Restored) -> None:
        """Begin a part from the client's copy; `add` and `adopt` set the functions afterwards."""
        self.begin(kept.part)
        self._serial = kept.serial
        self._alpha[...] = kept.alpha

    def remember(self, used: np.ndarray, full: np.ndarray) -> None:
        """Mark rows as support vectors of finished parts (`used`), and as support vectors at their bound (`full`)."""
        self._used[used], self._full[full] = True, True

    # -- a round ----------------------------------------------------------------------------------

    def round(
        self, serial: int, change: BlockChange | None, constant: np.ndarray, bias: np.ndarray, count: int
    ) -> RowOffer:
        """Apply the change of the last block, and offer the `count` rows that violate most.

        The functions are K W + `constant`. They lack `bias`, as far as it is known.
        """
        if change is not None and serial != self._serial:
            self._apply(change)
        self._serial = serial
        standing, violations = self._examine(self._functions, constant, bias)
        chosen = self._choose(violations, count)
        self._recent = chosen
        part = self.part
        return RowOffer(
            standing, chosen, single_rows(part.gram.points.rows[chosen]),
            part.labels[chosen], part.upper[chosen], self._alpha[chosen], self._functions[chosen],
        )  # fmt: skip

    def _apply(self, change: BlockChange) -> None:
        self._alpha[change.mine] = change.alpha
        points, right = self.part.gram.points, Points(in_double(change.rows))
        moved = products_beside(self.problem.kernel, points, right, change.weights)
        self._functions += moved
        self._functions += change.shift

    def _choose(self, violations: np.ndarray, count: int) -> np.ndarray:
        if self.part.geometry is not LINE:
            chosen, n = np.empty(count, dtype=np.int64), violations.size
            return chosen[: choose_worst(violations, self._recent, np.empty(n, np.bool_), chosen, np.empty(n))]
        rises, falls = LINE.movable(self.part, self._alpha)
        gradient = LINE.beta_gradient(self.part, self._functions)
        return choose_ends(gradient, rises, falls, self._recent, count)

    def _examine(
        self, functions: np.ndarray, constant: np.ndarray, bias: np.ndarray
    ) -> tuple[PartitionStanding, np.ndarray]:
        part, alpha = self.part, self._alpha
        violations = np.empty_like(part.upper)
        violation, loss, linear = part.geometry.examine(part, alpha, functions, bias, violations)
        high, low = part.geometry.span(part, alpha, functions) or (-np.inf, np.inf)
        weights = weights_of(part, alpha)
        energy = 0.5 * float(np.vdot(weights, functions - constant))
        used, full = self._used.copy(), self._full.copy()
        self._mark(part, used, full)
        outside = part.geometry.infeasibility(part, alpha, np.zeros(1))
        support = np.bincount(self.problem.labels[used], minlength=self.problem.classes)
        right, total = self._decided_right(functions + bias)
        standing = PartitionStanding(
            violation, high, low, loss, linear, energy, part.scale, outside, support, int(full.sum()), right, total
        )  # fmt: skip
        return standing, violations

    def _mark(self, part: Part, used: np.ndarray, full: np.ndarray) -> None:
        used[self._where] |= self._alpha.max(axis=1, initial=0.0) > 0.0
        full[self._where] |= BOX.at_upper(self._alpha, part.upper).any(axis=1)

    def _decided_right(self, functions: np.ndarray) -> tuple[float, float]:
        """Return the weight of the correctly predicted rows, and of all; zeros for machines of several parts.

        For these see `right`.
        """
        if self.problem.machine.split != "joint" or not len(self.problem):
            return 0.0, 0.0
        decided = decide(self.problem.machine, functions, self.problem.classes)
        return float(self._weights @ (decided == self.problem.labels)), float(self._weights.sum())

    # -- recomputation in float64 -----------------------------------------------------------------

    def clear(self) -> int:
        """Clear all products, before `add`; return the number of support vectors here."""
        self._products = np.zeros(self._functions.shape)
        self._support = np.flatnonzero((self._alpha != 0.0).any(axis=1))
        return int(self._support.size)

    def support(self, start: int, count: int) -> SupportRows:
        chosen = self._support[start : start + count]
        weights = weights_of(self.part, self._alpha)[chosen]
        return SupportRows(self.part.gram.points.rows[chosen], weights)

    def add(self, some: SupportRows) -> None:
        """Add K(own, some) @ weights to the products, in float64."""
        if len(self.part):
            points = self.part.gram.points
            self._products += kernel_times(self.problem.kernel, points, Points(some.rows), some.weights)

    def kinks(self) -> BiasKinks:
        """Compute the kinks of the primal as a function of b, for calls of `below` and `between`; return a summary."""
        part = self.part
        sign = part.form.direction[part.labels, 0, 0]
        places = sign * part.form.margin[part.labels, 0] - self._products[:, 0]
        self._kinks, which = np.unique(places, return_inverse=True)
        self._costs = np.bincount(which, part.upper, minlength=self._kinks.size)
        ends = (self._kinks[0], self._kinks[-1]) if self._kinks.size else (np.inf, -np.inf)
        return BiasKinks(float(part.upper[sign > 0.0].sum()), float(part.upper.sum()), *map(float, ends))

    def below(self, biases: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return (total cost, number) of the kinks up to each of these b."""
        count = np.searchsorted(self._kinks, biases, side="right")
        return np.concatenate([[0.0], np.cumsum(self._costs)])[count], count

    def between(self, low: float, high: float) -> tuple[np.ndarray, np.ndarray, float]:
        """Return the kinks above low and up to high, their costs, and the next kink beyond."""
        start, end = np.searchsorted(self._kinks, [low, high], side="right")
        beyond = float(self._kinks[end]) if end < self._kinks.size else np.inf
        return self._kinks[start:end], self._costs[start:end], beyond

    def proved(self, bias: np.ndarray) -> PartitionStanding:
        """Return the standing for the recomputed products and this b."""
        return self._examine(self._products, np.zeros(self._products.shape[1]), bias)[0]

    def adopt(self, constant: np.ndarray) -> None:
        """Replace the functions by the products and a constant."""
        self._functions[...] = self._products + constant

    # -- results ----------------------------------------------------------------------------------

    def places(self, positions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Return (rows of the partition, their classes, labels, upper bounds) at these positions of the part."""
        rows, part = self._where[positions], self.part
        return rows, self.problem.labels[rows], part.labels[positions], part.upper[positions]

    def taken(self, rows: np.ndarray) -> Any:
        """Return the features of these rows, in float64."""
        return in_double(self.problem.points.rows[rows])

    def right(self, model: Model) -> tuple[float, float]:
        """Return (weight of the rows that the model predicts correctly, weight of all rows)."""
        if not len(self.problem):
            return 0.0, 0.0
        hits = model.predict(self.problem.points) == self.problem.labels
        return float(self._weights @ hits), float(self._weights.sum())


def choose_ends(
    gradient: np.ndarray, rises: np.ndarray, falls: np.ndarray, recent: np.ndarray, count: int
) -> np.ndarray:
    """Choose rows of a Line: a quarter with the largest gradients of beta that may rise, a quarter with the smallest of
    those that may fall, then the rows of the last round, then further rows from both ends.
    """
    if gradient.size <= count:
        return np.arange(gradient.size)
    up = np.argsort(np.where(rises, -gradient, np.inf), kind="stable")
    down = np.argsort(np.where(falls, gradient, np.inf), kind="stable")
    quarter = max(1, count // 4)
    rest = np.stack([up, down], axis=1).ravel()
    order = np.concatenate([up[:quarter], down[:quarter], recent, rest])
    _, first = np.unique(order, return_index=True)
    chosen: np.ndarray = order[np.sort(first)][:count]
    return chosen
