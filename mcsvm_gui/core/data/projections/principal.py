"""Principal components of dense and of sparse rows, and the choice of rows to show if there are many."""

from __future__ import annotations

import numpy as np
import pandas as pd
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator, svds

MOST_POINTS = 5_000
_SMALL = 64  # rows or columns up to which all components are computed


def principal_components(rows: np.ndarray | sp.csr_array) -> tuple[np.ndarray, tuple[float, float]]:
    """Return the coordinates along the first two components, and their shares of the variance.

    The mean is subtracted inside the products, so that sparse rows stay sparse.
    """
    variation = _variation(rows, np.asarray(rows.mean(axis=0)).ravel())
    points, squares = np.zeros((rows.shape[0], 2)), np.zeros(2)
    if variation <= 0.0:
        return points, (0.0, 0.0)
    found = scores(rows, 2)
    points[:, : found.shape[1]] = found
    squares[: found.shape[1]] = (found**2).sum(axis=0)
    return points, (float(squares[0] / variation), float(squares[1] / variation))


def scores(rows: np.ndarray | sp.csr_array, wanted: int) -> np.ndarray:
    """Return the (rows, at most `wanted`) coordinates along the first components."""
    mean = np.asarray(rows.mean(axis=0)).ravel()
    if min(rows.shape) <= max(_SMALL, wanted):
        dense = rows if isinstance(rows, np.ndarray) else rows.toarray()
        left, values, right = np.linalg.svd(dense - mean, full_matrices=False)
    else:
        start = np.random.default_rng(0).standard_normal(min(rows.shape))
        left, values, right = svds(_centred(rows, mean), k=wanted, v0=start, solver="arpack")
        order = np.argsort(-values)
        left, values, right = left[:, order], values[order], right[order]
    found = min(wanted, values.size)
    return left[:, :found] * (values[:found] * signs_of(right[:found]))


def thin(labels: np.ndarray | None, count: int, most: int = MOST_POINTS) -> np.ndarray:
    """Return increasing row numbers: all, or `most` of them, in proportion to the classes and with a row of each."""
    if count <= most:
        return np.arange(count)
    lots = np.random.default_rng(0)
    if labels is None:
        return np.sort(lots.choice(count, most, replace=False))
    codes, names = pd.factorize(labels)
    if len(names) > most:
        return np.sort(lots.choice(count, most, replace=False))
    shares = _shares(np.bincount(codes), most)
    shuffled = lots.permutation(count)
    by_class = shuffled[np.argsort(codes[shuffled], kind="stable")]
    starts = np.concatenate([[0], np.cumsum(np.bincount(codes))[:-1]])
    places = np.concatenate([start + np.arange(share) for start, share in zip(starts, shares, strict=True)])
    return np.sort(by_class[places])


def _shares(counts: np.ndarray, most: int) -> np.ndarray:
    """Assign one row to each class, and the other rows in proportion, by largest remainders."""
    wanted = (counts - 1) * ((most - counts.size) / (counts.sum() - counts.size))
    shares = 1 + np.floor(wanted).astype(np.int64)
    last = np.argsort(-(wanted - np.floor(wanted)), kind="stable")[: most - shares.sum()]
    shares[last] += 1
    return shares


def _variation(rows: np.ndarray | sp.csr_array, mean: np.ndarray) -> float:
    """Return the sum of squares about the mean."""
    if isinstance(rows, np.ndarray):
        return float(((rows - mean) ** 2).sum())
    stored = np.bincount(rows.indices, minlength=mean.size)
    inside = float(((rows.data - mean[rows.indices]) ** 2).sum())
    return inside + float(((rows.shape[0] - stored) * mean**2).sum())


def _centred(rows: np.ndarray | sp.csr_array, mean: np.ndarray) -> LinearOperator:
    turned = rows.T if isinstance(rows, np.ndarray) else rows.T.tocsr()
    return LinearOperator(
        rows.shape,
        dtype=np.float64,
        matvec=lambda vector: rows @ np.ravel(vector) - mean @ np.ravel(vector),
        rmatvec=lambda vector: turned @ np.ravel(vector) - mean * np.sum(vector),
    )


def signs_of(directions: np.ndarray) -> np.ndarray:
    """Return signs that make the largest loading positive; otherwise the picture could be mirrored at any time."""
    largest = directions[np.arange(len(directions)), np.abs(directions).argmax(axis=1)]
    return np.where(largest < 0.0, -1.0, 1.0)
