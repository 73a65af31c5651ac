"""How well labels were predicted, by scikit-learn's functions."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from sklearn import metrics


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
    """`names`: all classes, those that only one side has included; 0 where a score is undefined."""
    number = {name: position for position, name in enumerate(names)}
    codes = [np.array([number[label] for label in side], dtype=np.int64) for side in (true, predicted)]
    labels = np.arange(len(names))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of scores that are undefined
        precision, recall, f1, rows = metrics.precision_recall_fscore_support(*codes, labels=labels, zero_division=0.0)
        kappa = float(metrics.cohen_kappa_score(*codes, labels=labels))
        macro = float(metrics.f1_score(*codes, average="macro", zero_division=0.0))
        balanced = float(metrics.balanced_accuracy_score(*codes))
    table = zip(names, precision.tolist(), recall.tolist(), f1.tolist(), rows.tolist(), strict=True)
    return Scores(
        accuracy=accuracy(*codes),
        balanced_accuracy=balanced,
        macro_f1=macro,
        kappa=1.0 if np.isnan(kappa) else kappa,  # one class only, and all of it right
        per_class=tuple(ClassScore(*row) for row in table),
        confusion=metrics.confusion_matrix(*codes, labels=labels),
    )
