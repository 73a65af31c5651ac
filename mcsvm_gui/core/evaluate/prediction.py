"""Apply a model to other data: one implementation for the command line and the window."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.special import entr

from mcsvm.solvers.errors import InputError, Sentence
from mcsvm.solvers.uncertainty.costs import CostRule, equal_costs
from mcsvm_gui.core.base.writing import csv_cell, csv_cells, csv_text
from mcsvm_gui.core.data.dataset import Dataset, Notice, NoticeTally
from mcsvm_gui.core.data.spellings import in_training_spelling
from mcsvm_gui.core.evaluate.scores import Scores, evaluate
from mcsvm_gui.core.machine.trained import Decisions, TrainedModel, unseen_classes


@dataclass(frozen=True, eq=False)
class Prediction:
    trained: TrainedModel
    dataset: Dataset  # its labels in the spelling of training
    decisions: Decisions
    notices: tuple[Notice, ...]

    @cached_property
    def trained_on(self) -> np.ndarray:
        """Return (rows,) whether the model was trained on each row."""
        known = self.trained.rows
        return np.zeros(self.dataset.rows, dtype=bool) if known is None else known.contains(self.dataset.row_source)

    @cached_property
    def counting(self) -> np.ndarray:
        """Return the rows that were predicted and have weight."""
        rows, weights = self.decisions.decided, self.dataset.weights
        return rows if weights is None else rows[weights[rows] > 0.0]

    @cached_property
    def scored(self) -> np.ndarray:
        """Return the rows that `scores` measures: those outside the training rows, or all rows if no others remain."""
        others = self.counting[~self.trained_on[self.counting]]
        return others if others.size else self.counting

    @cached_property
    def scores(self) -> Scores | None:
        """Return the scores against the labels in the file, if any, on the rows that the model was not trained on."""
        return self._scores_of(self.scored)

    @cached_property
    def all_scores(self) -> Scores | None:
        """Return the scores on all rows that count."""
        return self._scores_of(self.counting)

    def _scores_of(self, rows: np.ndarray) -> Scores | None:
        true = self.dataset.labels
        if true is None or rows.size == 0:
            return None
        known = self.trained.class_names
        strange = sorted(set(true[rows].tolist()) - set(known))
        weights = None if self.dataset.weights is None else self.dataset.weights[rows]
        return evaluate(true[rows].tolist(), self.decisions.labels[rows].tolist(), [*known, *strange], weights)

    @cached_property
    def missed(self) -> np.ndarray:
        """Return (rows,) whether the predicted class differs from the label in the file."""
        wrong = np.zeros(self.decisions.labels.size, dtype=bool)
        if self.dataset.labels is not None:
            rows = self.decisions.decided
            wrong[rows] = self.decisions.labels[rows] != self.dataset.labels[rows]
        return wrong

    @cached_property
    def margins(self) -> np.ndarray:
        """Return (rows,) the largest probability minus the second largest; NaN without probabilities."""
        assert self.decisions.probabilities is not None
        two = np.sort(self.decisions.probabilities, axis=1)[:, -2:]
        return np.asarray(two[:, 1] - two[:, 0])

    @cached_property
    def entropies(self) -> np.ndarray:
        """Return (rows,) entropies of the probabilities, in nats; NaN without probabilities."""
        assert self.decisions.probabilities is not None
        return np.asarray(entr(self.decisions.probabilities).sum(axis=1))

    def rows(self, order: str, *, misses: bool) -> np.ndarray | None:
        """Return the rows to show, in order: "file", "margin" (smallest first), "entropy" (largest first) or "novelty".

        "novelty" begins with the rows least similar to the training data. None means all rows in file order. Rows
        without a prediction come last.
        """
        chosen = np.flatnonzero(self.missed) if misses else None
        unsure = self._doubt(order)
        if unsure is None:
            return chosen
        chosen = np.arange(self.missed.size) if chosen is None else chosen
        return chosen[np.argsort(unsure[chosen], kind="stable")]

    def _doubt(self, order: str) -> np.ndarray | None:
        """Return (rows,) values that are smallest for the most doubtful rows; None if there is no such measure."""
        if order == "novelty":
            return self.decisions.typical
        if order == "file" or self.decisions.probabilities is None:
            return None
        return self.margins if order == "margin" else -self.entropies

    def outside_sets(self, error: float) -> int:
        """Return the number of rows whose prediction set has classes, but not the predicted one."""
        members = self.decisions.members(error)
        codes = {name: code for code, name in enumerate(self.trained.class_names)}
        decided = self.decisions.decided
        predicted = np.array([codes[name] for name in self.decisions.labels[decided]], dtype=np.int64)
        return int((members[decided].any(axis=1) & ~members[decided, predicted]).sum())

    @property
    def other_columns(self) -> dict[str, np.ndarray]:
        """Return the columns of the file that were asked for in addition to the names of the rows."""
        return _others(self.dataset)

    def table(self, with_scores: bool, with_probabilities: bool = False, sets: float | None = None) -> str:
        """Return CSV with one line per row of the data, in order; a rejected or left-out row has no prediction."""
        asked = {"scores": with_scores, "probabilities": with_probabilities, "sets": sets}
        lines = PredictionLines(self.trained.class_names, **asked)  # type: ignore[arg-type]
        return lines.header(self.dataset) + lines.of(self.dataset, self.decisions)


class PredictionLines:
    """Write predictions as CSV: one line per row, with its number in the file, its names and the predicted class.

    On request, scores and probabilities in full precision are added.
    """

    def __init__(
        self, class_names: Sequence[str], *, scores: bool, probabilities: bool, sets: float | None = None
    ) -> None:
        """Prepare the columns. `sets`: the error of prediction sets.

        With sets, one column per class tells whether the set contains it, and another whether the row may be novel.
        """
        self._scores, self._probabilities, self._sets = scores, probabilities, sets
        self._cells: dict[str | None, str] = {None: csv_cell("")}
        asked = [name for name, wanted in (("score", scores), ("probability", probabilities)) if wanted]
        asked += ["in set"] if sets is not None else []
        columns = [f"{what} {name}" for what in asked for name in class_names]
        self._columns = ["prediction", *columns, *(["none of these"] if sets is not None else [])]

    def header(self, dataset: Dataset) -> str:
        return csv_text([*dataset.row_headings, *_others(dataset), *self._columns], [])

    def of(self, dataset: Dataset, decisions: Decisions) -> str:
        found = decisions.labels
        rows = list(map(str, dataset.row_numbers.tolist()))
        for texts in (*dataset.row_columns.values(), *_others(dataset).values()):
            rows = _joined(rows, csv_cells(list(map(str, texts.tolist()))))
        for label in set(found.tolist()) - self._cells.keys():
            self._cells[label] = csv_cell(str(label))
        cells = _joined(rows, list(map(self._cells.__getitem__, found.tolist())))
        asked = (self._scores, decisions.scores), (self._probabilities, decisions.probabilities)
        parts = [values for wanted, values in asked if wanted and values is not None]
        if parts:
            cells = _joined(cells, _numbers(np.hstack(parts)))
        if self._sets is not None:
            cells = _joined(cells, _members(decisions, self._sets))
        return "".join([f"{cell}\n" for cell in cells])


def _others(dataset: Dataset) -> dict[str, np.ndarray]:
    """Return the further columns to be written, without those that identify the row."""
    return {name: cells for name, cells in dataset.kept.items() if name not in dataset.row_columns}


def _joined(left: list[str], right: list[str]) -> list[str]:
    return [f"{one},{other}" for one, other in zip(left, right, strict=True)]


def _numbers(table: np.ndarray) -> list[str]:
    rows = [",".join(map(repr, row)) for row in table.tolist()]
    for row in np.flatnonzero(np.isnan(table).any(axis=1)).tolist():
        rows[row] = rows[row].replace("nan", "")
    return rows


def _members(decisions: Decisions, error: float) -> list[str]:
    """Return 1 and 0 as text; empty cells for omitted rows."""
    told = np.column_stack([decisions.members(error), decisions.novel(error)]).astype(np.int64)
    rows = [",".join(map(str, row)) for row in told.tolist()]
    assert decisions.typical is not None
    for row in np.flatnonzero(np.isnan(decisions.typical)).tolist():
        rows[row] = "," * (told.shape[1] - 1)
    return rows


def refuse_without_sets(trained: TrainedModel) -> None:
    if trained.calibrated is None or trained.calibrated.sets is None:
        raise InputError(
            "the model has no prediction sets; train it with --calibrate temperature to have them beside probabilities"
        )


def refuse_uncalibrated(trained: TrainedModel) -> None:
    if trained.calibrated is None:
        raise InputError(
            "the model gives scores and no probabilities; train it with --calibrate temperature to have them too"
        )


def rejecting(trained: TrainedModel, least: float) -> TrainedModel:
    """Return the model with its own costs, or equal ones, that rejects rows below the probability `least`."""
    refuse_uncalibrated(trained)
    rule = trained.rule or CostRule.of(equal_costs(len(trained.class_names)))
    return replace(trained, rule=replace(rule, reject=least))


def rejections(decisions: Decisions) -> tuple[Notice, ...]:
    count = int(decisions.rejected.sum())
    return (Notice.of("rejected rows", NoticeTally(_undecided, count)),) if count else ()


def _undecided(tally: NoticeTally) -> Sentence:
    return Sentence(
        "{count} row is not decided: its class is not probable enough",
        "{count} rows are not decided: their classes are not probable enough",
        count=tally.count,
    )


def predict(trained: TrainedModel, dataset: Dataset, *, probabilities: bool = False, sets: bool = False) -> Prediction:
    decisions = trained.predictions(dataset, probabilities=probabilities, sets=sets)
    notices = (*dataset.notices, *decisions.notices, *rejections(decisions))
    if dataset.labels is not None:
        labels = in_training_spelling(trained.class_names, dataset.labels)
        notices += unseen_classes(trained.class_names, labels)
        dataset = replace(dataset, labels=labels)
    return Prediction(trained, dataset, decisions, notices)
