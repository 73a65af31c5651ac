"""mcsvm run"""

from __future__ import annotations

import argparse

from mcsvm_gui.commands import output
from mcsvm_gui.commands.interrupt import Interrupt
from mcsvm_gui.commands.several import carry_out, finish, jobs_of
from mcsvm_gui.core.dataset import Notice
from mcsvm_gui.core.experiment import read_experiment
from mcsvm_gui.core.resources import experiment as bundled


def run(options: argparse.Namespace) -> int:
    path = bundled(options.experiment) or options.experiment
    experiment = read_experiment(path, options.folder)
    if options.data is not None:
        experiment = experiment.only(name.strip() for name in options.data.split(","))
    jobs_of(options)
    with Interrupt() as interrupt:
        results = carry_out(experiment, options, interrupt)
    output.warn(options, (Notice("experiment", sentence) for sentence in results.warnings))
    return finish(results, options)
