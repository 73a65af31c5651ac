"""mcsvm evaluate"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from mcsvm_gui.cli import output
from mcsvm_gui.cli.commands import predict as predicting
from mcsvm_gui.cli.interrupt import Interrupt
from mcsvm_gui.cli.progress import ProgressLine
from mcsvm_gui.cli.reading import naming, read_options, with_missing_rule
from mcsvm_gui.cli.several import check_report
from mcsvm_gui.core.base import figures
from mcsvm_gui.core.base.exits import DONE, INTERRUPTED, unmet
from mcsvm_gui.core.base.options import Share, Whole, number, whole_number
from mcsvm_gui.core.base.writing import check_outputs
from mcsvm_gui.core.check.finding import Finding
from mcsvm_gui.core.check.of_models import FEWEST
from mcsvm_gui.core.check.results import CheckedResults, NotCalibrated, Reliable
from mcsvm_gui.core.data.costs import CostTable, read_costs
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.evaluate.applied import Applied, applied, applied_in_folds
from mcsvm_gui.core.evaluate.evaluation import MACRO, TITLES, Evaluation, check_classes, evaluate_rows
from mcsvm_gui.core.machine import model_file
from mcsvm_gui.core.machine.sources import open_for
from mcsvm_gui.core.machine.trained import TrainedModel

FEWEST_OTHERS = 2  # rows outside the training rows that are enough to be measured separately


def run(options: argparse.Namespace) -> int:
    folds, least = _folds(options.folds), _least_accuracy(options.min_accuracy)
    check_report(options.report)
    trained = with_missing_rule(model_file.load(options.model), options)
    check_outputs([options.report], (options.model, options.data, options.costs))
    costs = None if options.costs is None else read_costs(options.costs)
    dataset = open_for(
        trained, options.data, read_options(options, replace(trained.request.read, skip_lines=None))
    ).counting()
    known = trained.rows is not None and folds is None
    trained_on = trained.rows.contains(dataset.row_source) if known and trained.rows else np.zeros(dataset.rows, bool)
    part = trained_on.any() and int((~trained_on).sum()) >= FEWEST_OTHERS
    others = dataset.take(~trained_on) if part else dataset
    with Interrupt() as interrupt:
        found = _applied(trained, others, costs, folds, options, interrupt)
        if found is None:
            return INTERRUPTED
        if not part:
            check_classes(found.rows, dataset.name)
        evaluation = evaluate_rows(found.rows, trained.request.seed)
        document = _document(trained, found, evaluation, folds, options)
        document["misclassified"] = found.misclassified(others)
        document |= {"n_trained_on": int(trained_on.sum()), "all_rows": _all_rows(trained, dataset, trained_on, costs)}
        if options.report is not None:
            _write_report(options, trained, evaluation, document)
    output.warn(options, found.notices)
    told = output.findings(findings_of(evaluation, options.data))
    used = int(trained_on.sum())
    counted = used + evaluation.rows if part else used
    first = [f"{predicting.trained_on(used, counted, _accuracy(evaluation))}."] if used else []
    output.show(options, lambda: document, lambda: [*first, *summary_lines(trained, evaluation, folds), *told])
    measured = _accuracy(evaluation)
    if least is None or measured >= least:
        return DONE
    return unmet(
        f"--min-accuracy {options.min_accuracy}: the accuracy is {figures.accuracy(measured, evaluation.rows)}"
    )


def _least_accuracy(text: str | None) -> float | None:
    if text is None:
        return None
    with naming("--min-accuracy"):
        least = number(text)
    if least != 1.0:
        Share().check("--min-accuracy", least)
    return least


def _accuracy(evaluation: Evaluation) -> float:
    return evaluation.measures["accuracy"] or 0.0


def _all_rows(
    trained: TrainedModel, dataset: Dataset, trained_on: np.ndarray, costs: CostTable | None
) -> dict[str, Any] | None:
    """Return the measures over all rows if the model was trained on some of them."""
    if not trained_on.any():
        return None
    whole = evaluate_rows(applied(trained, dataset, costs).rows, trained.request.seed, resamples=0)
    measures = ("accuracy", "balanced_accuracy", "macro_f1", "kappa")
    return {"n": whole.rows, **{name: whole.measures[name] for name in measures}}


def _folds(text: str | None) -> int | None:
    if text is None:
        return None
    with naming("--folds"):
        folds = whole_number(text)
        Whole(lowest=2).check("folds", folds)
    return folds


def _applied(
    trained: TrainedModel,
    dataset: Dataset,
    costs: CostTable | None,
    folds: int | None,
    options: argparse.Namespace,
    interrupt: Interrupt,
) -> Applied | None:
    if folds is None:
        return applied(trained, dataset, costs)
    progress = ProgressLine(options.quiet)
    try:
        return applied_in_folds(
            trained,
            dataset,
            folds,
            costs,
            lambda done: progress.begin(f"training without fold {done + 1} of {folds} ..."),
            lambda: interrupt.requested,
        )
    finally:
        progress.end()


def _document(
    trained: TrainedModel, found: Applied, evaluation: Evaluation, folds: int | None, options: argparse.Namespace
) -> dict[str, Any]:
    return {
        "machine": trained.model.machine.name,
        "folds": folds,
        **evaluation.document(),
        "report": options.report,
        "findings": [one.document() for one in findings_of(evaluation, options.data)],
        "warnings": [notice.sentence for notice in found.notices],
    }


def findings_of(evaluation: Evaluation, path: str) -> list[Finding]:
    error = evaluation.measures["ece"]
    if error is None or evaluation.rows < FEWEST:
        return []
    return list(NotCalibrated().find(CheckedResults(reliable=Reliable(Path(path).name, evaluation.rows, error))))


def _write_report(
    options: argparse.Namespace, trained: TrainedModel, evaluation: Evaluation, document: dict[str, Any]
) -> None:
    from mcsvm_gui.core.report import write_report
    from mcsvm_gui.core.report.of_evaluation import report_of

    write_report(options.report, report_of(trained, options.data, evaluation, document))


# -- in words -------------------------------------------------------------------------------------


def summary_lines(trained: TrainedModel, evaluation: Evaluation, folds: int | None) -> list[str]:
    machine, rows = trained.model.machine, output.plural(evaluation.rows, "row")
    how = "as it is" if folds is None else f"trained anew on {folds} folds"
    lines = [f"{machine.title} ({machine.name}), {how}, on {rows}:"]
    for name, title in TITLES.items():
        value = evaluation.measures[name]
        if value is not None:
            lines.append(f"  {title:<20}{figures.rating(value):>8}  {_interval(evaluation, name)}")
    if evaluation.rejected:
        lines.append(f"  Rejected            {evaluation.rejected:8d}  of the rows, which the measures above leave out")
    untested = [name for name in trained.class_names if name not in evaluation.roc]
    width = max(map(len, (*evaluation.roc, *untested)))
    lines.append(f"{'':{width + 2}}  {'ROC area':<28}{'average precision'}")
    for name in sorted(evaluation.roc, key=lambda name: name == MACRO):
        cells = [
            f"{figures.rating(curves[name].area)}  {_interval(evaluation, f'{kind}: {name}'):<20}"
            for kind, curves in (("roc_auc", evaluation.roc), ("average_precision", evaluation.precision_recall))
        ]
        lines.append(f"  {name:<{width}}  {cells[0]}{cells[1].rstrip()}")
    lines += [f"  {name:<{width}}  {figures.NONE}" for name in untested]
    if untested:
        tested = len(trained.class_names) - len(untested)
        lines.append(
            f"Means over classes are over {tested} of {len(trained.class_names)}: the others have no rows here."
        )
    if evaluation.measures["log_loss"] is None:
        lines.append("No log loss, Brier score or calibration error: the model has no probabilities.")
    return lines


def _interval(evaluation: Evaluation, name: str) -> str:
    low, high = evaluation.intervals[name]
    return f"{figures.rating(low)} to {figures.rating(high)}"
