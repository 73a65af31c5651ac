"""Measures of probabilities: log loss, Brier score with its parts, calibration error, reliability diagram.

Rows are weighted; a row of weight 2 is the row twice, in every measure, also where rows are put into bins.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

LEAST = float(np.finfo(np.float64).eps)  # of a probability whose logarithm is taken, as scikit-learn has it
BINS = 10  # of equal weight


def log_losses(shares: np.ndarray, true: np.ndarray) -> np.ndarray:
    """(n,) -log p of the right class; a class that the model does not know has probability 0."""
    known = true < shares.shape[1]
    right = np.where(known, shares[np.arange(true.size), np.where(known, true, 0)], 0.0)
    return -np.log(np.clip(right, LEAST, 1.0 - LEAST))


def brier_scores(shares: np.ndarray, true: np.ndarray) -> np.ndarray:
    """(n,) sum over classes of (p_c - [c is right])^2; of two classes half of it, as scikit-learn has it."""
    missed = shares - (true[:, None] == np.arange(shares.shape[1]))
    return _scale(shares) * (missed * missed).sum(axis=1)


def _scale(shares: np.ndarray) -> float:
    return 0.5 if shares.shape[1] == 2 else 1.0


@dataclass(frozen=True)
class BrierParts:
    """score = miscalibration - discrimination + uncertainty, exactly."""

    miscalibration: float  # what the best monotone change of the probabilities would gain
    discrimination: float  # what probabilities so changed gain over the shares of the classes
    uncertainty: float  # the score of the shares of the classes


def brier_parts(shares: np.ndarray, true: np.ndarray, weights: np.ndarray) -> BrierParts:
    """One class against the rest, added up; isotonic regression is the best monotone change.

    Without bins (Dimitriadis, Gneiting & Jordan 2021, CORP), so that nothing depends on their number.
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
    """Equal probabilities stay equal."""
    from scipy.optimize import isotonic_regression  # 93 modules

    values, place = np.unique(column, return_inverse=True)
    weight = np.bincount(place, weights=weights, minlength=values.size)
    mean = np.bincount(place, weights=weights * right, minlength=values.size) / np.where(weight > 0.0, weight, 1.0)
    return np.asarray(isotonic_regression(mean, weights=np.maximum(weight, 1e-300)).x[place])


@dataclass(frozen=True, eq=False)
class Reliability:
    """Bins of equal weight, by rising probability."""

    probability: np.ndarray  # (bins,) means
    frequency: np.ndarray  # how many of their rows came true
    count: np.ndarray  # rows, or weight

    @property
    def error(self) -> float:
        """The expected calibration error."""
        return float(np.average(np.abs(self.frequency - self.probability), weights=self.count))


@dataclass(frozen=True, eq=False)
class SortedProbabilities:
    """Rows by rising probability, those of equal probability together: sorted once, for many weightings."""

    probability: np.ndarray  # (n,)
    came_true: np.ndarray
    place: np.ndarray  # of each row's probability among all that there are

    @classmethod
    def of(cls, probability: np.ndarray, came_true: np.ndarray) -> SortedProbabilities:
        return cls(probability, came_true, np.unique(probability, return_inverse=True)[1])

    def reliability(self, weights: np.ndarray, bins: int = BINS) -> Reliability:
        """Rows on the border of two bins are shared between them; rows of equal probability stand for their mean."""
        parts = weights, weights * self.probability, weights * self.came_true
        sums = [np.append(0.0, np.cumsum(np.bincount(self.place, weights=part))) for part in parts]
        edges = np.linspace(0.0, sums[0][-1], bins + 1)
        count, probability, frequency = (np.diff(np.interp(edges, sums[0], one)) for one in sums)
        return Reliability(probability / count, frequency / count, count)
