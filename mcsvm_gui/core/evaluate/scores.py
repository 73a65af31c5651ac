"""How well labels were predicted: the scores of scikit-learn, whose functions warn of undefined ones.

They change the process's warning filters besides, which trainings share that run beside.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class ClassScore:
    name: str
    precision: float
    recall: float
    f1: float
    rows: int


@dataclass(frozen=True, eq=False)
class Scores:
    accuracy: float
    balanced_accuracy: float
    macro_f1: float
    kappa: float
    per_class: tuple[ClassScore, ...]
    confusion: np.ndarray  # (classes, classes): true by predicted


def accuracy(true: np.ndarray, predicted: np.ndarray) -> float:
    return float(np.mean(true == predicted))


def evaluate(true: Sequence[str], predicted: Sequence[str], names: Sequence[str]) -> Scores:
    """`names`: all classes, those that only one side has included. A score that is 0 / 0 is 0."""
    number = {name: position for position, name in enumerate(names)}
    codes = [np.array([number[label] for label in side], dtype=np.int64) for side in (true, predicted)]
    confusion = np.zeros((len(names), len(names)), dtype=np.int64)
    np.add.at(confusion, tuple(codes), 1)
    right, rows, decided = confusion.diagonal(), confusion.sum(axis=1), confusion.sum(axis=0)
    precision, recall, f1 = _share(right, decided), _share(right, rows), _share(2 * right, rows + decided)
    table = zip(names, precision.tolist(), recall.tolist(), f1.tolist(), rows.tolist(), strict=True)
    return Scores(
        accuracy=accuracy(*codes),
        balanced_accuracy=float(np.mean(recall[rows > 0])),
        macro_f1=float(np.mean(f1[rows + decided > 0])),
        kappa=_kappa(confusion),
        per_class=tuple(ClassScore(*row) for row in table),
        confusion=confusion,
    )


def _share(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    return np.divide(part, whole, out=np.zeros(len(whole)), where=whole > 0)


def _kappa(confusion: np.ndarray) -> float:
    """Cohen's kappa: 1 - (rows decided wrongly) / (rows that chance would decide wrongly)."""
    wrong = ~np.eye(len(confusion), dtype=bool)
    by_chance = np.outer(confusion.sum(axis=0), confusion.sum(axis=1)) / confusion.sum()
    if not (wrong * by_chance).any():
        return 1.0  # one class only, and all of it right
    return float(1.0 - np.sum(wrong * confusion) / np.sum(wrong * by_chance))
