"""How well labels were predicted: the scores of scikit-learn, whose functions warn of undefined ones.

They change the process's warning filters besides, which trainings share that run beside.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mcsvm_gui.core.evaluate import decided as measures
from mcsvm_gui.core.evaluate.decided import confusion_of, share


@dataclass(frozen=True)
class ClassScore:
    name: str
    precision: float
    recall: float
    f1: float
    rows: float  # the sum of their weights, where they have some


@dataclass(frozen=True, eq=False)
class Scores:
    accuracy: float
    balanced_accuracy: float
    macro_f1: float
    kappa: float
    per_class: tuple[ClassScore, ...]
    confusion: np.ndarray  # (classes, classes): true by predicted; rows, or the sums of their weights


def evaluate(
    true: Sequence[str], predicted: Sequence[str], names: Sequence[str], weights: np.ndarray | None = None
) -> Scores:
    """`names`: all classes, those that only one side has included. A score that is 0 / 0 is 0."""
    number = {name: position for position, name in enumerate(names)}
    codes = [np.array([number[label] for label in side], dtype=np.int64) for side in (true, predicted)]
    return of_confusion(confusion_of(codes[0], codes[1], len(names), weights), names)


def of_confusion(confusion: np.ndarray, names: Sequence[str]) -> Scores:
    right, rows, decided = confusion.diagonal(), confusion.sum(axis=1), confusion.sum(axis=0)
    precision, recall, f1 = share(right, decided), share(right, rows), share(2 * right, rows + decided)
    table = zip(names, precision.tolist(), recall.tolist(), f1.tolist(), rows.tolist(), strict=True)
    return Scores(
        **{name: float(measure(confusion)) for name, measure in measures.MEASURES.items()},
        per_class=tuple(ClassScore(*row) for row in table),
        confusion=confusion,
    )
