"""Points: rows of features, with derived arrays that kernels need, each computed once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from mcsvm.solvers.interrupt import tick, undivided
from mcsvm.solvers.kernels.centred import Centred, centre, moved_like
from mcsvm.solvers.work import COPY, MOVE, PIECE, pieces

ORIGIN_ROWS = 31  # largest number of rows whose median is the origin: up to 15 outliers do not move it


class Points:
    """Rows of features, dense in float64 or float32 or sparse (CSR) in float64; copies and squared lengths on demand.

    Rows in float32 are kept in float32. Pieces of them are read as float64, so that all results have the bits of rows
    in float64.

    A property derives its array at once; `prepare` derives it piece by piece, so a run that can be stopped calls it
    first.
    """

    def __init__(self, rows: Any) -> None:  # np.ndarray or sp.csr_array
        self.rows = rows
        self._derived: dict[str, Any] = {}
        self._whole: Points | None = None  # the points of which this object is a view

    def __len__(self) -> int:
        return self.rows.shape[0]

    @property
    def features(self) -> int:
        return self.rows.shape[1]

    @property
    def stored(self) -> float:
        """Return the average number of stored numbers per row: the operations of an inner product."""
        return float(self.rows.nnz / max(len(self), 1)) if self.sparse else float(self.features)

    @property
    def sparse(self) -> bool:
        return sp.issparse(self.rows)

    # -- derived arrays ---------------------------------------------------------------------------

    def prepare(self, name: str) -> Any:
        """Return the derived array of this name (DERIVED), computed in pieces on first use."""
        if name not in self._derived:
            self._derived[name] = DERIVED[name](self)
        return self._derived[name]

    def array(self, dtype: np.dtype) -> Any:
        if dtype == np.float32:
            return self._derive("single")
        return self.rows if self.rows.dtype == np.float64 else self._derive("double")

    @property
    def squares(self) -> np.ndarray:
        found: np.ndarray = self._derive("squares")
        return found

    @property
    def largest_square(self) -> float:
        if "largest square" not in self._derived:
            self._derived["largest square"] = float(self.squares.max(initial=0.0))
        found: float = self._derived["largest square"]
        return found

    @property
    def largest_moved_square(self) -> float:
        """Return the largest |x - origin|^2, which limits the precision of distances; sparse rows are not moved."""
        if self.sparse:
            return self.largest_square
        if "largest moved square" not in self._derived:
            largest = 0.0
            for chunk in passes(len(self), self.features):
                moved = self.rows[chunk] - self.origin
                largest = max(largest, float(np.einsum("ij,ij->i", moved, moved).max(initial=0.0)))
            self._derived["largest moved square"] = largest
        square: float = self._derived["largest moved square"]
        return square

    @property
    def centred(self) -> Centred | None:
        """Return the rows moved to a mean, if they were prepared.

        Points taken from other points keep the mean of those.
        """
        return self._derived.get("centred")

    @property
    def origin(self) -> np.ndarray:
        """Return a point amid the dense rows: squared distances by products lose digits if rows are far from zero."""
        if self._whole is not None:
            return self._whole.origin
        if "origin" not in self._derived:
            some = self.rows[:: -(-len(self) // ORIGIN_ROWS) or 1]
            self._derived["origin"] = np.median(in_double(some), axis=0) if len(self) else np.zeros(self.features)
        found: np.ndarray = self._derived["origin"]
        return found

    def unmoved(self) -> Points:
        """Set the origin to zero and return these points: a value of two rows then does not depend on other rows."""
        self._derived["origin"] = np.zeros(self.features)
        return self

    def in_double(self) -> Points:
        """Return these points in float64, without a copy if they are in float64 already."""
        return self if self.rows.dtype == np.float64 else Points(in_double(self.rows))

    def beside(self, other: Points) -> Points:
        """Return the same rows, moved to the mean of `other` if `other` was moved: blocks in float32 need one mean."""
        moved = Points(self.rows)
        if other.centred is not None and not self.sparse:
            moved._derived["centred"] = moved_like(self.rows, other.centred)
        return moved

    def lifted(self, origin: np.ndarray) -> np.ndarray:
        """Return (x, |x|^2, 1) of dense rows moved by an origin; the product with `folded` is squared distances."""
        lifted = np.empty((len(self), self.features + 2))
        moved = np.subtract(self.rows, origin, out=lifted[:, :-2])
        np.einsum("ij,ij->i", moved, moved, out=lifted[:, -2])
        lifted[:, -1] = 1.0
        return lifted

    def folded(self, dtype: np.dtype) -> np.ndarray:
        """Return (features + 2, n) columns -2z, 1, |z|^2 of z = rows - origin: lifted @ folded = |x - z|^2."""
        found: np.ndarray = self._derive(folded_in(dtype))
        return found

    def _derive(self, name: str) -> Any:
        """Return the derived array of this name; in one piece, as kernels ask for it within a piece of work."""
        with undivided():
            return self.prepare(name)

    # -- parts ------------------------------------------------------------------------------------

    def take(self, index: np.ndarray) -> Points:
        """Return the chosen rows.

        Float32 copies and squared lengths are taken from those of all rows if these exist.
        """
        part = Points(taken(self.rows, index))
        for name in ("single", "squares"):
            if name in self._derived:
                part._derived[name] = taken(self._derived[name], index)
        if self.centred is not None:
            part._derived["centred"] = self.centred.taken(index)
        return part

    def view(self, some: slice) -> Points:
        """Return consecutive rows; dense rows and all arrays derived from them are not copied."""
        if some == slice(0, len(self)):
            return self
        part = self._viewed(some)
        part._whole = self if self._whole is None else self._whole
        for name in ("single", "double", "squares"):
            if name in self._derived:
                part._derived[name] = self._derived[name][some]
        for name in ("folded", "folded single"):
            if name in self._derived:
                part._derived[name] = self._derived[name][:, some]
        if self.centred is not None:
            part._derived["centred"] = self.centred.taken(some)
        return part

    def _viewed(self, some: slice) -> Points:
        return Points(self.rows[some])


def taken(rows: Any, index: np.ndarray) -> Any:
    """Return rows[index]; a sparse matrix is copied at once, as it has few numbers in a row."""
    cuts = [] if sp.issparse(rows) else passes(index.size, rows[:1].size)
    if len(cuts) <= 1:
        return rows[index]
    chosen = np.empty((index.size, *rows.shape[1:]), rows.dtype)
    for some in cuts:
        chosen[some] = rows[index[some]]
        tick()
    return chosen


def passes(count: int, width: int) -> list[slice]:
    """Cut `count` rows into pieces, for work that copies `width` numbers per row into new memory."""
    return pieces(count, COPY * width)


def in_double(rows: Any) -> Any:
    """Return the rows in float64, without a copy if they are in float64 already."""
    return rows.astype(np.float64, copy=False)


def _copied(dtype: Any) -> Callable[[Points], Any]:
    def copy(points: Points) -> Any:
        rows = points.rows
        if rows.dtype == dtype:
            return rows
        if points.sparse:
            return sp.csr_array((rows.data.astype(dtype), rows.indices, rows.indptr), rows.shape)
        copied = np.empty(rows.shape, dtype)
        for some in passes(len(points), points.features):
            tick()
            copied[some] = rows[some]
        return copied

    return copy


def _squares(points: Points) -> np.ndarray:
    if points.sparse:
        return np.asarray(points.rows.multiply(points.rows).sum(axis=1)).ravel()
    squares = np.empty(len(points))
    for some in passes(len(points), points.features):
        tick()
        rows = in_double(points.rows[some])
        np.einsum("ij,ij->i", rows, rows, out=squares[some])
    return squares


def _folded(dtype: Any) -> Callable[[Points], np.ndarray]:
    def fold(points: Points) -> np.ndarray:
        n, origin = len(points), points.origin
        folded = np.empty((n, points.features + 2), dtype)
        folded[:, -2] = 1.0
        for some in passes(n, points.features):
            tick()
            moved = points.rows[some] - origin
            folded[some, -1] = np.einsum("ij,ij->i", moved, moved)
            np.multiply(moved, -2.0, out=folded[some, :-2], casting="same_kind")
        return folded.T

    return fold


def folded_in(dtype: Any) -> str:
    """Return the name of `folded` in this precision."""
    return "folded single" if dtype == np.float32 else "folded"


DERIVED: dict[str, Callable[[Points], Any]] = {
    "single": _copied(np.float32),
    "double": _copied(np.float64),
    "squares": _squares,
    "folded": _folded(np.float64),
    "folded single": _folded(np.float32),
    "centred": lambda points: centre(points.rows),
}


def fits_single(gamma: float, *points: Points) -> bool:
    """Tell whether gamma <x, z> fits into the range of float32, 1e-38 to 3e38."""
    return 1e-15 <= gamma <= 1e15 and all(side.largest_square <= 1e30 for side in points)


def prepare_products(points: Points, dtype: Any) -> None:
    """Compute the arrays that `inner_products` derives from its right points."""
    if dtype == np.float32:
        points.prepare("single")
    elif points.rows.dtype != np.float64:
        points.prepare("double")


def inner_products(left: Points, right: Points, out: np.ndarray) -> np.ndarray:
    """Return <x, z> for every pair, in the precision of `out`."""
    a, b = left.array(out.dtype), right.array(out.dtype)
    if left.sparse and right.sparse:
        out[...] = (b @ a.T).toarray().T  # a @ b.T would sort all of `right` by features, for every block
        return out
    if left.sparse or right.sparse:
        out[...] = a @ b.T
        return out
    return np.matmul(a, b.T, out=out)


# -- products with rows of features ----------------------------------------------------------------


def rows_times(rows: Any, vectors: np.ndarray) -> np.ndarray:
    """Return rows @ vectors, (n, outputs); rows may be sparse."""
    each = _product_operations(rows, vectors.shape[1])
    if each * rows.shape[0] <= PIECE:
        return np.asarray(in_double(rows) @ vectors)
    product = np.empty((rows.shape[0], vectors.shape[1]))
    for some in pieces(rows.shape[0], each):
        product[some] = in_double(rows[some]) @ vectors
        tick()
    return product


def transposed_times(rows: Any, weights: Any) -> np.ndarray:
    """Return rows.T @ weights, (features, outputs), summed over chunks of rows if needed; weights may be sparse."""
    if sp.issparse(weights):
        product = weights.T @ in_double(rows)
        return np.ascontiguousarray((product.toarray() if sp.issparse(product) else product).T)
    each = _product_operations(rows, weights.shape[1])
    if each * rows.shape[0] <= PIECE:
        return np.asarray(in_double(rows).T @ weights)
    product = np.zeros((rows.shape[1], weights.shape[1]))
    for some in pieces(rows.shape[0], each):
        product += in_double(rows[some]).T @ weights[some]
        tick()
    return product


def _product_operations(rows: Any, outputs: int) -> float:
    """Return the operations of one row of a product; a stored number of a sparse row counts as ten of a dense row."""
    if isinstance(rows, np.ndarray):
        return float(rows.shape[1] * (MOVE + 2.0 * outputs))
    return float(rows.nnz / max(rows.shape[0], 1) * (MOVE + 20.0 * outputs))
