"""A model applied to other data: one answer for the command line and the window."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from mcsvm_gui.core.base.writing import csv_text
from mcsvm_gui.core.data.dataset import Dataset, Notice
from mcsvm_gui.core.evaluate.scores import Scores, evaluate
from mcsvm_gui.core.machine.trained import Decisions, TrainedModel, in_training_spelling, unseen_classes


@dataclass(frozen=True, eq=False)
class Prediction:
    trained: TrainedModel
    dataset: Dataset  # its labels as training spelled them
    decisions: Decisions
    notices: tuple[Notice, ...]

    @cached_property
    def scores(self) -> Scores | None:
        """Against the labels in the file, where it has some."""
        rows, true = self.decisions.decided, self.dataset.labels
        if true is None or rows.size == 0:
            return None
        known = self.trained.class_names
        strange = sorted(set(true[rows].tolist()) - set(known))
        return evaluate(true[rows].tolist(), self.decisions.labels[rows].tolist(), [*known, *strange])

    @cached_property
    def missed(self) -> np.ndarray:
        """(rows,) where a decision is not the label in the file."""
        wrong = np.zeros(self.decisions.labels.size, dtype=bool)
        if self.dataset.labels is not None:
            rows = self.decisions.decided
            wrong[rows] = self.decisions.labels[rows] != self.dataset.labels[rows]
        return wrong

    def table(self, with_scores: bool) -> str:
        """CSV, one line per row of the data, in its order; empty where a row with missing cells was left out."""
        header = ["prediction", *(f"score {name}" for name in self.trained.class_names if with_scores)]
        rows = [["" if label is None else label] for label in self.decisions.labels]
        if with_scores:
            for row, scores in zip(rows, self.decisions.scores.tolist(), strict=True):
                row.extend("" if np.isnan(score) else repr(score) for score in scores)
        return csv_text(header, rows)


def predict(trained: TrainedModel, dataset: Dataset) -> Prediction:
    decisions = trained.predictions(dataset)
    notices = (*dataset.notices, *decisions.notices)
    if dataset.labels is not None:
        labels = in_training_spelling(trained.class_names, dataset.labels)
        notices += unseen_classes(trained.class_names, labels)
        dataset = replace(dataset, labels=labels)
    return Prediction(trained, dataset, decisions, notices)
