"""Newton systems (Q + D) dx = right in the columns of V, from a machine's table of directions.

Q = Z G Z' with a row direction (x) v of Z per variable, G the identity but for the bias column, where it is the
offset, or without bound for an exact bias, whose equality is so in the same system. By Woodbury dx = D^-1 (right - Z u)
with (G^-1 + Z' D^-1 Z) u = Z' D^-1 right. Two ways to solve for u: class by class where every variable reads one
class function (llw, ova, ...), else all at once (ww, cs).
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from scipy.linalg import cho_solve
from scipy.linalg.lapack import dpotri

from solvers.dense.cholesky import factored
from solvers.factor.layout import Layout
from solvers.factor.pivoted import factor_of
from solvers.gram import Gram
from solvers.machines import DualForm

NEGLIGIBLE = 1e-6  # what examples left out of a normal matrix add to it, beside the identity: refinement makes it up
SEPARATE, TOGETHER = 800, 4000  # columns, at most: of one class function, and of all in one system
LEAST = 16  # columns to begin with


class Diagonal:
    """D: z/x of each variable, and w/t of each bound, which under sums couples the variables of an example.

    There the slack is one more variable, and D^-1 v = delta (v - mean of v by delta): taken from the heaviest variable,
    as one that holds nearly all of its example's sum would leave nothing but rounding.
    """

    def __init__(self, layout: Layout, own: np.ndarray, bound: np.ndarray) -> None:
        self.sums, self.own, self.bound = layout.sums, own, bound
        self.inverse = np.hstack([1.0 / own, 1.0 / bound]) if self.sums else 1.0 / (own + bound)
        if self.sums:
            self.heaviest = self.inverse.argmax(axis=1)[:, None]
            self.share = self.inverse / self.inverse.sum(axis=1, keepdims=True)

    def times(self, x: np.ndarray) -> np.ndarray:
        return self.own * x + self.bound * (x.sum(axis=1, keepdims=True) if self.sums else x)

    def solve(self, v: np.ndarray) -> np.ndarray:
        if not self.sums:
            return self.inverse * v
        whole = np.hstack([v, np.zeros((v.shape[0], 1))])
        whole -= np.take_along_axis(whole, self.heaviest, axis=1)
        whole -= np.einsum("ij,ij->i", self.share, whole)[:, None]
        return (self.inverse * whole)[:, :-1]


class Normal(Protocol):
    def prepare(self, diagonal: Diagonal) -> bool: ...

    def solve(self, right: np.ndarray) -> np.ndarray: ...


class Columns:
    """The columns of V in use, after a bias column if there is one, and what stands for G^-1 in each."""

    def __init__(self, gram: Gram, offset: float, exact: bool, cap: int) -> None:
        self.gram, self.factor, self.exact, self.cap = gram, factor_of(gram), exact, cap
        self.bias = 1.0 if exact else np.sqrt(offset)
        self.use(0)

    def use(self, rank: int) -> None:
        self.factor.grow(self.gram, rank)
        self.rank = min(rank, self.factor.rank)
        first = np.full((self.factor.V.shape[0], int(self.bias > 0.0)), self.bias)
        self.V = np.hstack([first, self.factor.V[:, : self.rank]])
        self.precision = np.ones(self.V.shape[1])
        if self.exact:
            self.precision[0] = 0.0
        self.squares = np.einsum("ij,ij->i", self.V, self.V)

    def suffice(self, weights: np.ndarray, allowed: float) -> None:
        """More columns, until the next ones move no class function by more than `allowed`."""
        while self.rank < self.cap:
            wide = min(self.cap, self.rank + self.rank // 2 + LEAST)
            self.factor.grow(self.gram, wide)
            more = self.factor.V[:, self.rank : wide]
            if np.abs(more @ (more.T @ weights)).max(initial=0.0) <= allowed:
                return
            self.use(wide)

    def reduce(self, weights: np.ndarray) -> np.ndarray:
        return self.V.T @ weights

    def functions(self, weights: np.ndarray) -> np.ndarray:
        """Q's part of the class functions: all but an exact bias."""
        return self.V @ (self.precision[:, None] * self.reduce(weights))

    def weighted(self, weight: np.ndarray) -> np.ndarray:
        """V' diag(weight) V, from the rows that matter."""
        rows = significant(np.abs(weight) * self.squares)
        chosen = self.V[rows]
        if (weight[rows] >= 0.0).all():
            chosen = chosen * np.sqrt(weight[rows])[:, None]
            return chosen.T @ chosen
        return (chosen * weight[rows][:, None]).T @ chosen


def significant(size: np.ndarray) -> np.ndarray:
    """The rows without which the sum of `size` would not be negligible."""
    order = np.argsort(size)
    return np.sort(order[np.searchsorted(np.cumsum(size[order]), NEGLIGIBLE) :])


class Separate:
    """Variables that read one class function each, up to a constant: a system per class and one that couples them."""

    def __init__(self, layout: Layout, columns: Columns) -> None:
        self.layout, self.columns, form = layout, columns, layout.part.form
        self.centred = form.centred
        self.outputs = form.outputs
        squares = np.array([rule_squares(form, y) for y in range(form.classes)])
        self.squares = squares[layout.part.labels]

    def prepare(self, diagonal: Diagonal) -> bool:
        table = self.layout.table(diagonal.inverse) * self.squares
        self.factors, coupling = [], np.zeros((self.columns.V.shape[1],) * 2)
        for output in range(self.outputs):
            matrix = self.columns.weighted(table[:, output])
            matrix[np.diag_indices(matrix.shape[0])] += self.columns.precision
            factor = factored(matrix)
            if factor is None:
                return False
            self.factors.append(factor)
            if self.centred and coupling.size:  # LAPACK complains of nothing, on standard output
                coupling = coupling + dpotri(factor[0], lower=0)[0].T  # its lower half
        self.coupling = factored(coupling) if self.centred else None
        return self.coupling is not None or not self.centred

    def solve(self, right: np.ndarray) -> np.ndarray:
        u = np.stack([cho_solve(factor, right[:, c], check_finite=False) for c, factor in enumerate(self.factors)], 1)
        if self.centred:
            common = cho_solve(self.coupling, u.sum(axis=1), check_finite=False)
            u -= np.stack([cho_solve(factor, common, check_finite=False) for factor in self.factors], axis=1)
        return u


def rule_squares(form: DualForm, y: int) -> np.ndarray:
    """(slots,) the square of what a slot's variable reads of its class function."""
    return np.array([form.rule.own if p == y else form.rule.other for p in range(form.slots)]) ** 2


class Together:
    """All outputs in one system; where directions sum to zero the last output follows from the others."""

    def __init__(self, layout: Layout, columns: Columns) -> None:
        self.layout, self.columns, form = layout, columns, layout.part.form
        self.outputs, self.centred = form.outputs, form.centred
        self.count = form.outputs - 1 if form.centred else form.outputs
        self.direction = layout.direction[:, :, : self.count]

    def prepare(self, diagonal: Diagonal) -> bool:
        rank, count = self.columns.V.shape[1], self.count
        if rank * count > TOGETHER + count:
            return False
        squares = self.squares(diagonal)
        matrix = np.empty((count * rank, count * rank))
        for a in range(count):
            for b in range(a + 1):
                block = self.columns.weighted(squares[:, a, b])
                prior = (1.0 if a == b else 0.0) - (1.0 / self.outputs if self.centred else 0.0)
                block[np.diag_indices(rank)] += prior * self.columns.precision
                matrix[a * rank : (a + 1) * rank, b * rank : (b + 1) * rank] = block
        self.factor = factored(matrix)
        return self.factor is not None

    def squares(self, diagonal: Diagonal) -> np.ndarray:
        """(n, a, b): direction' D^-1 direction of an example. Under sums, of the differences between any two variables,
        the slack being one without direction: positive terms only."""
        labels, inverse = self.layout.part.labels, diagonal.inverse
        result = np.empty((labels.size, self.count, self.count))
        first, second = np.triu_indices(inverse.shape[1], 1)
        for y, d in enumerate(self.direction):
            mine = np.flatnonzero(labels == y)
            if diagonal.sums:
                d = np.vstack([d, np.zeros((1, self.count))])
                mass, d = inverse[mine][:, first] * diagonal.share[mine][:, second], d[first] - d[second]
            else:
                mass = inverse[mine]
            result[mine] = (mass @ _outer(d)).reshape(-1, self.count, self.count)
        return result

    def solve(self, right: np.ndarray) -> np.ndarray:
        u = cho_solve(self.factor, right[:, : self.count].T.ravel(), check_finite=False)
        u = u.reshape(self.count, -1).T
        if not self.centred:
            return u
        whole = np.hstack([u, np.zeros((u.shape[0], 1))])
        return whole - whole.mean(axis=1, keepdims=True)


def _outer(d: np.ndarray) -> np.ndarray:
    return np.einsum("pa,pb->pab", d, d).reshape(d.shape[0], -1)


def normals_for(layout: Layout, columns: Columns) -> list[Normal]:
    """The cheapest first; all at once is more exact, as far as memory allows."""
    together = Together(layout, columns)
    return [Separate(layout, columns), together] if separable(layout) else [together]


def separable(layout: Layout) -> bool:
    form = layout.part.form
    return not layout.sums and (form.outputs == 1 or (form.centred and form.rule.before == 0.0))


def rank_cap(layout: Layout) -> int:
    """Columns that memory and time allow."""
    return (
        SEPARATE if separable(layout) else max(LEAST, min(SEPARATE, TOGETHER // max(1, layout.part.form.outputs - 1)))
    )
