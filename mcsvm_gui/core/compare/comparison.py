"""Comparison of several trained machines on the same rows, as plain values for windows, reports and commands."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np

from mcsvm.solvers.errors import InputError
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.data.spellings import in_training_spelling
from mcsvm_gui.core.evaluate.applied import decided_rows, labels_of
from mcsvm_gui.core.evaluate.evaluation import RankMeasures
from mcsvm_gui.core.evaluate.scores import Scores, evaluate
from mcsvm_gui.core.evaluate.statistics import TestResult, mcnemar
from mcsvm_gui.core.evaluate.statistics.adjustment import holm
from mcsvm_gui.core.evaluate.violations import Violations, violations_of
from mcsvm_gui.core.machine.trained import Decisions, TrainedModel

TIMES, ENOUGH = 5, 0.05  # number of timed predictions; seconds after which no more follow
LONG = 0.5  # seconds; a first prediction that takes longer is not repeated


@dataclass(frozen=True, eq=False)
class Side:
    """One column of a comparison."""

    label: str
    document: Mapping[str, Any]  # as `mcsvm train --json` prints it
    decisions: np.ndarray  # (rows,) class names; None if a row was not predicted
    scores: Scores | None = None
    ranked: RankMeasures | None = None
    violations: Violations | None = None
    row_seconds: float | None = None  # seconds to predict one row
    trace: Mapping[str, np.ndarray] | None = None


@dataclass(frozen=True, eq=False)
class Comparison:
    data: str
    classes: tuple[str, ...]  # classes of all sides and of the rows
    true: np.ndarray | None  # (rows,) class names as training spelled them
    sides: tuple[Side, ...]
    lines: np.ndarray | None = None  # the line of each row in its file
    weighted: bool = False  # rows have weights; scores use them, McNemar's test does not
    about: str = ""  # describes the source of the numbers, if it is not obvious
    numbers: np.ndarray | None = None  # (rows,) number of each row in its file; None: counted from 1
    names: Mapping[str, np.ndarray] = field(default_factory=dict)  # further columns that identify the rows

    def row_number(self, row: int) -> int:
        """Return the number of a row in the file that was opened."""
        return row + 1 if self.numbers is None else int(self.numbers[row])

    def shared(self, *sides: Side) -> np.ndarray:
        """Return (rows,) whether all sides predict a row; a row that one side omits is no evidence about it."""
        return np.logical_and.reduce([side.decisions != None for side in sides or self.sides])  # noqa: E711

    def disagreements(self) -> np.ndarray:
        """Return the rows that all sides predict, but not as the same class."""
        decisions = np.array([side.decisions for side in self.sides], dtype=object)
        return np.flatnonzero((decisions != decisions[0]).any(axis=0) & self.shared())

    def right(self, side: Side) -> np.ndarray:
        if self.true is None:
            raise InputError("rows without class labels cannot tell which machine is right")
        return np.asarray(side.decisions == self.true, dtype=bool)

    def tests(self) -> tuple[TestResult, ...]:
        """Test every pair with McNemar's test on the rows that both predicted, Holm-adjusted over all pairs."""
        if self.true is None:
            return ()
        pairs = [(a, b, self.shared(a, b)) for a, b in combinations(self.sides, 2)]
        found = [
            mcnemar(self.right(a)[rows], self.right(b)[rows], (a.label, b.label)) for a, b, rows in pairs if rows.any()
        ]
        if self.weighted:
            found = [tuple(map(_without_weights, same)) for same in found]
        return adjusted_over_pairs(found, self.data)


def _without_weights(result: TestResult) -> TestResult:
    return replace(result, details={**result.details, "weights_counted": False})


def adjusted_over_pairs(found: Sequence[Sequence[TestResult]], data: str) -> tuple[TestResult, ...]:
    """Adjust each test over all pairs; `found` contains the same tests for every pair."""
    results = []
    for same in zip(*found, strict=True):
        adjusted = holm(np.array([result.p for result in same]), 0)
        results += [
            replace(result, adjusted={"holm": float(p)}, data=data) for result, p in zip(same, adjusted, strict=True)
        ]
    return tuple(results)


def side_of(
    label: str,
    trained: TrainedModel,
    document: Mapping[str, Any],
    rows: Dataset,
    training: Dataset | None = None,
    trace: Mapping[str, np.ndarray] | None = None,
) -> Side:
    """Apply a trained machine to rows. `training`: its training rows, for the margin violations."""
    first, decisions = _timed(trained, rows)
    side = Side(label, document, decisions.labels, row_seconds=_row_seconds(trained, rows, first), trace=trace)
    if training is not None:
        side = replace(side, violations=violations_of(trained, training))
    if rows.labels is None:
        return side
    if trained.calibrated is not None:
        decisions = trained.predictions(rows, probabilities=True)
    side = replace(side, ranked=_ranked(trained, decisions, rows))
    return scored(side, trained.class_names, rows.labels, rows.weights)


def _ranked(trained: TrainedModel, decisions: Decisions, rows: Dataset) -> RankMeasures:
    true = in_training_spelling(trained.class_names, labels_of(rows))
    weights = np.ones(rows.rows) if rows.weights is None else rows.weights
    return RankMeasures.of(decided_rows(trained.class_names, decisions, true, weights, None))


def _row_seconds(trained: TrainedModel, rows: Dataset, first: float) -> float | None:
    """Return the seconds per row: the least of several times, because the first prediction finds cold caches.

    A slow first prediction is not repeated.
    """
    if rows.rows == 0:
        return None
    times: list[float] = [first] if first > LONG else []
    while not times or (len(times) < TIMES and sum(times) < ENOUGH):
        times.append(_timed(trained, rows)[0])
    return min(times) / rows.rows


def _timed(trained: TrainedModel, rows: Dataset) -> tuple[float, Decisions]:
    began = time.perf_counter()
    decisions = trained.predictions(rows)
    return time.perf_counter() - began, decisions


def scored(side: Side, known: tuple[str, ...], labels: np.ndarray, weights: np.ndarray | None = None) -> Side:
    """Add the scores of the predicted rows; `labels` and `weights` are those of all rows."""
    true, decided = in_training_spelling(known, labels), np.flatnonzero(side.decisions != None)  # noqa: E711
    if decided.size == 0:
        return side
    strange = sorted(set(true[decided].tolist()) - set(known))
    said, each = side.decisions[decided].tolist(), None if weights is None else weights[decided]
    return replace(side, scores=evaluate(true[decided].tolist(), said, [*known, *strange], each))


def compare(sides: Sequence[Side], known: tuple[str, ...], rows: Dataset) -> Comparison:
    """Compare sides on the same rows. `known`: the classes of training, which are the same for all sides."""
    labels = {side.label for side in sides}
    if len(labels) < len(sides):
        raise InputError("two runs of a comparison have the same name; give each its own")
    if any(side.decisions.size != rows.rows for side in sides):
        raise InputError("runs are compared on the same rows")
    true = None if rows.labels is None else in_training_spelling(known, rows.labels)
    strange = [] if true is None else sorted(set(true.tolist()) - set(known))
    weighted = rows.weights is not None
    return Comparison(
        *(rows.name, (*known, *strange), true, tuple(sides), rows.lines, weighted),
        numbers=rows.row_numbers,
        names=rows.row_columns,
    )
