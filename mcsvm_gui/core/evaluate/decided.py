"""Measures of predictions from confusion matrices: counts or sums of weights, true classes down, predicted across.

Each takes one matrix, (k, k), or a stack, (..., k, k), and equals scikit-learn's measure of the same name.
"""

from __future__ import annotations

import numpy as np


def confusion_of(true: np.ndarray, decided: np.ndarray, classes: int, weights: np.ndarray | None = None) -> np.ndarray:
    """Return the (classes, classes) counts, or sums of weights."""
    found = np.bincount(true * classes + decided, weights=weights, minlength=classes * classes)
    return found.reshape(classes, classes)


def accuracy(confusion: np.ndarray) -> np.ndarray:
    return share(_right(confusion).sum(axis=-1), confusion.sum(axis=(-2, -1)))


def balanced_accuracy(confusion: np.ndarray) -> np.ndarray:
    """Return the mean recall of the classes that have rows."""
    rows = confusion.sum(axis=-1)
    return _mean(share(_right(confusion), rows), rows > 0)


def macro_f1(confusion: np.ndarray) -> np.ndarray:
    """Return the mean F1 over classes that have rows or predictions."""
    both = confusion.sum(axis=-1) + confusion.sum(axis=-2)
    return _mean(share(2 * _right(confusion), both), both > 0)


def kappa(confusion: np.ndarray) -> np.ndarray:
    """Return Cohen's kappa: 1 - (misclassified rows) / (rows misclassified by chance); 1 if both are 0."""
    wrong = ~np.eye(confusion.shape[-1], dtype=bool)
    total = confusion.sum(axis=(-2, -1), keepdims=True)
    by_chance = share(confusion.sum(axis=-2)[..., None, :] * confusion.sum(axis=-1)[..., None], total)
    return 1.0 - share((wrong * confusion).sum(axis=(-2, -1)), (wrong * by_chance).sum(axis=(-2, -1)))


def mean_cost(confusion: np.ndarray, costs: np.ndarray) -> np.ndarray:
    """Return the mean cost of a predicted row; `costs`: (k, k), true classes down, predicted across."""
    return share((confusion * costs).sum(axis=(-2, -1)), confusion.sum(axis=(-2, -1)))


MEASURES = {
    "accuracy": accuracy,
    "balanced_accuracy": balanced_accuracy,
    "macro_f1": macro_f1,
    "kappa": kappa,
}


def share(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """Divide; 0 / 0 is 0."""
    part, whole = np.broadcast_arrays(part, whole)
    return np.divide(part, whole, out=np.zeros(whole.shape), where=whole > 0)


def _right(confusion: np.ndarray) -> np.ndarray:
    return np.diagonal(confusion, axis1=-2, axis2=-1)


def _mean(values: np.ndarray, there: np.ndarray) -> np.ndarray:
    return share((values * there).sum(axis=-1), there.sum(axis=-1))
