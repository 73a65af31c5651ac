"""Facts about the rows of several parts, for preparation: extremes, moments and levels of every column.

Scaling and levels of a table follow from few facts: `minmax` from the smallest and largest value of each column,
`standard` from mean and deviation, categories from their levels. A data set of a few rows with the same facts is
prepared as all rows together would be. Therefore preparation needs no second way to be fitted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce

import numpy as np
import pandas as pd
import scipy.sparse as sp

from mcsvm.solvers.errors import InputError, Sentence
from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.data import preparation as preparing
from mcsvm_gui.core.data.dataset import Dataset, Notice, NumberedColumns
from mcsvm_gui.core.data.files.parts import digest_of, refuse_others
from mcsvm_gui.core.data.options import Rules
from mcsvm_gui.core.data.preparation import Preparation
from mcsvm_gui.core.data.preparation.cells import held_cells
from mcsvm_gui.core.data.preparation.gaps import usable_rows
from mcsvm_gui.core.data.preparation.matrix import fit_matrix, many_filled
from mcsvm_gui.core.data.remedies import OptionWords, Remedy

TINY = np.finfo(float).tiny  # in place of a weight of 0


@dataclass(frozen=True, eq=False)
class ColumnFacts:
    """Facts about every column, in order; the numbers of a text column are NaN."""

    weight: float  # of all rows: their number if they have no weights
    low: np.ndarray
    high: np.ndarray
    means: np.ndarray  # weighted
    squares: np.ndarray  # the weighted sum of squared deviations from the mean
    levels: tuple[frozenset[str], ...]  # empty for numeric columns

    def widened(self, before: int, after: int) -> ColumnFacts:
        """Return the facts with additional columns, in which all cells are zero."""
        low, high, means, squares = (
            np.pad(one, (before, after)) for one in (self.low, self.high, self.means, self.squares)
        )
        return ColumnFacts(self.weight, low, high, means, squares, (frozenset(),) * low.size)

    def joined(self, other: ColumnFacts) -> ColumnFacts:
        """Merge the facts of two sets of rows, as in Chan, Golub & LeVeque 1979.

        Sums of squares would lose digits if values are far from zero.
        """
        weight = self.weight + other.weight
        share, apart = other.weight / max(weight, TINY), other.means - self.means
        means, squares = self.means + share * apart, self.squares + other.squares + share * self.weight * apart**2
        levels = tuple(here | there for here, there in zip(self.levels, other.levels, strict=True))
        low, high = np.minimum(self.low, other.low), np.maximum(self.high, other.high)
        return ColumnFacts(weight, low, high, means, squares, levels)


@dataclass(frozen=True, eq=False)
class PartFacts:
    """Facts about the rows of one part."""

    empty: Dataset  # a data set without rows: columns, names, notices
    digests: tuple[str, ...]  # of the part's files
    rows: int
    counts: Counter[str]  # rows of each class
    totals: Counter[str]  # weight of each class
    filled: int  # cells that are not zero, of a sparse file
    columns: ColumnFacts

    @property
    def weight(self) -> float:
        return self.columns.weight


def facts_of(rules: Rules, dataset: Dataset, digests: Sequence[str]) -> PartFacts:
    """Compute the facts of a part. Raises FileError if cells are missing although the rules forbid it."""
    if dataset.labels is None:
        raise FileError(
            dataset.name, "there are no class labels to train on; name their column with {label}", label=Remedy("label")
        )
    weights = np.ones(dataset.rows) if dataset.weights is None else dataset.weights
    counts: Counter[str] = Counter(dataset.labels.tolist())
    totals: Counter[str] = Counter()
    for name in counts:
        totals[name] = weights[dataset.labels == name].sum()
    found = _of_matrix(dataset.matrix, weights) if dataset.matrix is not None else _of_table(rules, dataset, weights)
    filled = 0 if dataset.matrix is None else int(dataset.matrix.nnz)
    return PartFacts(dataset.take([]), tuple(digests), dataset.rows, counts, totals, filled, found)


def _of_matrix(matrix: sp.csr_array, weights: np.ndarray) -> ColumnFacts:
    low, high = (
        np.asarray(side.toarray(), dtype=np.float64).ravel() for side in (matrix.min(axis=0), matrix.max(axis=0))
    )
    total = float(weights.sum())
    means = (weights @ matrix) / max(total, TINY)
    squares = weights @ matrix.multiply(matrix).tocsr() - total * means**2
    return ColumnFacts(total, low, high, means, np.maximum(squares, 0.0), (frozenset(),) * matrix.shape[1])


def _of_table(rules: Rules, dataset: Dataset, weights: np.ndarray) -> ColumnFacts:
    cells = {column.name: held_cells(dataset, position) for position, column in enumerate(dataset.columns)}
    usable_rows(dataset, cells, replace(rules, missing="reject"))
    low, high, means, squares = (np.full(len(cells), np.nan) for _ in range(4))
    total = float(weights.sum())
    levels: list[frozenset[str]] = []
    for position, values in enumerate(cells.values()):
        if values.dtype == object:
            levels.append(frozenset(value for value in values.tolist() if value))
            continue
        levels.append(frozenset())
        low[position], high[position] = values.min(), values.max()
        means[position] = weights @ values / max(total, TINY)
        squares[position] = weights @ np.square(values - means[position])
    return ColumnFacts(total, low, high, means, squares, tuple(levels))


# -- of all parts ---------------------------------------------------------------------------------


def joined(parts: Sequence[PartFacts]) -> PartFacts:
    """Merge the facts of all parts. Raises FileError if the columns of a part differ from those of the first."""
    first = parts[0].empty
    for other in parts[1:]:
        refuse_others(first, other.empty)
    empty, columns = _on_all_columns(parts)
    counts, totals = sum((one.counts for one in parts), Counter()), sum((one.totals for one in parts), Counter())
    notices = tuple(dict.fromkeys(notice for one in parts for notice in one.empty.notices))
    digests = tuple(digest for one in parts for digest in one.digests)
    weightless = sum(one.empty.weightless for one in parts)
    return PartFacts(
        replace(empty, notices=notices, digest=digest_of(digests), weightless=weightless),
        digests,
        sum(one.rows for one in parts),
        counts,
        totals,
        sum(one.filled for one in parts),
        reduce(ColumnFacts.joined, columns),
    )


def _on_all_columns(parts: Sequence[PartFacts]) -> tuple[Dataset, list[ColumnFacts]]:
    """Align numbered columns. A part has only as many as its rows need; its further columns are zero."""
    empty, found = parts[0].empty, [one.columns for one in parts]
    ranges = [one.empty.columns for one in parts if isinstance(one.empty.columns, NumberedColumns)]
    if not ranges:
        return empty, found
    start, end = min(one.first for one in ranges), max(one.first + one.total for one in ranges)
    empty = replace(empty, columns=NumberedColumns(start, end - start), matrix=sp.csr_array((0, end - start)))
    pairs = zip(found, ranges, strict=True)
    return empty, [one.widened(own.first - start, end - own.first - own.total) for one, own in pairs]


def preparation_of(rules: Rules, facts: PartFacts) -> Preparation:
    """Return the preparation that a fit on all rows would give."""
    columns, found = facts.empty.columns, facts.columns
    low, high = found.low, found.high
    if rules.scale == "standard":
        mean, deviation = found.means, np.sqrt(found.squares / found.weight)
        constant = low == high
        low, high = np.where(constant, low, mean - deviation), np.where(constant, high, mean + deviation)
    if facts.empty.matrix is not None:
        dense = many_filled(facts.filled, facts.rows, len(columns))
        few = replace(facts.empty, weights=None, matrix=sp.csr_array(np.vstack([low, high])))
        return fit_matrix(rules, few, dense)
    most = max((len(levels) for levels in found.levels), default=0)
    count = 2 * max(1, -(-most // 2))
    cells = {
        column.name: np.resize(np.array(sorted(levels), dtype=object) if levels else np.array([a, b]), count)
        for column, levels, a, b in zip(columns, found.levels, low, high, strict=True)
    }
    return preparing.fit(rules, replace(facts.empty, weights=None, table=pd.DataFrame(cells)))


def refuse(rules: Rules, facts: PartFacts) -> None:
    """Raise InputError for rules that need more than these facts about the rows."""
    kinds = {column.kind for column in facts.empty.columns} if facts.empty.table is not None else set()
    if kinds & {"text", "date"}:
        raise InputError("a training on a cluster takes columns of numbers and categories, not of texts or dates")
    if "category" in kinds and rules.scale == "standard":
        raise InputError(
            "a training on a cluster scales categories by {minmax}, or leaves them as they are",
            minmax=Remedy("scale", "minmax"),
        )
    if "category" in kinds and rules.min_frequency > 1:
        raise InputError(
            "a training on a cluster does not join rare categories; leave out {option}",
            option=OptionWords("min_frequency"),
        )


def whole_notice(files: int) -> tuple[Notice, ...]:
    sentence = Sentence("all rows lie in one file, so one worker holds them all; a folder of parts is shared out")
    return (Notice("one part", sentence),) if files == 1 else ()
