"""mcsvm compare"""

from __future__ import annotations

import argparse
import os
from dataclasses import replace

from mcsvm.solvers.errors import InputError, Sentence, choices_for
from mcsvm.solvers.machines import MACHINES
from mcsvm.solvers.methods import METHODS
from mcsvm.solvers.run.loop import find_method
from mcsvm_gui.cli import output
from mcsvm_gui.cli.interrupt import Interrupt
from mcsvm_gui.cli.reading import given_values, request_of
from mcsvm_gui.cli.several import carry_out, check_report, finish, jobs_of, write_results
from mcsvm_gui.core.base.writing import check_outputs
from mcsvm_gui.core.data.dataset import Notice
from mcsvm_gui.core.experiment import DataSpec, Experiment, Plan, Results, RunSpec, write_experiment
from mcsvm_gui.core.experiment.files import check_names
from mcsvm_gui.core.experiment.searching import SearchSpec
from mcsvm_gui.core.machine import names
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.tune.options import RANGES, SEARCH_OPTIONS


def run(options: argparse.Namespace) -> int:
    experiment = experiment_of(options)
    check_report(options.report)
    check_outputs((options.report, options.save, options.results), options.data)
    if options.save is not None:
        check_names(experiment)
    jobs_of(options)
    with Interrupt() as interrupt:
        results = carry_out(experiment, options, interrupt)
        output.warn(options, (Notice("comparison", Sentence(sentence)) for sentence in results.warnings))
        code = finish(results, options)
        _write(results, options)
    return code


def experiment_of(options: argparse.Namespace) -> Experiment:
    """Return the experiment: every machine by every solver on every data set."""
    search = search_of(options)
    single = {} if search is None else dict.fromkeys(RANGES)
    plain = request_of(argparse.Namespace(**{**vars(options), "data": None, "scheduler": None, **single}))
    data = tuple(
        DataSpec(name, path, read=plain.read, rules=plain.rules)
        for name, path in zip(names_of(options.data), options.data, strict=True)
    )
    requests = _requests(plain, options)
    runs = tuple(RunSpec(spec.name, label, request, search=search) for spec in data for label, request in requests)
    how = given_values({name: SEARCH_OPTIONS[name] for name in ("folds", "repeats")}, options)
    if how.get("folds", 2) < 2:
        raise InputError("--folds must be at least 2, not {folds}", folds=how["folds"])
    plan = Plan("folds", **how, seed=plain.seed, whole=True, split=plain.split)
    return Experiment("Comparison of machines", plan, data, runs)


def search_of(options: argparse.Namespace) -> SearchSpec | None:
    """Return the search of --tune, for which --C and --gamma are ranges; None without --tune."""
    if not options.tune:
        if options.search is not None or options.step is not None:
            raise InputError("--search and --step are of --tune, which was not given")
        return None
    ranges = {name: text for name in RANGES if (text := getattr(options, name)) is not None}
    return SearchSpec(**ranges, **given_values({name: SEARCH_OPTIONS[name] for name in ("search", "step")}, options))


def _requests(plain: Request, options: argparse.Namespace) -> list[tuple[str, Request]]:
    machines, solvers = _list(options.machines) or list(names.MACHINES), _list(options.solvers) or ["auto"]
    for name in machines:
        if name not in MACHINES:
            raise InputError(
                "There is no machine {machine!r}; choose one of {choices}.",
                machine=name,
                choices=choices_for(name, MACHINES),
            )
    for name in solvers:
        if name not in METHODS:
            find_method(name)
    several = len(solvers) > 1
    return [
        (
            f"{machine}/{solver}" if several else machine,
            replace(plain, machine=machine, solver=solver, rules=plain.rules),
        )
        for machine in machines
        for solver in solvers
    ]


def _list(text: str | None) -> list[str]:
    return [] if text is None else [name for part in text.split(",") if (name := part.strip())]


def names_of(paths: list[str]) -> list[str]:
    """Return file names without folder and ending; with their folder, or a number, if two are equal."""
    stems = [os.path.basename(path).split(".")[0] or path for path in paths]
    if len(set(stems)) < len(stems):
        folders = [os.path.basename(os.path.dirname(os.path.abspath(path))) for path in paths]
        stems = [f"{folder}/{stem}" for folder, stem in zip(folders, stems, strict=True)]
    seen: dict[str, int] = {}
    result = []
    for name in stems:
        seen[name] = seen.get(name, 0) + 1
        result.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return result


def _write(results: Results, options: argparse.Namespace) -> None:
    """Write files after the results are shown: a file that cannot be written loses no results."""
    if options.save is not None:
        write_experiment(options.save, results.experiment)
    write_results(options.report, results)
