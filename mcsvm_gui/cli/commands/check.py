"""mcsvm check"""

from __future__ import annotations

import argparse
import textwrap
from dataclasses import replace
from pathlib import Path
from typing import Any

from mcsvm.solvers.errors import InputError
from mcsvm_gui.cli import output
from mcsvm_gui.cli.interrupt import Interrupt
from mcsvm_gui.cli.progress import ProgressLine
from mcsvm_gui.cli.reading import given_values, request_of
from mcsvm_gui.core.base import figures
from mcsvm_gui.core.base.exits import DONE, INTERRUPTED, unmet
from mcsvm_gui.core.base.options import Choice
from mcsvm_gui.core.check.finding import Finding, Severity, worst_first
from mcsvm_gui.core.check.of_models import results_of
from mcsvm_gui.core.check.plan import CheckedPlan
from mcsvm_gui.core.check.results import TITLES, CheckedResults
from mcsvm_gui.core.check.table import check_data, check_results
from mcsvm_gui.core.data import inspection
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.machine import model_file, sources
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.tune.options import SEARCH_OPTIONS

WIDTH = 100  # columns of the text
FAILING = {"warning": (Severity.ERROR, Severity.WARNING), "error": (Severity.ERROR,)}  # keys: values of --fail-on


def run(options: argparse.Namespace) -> int:
    request = request_of(options)
    if options.fail_on is not None:
        Choice(titles=dict.fromkeys(FAILING, "")).check("--fail-on", options.fail_on)
    if request.test is not None and request.holdout is not None:
        raise InputError("--test and --holdout cannot go together: test on a file, or on a part of DATA")
    dataset = inspection.inspect(options.data, request.read)
    plan = plan_of(request, dataset, options)
    results = CheckedResults() if options.model is None else _of_model(options, dataset)
    if options.baselines:
        with Interrupt() as interrupt:
            results = replace(results, accuracies=_accuracies(request, plan, options, interrupt))
            if interrupt.requested:
                return INTERRUPTED
    found = worst_first([*check_data(plan), *check_results(results)])
    output.warn(options, dataset.notices)
    output.show(options, lambda: document(plan, results, found), lambda: summary_lines(plan, results, found))
    failing = [one for one in found if one.severity in FAILING.get(options.fail_on, ())]
    if not failing:
        return DONE
    codes = ", ".join(dict.fromkeys(one.document()["code"] for one in failing))
    return unmet(f"--fail-on {options.fail_on}: {output.plural(len(failing), 'finding')} ({codes})")


def plan_of(request: Request, dataset: Dataset, options: argparse.Namespace) -> CheckedPlan:
    test = None if request.test is None else sources.open_test(request.test, request.read, dataset)
    how = given_values({"folds": SEARCH_OPTIONS["folds"]}, options)
    return CheckedPlan.of(request, dataset, test, **how)


def _of_model(options: argparse.Namespace, dataset: Dataset) -> CheckedResults:
    trained = model_file.load(options.model)
    return results_of(Path(options.model).name, trained, dataset)


def _accuracies(
    request: Request, plan: CheckedPlan, options: argparse.Namespace, interrupt: Interrupt
) -> dict[str, float]:
    from mcsvm_gui.core.check.baselines import accuracies

    progress = ProgressLine(options.quiet)
    try:
        return accuracies(
            request,
            plan.dataset,
            plan.folds,
            lambda done, expected: progress.share("comparing", done / expected),
            lambda: interrupt.requested,
        )
    finally:
        progress.end()


def document(plan: CheckedPlan, results: CheckedResults, found: tuple[Finding, ...]) -> dict[str, Any]:
    named = {name or "machine": value for name, value in results.accuracies.items()}
    return {"rows": plan.dataset.rows, "findings": [one.document() for one in found], "accuracies": named or None}


def summary_lines(plan: CheckedPlan, results: CheckedResults, found: tuple[Finding, ...]) -> list[str]:
    counts = [(level, sum(one.severity.value == level for one in found)) for level in ("error", "warning", "note")]
    summary = ", ".join(output.plural(count, level) for level, count in counts if count) or "nothing found"
    lines = [f"{plan.dataset.name}: {output.plural(plan.dataset.rows, 'row')}; {summary}."]
    if results.accuracies:
        lines += ["", f"Accuracy in {plan.folds}-fold cross-validation:"]
        named = {"": "the machine", **TITLES}
        lines += [f"  {figures.accuracy(value):>7}  {named[name]}" for name, value in results.accuracies.items()]
    for one in found:
        told = one.document()
        lines += ["", f"{told['severity']:<8}{told['code']}  {told['title']} ({told['where']})"]
        lines += _wrapped(told["what"]) + _wrapped(f"To do: {told['do']}")
    return lines


def _wrapped(text: str) -> list[str]:
    shown = text if text.isprintable() else repr(text)[1:-1]
    return textwrap.wrap(shown, WIDTH, initial_indent=8 * " ", subsequent_indent=8 * " ", break_long_words=False)
