"""The report of an evaluation: measures with intervals, confusion, curves per class and averaged, calibration."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from mcsvm_gui.core.base import figures
from mcsvm_gui.core.base.i18n import tr, worded
from mcsvm_gui.core.evaluate.evaluation import MACRO, TITLES, Evaluation, RankingCurve
from mcsvm_gui.core.evaluate.ranking import GRID
from mcsvm_gui.core.machine.trained import TrainedModel
from mcsvm_gui.core.report import shared
from mcsvm_gui.core.report.blocks import Block, Figure, Heading, Paragraph, Report, Table, full_names
from mcsvm_gui.core.report.ranking_plots import UnitFigure, UnitLine

DRAWN = 6  # classes with a line of their own; more cannot be distinguished


def report_of(trained: TrainedModel, data: str, evaluation: Evaluation, document: Mapping[str, Any]) -> Report:
    machine = trained.model.machine
    title = tr("Evaluation of {machine} on {data}", machine=machine.name, data=os.path.basename(data))
    blocks = [
        *evaluation_blocks(evaluation, machine.name, 2),
        shared.trained_with(trained.origin),
        *shared.request_blocks(trained.request, 2),
        *shared.surroundings(),
        *full_names(list(evaluation.names)),
    ]
    return Report(title, shared.made(), tuple(blocks), dict(document))


def evaluation_blocks(found: Evaluation, machine: str, level: int) -> list[Block]:
    blocks: list[Block] = [Heading(tr("How well it decides"), level), _measures(found), _classes(found)]
    if found.rejected:
        blocks.append(
            Paragraph(
                tr(
                    "{rejected} of {rows} rows were rejected: no class was probable enough.",
                    rejected=figures.count(found.rejected),
                    rows=figures.count(found.rows),
                )
            )
        )
    blocks += [_confusion(found)] if len(found.names) <= shared.MOST_CLASSES else []
    return [*blocks, *_figures(found, machine)]


def _measures(found: Evaluation) -> Table:
    rows = [
        (worded(title), figures.rating(value), _interval(found, name))
        for name, title in TITLES.items()
        if (value := found.measures[name]) is not None
    ]
    if found.brier is not None:
        titles = tr("Miscalibration"), tr("Discrimination"), tr("Uncertainty")
        parts = map(figures.rating, vars(found.brier).values())
        rows += [(title, part, "") for title, part in zip(titles, parts, strict=True)]
    caption = tr("Intervals of 95%, by bootstrap over rows.")
    if found.brier is not None:
        caption += " " + tr("Brier score = miscalibration - discrimination + uncertainty.")
    return Table((tr("Measure"), tr("Value"), tr("Interval")), tuple(rows), caption, frozenset({1, 2}))


def _interval(found: Evaluation, name: str) -> str:
    ends = found.intervals.get(name)
    return "" if ends is None else tr("{low} to {high}", low=figures.rating(ends[0]), high=figures.rating(ends[1]))


def _classes(found: Evaluation) -> Table:
    rows = [
        (
            tr("averaged") if name == MACRO else name,
            figures.rating(found.roc[name].area),
            _interval(found, f"roc_auc: {name}"),
            figures.rating(found.precision_recall[name].area),
            _interval(found, f"average_precision: {name}"),
        )
        for name in found.roc
    ]
    columns = tr("Class"), tr("Area under ROC"), tr("Interval"), tr("Average precision"), tr("Interval")
    return Table(columns, tuple(rows), tr("Each class against the rest."), frozenset(range(1, 5)))


def _confusion(found: Evaluation) -> Table:
    """Return the confusion matrix: true classes down, predicted classes across."""
    table = np.asarray(found.confusion, dtype=float)
    totals = table.sum(axis=1, keepdims=True)
    shares = np.divide(table, totals, out=np.zeros(table.shape), where=totals > 0)
    texts = [[figures.number(value, 6) for value in row] for row in table]
    return Table(
        (tr("true \\ predicted"), *found.names),
        tuple((name, *row) for name, row in zip(found.names, texts, strict=True)),
        tr("Rows by true class and predicted class."),
        frozenset(range(1, len(found.names) + 1)),
        shade={(i, j + 1): float(shares[i, j]) for i, j in np.ndindex(*table.shape) if table[i, j]},
    )


def _figures(found: Evaluation, machine: str) -> list[Block]:
    blocks: list[Block] = []
    if found.roc:
        roc = UnitFigure(_lines(found.roc), machine, tr("false positive rate"), tr("true positive rate"), chance=True)
        precision = UnitFigure(_lines(found.precision_recall), machine, tr("recall"), tr("precision"))
        said = tr("Average over classes with its 95% band, and one curve for each class against the rest.")
        blocks += [Figure(roc, f"{tr('ROC.')} {said}"), Figure(precision, f"{tr('Precision-recall.')} {said}")]
    if found.reliability:
        one = found.reliability[""]
        line = UnitLine(tr("decided class"), one.probability, one.frequency)
        plot = UnitFigure([line], machine, tr("probability"), tr("frequency"), chance=True, dots=True)
        rows = figures.count(round(float(one.count[0])))
        blocks.append(Figure(plot, tr("Reliability of the most probable class: bins of {rows} rows each.", rows=rows)))
    return blocks


def _lines(curves: Mapping[str, RankingCurve]) -> list[UnitLine]:
    """Return the curves, the average first; of many classes, only those with the smallest area."""
    names = sorted((name for name in curves if name != MACRO), key=lambda name: curves[name].area)[:DRAWN]
    macro = curves[MACRO]
    band = None if macro.band is None else (GRID, macro.band[0], macro.band[1])
    return [
        UnitLine(tr("averaged"), macro.x, macro.y, band),
        *(UnitLine(name, curves[name].x, curves[name].y, faint=True) for name in names),
    ]
