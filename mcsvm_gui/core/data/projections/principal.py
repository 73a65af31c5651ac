"""The data seen along its two widest directions: principal components of what a kernel would see."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator, svds

from mcsvm_gui.core.data import preparation
from mcsvm_gui.core.data.dataset import Column, Dataset
from mcsvm_gui.core.data.preparation import Rules

MOST_POINTS = 5_000
MOST_CELLS = 10_000_000  # of the prepared table: 80 MB
MOST_LEVELS = 100  # a text column with more is a name, and one feature per level would say nothing
_SMALL = 64  # rows or columns up to which all components are computed


@dataclass(frozen=True, eq=False)
class Projected:
    points: np.ndarray  # (shown, 2)
    rows: np.ndarray  # (shown,) rising row numbers of the data set
    codes: np.ndarray  # (shown,) positions in `classes`; all 0 without labels
    classes: tuple[str, ...]
    shares: tuple[float, float]  # of the variance
    total: int  # rows there are
    left_out: tuple[str, ...]  # text columns with too many levels


def project(dataset: Dataset, scale: str = "minmax") -> Projected:
    """The same points for the same data, whenever it is asked."""
    rows = thin(dataset.labels, dataset.rows, _budget(dataset))
    part = dataset if rows.size == dataset.rows else dataset.take(rows)
    part, left_out = _without_names(part)
    points, shares = np.zeros((rows.size, 2)), (0.0, 0.0)
    if part.columns:
        rules = Rules(scale=scale, missing="mean")
        points, shares = principal_components(preparation.fit(rules, part).apply(part).rows)
    codes = np.zeros(rows.size, dtype=np.int64)
    if part.labels is not None:
        place = {name: code for code, name in enumerate(dataset.classes)}
        codes = np.array([place[label] for label in part.labels], dtype=np.int64)
    return Projected(points, rows, codes, dataset.classes, shares, dataset.rows, left_out)


def principal_components(rows: np.ndarray | sp.csr_array) -> tuple[np.ndarray, tuple[float, float]]:
    """Coordinates along the first two components, and their shares of the variance.

    The mean is taken away inside the products, so that sparse rows stay sparse.
    """
    count, width = rows.shape
    mean = np.asarray(rows.mean(axis=0)).ravel()
    variation = _variation(rows, mean)
    if variation <= 0.0:
        return np.zeros((count, 2)), (0.0, 0.0)
    if min(count, width) <= _SMALL:
        dense = rows if isinstance(rows, np.ndarray) else rows.toarray()
        left, values, right = np.linalg.svd(dense - mean, full_matrices=False)
    else:
        start = np.random.default_rng(0).standard_normal(min(count, width))
        left, values, right = svds(_centred(rows, mean), k=2, v0=start, solver="arpack")
        order = np.argsort(-values)
        left, values, right = left[:, order], values[order], right[order]
    points, squares = np.zeros((count, 2)), np.zeros(2)
    found = min(2, values.size)
    signs = _signs(right[:found])
    points[:, :found] = left[:, :found] * (values[:found] * signs)
    squares[:found] = values[:found] ** 2
    return points, (float(squares[0] / variation), float(squares[1] / variation))


def thin(labels: np.ndarray | None, count: int, most: int = MOST_POINTS) -> np.ndarray:
    """Rising row numbers: all, or `most` of them, each class by its share and none left without a row."""
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
    """One row for each class, the rest in proportion, by largest remainders."""
    wanted = (counts - 1) * ((most - counts.size) / (counts.sum() - counts.size))
    shares = 1 + np.floor(wanted).astype(np.int64)
    last = np.argsort(-(wanted - np.floor(wanted)), kind="stable")[: most - shares.sum()]
    shares[last] += 1
    return shares


def _budget(dataset: Dataset) -> int:
    if dataset.matrix is not None:
        return MOST_POINTS
    return min(MOST_POINTS, max(200, MOST_CELLS // max(1, len(dataset.columns))))


def _without_names(dataset: Dataset) -> tuple[Dataset, tuple[str, ...]]:
    if dataset.table is None:
        return dataset, ()
    table = dataset.table
    many = [
        position
        for position, column in enumerate(dataset.columns)
        if column.kind == "category" and table.iloc[:, position].nunique() > MOST_LEVELS
    ]
    if not many:
        return dataset, ()
    kept = [position for position in range(len(dataset.columns)) if position not in set(many)]
    columns: tuple[Column, ...] = tuple(dataset.columns[position] for position in kept)
    names = tuple(dataset.columns[position].name for position in many)
    return replace(dataset, columns=columns, table=table.iloc[:, kept]), names


def _variation(rows: np.ndarray | sp.csr_array, mean: np.ndarray) -> float:
    """The sum of squares about the mean."""
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


def _signs(directions: np.ndarray) -> np.ndarray:
    """The largest loading points upwards; otherwise the picture could be mirrored at any time."""
    largest = directions[np.arange(len(directions)), np.abs(directions).argmax(axis=1)]
    return np.where(largest < 0.0, -1.0, 1.0)
