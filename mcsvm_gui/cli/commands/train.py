"""mcsvm train"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mcsvm.solvers.errors import InputError
from mcsvm.solvers.run.ending import Ending
from mcsvm.solvers.run.trace import COLUMNS, Sample, Trace
from mcsvm_gui.cli import output
from mcsvm_gui.cli.interrupt import Interrupt
from mcsvm_gui.cli.progress import ProgressLine
from mcsvm_gui.cli.reading import given_values, request_of
from mcsvm_gui.core.base import figures
from mcsvm_gui.core.base.exits import ended
from mcsvm_gui.core.base.writing import check_outputs, check_writable, csv_text, write_text
from mcsvm_gui.core.check.finding import Finding, Severity
from mcsvm_gui.core.check.of_rows import RowsOnBothSides
from mcsvm_gui.core.check.plan import CheckedPlan
from mcsvm_gui.core.check.results import CheckedResults, Ended, NotCertified
from mcsvm_gui.core.check.table import check_data
from mcsvm_gui.core.cluster.connection import StoppedWaitingError
from mcsvm_gui.core.cluster.session import train_on_cluster
from mcsvm_gui.core.compare.refit import check_refit, refit_request, refit_request_on_cluster
from mcsvm_gui.core.data.dataset import Notice
from mcsvm_gui.core.data.options import SCALED
from mcsvm_gui.core.data.readers import open_dataset
from mcsvm_gui.core.machine import checkpoint_file, model_file
from mcsvm_gui.core.machine.checkpoint_file import PeriodicCheckpoints
from mcsvm_gui.core.machine.command_line import command, shell_line
from mcsvm_gui.core.machine.continuing import CHANGEABLE, Continuation, continuation_of
from mcsvm_gui.core.machine.request import OPTIONS, Request
from mcsvm_gui.core.machine.session import Outcome, Session, train
from mcsvm_gui.core.machine.sources import joined_with_test, test_of
from mcsvm_gui.core.machine.state import claim_of
from mcsvm_gui.core.machine.summary import calibration_text, loss_text, refit_sentence, weight_lines
from mcsvm_gui.core.machine.trained import Origin

SHOWN_TITLES = 3  # findings of the data check that its line names
CHECKED_CELLS = 10_000_000  # largest data that are checked: the check takes about a second
Training = Callable[[ProgressLine, Interrupt], Outcome]
Refit = Callable[[Outcome, ProgressLine, Interrupt], Outcome]
BIAS = {"none": "no bias", "regularized": "regularized bias", "exact": "exact bias"}
CONTINUING = "model", "trace", "refit", "verbose", "json", "quiet", "data", "continued", "command", *CHANGEABLE


@dataclass(frozen=True, eq=False)
class PlannedModel:
    """A training that is ready to begin; `plan` is for the data check, if the data are on this computer."""

    request: Request
    first: str  # progress before the first step
    train: Training
    refit: Refit
    plan: CheckedPlan | None = None
    notices: tuple[Notice, ...] = ()


def run(options: argparse.Namespace) -> int:
    planned = _continued(options) if options.continued is not None else _new(options)
    with Interrupt() as interrupt:
        progress = ProgressLine(options.quiet)
        progress.begin(planned.first)
        try:
            outcome = planned.train(progress, interrupt)
            if options.refit and not interrupt.requested:
                progress.begin("training on all rows ...")
                outcome = planned.refit(outcome, progress, interrupt)
        except StoppedWaitingError:  # before the workers had read the data: there is nothing to keep
            raise KeyboardInterrupt from None
        finally:
            progress.end()
        checked = () if planned.plan is None or interrupt.requested else _check_plan(planned.plan)
        _write(outcome, options)
    output.warn(options, planned.notices)
    _show(outcome, checked, options)
    converged = outcome.trained.origin.ending is Ending.CONVERGED
    return ended(interrupted=interrupt.requested, converged=converged)


def _new(options: argparse.Namespace) -> PlannedModel:
    if options.data is None:
        raise InputError("DATA is missing: name the file to train on, or continue a model by --continue MODEL")
    request = request_of(options)
    if request.test is not None and request.holdout is not None:
        raise InputError("--test and --holdout cannot go together: test on a file, or on a part of DATA")
    if options.refit:
        check_refit(request)
    check_outputs((options.model, options.trace), (options.data, options.test))
    if request.scheduler is not None:
        return _on_cluster(request)
    # The data are read at once, while Ctrl-C still ends the program.
    dataset = open_dataset(options.data, request.read)
    test = test_of(request, dataset)
    known = replace(request, digest=dataset.digest, test_digest=None if test is None else test.digest)
    if options.refit and test is not None:
        joined_with_test(dataset, test)  # refuses what could not be trained on, before the first training
    return _here(Continuation(known, dataset, test, None, None), options.model)


def _continued(options: argparse.Namespace) -> PlannedModel:
    """Continue the training of a model. It is saved in its place unless --model names another one."""
    changes = {name: value for name, value in given_values(OPTIONS, options).items() if name in CHANGEABLE}
    for name, value in vars(options).items():
        if name not in CONTINUING and value not in (None, False):
            raise InputError(
                "--{option}: --continue takes all settings but limits and tolerances from the model; leave it out",
                option=name.replace("_", "-"),
            )
    found = continuation_of(options.continued, changes, options.data)
    if options.refit:
        check_refit(found.request)
    if options.model is None:
        check_writable(options.continued)
        options.model = options.continued
    outputs = [path for path in (options.model, options.trace) if path != options.continued]
    check_outputs(outputs, (options.continued, found.request.data, found.request.test))
    return _here(found, options.model)


def _here(found: Continuation, model: str | None) -> PlannedModel:
    """Return a training on this computer: a new one if there is neither a checkpoint nor a start.

    `model`: the file that is written at the end, next to which checkpoints are saved while a training runs.
    """
    request, dataset, test = found.request, found.dataset, found.test

    def training(progress: ProgressLine, interrupt: Interrupt) -> Outcome:
        return _train(found, model, progress, interrupt)

    def refit(tested: Outcome, progress: ProgressLine, interrupt: Interrupt) -> Outcome:
        rows = dataset if test is None else joined_with_test(dataset, test)
        final = Continuation(refit_request(tested, dataset, test, rows.digest), rows, None, None, None)
        return _train(final, model, progress, interrupt)

    plan = CheckedPlan.of(request, dataset, test)
    return PlannedModel(request, "preparing ...", training, refit, plan, found.notices)


def _train(found: Continuation, model: str | None, progress: ProgressLine, interrupt: Interrupt) -> Outcome:
    checkpoints = None if model is None else PeriodicCheckpoints(model)

    def report(session: Session, sample: Sample) -> None:
        progress(session, sample)
        if checkpoints is not None:
            checkpoints.save_if_due(session.take_checkpoint)

    outcome = train(
        found.request,
        found.dataset,
        found.test,
        report,
        stopped=lambda: interrupt.requested,
        calibrating=progress.folds,
        certifying=progress.certifying,
        seconds_left=lambda: interrupt.seconds_left,
        checkpoint=found.checkpoint,
        start=found.start,
        continuable=True,
    )
    return outcome if checkpoints is None else replace(outcome, notices=(*outcome.notices, *checkpoints.notices))


def _on_cluster(request: Request) -> PlannedModel:
    """Return a training by the workers of a cluster, which read the data; no data are read here."""

    def training(progress: ProgressLine, interrupt: Interrupt) -> Outcome:
        return train_on_cluster(request, progress, lambda: interrupt.requested)

    def refit(tested: Outcome, progress: ProgressLine, interrupt: Interrupt) -> Outcome:
        return train_on_cluster(refit_request_on_cluster(tested), progress, lambda: interrupt.requested)

    return PlannedModel(request, "asking the workers ...", training, refit)


def _write(outcome: Outcome, options: argparse.Namespace) -> None:
    if options.model is not None:
        model_file.save(options.model, outcome.trained)
        outcome.document["model"] = options.model
        checkpoint = checkpoint_file.save(options.model, outcome.checkpoint)
        if checkpoint is not None:
            outcome.document["checkpoint"] = checkpoint
    if options.trace is not None:
        write_text(options.trace, trace_text(outcome.trace))


def trace_text(trace: Trace) -> str:
    """Return the trace as CSV, numbers with all their digits."""
    rows = [[getattr(sample, name) for name in COLUMNS] for sample in trace]
    return csv_text(COLUMNS, [[repr(float(x)) if isinstance(x, float) else int(x) for x in row] for row in rows])


def _check_plan(plan: CheckedPlan) -> tuple[Finding, ...]:
    """Return errors and warnings of the data check; for large data, only check whether test rows were trained on."""
    small = plan.dataset.rows * len(plan.dataset.columns) <= CHECKED_CELLS
    found = check_data(plan) if small else tuple(RowsOnBothSides().find(plan))
    return tuple(one for one in found if one.severity is not Severity.NOTE)


def _show(outcome: Outcome, checked: Sequence[Finding], options: argparse.Namespace) -> None:
    """Print rows on both sides in full, because they change the test accuracy, and say how to see other findings."""
    full = [one for one in checked if options.verbose or one.code == RowsOnBothSides.code]
    others = [one for one in checked if one not in full]
    more = [_check_sentence(others, outcome.trained.request)] if others else []
    output.warn(options, outcome.notices)
    output.warn_beside(options, [*output.findings(full), *more])
    output.show(
        options,
        lambda: outcome.document,
        lambda: summary_lines(outcome, [*output.findings(full), *more], options.trace, verbose=options.verbose),
    )


def _check_sentence(found: Sequence[Finding], request: Request) -> str:
    """Mention the findings of the data check in one line, with the command that explains them."""
    titles = dict.fromkeys(f"{one.document()['code']} {one.document()['title']}" for one in found)
    shown = "; ".join([*titles][:SHOWN_TITLES]) + ("; ..." if len(titles) > SHOWN_TITLES else "")
    return f"Data check: {output.plural(len(found), 'finding')} ({shown}). Details: {command(request, 'check')}"


def _own_cost(found: dict[str, Any]) -> str:
    """Return the C of the machine's problem in words, if it is not the C of the request (two classes)."""
    return f" as in SVC ({found['machine_C']:g} in the problem of {found['machine']})" if "machine_C" in found else ""


# -- in words -------------------------------------------------------------------------------------


def summary_lines(
    outcome: Outcome, findings: Sequence[str], trace: str | None = None, *, verbose: bool = False
) -> list[str]:
    trained, found = outcome.trained, outcome.document
    machine, origin = trained.model.machine, trained.origin
    certain = claim_of(found)
    lines = [
        f"{machine.title} ({machine.name}): {machine.decides}.",
        (
            f"{kernel_text(found['kernel'])}, C {found['C']:g}{_own_cost(found)}, margin {found['margin']:.4g},"
            f" {BIAS[found['bias']]};"
            f" features {SCALED[trained.preparation.rules.scale]}."
        ),
        (
            f"{certain.text}, after {output.plural(origin.iterations, 'step')} of {origin.solver}"
            f" in {found['seconds']:.3g} s. {_ending_text(origin)}"
        ),
        (
            f"{output.plural(found['n_train'], 'row')}, {output.plural(found['n_features'], 'feature')},"
            f" {output.plural(found['n_classes'], 'class', 'classes')};"
            f" {output.plural(found['n_support'], 'support vector')}, {found['n_bounded']} of them at their bound."
        ),
        *weight_lines(found["weights"]),
        _accuracy_text(found),
        *_calibration_lines(found["calibration"]),
    ]
    lines += [*output.findings(_not_solved(outcome)), *findings]
    lines += [found["solver_reason"]] if verbose and found["solver"] == "auto" else []
    lines += [cluster_text(found["cluster"])] if "cluster" in found else []
    unsaved = "The model was not saved: --model OUT.mcsvm saves it."
    lines.append(f"Model: {found['model']}" if found["model"] else unsaved)
    if "checkpoint" in found:
        lines.append(f"To continue the training: {shell_line(['mcsvm', 'train', '--continue', found['model']])}")
    return lines + ([f"Trace: {trace}"] if trace else [])


def _ending_text(origin: Origin) -> str:
    """Describe how the training ended; the sentence mentions the certificate."""
    return origin.ending.sentence if origin.certified else f"It ended by this: {origin.ending.value}."


def _not_solved(outcome: Outcome) -> list[Finding]:
    origin, kind = outcome.trained.origin, claim_of(outcome.document).kind
    if not origin.certified:  # the warning about the missing certificate has the details
        return []
    ended = Ended(outcome.trained.model.machine.name, origin.ending, origin.certificate.relative_gap, kind)
    return list(NotCertified().find(CheckedResults(ended=(ended,))))


def cluster_text(found: dict[str, Any]) -> str:
    parts, rounds = output.plural(len(found["parts"]), "part"), output.plural(found["rounds"], "round")
    lost = f", {output.plural(found['lost'], 'part')} lost and read again" if found["lost"] else ""
    return f"{parts} on workers, {rounds} of {found['bytes_per_round'] / 1e6:.2g} MB{lost}."


def kernel_text(kernel: dict[str, object]) -> str:
    name, *rest = (f"{key} {value:.6g}" if key != "name" else f"Kernel {value}" for key, value in kernel.items())
    return ", ".join([name, *rest])


def _calibration_lines(found: dict[str, Any] | None) -> list[str]:
    if found is None:
        return []
    before, after = (found["log_loss"][name] for name in ("before", "after"))
    how = calibration_text(found["method"], found["temperature"])
    losses = f"log loss {loss_text(after)}, before {loss_text(before)}"
    return [f"{how}, fitted on the scores of {found['folds']} folds: {losses}."]


def _accuracy_text(found: dict[str, Any]) -> str:
    if "refit" in found:
        return refit_sentence(found["refit"])
    if found["train_accuracy"] is None:
        return "Accuracy: not measured."
    words = f"Accuracy: {figures.accuracy(found['train_accuracy'], found['n_train'])} of the training rows"
    if found["test_accuracy"] is None:
        return f"{words}; not tested on other rows."
    tested = output.plural(found["n_test"], "test row")
    return f"{words}, {figures.accuracy(found['test_accuracy'], found['n_test'])} of {tested}."
