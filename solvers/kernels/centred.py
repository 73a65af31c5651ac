"""Centred: dense rows moved to their mean, for exponents -gamma |x - z|^2 in single precision with a proved error.

With a = x - mean, c = 2 gamma and h_x = gamma |a|^2, the exponent is c <a, b> - h_x - h_z: one sum of features + 2
products. It is summed CHUNK features at a time, so that few additions follow each other whatever BLAS does.
solvers/notes/certificate.md proves that its error is at most `exponent_error` (h_x + h_z).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import scipy.sparse as sp

from mcsvm.solvers.interrupt import tick
from mcsvm.solvers.kernels.distances import places_below, subtract_pairs
from mcsvm.solvers.work import COPY, MOVE, STRIP_BYTES, pieces

UNIT = 2.0**-24  # unit roundoff of single precision
CHUNK = 128  # features of one product: 6 % slower than all 784 at once, and a sixth of the error
LEAST = 1e-250  # lower bound of the largest entry: above it, squares are normal numbers


@dataclass(frozen=True)
class Centred:
    """Rows (a, 1, |a|^2 / 2), rounded, of a = (x - mean) / scale, with entries of at most 1.

    `halves` are |a|^2 / 2 before rounding.
    """

    rows: np.ndarray  # (n, features + 2) float32
    halves: np.ndarray  # (n,) float64
    largest: float  # the largest of `halves`, over all points that share the mean
    scale: float
    mean: np.ndarray

    def taken(self, index: np.ndarray | slice) -> Centred:
        return Centred(self.rows[index], self.halves[index], self.largest, self.scale, self.mean)

    def factor(self, gamma: float) -> float:
        """Return c in units of the rows, so that c * halves are h."""
        return 2.0 * (gamma * self.scale) * self.scale


def centre(rows: Any) -> Centred | None:
    """Return the rows moved to their mean.

    Return None for sparse rows, which would not stay sparse, and if squares are not normal numbers.
    """
    if sp.issparse(rows) or not rows.size:
        return None
    n, features = rows.shape
    mean, largest = np.zeros(features), 0.0
    for some in pieces(n, 2.0 * MOVE * features):  # these cuts decide the bits of the mean
        mean += rows[some].astype(np.float64, copy=False).sum(axis=0) / n
        tick()
    for some in pieces(n, COPY * features):
        moved = rows[some] - mean
        largest = max(largest, float(np.abs(moved, out=moved).max()))
        tick()
    if not (largest == 0.0 or LEAST < largest < 1.0 / LEAST):
        return None
    scale = 2.0 ** float(np.ceil(np.log2(largest or 1.0)))
    single, halves = np.empty((n, features + 2), np.float32), np.empty(n)
    single[:, features] = 1.0
    for some in pieces(n, COPY * features):
        moved = rows[some] - mean
        moved /= scale
        single[some, :features] = moved
        halves[some] = 0.5 * np.einsum("ij,ij->i", moved, moved)
        tick()
    single[:, features + 1] = halves
    return Centred(single, halves, float(halves.max()), scale, mean)


def moved_like(rows: np.ndarray, other: Centred) -> Centred:
    """Move further rows to the mean of `other`, for blocks with its points."""
    moved = (rows - other.mean) / other.scale
    halves = 0.5 * np.einsum("ij,ij->i", moved, moved)
    single = np.column_stack([moved, np.ones(len(rows)), halves]).astype(np.float32)
    return Centred(single, halves, max(other.largest, float(halves.max(initial=0.0))), other.scale, other.mean)


def rbf_values(left: Centred, right: Centred, gamma: float, out: np.ndarray) -> np.ndarray:
    """Write exp(-gamma |x - z|^2) of every pair into float32 `out`; both sides must share their mean."""
    features = right.mean.size
    factor = np.float32(left.factor(gamma))
    turned = left.rows * factor
    turned[:, features], turned[:, features + 1] = -turned[:, features + 1], -factor
    width = max(1, STRIP_BYTES // (4 * len(turned)))
    # Recompute exponents from differences if their error may exceed them: K(x, x) = 1, and no exponent is positive.
    error = exponent_error(features) * left.factor(gamma)
    for start in range(0, len(right.rows), width):
        chunk = slice(start, start + width)
        strip = out[:, chunk]
        _summed(turned, right.rows[chunk], strip)
        rows, columns = places_below(strip, -1.0, error * left.halves, error * right.halves[chunk])
        if rows.size:
            near, far = left.rows[:, :features], right.rows[chunk, :features]
            strip[rows, columns] = -0.5 * left.factor(gamma) * subtract_pairs(near, far, rows, columns)
        np.exp(strip, out=strip)
    return out


def _summed(left: np.ndarray, right: np.ndarray, out: np.ndarray) -> None:
    """Write left right' into `out`, CHUNK features at a time; the last chunk includes the last two columns.

    OpenBLAS may flag an invalid operation although all numbers are finite (numpy#24067, OpenBLAS#1924), so the warning
    is suppressed.
    """
    cuts = chunks(left.shape[1] - 2)
    with np.errstate(invalid="ignore"):
        np.matmul(left[:, cuts[0]], right[:, cuts[0]].T, out=out)
        for some in cuts[1:]:
            out += left[:, some] @ right[:, some].T


def chunks(features: int) -> list[slice]:
    starts = list(range(0, max(features, 1), CHUNK))
    return [slice(a, b) for a, b in zip(starts, [*starts[1:], features + 2], strict=True)]


@cache
def exponent_error(features: int) -> float:
    """Return the error of an exponent in `rbf_values`, per h_x + h_z."""
    cuts = chunks(features)
    longest, last = max(cut.stop - cut.start for cut in cuts), cuts[-1].stop - cuts[-1].start
    return 1.001 * UNIT * ((longest + len(cuts) + 4) + (last + 6))
