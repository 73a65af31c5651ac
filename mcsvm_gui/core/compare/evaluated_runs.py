"""Evaluate selected runs on their test rows: curves for plots, and rows for cost rules."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from mcsvm.solvers.errors import InputError
from mcsvm.solvers.uncertainty.costs import CostRule
from mcsvm_gui.core.base import figures
from mcsvm_gui.core.base.i18n import tr, worded
from mcsvm_gui.core.compare.result_table import ResultTable, translated
from mcsvm_gui.core.compare.tables import matrix_tables
from mcsvm_gui.core.compare.tested_runs import ScoredRun
from mcsvm_gui.core.evaluate.applied import applied
from mcsvm_gui.core.evaluate.evaluation import DecidedRows, Evaluation, evaluate_rows
from mcsvm_gui.core.evaluate.pricing import priced

if TYPE_CHECKING:
    from mcsvm_gui.core.machine.trained import TrainedModel


@dataclass(frozen=True, eq=False)
class EvaluatedRun:
    """An evaluated run; `evaluation` is None if there are no rows for it, and `why` is a sentence with the reason."""

    run: int
    label: str
    machine: str
    rows: DecidedRows | None = None
    evaluation: Evaluation | None = None
    rule: CostRule | None = None  # the model's own rule
    class_counts: tuple[int, ...] = ()  # of the training rows
    why: str = ""

    @property
    def calibrated(self) -> bool:
        return self.rows is not None and self.rows.shares is not None


def evaluated_run(chosen: ScoredRun, model: Callable[[], TrainedModel]) -> EvaluatedRun:
    """Evaluate a run on its held-out rows; the numbers are those of `mcsvm evaluate`."""
    found = EvaluatedRun(chosen.run, chosen.side.label, str(chosen.side.document["machine"]))
    if chosen.rows is None or not chosen.tested:
        return replace(found, why=chosen.trouble or tr("it held no rows out to test on"))
    try:
        trained = model()
        rows = applied(trained, chosen.rows.tested).rows
        evaluation = evaluate_rows(rows, chosen.request.seed)
    except InputError as error:
        return replace(found, why=worded(error))
    return replace(found, rows=rows, evaluation=evaluation, rule=trained.rule, class_counts=trained.origin.class_counts)


# -- cost rules --------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Consequences:
    """The consequences of a cost rule, in words and as a table."""

    sentence: str
    confusion: ResultTable


def consequences(rows: DecidedRows, rule: CostRule) -> Consequences:
    found = priced(rows, rule)
    whole = np.array_equal(found.confusion, np.round(found.confusion))
    table = found.confusion.astype(np.int64) if whole else found.confusion
    sentence = tr(
        "Mean cost {cost}; {own} if the most probable class is always predicted. Accuracy of the predicted"
        " rows {accuracy}; rejected {rejected}.",
        cost=figures.number(found.mean_cost, 4),
        own=figures.number(found.own_cost, 4),
        accuracy=figures.accuracy(found.accuracy),
        rejected=figures.percent(found.rejected),
    )
    return Consequences(sentence, translated(matrix_tables(found.names, table)[0]))


def notes(runs: Sequence[EvaluatedRun], probabilities: bool) -> list[str]:
    """Return the reasons why runs are missing from a plot."""
    said = [tr("{run}: {why}.", run=one.label, why=one.why) for one in runs if one.why]
    without = [one.label for one in runs if one.evaluation is not None and not one.calibrated]
    if probabilities and without:
        said.append(
            tr(
                "No probabilities: {runs}. Choose a calibration under More on the Train page, and train again.",
                runs=", ".join(without),
            )
        )
    return said
