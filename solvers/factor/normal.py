"""Newton systems (Q + D) dx = right in the columns of V, from a machine's table of directions.

Q = Z G Z' with a row direction (x) v of Z per variable. G is the identity. A regularized bias is a column sqrt(offset)
of V; an exact bias is a column 1 of V with infinite G, which puts the equality into the same system. By Woodbury's
formula dx = D^-1 (right - Z u) with (G^-1 + Z' D^-1 Z) u = Z' D^-1 right. The system for u is solved class by class if
every variable reads one class function (llw, ova, ...), else for all classes at once (ww, cs).
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from mcsvm.solvers.budget import FACTOR
from mcsvm.solvers.dense.cholesky import CholeskyFactor, factored, inverse, solved
from mcsvm.solvers.dual.geometry import BOX, LINE, SUMS, Geometry
from mcsvm.solvers.factor.layout import Layout
from mcsvm.solvers.factor.pivoted import factor_of, most_columns
from mcsvm.solvers.gram import Gram
from mcsvm.solvers.interrupt import tick
from mcsvm.solvers.machines import DualForm
from mcsvm.solvers.problem import Part
from mcsvm.solvers.work import ENTRY, HEIGHT, PIECE, WORK_BYTES, pieces


class Diagonal:
    """The D of a box: z/x + w/t of each variable (`own` and `bound`)."""

    def __init__(self, own: np.ndarray, bound: np.ndarray) -> None:
        self.own, self.bound = own, bound
        self.inverse = 1.0 / (own + bound)

    @classmethod
    def proximal(cls, own: np.ndarray, slack: np.ndarray) -> Diagonal:
        """Return the D of a proximal step: `own` is infinite at a bound. Boxes do not use `slack`, (n, 1)."""
        return cls(own, np.zeros_like(own))

    def times(self, x: np.ndarray) -> np.ndarray:
        return self.own * x + self.bound * x

    def solve(self, v: np.ndarray) -> np.ndarray:
        return self.inverse * v

    def terms(self, directions: np.ndarray) -> np.ndarray:
        """Return the rows r such that direction' D^-1 direction = sum masses r r'."""
        return directions

    def masses(self, examples: np.ndarray) -> np.ndarray:
        return self.inverse[examples]


class SumsDiagonal(Diagonal):
    """The D of bounded sums: w/t of the bound couples the variables of an example.

    With the slack as one more variable and delta = 1 / (z/x, w/t), D^-1 v = delta (v - mean of v weighted by delta).
    Subtracting the v of the largest delta first avoids cancellation if one variable has nearly the whole sum.
    """

    def __init__(self, own: np.ndarray, bound: np.ndarray) -> None:
        self.own, self.bound = own, bound
        self.inverse = np.hstack([1.0 / own, 1.0 / bound])
        self.heaviest = self.inverse.argmax(axis=1)[:, None]
        self.share = self.inverse / self.inverse.sum(axis=1, keepdims=True)
        self.first, self.second = np.triu_indices(self.inverse.shape[1], 1)

    @classmethod
    def proximal(cls, own: np.ndarray, slack: np.ndarray) -> Diagonal:
        return cls(own, slack)

    def times(self, x: np.ndarray) -> np.ndarray:
        return self.own * x + self.bound * x.sum(axis=1, keepdims=True)

    def solve(self, v: np.ndarray) -> np.ndarray:
        whole = np.hstack([v, np.zeros((v.shape[0], 1))])
        whole -= np.take_along_axis(whole, self.heaviest, axis=1)
        whole -= np.einsum("ij,ij->i", self.share, whole)[:, None]
        return (self.inverse * whole)[:, :-1]

    def terms(self, directions: np.ndarray) -> np.ndarray:
        """Return the differences of any two directions, with 0 for the slack.

        The result is a sum of positive terms, without cancellation.
        """
        directions = np.vstack([directions, np.zeros((1, directions.shape[1]))])
        return directions[self.first] - directions[self.second]

    def masses(self, examples: np.ndarray) -> np.ndarray:
        return self.inverse[examples][:, self.first] * self.share[examples][:, self.second]


DIAGONALS: dict[Geometry, type[Diagonal]] = {BOX: Diagonal, LINE: Diagonal, SUMS: SumsDiagonal}


class Normal(Protocol):
    def prepare(self, diagonal: Diagonal) -> bool:
        """Factor the system; return False if that fails or the system is too large."""
        ...

    def solve(self, right: np.ndarray) -> np.ndarray: ...


class Columns:
    """The first `rank` columns of V, after a constant column if there is a bias.

    `precision` is the diagonal of G^-1.
    """

    def __init__(self, gram: Gram, offset: float, exact: bool, cap: int) -> None:
        self.gram, self.factor, self.exact = gram, factor_of(gram), exact
        self.cap = min(cap, self.factor.most)
        self.bias = 1.0 if exact else float(np.sqrt(offset))
        self.first = int(self.bias > 0.0)  # index of the factor's first column: 1 after a bias column
        self._set_rank(0, self._squares_of_bias())

    @property
    def width(self) -> int:
        return self.first + self.rank

    def use(self, rank: int) -> None:
        """Use the first `rank` columns; grow the factor if it has fewer."""
        self.factor.grow(self.gram, rank)
        rank, before = min(rank, self.factor.rank), self.rank
        squares = self.squares.copy() if rank >= before else self._squares_of_bias()
        added = self.factor.columns[before if rank >= before else 0 : rank]
        for column in added:  # one by one, so that the bits do not depend on earlier ranks
            squares += column * column
        self._set_rank(rank, squares)

    def _set_rank(self, rank: int, squares: np.ndarray) -> None:
        self.rank, self.squares = rank, squares  # (n,): |v|^2 of each example
        self.precision = np.ones(self.width)
        if self.exact:
            self.precision[0] = 0.0

    def _squares_of_bias(self) -> np.ndarray:
        return np.full(len(self.gram), self.bias**2)

    def suffice(self, weights: np.ndarray, allowed: float) -> None:
        """Add columns until the next ones move no class function by more than `allowed`."""
        while self.rank < self.cap:
            wide = min(self.cap, self.rank + self.rank // 2 + FACTOR.least)
            self.factor.grow(self.gram, wide)
            more = self.factor.columns[self.rank : min(wide, self.factor.rank)]
            moved = expand(more, reduce(more, weights))
            if np.abs(moved).max(initial=0.0) <= allowed:
                return
            self.use(wide)

    # -- products ---------------------------------------------------------------------------------

    def reduce(self, weights: np.ndarray) -> np.ndarray:
        """Return V' weights."""
        result = reduce(self._used(), weights)
        return np.vstack([self.bias * weights.sum(axis=0), result]) if self.first else result

    def expand(self, u: np.ndarray) -> np.ndarray:
        """Return V u."""
        result = expand(self._used(), u[self.first :])
        if self.first:
            result += self.bias * u[0]
        return result

    def functions(self, weights: np.ndarray) -> np.ndarray:
        """Return V G V' weights: the class functions without an exact bias."""
        return self.expand(self.precision[:, None] * self.reduce(weights))

    def gather(self, examples: np.ndarray) -> np.ndarray:
        """Return V' of these examples, (width, examples)."""
        result = np.empty((self.width, examples.size))
        result[: self.first] = self.bias
        np.take(self._used(), examples, axis=1, out=result[self.first :], mode="clip")  # "raise" would copy
        return result

    def weighted(self, weight: np.ndarray) -> np.ndarray:
        """Return V' diag(weight) V, from the rows that are not negligible (`significant`)."""
        rows = significant(np.abs(weight) * self.squares)
        chosen = weight[rows]
        if (chosen >= 0.0).all():
            return self._product(rows, np.sqrt(chosen), None)
        return self._product(rows, None, chosen)

    def square(self) -> np.ndarray:
        """Return V'V."""
        return self._product(np.arange(len(self.gram)), None, None)

    def _product(self, rows: np.ndarray, both: np.ndarray | None, left: np.ndarray | None) -> np.ndarray:
        """Return V'V over these rows, with both factors weighted by `both`, or the left one by `left`."""
        result = np.zeros((self.width, self.width))
        for start in range(0, rows.size, HEIGHT):
            some = slice(start, start + HEIGHT)
            tick()
            V = self.gather(rows[some])
            if both is not None:
                V *= both[some]
            result += (V if left is None else V * left[some]) @ V.T
        return result

    def _used(self) -> np.ndarray:
        return self.factor.columns[: self.rank]


def reduce(columns: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return V' weights, where V has these columns."""
    result = np.empty((columns.shape[0], weights.shape[1]))
    for some in pieces(columns.shape[0], columns.shape[1] * (ENTRY + 2.0 * weights.shape[1])):
        tick()
        np.matmul(columns[some], weights, out=result[some])
    return result


def expand(columns: np.ndarray, u: np.ndarray) -> np.ndarray:
    """Return V u, where V has these columns."""
    result = np.empty((columns.shape[1], u.shape[1]))
    for some in pieces(columns.shape[1], columns.shape[0] * (ENTRY + 2.0 * u.shape[1])):
        tick()
        np.matmul(columns[:, some].T, u, out=result[some])
    return result


def significant(size: np.ndarray) -> np.ndarray:
    """Return the indices of all rows but the smallest, whose `size` adds up to FACTOR.negligible.

    Sizes are weight * |v|^2, and a normal matrix adds the rows to the identity. Iterative refinement corrects the
    omission.
    """
    order = np.argsort(size)
    return np.sort(order[np.searchsorted(np.cumsum(size[order]), FACTOR.negligible) :])


class Separate:
    """One system per class, for variables that read one class function each.

    If the functions are centred, one more system couples the classes.
    """

    def __init__(self, layout: Layout, columns: Columns) -> None:
        self.layout, self.columns, form = layout, columns, layout.part.form
        self.centred = form.centred
        self.outputs = form.outputs
        squares = np.array([rule_squares(form, y) for y in range(form.classes)])
        self.squares = squares[layout.part.labels]

    def prepare(self, diagonal: Diagonal) -> bool:
        table = self.layout.table(diagonal.inverse) * self.squares
        self.factors: list[CholeskyFactor] = []
        sum_of_inverses = np.zeros((self.columns.width, self.columns.width))
        for output in range(self.outputs):
            matrix = self.columns.weighted(table[:, output])
            matrix[np.diag_indices(matrix.shape[0])] += self.columns.precision
            factor = factored(matrix)
            if factor is None:
                return False
            self.factors.append(factor)
            if self.centred:
                sum_of_inverses = sum_of_inverses + inverse(factor)
        self.coupling = factored(sum_of_inverses) if self.centred else None
        return self.coupling is not None or not self.centred

    def solve(self, right: np.ndarray) -> np.ndarray:
        u = np.stack([solved(factor, right[:, c]) for c, factor in enumerate(self.factors)], 1)
        if self.centred:
            assert self.coupling is not None
            common = solved(self.coupling, u.sum(axis=1))
            u -= np.stack([solved(factor, common) for factor in self.factors], axis=1)
        return u


def rule_squares(form: DualForm, y: int) -> np.ndarray:
    """Return (slots,) the squared coefficient with which the variable of a slot reads its class function."""
    return np.array([form.rule.own if p == y else form.rule.other for p in range(form.slots)]) ** 2


class Together:
    """One system for all outputs; if directions sum to zero, without the last output, which follows from the others."""

    def __init__(self, layout: Layout, columns: Columns) -> None:
        self.layout, self.columns, form = layout, columns, layout.part.form
        self.outputs, self.centred = form.outputs, form.centred
        self.count = form.outputs - 1 if form.centred else form.outputs
        self.direction = layout.direction[:, :, : self.count]

    def prepare(self, diagonal: Diagonal) -> bool:
        width, count = self.columns.width, self.count
        if width * count > FACTOR.together + count:
            return False
        matrix = np.empty((count * width, count * width))
        lower = [(a, b) for a in range(count) for b in range(a + 1)]
        for some in pieces(len(lower), 8.0 * len(self.layout.part) * PIECE / WORK_BYTES):
            pairs = lower[some]
            squares = self.squares(diagonal, *np.array(pairs).T)
            for (a, b), weight in zip(pairs, squares, strict=True):
                block = self.columns.weighted(weight)
                prior = (1.0 if a == b else 0.0) - (1.0 / self.outputs if self.centred else 0.0)
                block[np.diag_indices(width)] += prior * self.columns.precision
                matrix[a * width : (a + 1) * width, b * width : (b + 1) * width] = block
        self.factor = factored(matrix)
        return self.factor is not None

    def squares(self, diagonal: Diagonal, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Return (pairs, n) the entries (a, b) of direction' D^-1 direction of each example."""
        labels, q = self.layout.part.labels, diagonal.inverse.shape[1]
        result = np.empty((a.size, labels.size))
        height = max(1, WORK_BYTES // (8 * 3 * max(q * (q - 1) // 2, q)))
        for y, d in enumerate(self.direction):
            d = diagonal.terms(d)
            products = d[:, a] * d[:, b]
            members = np.flatnonzero(labels == y)
            for start in range(0, members.size, height):
                mine = members[start : start + height]
                result[:, mine] = (diagonal.masses(mine) @ products).T
                tick()
        return result

    def solve(self, right: np.ndarray) -> np.ndarray:
        assert self.factor is not None
        u = solved(self.factor, right[:, : self.count].T.ravel())
        u = u.reshape(self.count, -1).T
        if not self.centred:
            return u
        whole = np.hstack([u, np.zeros((u.shape[0], 1))])
        return whole - whole.mean(axis=1, keepdims=True)


def normals_for(layout: Layout, columns: Columns) -> list[Normal]:
    """Return the forms of the Newton system in the order to try.

    One system per class is cheaper, one system for all classes is more exact.
    """
    together = Together(layout, columns)
    return [Separate(layout, columns), together] if separable(layout.part) else [together]


def separable(part: Part) -> bool:
    """Tell whether every variable reads one class function, so that there is a system for each class."""
    form = part.form
    return not part.geometry.sums and (form.outputs == 1 or (form.centred and form.rule.cross == 0.0))


def rank_cap(part: Part) -> int:
    """Return the number of columns that memory and time allow."""
    form = part.form
    together = min(FACTOR.separate, FACTOR.together // max(1, form.outputs - 1))
    by_time = FACTOR.separate if separable(part) else max(FACTOR.least, together)
    return min(by_time, most_columns(part.gram))
