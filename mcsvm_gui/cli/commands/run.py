"""mcsvm run"""

from __future__ import annotations

import argparse
import os

from mcsvm.solvers.errors import InputError, Sentence, choices_for
from mcsvm_gui.cli import output
from mcsvm_gui.cli.interrupt import Interrupt
from mcsvm_gui.cli.several import carry_out, check_report, finish, jobs_of, write_results
from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.base.exits import DONE
from mcsvm_gui.core.base.resources import experiments
from mcsvm_gui.core.base.writing import check_outputs
from mcsvm_gui.core.data.dataset import Notice
from mcsvm_gui.core.experiment import read_experiment


def run(options: argparse.Namespace) -> int:
    if options.list or options.experiment is None:
        return _list(options)
    path = _path(options.experiment)
    experiment = read_experiment(path, options.folder)
    if options.data is not None:
        experiment = experiment.only(name.strip() for name in options.data.split(","))
    check_report(options.report)
    inputs = [path, *(file for spec in experiment.data for file in (spec.path, *spec.also, spec.test))]
    check_outputs((options.report, options.results), inputs)
    jobs_of(options)
    with Interrupt() as interrupt:
        results = carry_out(experiment, options, interrupt)
        output.warn(options, (Notice("experiment", Sentence(sentence)) for sentence in results.warnings))
        code = finish(results, options)
        write_results(options.report, results)  # last: a file that cannot be written loses no results
    return code


def _list(options: argparse.Namespace) -> int:
    given = [name for name in ("experiment", "folder", "data", "report", "results") if getattr(options, name)]
    if given:
        what = "the name" if given[0] == "experiment" else f"--{given[0]}"
        raise InputError(
            f"--list lists the bundled experiments; leave {what} out"
            if options.list
            else f"{what} needs an experiment; mcsvm run --list lists the bundled ones"
        )
    titles = {name: read_experiment(path).title for name, path in experiments().items()}
    width = max(map(len, titles), default=0)
    output.show(
        options,
        lambda: {"experiments": [{"name": name, "title": title} for name, title in titles.items()]},
        lambda: [f"{name:<{width}}  {title}" for name, title in titles.items()],
    )
    return DONE


def _path(named: str) -> str | os.PathLike[str]:
    """Return the file of an experiment; refuse a name that is neither a file nor bundled."""
    bundled = experiments()
    if named in bundled:
        return bundled[named]
    if not os.path.exists(named) and not os.path.splitext(named)[1]:
        raise FileError(
            named,
            "there is no such file, nor is it the name of a bundled experiment; choose one of {choices}",
            choices=choices_for(named, bundled),
        )
    return named
