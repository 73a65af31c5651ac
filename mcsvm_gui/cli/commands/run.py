"""mcsvm run"""

from __future__ import annotations

import argparse

from mcsvm.solvers.errors import Sentence
from mcsvm_gui.cli import output
from mcsvm_gui.cli.interrupt import Interrupt
from mcsvm_gui.cli.several import carry_out, check_report, finish, jobs_of, write_results
from mcsvm_gui.core.base.resources import experiment as bundled
from mcsvm_gui.core.base.writing import check_outputs
from mcsvm_gui.core.data.dataset import Notice
from mcsvm_gui.core.experiment import read_experiment


def run(options: argparse.Namespace) -> int:
    path = bundled(options.experiment) or options.experiment
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
        write_results(options.report, results)  # last: what cannot be written takes nothing with it
    return code
