"""The report of chosen runs, from their known results: nothing is read or predicted again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mcsvm_gui.core.base.i18n import tr
from mcsvm_gui.core.base.writing import Named
from mcsvm_gui.core.compare.evaluated_runs import EvaluatedRun
from mcsvm_gui.core.compare.tested_runs import ScoredRun
from mcsvm_gui.core.project.records import RunRecord
from mcsvm_gui.core.report import check_format, write_report
from mcsvm_gui.core.report.blocks import Block, Heading
from mcsvm_gui.core.report.chapters import USUAL
from mcsvm_gui.core.report.of_curve import curve_blocks
from mcsvm_gui.core.report.of_evaluation import evaluation_blocks
from mcsvm_gui.core.report.of_project import RunMaterial, report_of
from mcsvm_gui.core.report.summary_pages import Known


@dataclass(frozen=True, eq=False)
class ReportedRun:
    record: RunRecord
    trace: Mapping[str, np.ndarray]
    chosen: ScoredRun
    evaluated: EvaluatedRun | None = None
    curve: Mapping[str, Any] | None = None  # as `mcsvm curve --json` prints it


def write(
    path: Named, runs: Sequence[ReportedRun], known: Known | None = None, chapters: Sequence[str] = USUAL
) -> None:
    """Write the report in the format of the path's ending."""
    check_format(path)
    report = report_of("", [_material(run) for run in runs], known=known, chapters=chapters)
    evaluated = [run.evaluated for run in runs if run.evaluated is not None]
    blocks = [block for one in evaluated for block in _evaluation(one)] if "comparison" in chapters else []
    curves = {run.record.name: run.curve for run in runs if run.curve is not None}
    blocks += [block for run in runs if run.curve is not None for block in curve_blocks(run.record, run.curve)]
    documents = {one.label: one.evaluation.document() for one in evaluated if one.evaluation is not None}
    report = replace(
        report,
        blocks=(*report.blocks, *blocks),
        document={**report.document, "evaluations": documents, "learning_curves": curves},
    )
    if len(runs) > 1:
        report = replace(report, title=tr("Comparison of {runs} runs", runs=len(runs)))
    write_report(path, report)


def _evaluation(run: EvaluatedRun) -> list[Block]:
    if run.evaluation is None:
        return []
    return [Heading(run.label), *evaluation_blocks(run.evaluation, run.machine, 3)]


def _material(run: ReportedRun) -> RunMaterial:
    known, chosen = RunMaterial(run.record, run.trace, origin=run.chosen.origin), run.chosen
    if chosen.rows is None:
        return replace(known, missing=chosen.trouble or tr("its rows were not looked at"))
    label = tr("{name} (run {id})", name=run.record.name, id=run.record.id)
    classes = tuple(chosen.side.document["classes"])
    side = replace(chosen.side, label=label, trace=run.trace)
    rows = chosen.rows
    return replace(known, side=side, data=rows.whole, training=rows.training, rows=rows.tested, classes=classes)
