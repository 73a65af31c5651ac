"""Experiments: machines, data and a plan of tests in one file, which reproduces the same numbers."""

from mcsvm_gui.core.experiment.definition import DataSpec, Experiment, RunSpec
from mcsvm_gui.core.experiment.files import read_experiment, write_experiment
from mcsvm_gui.core.experiment.journal import Journal
from mcsvm_gui.core.experiment.plan import Plan
from mcsvm_gui.core.experiment.results import Results, TrialResult
from mcsvm_gui.core.experiment.running import perform

__all__ = [
    "DataSpec",
    "Experiment",
    "Journal",
    "Plan",
    "Results",
    "RunSpec",
    "TrialResult",
    "perform",
    "read_experiment",
    "write_experiment",
]
