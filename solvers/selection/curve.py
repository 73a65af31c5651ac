"""Learning curve: accuracy against training rows, fitted by a - b n^-c and extrapolated (Cortes et al. 1993).

The fit is by least squares with 0 <= b, a <= 1 and 0 < c <= 2: for each c of a grid, a and b are those of a line in
n^-c. The uncertainty is that of the folds: they are drawn with replacement, the same ones for every number of rows, and
the law is fitted to each draw.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

SHARES = 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1.0  # shares of the training rows
POINTS = 3  # least number of points: the law has three parameters
EXPONENTS = np.geomspace(0.05, 2.0, 200)
DRAWS, INTERVAL = 400, (5.0, 95.0)  # number of draws of folds; percentiles of the interval


@dataclass(frozen=True, eq=False)
class Laws:
    """One or several laws a - b n^-c."""

    a: np.ndarray
    b: np.ndarray
    c: np.ndarray

    def at(self, rows: float) -> np.ndarray:
        return np.clip(self.a - self.b * rows**-self.c, 0.0, 1.0)


@dataclass(frozen=True)
class Estimate:
    value: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class Extrapolation:
    law: Laws  # fitted to the mean of all folds
    drawn: Laws  # fitted to the mean of each draw

    def at(self, rows: float) -> Estimate:
        return _estimate(self.law.at(rows), self.drawn.at(rows))

    def gain(self, rows: float, times: float) -> Estimate:
        """Return the gain in accuracy if the number of rows is multiplied by `times`."""
        change = [laws.at(times * rows) - laws.at(rows) for laws in (self.law, self.drawn)]
        return _estimate(*change)

    @property
    def limit(self) -> Estimate:
        """The accuracy with unlimited data."""
        return _estimate(self.law.a, self.drawn.a)


def fitted(rows: np.ndarray, accuracies: np.ndarray) -> Laws:
    """Fit a law to each row of `accuracies`, (laws, numbers of rows)."""
    best = np.full(len(accuracies), np.inf)
    a, b, c = np.zeros((3, len(accuracies)))
    for exponent in EXPONENTS:
        x = rows**-exponent
        level, slope = _line(x, accuracies)
        error = ((level[:, None] - slope[:, None] * x - accuracies) ** 2).sum(axis=1)
        better = error < best
        best[better], a[better], b[better], c[better] = error[better], level[better], slope[better], exponent
    return Laws(a, b, c)


def _line(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the a <= 1 and b >= 0 that minimise the squares of a - b x - y."""
    away = x - x.mean()
    b = np.maximum(-(y @ away) / (away @ away), 0.0)
    a = y.mean(axis=1) + b * x.mean()
    bounded = np.maximum((1.0 - y) @ x / (x @ x), 0.0)
    return np.minimum(a, 1.0), np.where(a > 1.0, bounded, b)


def extrapolate(rows: np.ndarray, accuracies: np.ndarray, seed: int) -> Extrapolation:
    """Extrapolate `accuracies`, (numbers of rows, folds)."""
    folds = accuracies.shape[1]
    drawn = np.random.default_rng(seed).integers(0, folds, (DRAWS, folds))
    means = accuracies[:, drawn].mean(axis=2).T
    return Extrapolation(fitted(rows, accuracies.mean(axis=1)[None]), fitted(rows, means))


def _estimate(value: np.ndarray, drawn: np.ndarray) -> Estimate:
    low, high = np.percentile(drawn, INTERVAL)
    return Estimate(float(value[0]), float(low), float(high))
