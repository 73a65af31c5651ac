"""The common part of `mcsvm compare` and `mcsvm run`: perform an experiment, show and write it."""

from __future__ import annotations

import argparse
import os

from mcsvm.solvers.errors import InputError
from mcsvm.solvers.run.trace import Sample
from mcsvm_gui.cli import output
from mcsvm_gui.cli.interrupt import Interrupt
from mcsvm_gui.cli.progress import GAP, ProgressLine
from mcsvm_gui.cli.reading import naming
from mcsvm_gui.core.base import figures
from mcsvm_gui.core.base.exits import ended
from mcsvm_gui.core.base.options import whole_number
from mcsvm_gui.core.data.files.address import full_address
from mcsvm_gui.core.evaluate.statistics import SIGNIFICANT
from mcsvm_gui.core.experiment import Experiment, Journal, Results, TrialResult, perform
from mcsvm_gui.core.experiment.files import keep_in
from mcsvm_gui.core.experiment.results import beside_published
from mcsvm_gui.core.experiment.running import PlannedTraining
from mcsvm_gui.core.machine.session import Session


class SeveralProgress(ProgressLine):
    """One line for many trainings: the name of the current one, then its progress."""

    _job: PlannedTraining | None = None

    def training(self, job: PlannedTraining, session: Session, sample: Sample) -> None:
        if job is not self._job:
            self._job = job
            self._samples.clear()
        self(session, sample)

    def searching(self, job: PlannedTraining, done: int, expected: int | None) -> None:
        """Show a search before its training, on the same line."""
        self._job = job
        if self._due():
            self._write(f"searching: {done} trials" if expected is None else f"searching: {done} of {expected} trials")

    def _write(self, text: str) -> None:
        super()._write(f"{self._job.text}{GAP}{text}" if self._job is not None and text else text)


def jobs_of(options: argparse.Namespace) -> int:
    if options.scheduler is not None:
        full_address(options.scheduler)
        if options.jobs is not None:
            raise InputError("--jobs is of trainings here, and a cluster has its own workers; leave out one of them")
    if options.jobs is None:
        return 1
    with naming("--jobs"):
        count = whole_number(options.jobs)
    if not 1 <= count <= 4 * (os.cpu_count() or 1):
        raise InputError(f"--jobs must be between 1 and four times the cores of this machine, not {count}")
    return count


def carry_out(experiment: Experiment, options: argparse.Namespace, interrupt: Interrupt) -> Results:
    journal = None if options.results is None else Journal(options.results)
    if journal is not None:
        keep_in(journal, experiment)
    progress = SeveralProgress(options.quiet)
    progress.begin("preparing ...")
    try:
        return perform(
            experiment,
            progress.training,
            lambda: interrupt.requested,
            jobs_of(options),
            journal,
            progress.searching,
            None if options.scheduler is None else full_address(options.scheduler),
        )
    finally:
        progress.end()


def check_report(path: str | None) -> None:
    """Check the format and packages of a report before hours of work."""
    if path is not None:
        from mcsvm_gui.core.report import check_format

        check_format(path)


def write_results(path: str | None, results: Results) -> None:
    if path is not None:
        from mcsvm_gui.core.report import write_report
        from mcsvm_gui.core.report.of_experiment import report_of

        write_report(path, report_of(results))


def finish(results: Results, options: argparse.Namespace) -> int:
    """Print the results and return the exit code."""
    output.show(options, results.document, lambda: summary_lines(results))
    return ended(interrupted=results.interrupted, converged=results.converged)


# -- in words -------------------------------------------------------------------------------------


def summary_lines(results: Results) -> list[str]:
    lines = [f"{results.experiment.title}: {results.experiment.plan.text}.", ""]
    for spec in results.experiment.data:
        lines += [*_table(results, spec.name), ""]
    lines += _refused(results) + _tests(results) + _published(results)
    if results.interrupted:
        lines += ["Interrupted: only what was finished until then is counted."]
    return lines[:-1] if lines[-1] == "" else lines


def _table(results: Results, name: str) -> list[str]:
    dataset, trials = results.datasets[name], results.on(name)
    size = f"{output.plural(dataset.rows, 'row')}, {output.plural(len(dataset.classes), 'class', 'classes')}"
    header = f"{'':<14}{'accuracy':>10}{'spread':>9}{'time':>13}{'iterations':>13}{'vectors':>9}{'worst gap':>13}"
    return [f"{name} ({size})", header, *(_row(results, trial) for trial in trials)]


def _row(results: Results, trial: TrialResult) -> str:
    way, accuracies = results.way, trial.accuracies
    cells = [
        f"{trial.spec.label:<14}",
        f"{figures.accuracy(trial.summary('accuracy', way)):>10}",
        f"{_range(accuracies):>9}",
        f"{figures.seconds(trial.summary('seconds', way)):>13}",
        f"{_count(trial.summary('iterations', way)):>13}",
        f"{_count(trial.summary('n_support', way)):>9}",
        f"{figures.gap(max(trial.worst_gap or 0.0, 0.0)):>13}",
    ]
    return "".join(cells) + ("" if trial.converged else "  not converged")


def _count(value: float | None) -> str:
    return figures.count(None if value is None else round(value))


def _range(accuracies: tuple[float, ...]) -> str:
    if len(accuracies) < 2:
        return figures.NONE
    return figures.with_sign(f"±{figures.points((max(accuracies) - min(accuracies)) / 2)}")


def _refused(results: Results) -> list[str]:
    return [
        f"{trial.spec.data} {trial.spec.label}: not possible: {trial.refused}"
        for trial in results.trials
        if trial.refused
    ]


def _tests(results: Results) -> list[str]:
    pairs = [result for result in results.tests if result.between and result.adjusted]
    ways = {name for result in pairs for name in result.adjusted}
    least = "shaffer" if "shaffer" in ways else "holm"
    found = [result for result in pairs if result.adjusted.get(least, result.adjusted.get("holm", 1.0)) < SIGNIFICANT]
    lines = []
    if results.ranks is not None:
        ranks = sorted(zip(results.ranks.ranks.tolist(), results.ranks.names, strict=True))
        lines.append("Average ranks: " + ", ".join(f"{name} {rank:.3g}" for rank, name in ranks))
        lines.append(f"Critical difference (Nemenyi, 5%): {results.ranks.critical_difference:.3g}")
    for result in found:
        where = f" on {result.data}" if result.data else ""
        adjusted = ", ".join(f"{name} {p:.2g}" for name, p in result.adjusted.items())
        rows = f" of {figures.count(result.details['rows'])} rows" if "rows" in result.details else ""
        how = f"{result.name}{rows}, p {result.p:.2g}; {adjusted}"
        lines.append(f"{' and '.join(result.between)} differ{where} ({how}).")
    if any(result.details.get("weights_counted") is False for result in found):
        lines.append("McNemar's test counts each row once, whatever its weight.")
    if pairs and not found:
        lines.append("No two of them differ significantly (5%, adjusted for all pairs).")
    return [*lines, ""] if lines else []


def _published(results: Results) -> list[str]:
    rows = beside_published(results)
    if not rows:
        return []
    lines = [f"{'published':<28}{'measure':<12}{'theirs':>14}{'ours':>14}"]
    for data, label, measure, theirs, ours in rows:
        said = figures.NONE if ours is None else f"{ours:.6g}"
        lines.append(f"{data + ' ' + label:<28}{measure:<12}{theirs:>14.6g}{said:>14}")
    return [*lines, ""]
