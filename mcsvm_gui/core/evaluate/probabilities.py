"""Measures of probabilities: log loss, Brier score with its parts, calibration error, reliability diagram.

Rows are weighted: in every measure, also in bins of rows, a row of weight 2 is the same as two rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

LEAST = float(np.finfo(np.float64).eps)  # smallest probability in a logarithm, as in scikit-learn
BINS = 10  # of equal weight


def log_losses(shares: np.ndarray, true: np.ndarray) -> np.ndarray:
    """Return (n,) -log p of the true class; a class that the model does not know has probability 0."""
    known = true < shares.shape[1]
    right = np.where(known, shares[np.arange(true.size), np.where(known, true, 0)], 0.0)
    return -np.log(np.clip(right, LEAST, 1.0 - LEAST))


def brier_scores(shares: np.ndarray, true: np.ndarray) -> np.ndarray:
    """Return (n,) sums over classes of (p_c - [c is true])^2; half of it for two classes, as in scikit-learn."""
    missed = shares - (true[:, None] == np.arange(shares.shape[1]))
    return _scale(shares) * (missed * missed).sum(axis=1)


def _scale(shares: np.ndarray) -> float:
    return 0.5 if shares.shape[1] == 2 else 1.0


@dataclass(frozen=True)
class BrierParts:
    """The parts of a Brier score: score = miscalibration - discrimination + uncertainty, exactly."""

    miscalibration: float  # gain of the best monotone change of the probabilities
    discrimination: float  # gain of such changed probabilities over the class shares
    uncertainty: float  # score of the class shares


def brier_parts(shares: np.ndarray, true: np.ndarray, weights: np.ndarray) -> BrierParts:
    """Sum the parts of each class against the rest; isotonic regression is the best monotone change.

    It uses no bins (Dimitriadis, Gneiting & Jordan 2021, CORP), so that nothing depends on their number.
    """
    total, parts = weights.sum(), np.zeros(3)
    for number, column in enumerate(shares.T):
        right = (true == number).astype(float)
        best = _recalibrated(column, right, weights)
        base = float(weights @ right) / total
        scores = [float(weights @ (p - right) ** 2) / total for p in (column, best, np.full(right.size, base))]
        parts += scores[0] - scores[1], scores[2] - scores[1], scores[2]
    return BrierParts(*(_scale(shares) * parts).tolist())


def _recalibrated(column: np.ndarray, right: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Recalibrate probabilities by isotonic regression; equal probabilities stay equal."""
    from scipy.optimize import isotonic_regression  # 93 modules

    values, place = np.unique(column, return_inverse=True)
    weight = np.bincount(place, weights=weights, minlength=values.size)
    mean = np.bincount(place, weights=weights * right, minlength=values.size) / np.where(weight > 0.0, weight, 1.0)
    return np.asarray(isotonic_regression(mean, weights=np.maximum(weight, 1e-300)).x[place])


@dataclass(frozen=True, eq=False)
class Reliability:
    """Bins of equal weight, by increasing probability."""

    probability: np.ndarray  # (bins,) means
    frequency: np.ndarray  # share of their rows that are correct
    count: np.ndarray  # rows, or weight

    @property
    def error(self) -> float:
        """The expected calibration error."""
        return float(np.average(np.abs(self.frequency - self.probability), weights=self.count))


@dataclass(frozen=True, eq=False)
class SortedProbabilities:
    """Rows by increasing probability, grouped by equal probability: sorted once, for many weightings."""

    probability: np.ndarray  # (n,)
    came_true: np.ndarray
    place: np.ndarray  # index of each row's probability among the distinct ones

    @classmethod
    def of(cls, probability: np.ndarray, came_true: np.ndarray) -> SortedProbabilities:
        return cls(probability, came_true, np.unique(probability, return_inverse=True)[1])

    def reliability(self, weights: np.ndarray, bins: int = BINS) -> Reliability:
        """Return a reliability diagram.

        Rows on the border of two bins are shared; equal probabilities use their mean.
        """
        parts = weights, weights * self.probability, weights * self.came_true
        sums = [np.append(0.0, np.cumsum(np.bincount(self.place, weights=part))) for part in parts]
        edges = np.linspace(0.0, sums[0][-1], bins + 1)
        count, probability, frequency = (np.diff(np.interp(edges, sums[0], one)) for one in sums)
        return Reliability(probability / count, frequency / count, count)
