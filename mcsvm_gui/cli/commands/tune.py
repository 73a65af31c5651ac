"""mcsvm tune"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace

from mcsvm.solvers.errors import InputError
from mcsvm.solvers.kernels import KERNELS
from mcsvm.solvers.selection.cell import Cell, CellResult, FoldResult, Trial
from mcsvm.solvers.selection.grid import Range
from mcsvm.solvers.selection.trials.per_pair import PairChoice
from mcsvm_gui.cli import output
from mcsvm_gui.cli.interrupt import Interrupt
from mcsvm_gui.cli.progress import GAP, ProgressLine, duration
from mcsvm_gui.cli.reading import given_values, naming, request_of
from mcsvm_gui.cli.several import check_report
from mcsvm_gui.cli.trained_best import RESERVED_SHARE, KeptModel, check_best, keep_best
from mcsvm_gui.core.base import figures
from mcsvm_gui.core.base.exits import complain, ended
from mcsvm_gui.core.base.terminal import say
from mcsvm_gui.core.base.writing import check_outputs, write_text
from mcsvm_gui.core.check.finding import Finding
from mcsvm_gui.core.check.results import CheckedResults, EdgeCell
from mcsvm_gui.core.data.dataset import Notice
from mcsvm_gui.core.data.readers import open_dataset
from mcsvm_gui.core.evaluate.recommended import recommended_score
from mcsvm_gui.core.machine.command_line import shell_line
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.tune.document import cells_text, document
from mcsvm_gui.core.tune.leader import Leader
from mcsvm_gui.core.tune.options import RANGES, SEARCH_OPTIONS, STEP, TuneRequest
from mcsvm_gui.core.tune.options import range_of as parsed_range
from mcsvm_gui.core.tune.progress import progress_of
from mcsvm_gui.core.tune.results import results_of
from mcsvm_gui.core.tune.search import Tuned, Tuning, check, nothing_found, parse_machines
from mcsvm_gui.core.tune.summary import place

MOST_PAIRS = 45  # printed: those of ten classes


def run(options: argparse.Namespace) -> int:
    request, wanted = read(options)
    check(request, wanted)
    if options.refit and options.model is None:
        raise InputError("--refit trains the delivered model on all rows: add --model OUT.mcsvm and --test-share 0.3")
    if options.model is not None:
        check_best(wanted, refit=options.refit)
    check_report(options.report)
    check_outputs((options.output, options.report, options.model), (options.data, options.costs))
    dataset = open_dataset(options.data, request.read)
    if options.model is not None and options.score is None:
        wanted = replace(wanted, score=recommended_score(dataset.class_counts))
    tuning = Tuning(replace(request, digest=dataset.digest), wanted, dataset)
    with Interrupt() as interrupt:
        tuned = _run(tuning, options, interrupt)
        kept = None if options.model is None else keep_best(tuned, options, interrupt)
        _show(tuned, kept, options)
        _write(tuned, options)
    if tuned.trouble:
        complain(tuned.trouble)
    converged = tuned.converged and tuned.found_any and (kept is None or kept.converged)
    return ended(interrupted=tuned.stopped or interrupt.requested, converged=converged)


def _write(tuned: Tuned, options: argparse.Namespace) -> None:
    """Write files after the results are shown: a file that cannot be written loses no results."""
    if options.output is not None:
        write_text(options.output, cells_text(tuned))
        if not (options.json or options.quiet):
            say(f"Cells: {options.output}")
    if options.report is not None:
        _write_report(tuned, options)


def _write_report(tuned: Tuned, options: argparse.Namespace) -> None:
    from mcsvm_gui.core.report import write_report
    from mcsvm_gui.core.report.of_search import report_of

    write_report(options.report, report_of(document(tuned), tuned.tuning.dataset, shell_line(given(options))))


def given(options: argparse.Namespace) -> list[str]:
    """Return the command as it was typed, without its output options."""
    unsaid = "command", "data", "output", "report", "json", "quiet", "test"
    said = {name.replace("_", "-"): value for name, value in vars(options).items() if name not in unsaid and value}
    words = [f"--{name}" if value is True else f"--{name}={value}" for name, value in said.items()]
    return ["mcsvm", "tune", *words, *(["--"] if options.data.startswith("-") else []), options.data]


def _run(tuning: Tuning, options: argparse.Namespace, interrupt: Interrupt) -> Tuned:
    progress = TuneProgress(tuning, options.quiet)
    progress.begin("preparing ...")
    try:
        return tuning.run(
            progress.trial,
            lambda: interrupt.requested,
            progress.trial,
            reserved=0.0 if options.model is None else RESERVED_SHARE * (tuning.wanted.budget or 0.0),
        )
    finally:
        progress.end()


# -- from options ---------------------------------------------------------------------------------


def read(options: argparse.Namespace) -> tuple[Request, TuneRequest]:
    """Return the request, read as for a training, and the search with its ranges."""
    if options.holdout is not None and options.folds is not None:
        raise InputError("--holdout validates on one split, without folds; leave one of --holdout and --folds")
    searched = {"machine", *RANGES, *SEARCH_OPTIONS}
    request = request_of(argparse.Namespace(**{**vars(options), **dict.fromkeys(searched)}))
    how = given_values(SEARCH_OPTIONS, options)
    step = how.pop("step", STEP.default)
    kernel = KERNELS.get(request.kernel)
    without_gamma = kernel is not None and "gamma" not in kernel.parameters and options.gamma is None
    wanted = TuneRequest(
        machines=parse_machines(options.machine or request.machine),
        C=range_of("C", options.C, step),
        gamma=None if without_gamma else range_of("gamma", options.gamma, step),
        **how,
    )
    return request, wanted


def range_of(name: str, text: str | None, step: float) -> Range:
    """Read a range such as 2^-2:2^12, or one number; without a text, the usual range."""
    usual = RANGES[name].searched
    if text == "scale":
        raise InputError("--{name}: a search needs numbers, such as {range}, not scale", name=name, range=usual)
    with naming(f"--{name}"):
        return parsed_range(text or usual, step)


# -- progress --------------------------------------------------------------------------------------


class TuneProgress(ProgressLine):
    """Shows the number of finished trials, the best score so far, and the time left."""

    def __init__(self, tuning: Tuning, quiet: bool) -> None:
        super().__init__(quiet)
        self._tuning, self._began = tuning, time.monotonic()
        self._progress = progress_of(tuning.wanted, results_of(tuning.wanted, {}), {})
        self._progress.take_rungs(tuning.rungs)
        self._progress.go_on()
        self._count, self._leader = 0, Leader(len(tuning.parts))
        self._found: dict[tuple[Cell, float], dict[int, FoldResult]] = {}

    def trial(self, done: tuple[Trial, FoldResult]) -> None:
        trial, result = done
        self._count += 1
        self._progress.add(*done)
        folds = self._found.setdefault((trial.cell, trial.share), {})
        folds[trial.fold] = result
        if len(folds) == self._leader.parts:
            score = self._tuning.score
            self._leader.take(trial.cell, CellResult(folds, score, trial.share), score.name)
        if self._due():
            self._write(self.status(self._last - self._began))

    def status(self, seconds: float) -> str:
        expected = self._tuning.expected
        parts = [f"{seconds:.0f} s"]
        counted = expected is not None and not self._tuning.wanted.nested
        left = self._progress.seconds_left() if counted or self._tuning.wanted.budget is not None else None
        parts.append(f"{self._count} of {expected} trials" if counted else f"{self._count} trials")
        parts += [] if left is None else [f"about {duration(left)} left"]
        if self._leader.text:
            parts.insert(1, self._leader.text)
        return GAP.join(parts)


# -- in words -------------------------------------------------------------------------------------


def _show(tuned: Tuned, kept: KeptModel | None, options: argparse.Namespace) -> None:
    nothing = nothing_found(tuned)
    output.warn(options, (*tuned.tuning.notices, *(() if nothing is None else (Notice("nothing found", nothing),))))
    output.show(
        options,
        lambda: document(tuned) | ({} if kept is None else kept.document()),
        lambda: summary_lines(tuned) + ([] if kept is None else kept.summary_lines()),
    )


def summary_lines(tuned: Tuned) -> list[str]:
    tuning = tuned.tuning
    cells, parts = output.plural(len(tuned.results), "cell"), len(tuning.parts)
    how = f"{output.plural(parts, 'fold')}" if tuning.wanted.holdout is None else "one validation part"
    lines = [f"{cells}, {how}, search {tuning.search.name}, in {tuned.seconds:.3g} s."]
    if tuned.stopped and not tuned.trouble:
        lines.append("Stopped on request; what was done stands.")
    if tuned.over_budget:
        budget = f"The time budget of {tuning.wanted.budget:g} s ended the search"
        lines.append(f"{budget}; the best cells so far:" if tuned.found_any else f"{budget}.")
    if not tuned.found_any:
        return lines
    for machine in tuning.grid.machines:
        lines += _machine_lines(tuned, machine)
    for found in tuned.nested:
        if found.results:
            mean = sum(found.by(tuning.score)) / len(found.results)
            said = figures.score(tuning.score.name, mean)
            lines.append(f"{found.machine}: {said} where each fold's choice was made without it.")
    settled = sum(bool(result.settled) for result in tuned.results.values())
    if settled:
        cells = output.plural(settled, "cell")
        lines.append(f"{cells} ended before the tolerance, on decisions ({tuning.wanted.until}); the CSV says which.")
    unsolved = sum(not result.converged for result in tuned.results.values())
    if unsolved:
        lines.append(f"{output.plural(unsolved, 'cell')} did not converge; their gap tells how far they may be off.")
    return lines


def _findings(tuned: Tuned, machine: str) -> list[Finding]:
    edges = tuned.edges(machine)
    return list(EdgeCell().find(CheckedResults(edges={machine: edges}))) if edges else []


def _machine_lines(tuned: Tuned, machine: str) -> list[str]:
    cell = tuned.best(machine)
    if cell is None:
        return [f"{machine}: nothing was done."]
    result: CellResult = tuned.results[cell]
    name = result.score.name
    spread = f" (deviation {figures.spread(name, result.std)} between folds)" if result.folds > 1 else ""
    lines = [f"{machine}: {figures.score(name, result.mean)}{spread} at {place(cell)}."]
    if result.folds < len(tuned.tuning.parts):
        lines.append(f"  That rests on {result.folds} of {len(tuned.tuning.parts)} folds.")
    if cell.gamma is None and tuned.tuning.grid.gammas is not None:
        lines.append("  That is the linear kernel: the line from its best C passes no gamma and C of the ranges.")
    lines += [f"  {line}" for line in output.findings(_findings(tuned, machine))]
    composite = tuned.composites.get(machine)
    if composite is not None:
        mean = sum(composite.fold_accuracy) / len(composite.fold_accuracy)
        lines.append(f"  With C and gamma of its own for each pair: {figures.accuracy(mean)}.")
        lines += [f"    {_pair_text(choice, tuned.tuning.class_names)}" for choice in composite.choices[:MOST_PAIRS]]
        if len(composite.choices) > MOST_PAIRS:
            lines.append(f"    and {len(composite.choices) - MOST_PAIRS} more pairs, which --json lists")
    return lines


def _pair_text(choice: PairChoice, names: tuple[str, ...]) -> str:
    first, second = (names[number] for number in choice.pair)
    return f"{first} or {second}: {figures.accuracy(choice.mean)} at {place(choice)}"
