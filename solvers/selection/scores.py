"""The measures by which a search can choose, and the summary of its test rows from which a fold computes all of them.

A fold stores its confusion matrix, and its log loss at temperatures a factor of sqrt(2) apart. The log loss of a fold
is read at the temperature of least loss on the other folds; a cubic interpolates between the stored temperatures.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mcsvm.solvers.jit import likelihood
from mcsvm.solvers.machines import MACHINES
from mcsvm.solvers.model import decide
from mcsvm.solvers.selection.trials.shared import FoldRows
from mcsvm.solvers.uncertainty.costs import CostRule
from mcsvm.solvers.uncertainty.probability import scores as class_scores

WIDTH = 26  # number of stored temperatures
BEFORE = 4  # the first 1 / T is so many powers of two below the inverse of the scores' spread
IMPOSSIBLE = -float(np.log(np.finfo(float).eps))  # log loss of a row whose class the training part lacks


@dataclass(frozen=True, eq=False)
class Measured:
    """The stored summary of the test rows of one fold: one entry for each nonzero of the confusion matrix."""

    given: np.ndarray  # (m,) true class of each entry
    decided: np.ndarray  # (m,) predicted class
    weight: np.ndarray  # (m,) total weight of its rows
    losses: np.ndarray  # (WIDTH,) total log loss at 1 / T = 2^(first + j / 2)
    first: int

    @classmethod
    def of(cls, rows: FoldRows, machine: str, values: np.ndarray) -> Measured:
        codes = decide(MACHINES[machine], values, rows.classes)
        given, weights = rows.given_labels, rows.test_weights
        classes, where = np.unique(given, return_inverse=True)
        pairs, entry = np.unique(where * rows.classes + codes, return_inverse=True)
        weight = np.bincount(entry, weights)
        losses, first = _losses(rows, machine, values)
        return cls(classes[pairs // rows.classes], rows.names[pairs % rows.classes], weight, losses, first)

    def document(self) -> dict[str, Any]:
        """Return plain JSON; labels must be numbers."""
        kept = vars(self).items()
        return {name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in kept}

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Measured:
        """Read such a document, or raise ValueError, LookupError or TypeError: a file may contain anything."""
        given, decided = (np.array(document[name], dtype=np.int64) for name in ("given", "decided"))
        weight, losses = (np.array(document[name], dtype=np.float64) for name in ("weight", "losses"))
        whole = given.shape == decided.shape == weight.shape == (given.size,) and losses.shape == (WIDTH,)
        if not whole or not given.size or not (weight > 0.0).all() or not np.isfinite([*weight, *losses]).all():
            raise ValueError("no test rows")
        return cls(given, decided, weight, losses, int(document["first"]))

    def right(self) -> float:
        return float(self.weight[self.given == self.decided].sum())

    def total(self) -> float:
        return float(self.weight.sum())

    def per_class(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Return (occurring classes, weight of each as true class, as predicted class, and as both)."""
        classes = np.unique(np.concatenate([self.given, self.decided]))
        same = self.given == self.decided

        def total(of: np.ndarray, weight: np.ndarray) -> np.ndarray:
            return np.bincount(np.searchsorted(classes, of), weight, classes.size)

        both = total(self.given[same], self.weight[same])
        return classes, total(self.given, self.weight), total(self.decided, self.weight), both


def _losses(rows: FoldRows, machine: str, values: np.ndarray) -> tuple[np.ndarray, int]:
    known = rows.test_labels >= 0
    scores = np.ascontiguousarray(class_scores(MACHINES[machine], values, rows.classes)[known])
    spread = float(np.ptp(scores)) if scores.size else 0.0
    first = (-int(np.ceil(np.log2(spread))) if spread > 0.0 else 0) - BEFORE
    losses, weights = np.zeros((2, WIDTH // 2)), rows.test_weights
    if scores.shape[0]:
        right, each = rows.test_labels[known], weights[known]
        for row, shift in zip(losses, (0.0, 0.5), strict=True):
            likelihood.profile(scores, right, each, 2.0 ** (first + shift), row.size, row)
    return np.asarray(losses.T.ravel() + IMPOSSIBLE * weights[~known].sum()), first


def compile_profile() -> None:
    """Compile the function that computes the log loss at many temperatures."""
    likelihood.profile(np.eye(3), np.arange(3), np.ones(3), 1.0, 4, np.empty(4))


# -- measures ----------------------------------------------------------------------------------------


def accuracy(folds: Sequence[Measured], costs: CostRule | None = None) -> list[float]:
    return [fold.right() / fold.total() for fold in folds]


def balanced_accuracy(folds: Sequence[Measured], costs: CostRule | None = None) -> list[float]:
    return [float(np.mean(_shares(fold)[0])) for fold in folds]


def macro_f1(folds: Sequence[Measured], costs: CostRule | None = None) -> list[float]:
    found = []
    for fold in folds:
        _, given, decided, both = fold.per_class()
        found.append(float(np.mean(2.0 * both / (given + decided))))
    return found


def _shares(fold: Measured) -> tuple[np.ndarray, np.ndarray]:
    """Return (recall, weight) of the true classes."""
    _, given, _, both = fold.per_class()
    there = given > 0.0
    return both[there] / given[there], given[there]


def log_loss(folds: Sequence[Measured], costs: CostRule | None = None) -> list[float]:
    """Return the log loss of each fold at the best temperature of the other folds; of a single fold, at its own."""
    highest = max(fold.first for fold in folds)
    length = WIDTH - 2 * (highest - min(fold.first for fold in folds))
    if length < 4:  # scores of very different sizes: each fold is read at its own temperature
        return [_at(fold.losses, _lowest(fold.losses)) / fold.total() for fold in folds]
    shared = np.array([fold.losses[2 * (highest - fold.first) :][:length] for fold in folds])
    together = shared.sum(axis=0)
    found = []
    for fold, losses in zip(folds, shared, strict=True):
        others = together - losses if len(folds) > 1 else together
        found.append(_at(losses, _lowest(others)) / fold.total())
    return found


def _lowest(losses: np.ndarray) -> float:
    """Return the place of the minimum, near the least entry, of the interpolated curve that `_at` evaluates."""
    j = int(np.clip(losses.argmin(), 1, losses.size - 2))
    places = [float(place) for piece in (j - 1, j) for place in (piece, *_flat(losses, piece), piece + 1)]
    return min(places, key=lambda place: _at(losses, place))


def _flat(losses: np.ndarray, piece: int) -> list[float]:
    """Return the places between two entries at which the slope of the curve is zero."""
    start, (_, one, two, three) = _cubic(losses, piece)
    square = two * two - 3.0 * one * three
    if square < 0.0:
        return []
    steep = -two - math.copysign(math.sqrt(square), two)  # three t^2 + 2 two t / 3 + one / 3 = 0, without cancellation
    roots = [below / over for below, over in ((steep, 3.0 * three), (one, steep)) if over]
    return [start + root for root in roots if piece <= start + root <= piece + 1]


def _cubic(losses: np.ndarray, piece: int) -> tuple[int, tuple[float, float, float, float]]:
    """Return start and coefficients of c0 + c1 t + c2 t^2 + c3 t^3 through four entries nearby; t = place - start."""
    start = min(max(piece, 1), losses.size - 3)
    a, b, c, d = losses[start - 1 : start + 3].tolist()
    return start, (b, (-2 * a - 3 * b + 6 * c - d) / 6, (a - 2 * b + c) / 2, (-a + 3 * b - 3 * c + d) / 6)


def _at(losses: np.ndarray, place: float) -> float:
    start, (zero, one, two, three) = _cubic(losses, math.floor(place))
    t = place - start
    return max(zero + t * (one + t * (two + t * three)), 0.0)


def cost(folds: Sequence[Measured], costs: CostRule | None = None) -> list[float]:
    """Return the mean cost of a row with the machine's own prediction; labels are class numbers of the cost table.

    Without costs, every error costs 1.
    """
    found = []
    for fold in folds:
        each = fold.given != fold.decided if costs is None else costs.table[fold.given, fold.decided]
        found.append(float(each @ fold.weight / fold.total()))
    return found


@dataclass(frozen=True)
class Score:
    """One measure by which a search may choose, and the costs of errors."""

    name: str
    title: str
    higher_is_better: bool
    formula: Callable[[Sequence[Measured], CostRule | None], list[float]]
    costs: CostRule | None = None
    ideal: float | None = None  # the best possible value of a fold, if its value depends on that fold alone

    def of(self, folds: Sequence[Measured]) -> list[float]:
        return self.formula(folds, self.costs)

    def beside(self, name: str) -> Score:
        """Return another measure with the same costs."""
        return replace(SCORES[name], costs=self.costs)

    def preferred(self, value: float) -> float:
        """Return the value with a sign that makes better values larger."""
        return value if self.higher_is_better else -value


SCORES: dict[str, Score] = {
    score.name: score
    for score in (
        Score("accuracy", "Accuracy", True, accuracy, ideal=1.0),
        Score("balanced-accuracy", "Balanced accuracy", True, balanced_accuracy, ideal=1.0),
        Score("macro-f1", "Macro F1", True, macro_f1, ideal=1.0),
        Score("log-loss", "Log loss", False, log_loss),
        Score("cost", "Mean cost", False, cost),
    )
}
