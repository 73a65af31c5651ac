"""Products K W without K: in float64 block by block, and those of a certificate in tiles, partly in float32.

If most weights are zero, let S be the support, the rows with nonzero weights. Then K W of the rows in S takes |S|^2 / 2
kernel values in float64 (every value serves two rows). K W of the other rows takes one pass in float32, whose error is
bounded row by row.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from mcsvm.solvers.interrupt import tick
from mcsvm.solvers.jit.linalg import copy_transposed
from mcsvm.solvers.kernels import Kernel, Points
from mcsvm.solvers.kernels.base import Bound, FeatureKernel
from mcsvm.solvers.kernels.centred import UNIT
from mcsvm.solvers.work import EXACT_BLOCK_BYTES, LEAST_SWEEP, TILE, TILES, VALUE, scratch, spread

Summand = tuple[slice, np.ndarray]  # rows of a result, and the values to add to them

LEAST = 2.0**-125  # largest error of a kernel value or a product of weights by underflow
SLACK = 1.001  # factor for roundings in the bound itself
SUMMED = 64  # products added in float32 one after another, before they are added in float64
PROBES = 16  # values of every stored row that a certificate compares before it reads the row: 0.1 % of a pass


def kernel_times(kernel: Kernel, left: Points, right: Points, weights: np.ndarray) -> np.ndarray:
    """Return K(left, right) @ weights in float64, in blocks of bounded size, or without K if the kernel has `times`."""
    if isinstance(kernel, FeatureKernel):
        return kernel.times(left, right, weights)
    return kernel_products(kernel, left, right, weights)


def kernel_products(kernel: Kernel, left: Points, right: Points, weights: np.ndarray) -> np.ndarray:
    result = np.zeros((len(left), weights.shape[1]))
    if len(right) == 0:
        return result
    kernel.prepare(right, np.float64)
    height = max(1, min(len(left), EXACT_BLOCK_BYTES // (8 * len(right))))

    def multiply(start: int) -> None:
        index = np.arange(start, min(start + height, len(left)))
        values = kernel.block(left.take(index), right, scratch((index.size, len(right))))
        result[index] = values @ weights

    operations = 2.0 * height * len(right) * (left.stored + weights.shape[1] + VALUE)
    spread(multiply, range(0, len(left), height), operations)
    return result


def kernel_matrix(kernel: Kernel, points: Points, matrix: np.ndarray, known: int = 0) -> None:
    """Write K of the points into `matrix`, in its precision.

    A value off the diagonal is computed once. The values among the first `known` points are not computed.
    """
    kernel.prepare(points, matrix.dtype)
    cuts, tiles = _upper_tiles(len(points), known)
    blocks = [points.view(cut) for cut in cuts]

    def compute(tile: tuple[int, int]) -> None:
        i, j = tile
        values = kernel.block(blocks[i], blocks[j], matrix[cuts[i], cuts[j]])
        if i != j:
            copy_transposed(values, matrix[cuts[j], cuts[i]])

    spread(compute, tiles, _operations(points, np.empty((0, 1))))


def scattered_matrix(
    kernel: Kernel, points: Points, known: int, store: np.ndarray, rows: np.ndarray, columns: np.ndarray
) -> None:
    """Write the values that `kernel_matrix` computes, with the same bits, to these rows and columns of a float32 store.

    Values whose row or column is -1 are left out.
    """
    kernel.prepare(points, np.float32)
    cuts, tiles = _upper_tiles(len(points), known)
    blocks = [points.view(cut) for cut in cuts]

    def put(values: np.ndarray, left: slice, right: slice) -> None:
        some, other = np.flatnonzero(rows[left] >= 0), np.flatnonzero(columns[right] >= 0)
        store[np.ix_(rows[left][some], columns[right][other])] = values[np.ix_(some, other)]

    def compute(tile: tuple[int, int]) -> None:
        i, j = tile
        values = kernel.block(blocks[i], blocks[j], scratch((len(blocks[i]), len(blocks[j])), np.float32))
        put(values, cuts[i], cuts[j])
        if i != j:
            put(values.T, cuts[j], cuts[i])

    spread(compute, tiles, _operations(points, np.empty((0, 1))))


def _upper_tiles(count: int, known: int) -> tuple[list[slice], list[tuple[int, int]]]:
    """Return cuts of the points, and the pairs of cuts whose tiles complete a matrix with a known first block.

    The matrix is symmetric.
    """
    new = [slice(known + cut.start, known + cut.stop) for cut in tiles_of(count - known)]
    cuts = [*tiles_of(known), *new]
    return cuts, [(i, j) for i in range(len(cuts)) for j in range(max(i, len(cuts) - len(new)), len(cuts))]


@dataclass(frozen=True)
class KnownRows:
    """float32 kernel rows in a store: values of `Kernel.block`, with the error of its bound."""

    store: np.ndarray  # (rows, n)
    slot_of: np.ndarray  # (n,) the row of each example, -1 if it is not in the store

    def agreeing(self, kernel: Kernel, points: Points, support: np.ndarray, right: Points, bound: Bound) -> np.ndarray:
        """Return (support,) whether the row is in the store and, at some columns, agrees with float64 within the bound.

        A certificate does not trust rows that the training has stored: this check detects a store that mixed up its
        rows.
        """
        slots = self.slot_of[support]
        columns = np.random.default_rng(support.size).integers(len(points), size=PROBES)
        probes = points.take(columns)
        kernel.prepare(probes, np.float64)
        exact = np.empty((support.size, PROBES))
        for some in tiles_of(support.size):
            kernel.block(right.view(some), probes, exact[some])
            tick()
        there = slots[:, None] >= 0  # slot -1 refers to memory that may never have been written
        kept = np.where(there, self.store[np.ix_(slots, columns)], np.float32(0.0)).astype(np.float64)
        error = bound.constant + bound.slope * (bound.weight[support][:, None] + bound.weight[columns])
        return (there & (np.abs(kept - exact) <= SLACK * kept * error + LEAST)).all(axis=1)

    def products(self, slots: np.ndarray, table: np.ndarray) -> np.ndarray:
        """Return K(all, some) @ table in float32, with the products of every SUMMED rows added in float64."""
        sums = np.zeros((self.store.shape[1], table.shape[1]))

        def add(columns: slice) -> None:
            for some in tiles_of(slots.size):
                sums[columns] += summed(self.store[slots[some], columns].T, table[some])

        operations = slots.size * TILE * (2.0 * table.shape[1] + VALUE)
        spread(add, tiles_of(self.store.shape[1]), operations)
        return sums


class Sweep:
    """K W for all points: float64 for points whose `error` is 0, float32 for the others.

    `error` bounds the error of <d, (K W)_i> for every d of |d|_1 <= `reading`.
    """

    def __init__(self, kernel: Kernel, right: Points, weights: np.ndarray, products: np.ndarray) -> None:
        self.kernel, self.right, self.weights = kernel, right, weights
        self.products, self.error = products, np.zeros(len(products))

    def fill(self, points: Points, bound: Bound, support: np.ndarray, reading: float, known: KnownRows) -> None:
        """Compute the rows outside the support, whose weights are zero, in float32; known kernel rows are read."""
        rows = np.flatnonzero(np.isin(np.arange(len(points)), support, invert=True, assume_unique=True))
        size = float(np.abs(self.weights).max())
        heaviest = reading * np.abs(self.weights).max(axis=1) / size
        columns = [self.weights / size, heaviest, heaviest * bound.weight[support]]
        table = np.column_stack(columns).astype(np.float32)
        sums = np.zeros((rows.size, table.shape[1]))
        stored = np.zeros(support.size, dtype=bool)
        if len(known.store):
            stored = known.agreeing(self.kernel, points, support, self.right, bound)
        here, other = np.flatnonzero(stored), np.flatnonzero(~stored)
        if other.size:
            right = self.right if not here.size else self.right.take(other)
            sums += tile_products(points, rows, right, table[other], self.kernel)
        if here.size:
            sums += known.products(known.slot_of[support[here]], table[here])[rows]
        total, weighted = sums[:, -2], sums[:, -1]
        relative = (bound.constant + UNIT * (SUMMED + 4)) * total
        error = relative + bound.slope * (bound.weight[rows] * total + weighted)
        self.products[rows] = size * sums[:, :-2]
        error = SLACK * error + LEAST * support.size * (1.0 + reading)
        self.error[rows] = np.maximum(size * error, np.finfo(float).tiny)  # 0 would mean float64

    def sharpen(self, points: Points, rows: np.ndarray) -> None:
        """Compute these rows in float64."""
        self.products[rows] = tile_products(points, rows, self.right, self.weights, self.kernel)
        self.error[rows] = 0.0


def swept(kernel: Kernel, points: Points, weights: np.ndarray, reading: float, known: KnownRows) -> Sweep | None:
    """Return the sweep over all points, or None if float64 takes no longer or no float32 error is proved.

    A sweep pays only for large products. The kernel may have no proved error, and FeatureKernel needs no K.
    """
    support = np.flatnonzero(np.any(weights != 0.0, axis=1))
    operations = support.size * len(points) * (2.0 * points.stored + VALUE)
    if operations < LEAST_SWEEP or isinstance(kernel, FeatureKernel):
        return None
    bound = kernel.bound(points)
    if bound is None:
        return None
    right = points.take(support)
    sweep = Sweep(kernel, right, weights[support], np.empty_like(weights))
    sweep.products[support] = symmetric_products(kernel, right, sweep.weights)
    if support.size < len(points):
        sweep.fill(points, bound, support, reading, known)
    return sweep


# -- in tiles -------------------------------------------------------------------------------------


def symmetric_products(kernel: Kernel, points: Points, weights: np.ndarray) -> np.ndarray:
    """Return K(points, points) @ weights in float64; a kernel value off the diagonal is computed once."""
    cuts = tiles_of(len(points))
    kernel.prepare(points, np.float64)
    blocks = [points.view(cut) for cut in cuts]
    result = np.zeros((len(points), weights.shape[1]))

    def compute(tile: tuple[int, int]) -> list[Summand]:
        i, j = tile
        values = kernel.block(blocks[i], blocks[j], scratch((len(blocks[i]), len(blocks[j]))))
        found = [(cuts[i], values @ weights[cuts[j]])]
        return found if i == j else [*found, (cuts[j], values.T @ weights[cuts[i]])]

    tiles = [(i, j) for i in range(len(cuts)) for j in range(i, len(cuts))]
    add_up(result, tiles, compute, _operations(points, weights))
    return result


def tile_products(points: Points, rows: np.ndarray, right: Points, table: np.ndarray, kernel: Kernel) -> np.ndarray:
    """Return K(rows, right) @ table in the precision of the table, with tiles added in float64.

    `right` must be prepared for this precision.
    """
    left, cuts = tiles_of(rows.size), tiles_of(len(right))
    blocks = [right.view(cut) for cut in cuts]
    sums = np.zeros((rows.size, table.shape[1]))
    together = max(1, TILES // len(cuts))
    for first in range(0, len(left), together):
        some = left[first : first + together]
        heads = []
        for cut in some:
            heads.append(points.take(rows[cut]))
        multiply = _Multiply(kernel, some, heads, blocks, [table[cut] for cut in cuts])
        tiles = [(i, j) for i in range(len(some)) for j in range(len(cuts))]
        add_up(sums, tiles, multiply, _operations(points, table))
    return sums


@dataclass(frozen=True)
class _Multiply:
    """The product of a tile, in the precision of the table."""

    kernel: Kernel
    cuts: list[slice]
    left: list[Points]
    right: list[Points]
    table: list[np.ndarray]

    def __call__(self, tile: tuple[int, int]) -> list[Summand]:
        i, j = tile
        left, right, table = self.left[i], self.right[j], self.table[j]
        values = self.kernel.block(left, right, scratch((len(left), len(right)), table.dtype))
        return [(self.cuts[i], summed(values, table) if table.dtype == np.float32 else values @ table)]


def summed(values: np.ndarray, table: np.ndarray) -> np.ndarray:
    """Return values @ table in float32, with the products of every SUMMED columns added in float64."""
    total = np.zeros((values.shape[0], table.shape[1]))
    for start in range(0, values.shape[1], SUMMED):
        some = slice(start, start + SUMMED)
        total += values[:, some] @ table[some]
    return total


def single_products(kernel: Kernel, points: Points, rows: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return (K @ weights)[rows] by float32 kernel values, without a bound; `weights` are those of all points."""
    support = np.flatnonzero(np.any(weights != 0.0, axis=1))
    if not support.size or not rows.size:
        return np.zeros((rows.size, weights.shape[1]))
    kernel.prepare(points, np.float32)
    right = points.take(support)
    size = float(np.abs(weights).max())
    table = (weights[support] / size).astype(np.float32)
    return size * tile_products(points, rows, right, table, kernel)


def products_beside(kernel: Kernel, points: Points, right: Points, weights: np.ndarray) -> np.ndarray:
    """Return K(points, right) @ weights by float32 kernel values, without a bound; `right` are not rows of `points`."""
    used = np.flatnonzero(np.any(weights != 0.0, axis=1))
    if not used.size or not len(points):
        return np.zeros((len(points), weights.shape[1]))
    right, weights = right.take(used), weights[used]
    if isinstance(kernel, FeatureKernel):
        return kernel.times(points, right, weights)
    kernel.prepare(points, np.float32)
    size = float(np.abs(weights).max())
    table = (weights / size).astype(np.float32)
    return size * tile_products(points, np.arange(len(points)), right.beside(points), table, kernel)


def tiles_of(count: int) -> list[slice]:
    return [slice(start, min(start + TILE, count)) for start in range(0, count, TILE)]


def _operations(points: Points, weights: np.ndarray) -> float:
    return 2.0 * TILE * TILE * (points.stored + 2.0 * weights.shape[1] + VALUE)


def add_up(
    result: np.ndarray,
    tiles: Sequence[tuple[int, int]],
    compute: Callable[[tuple[int, int]], list[Summand]],
    operations_each: float,
) -> None:
    """Add the results of the tiles to `result`, in their order whatever thread computes them."""
    for start in range(0, len(tiles), TILES):
        group = tiles[start : start + TILES]
        found: list[list[Summand]] = [[] for _ in group]
        spread(_Kept(compute, group, found), range(len(group)), operations_each)
        for summands in found:
            for rows, values in summands:
                result[rows] += values
        tick()


@dataclass(frozen=True)
class _Kept:
    """Call a function for a tile, and store its result at the tile's place."""

    compute: Callable[[tuple[int, int]], list[Summand]]
    tiles: Sequence[tuple[int, int]]
    found: list[list[Summand]]

    def __call__(self, number: int) -> None:
        self.found[number] = self.compute(self.tiles[number])
