"""Impute missing numbers from the nearest rows: the mean of the k closest training rows that have the value.

The distance is that of scikit-learn's KNNImputer, over the cells that both rows have, on columns of deviation 1:
sqrt(columns / columns both have * sum of squares). If no row has a cell in common, the column's mean is taken.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.data.remedies import Remedy

MOST_CELLS = 20_000_000  # largest number of cells that a model stores, 160 MB
DIGITS = 7  # of distances: equally near rows stay so in any order of summation
_BLOCK = 4_000_000  # distances at a time


@dataclass(frozen=True, eq=False)
class Neighbors:
    sources: tuple[str, ...]
    count: int
    donors: np.ndarray  # (training rows, sources), NaN for a missing value

    def filled(self, columns: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Return the columns of `sources` with missing values imputed."""
        rows = np.column_stack([columns[name] for name in self.sources])
        gaps = np.isnan(rows)
        wanting = np.flatnonzero(gaps.any(axis=1))
        height = max(1, _BLOCK // len(self.donors))
        result = rows.copy()
        for first in range(0, wanting.size, height):
            some = wanting[first : first + height]
            self._fill(result, rows[some], some)
        return {name: result[:, place] for place, name in enumerate(self.sources)}

    def _fill(self, result: np.ndarray, rows: np.ndarray, places: np.ndarray) -> None:
        distances = self._distances(rows)
        for column in np.flatnonzero(np.isnan(rows).any(axis=0)).tolist():
            wanting = np.flatnonzero(np.isnan(rows[:, column]))
            having = np.flatnonzero(~np.isnan(self.donors[:, column]))
            result[places[wanting], column] = self._means(
                distances[np.ix_(wanting, having)], self.donors[having, column]
            )

    def _means(self, distances: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Return the mean over the nearest rows; among equally near ones the first are taken."""
        distances = np.where(np.isnan(distances), np.inf, distances)
        nearest = np.argsort(distances, axis=1, kind="stable")[:, : self.count]
        known = np.isfinite(np.take_along_axis(distances, nearest, axis=1))
        sums = np.where(known, values[nearest], 0.0).sum(axis=1)
        return np.where(known.any(axis=1), sums / np.maximum(known.sum(axis=1), 1), values.mean())

    @property
    def middles(self) -> np.ndarray:
        return np.asarray(np.nanmean(self.donors, axis=0))

    @property
    def units(self) -> np.ndarray:
        deviations = np.nanstd(self.donors, axis=0)
        return np.where(deviations > 0.0, deviations, 1.0)

    def _distances(self, rows: np.ndarray) -> np.ndarray:
        """Return the (rows, donors) distances; NaN if two rows have no cell in common."""
        middle, units = self.middles, self.units
        here, there = (rows - middle) / units, (self.donors - middle) / units
        has, have = ~np.isnan(here), ~np.isnan(there)
        x, y = np.where(has, here, 0.0), np.where(have, there, 0.0)
        has, have = has.astype(np.float64), have.astype(np.float64)
        squares = (x * x) @ have.T - 2.0 * (x @ y.T) + has @ (y * y).T
        common = has @ have.T
        with np.errstate(invalid="ignore", divide="ignore"):
            away = np.sqrt(np.maximum(squares, 0.0) * (rows.shape[1] / common))
        return np.where(common > 0.0, np.round(away, DIGITS), np.nan)

    def document(self) -> dict[str, Any]:
        """Return the JSON part. The donors, and which of their cells are missing, are arrays."""
        return {"sources": list(self.sources), "count": self.count, "rows": len(self.donors)}

    @classmethod
    def read(cls, document: dict[str, Any], donors: np.ndarray, known: np.ndarray) -> Neighbors:
        sources, count = tuple(document["sources"]), document["count"]
        if not all(isinstance(name, str) for name in sources) or type(count) is not int or count < 1:
            raise ValueError("neighbors that cannot be asked")
        donors = np.where(known != 0, donors, np.nan)
        if not known.any(axis=0).all():
            raise ValueError("neighbors that have no value")
        return cls(sources, count, donors)


def fit_neighbors(dataset: Dataset, count: int, columns: dict[str, np.ndarray]) -> Neighbors | None:
    """Fit the imputation; return None if no column is numeric."""
    if not columns:
        return None
    donors = np.column_stack(list(columns.values()))
    if donors.size > MOST_CELLS:
        raise FileError(
            dataset.name,
            "the model would have to keep all {cells} cells of the training rows to find neighbors in; {median}",
            cells=donors.size,
            median=Remedy("missing", "median", verb="say"),
        )
    return Neighbors(tuple(columns), count, donors)
