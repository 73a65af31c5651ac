"""Scores of predicted labels, with the definitions of scikit-learn, whose functions warn of undefined scores.

They also change the warning filters of the process, which are shared by trainings in other threads.
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
    precision: float | None  # None if the class has no rows and no row was predicted to be of it
    recall: float | None  # None if the class has no rows
    f1: float | None  # None under the same conditions as the precision
    rows: float  # number of rows, or the sum of their weights


@dataclass(frozen=True, eq=False)
class Scores:
    accuracy: float
    balanced_accuracy: float
    macro_f1: float
    kappa: float
    per_class: tuple[ClassScore, ...]
    confusion: np.ndarray  # (classes, classes): true by predicted; rows, or the sums of their weights

    @property
    def tested(self) -> int:
        """Return the number of classes that have rows: balanced accuracy is the mean over them."""
        return sum(score.rows > 0 for score in self.per_class)

    @property
    def averaged(self) -> int:
        """Return the number of classes that have rows or predictions: macro F1 is the mean over them."""
        return sum(score.f1 is not None for score in self.per_class)


def evaluate(
    true: Sequence[str], predicted: Sequence[str], names: Sequence[str], weights: np.ndarray | None = None
) -> Scores:
    """Score predicted labels against true ones.

    `names`: all classes of both sides. A score of a class that was not tested is None; the precision of a class that
    was tested and never predicted is 0.
    """
    number = {name: position for position, name in enumerate(names)}
    codes = [np.array([number[label] for label in side], dtype=np.int64) for side in (true, predicted)]
    return of_confusion(confusion_of(codes[0], codes[1], len(names), weights), names)


def of_confusion(confusion: np.ndarray, names: Sequence[str]) -> Scores:
    right, rows, decided = confusion.diagonal(), confusion.sum(axis=1), confusion.sum(axis=0)
    precision, recall, f1 = (
        [value if known else None for value, known in zip(values.tolist(), there.tolist(), strict=True)]
        for values, there in (
            (share(right, decided), rows + decided > 0),
            (share(right, rows), rows > 0),
            (share(2 * right, rows + decided), rows + decided > 0),
        )
    )
    table = zip(names, precision, recall, f1, rows.tolist(), strict=True)
    return Scores(
        **{name: float(measure(confusion)) for name, measure in measures.MEASURES.items()},
        per_class=tuple(ClassScore(*row) for row in table),
        confusion=confusion,
    )
