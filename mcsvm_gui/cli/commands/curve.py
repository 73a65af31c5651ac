"""mcsvm curve"""

from __future__ import annotations

import argparse
from dataclasses import replace

from mcsvm.solvers.selection.trials.task import Done
from mcsvm_gui.cli import output
from mcsvm_gui.cli.interrupt import Interrupt
from mcsvm_gui.cli.progress import ProgressLine
from mcsvm_gui.cli.reading import given_values, request_of
from mcsvm_gui.core.base import figures
from mcsvm_gui.core.base.exits import ended
from mcsvm_gui.core.data.readers import open_dataset
from mcsvm_gui.core.tune.curve import TIMES, LearningCurve, curve_tuning, learning_curve, trainings
from mcsvm_gui.core.tune.options import SEARCH_OPTIONS

NAMES = "folds", "repeats", "jobs"


def run(options: argparse.Namespace) -> int:
    request = request_of(options)
    how = given_values({name: SEARCH_OPTIONS[name] for name in NAMES}, options)
    dataset = open_dataset(options.data, request.read)
    tuning = curve_tuning(replace(request, digest=dataset.digest), how, dataset)
    progress = CurveProgress(trainings(tuning), options.quiet)
    with Interrupt() as interrupt:
        try:
            curve = learning_curve(tuning, progress.trial, lambda: interrupt.requested)
        finally:
            progress.end()
    output.warn(options, tuning.notices)
    output.show(options, curve.document, lambda: summary_lines(curve))
    return ended(interrupted=curve.stopped, converged=curve.converged)


class CurveProgress(ProgressLine):
    def __init__(self, expected: int, quiet: bool) -> None:
        super().__init__(quiet)
        self._count, self._expected = 0, expected

    def trial(self, done: Done) -> None:
        self._count += 1
        if self._due():
            self._write(f"{self._count} of {self._expected} trainings")


def summary_lines(curve: LearningCurve) -> list[str]:
    document = curve.document()
    lines = [
        f"{point['rows']:>8} rows  {figures.accuracy(point['accuracy'])} (deviation {figures.points(point['std'])})"
        f"  {figures.seconds(point['seconds'])}"
        for point in document["points"]
    ]
    found = document["projected"]
    if found is None:
        return [*lines, "Too few points are done to extrapolate."]
    for at in found["at"]:
        lines.append(f"{at['rows']:>8} rows  {_range(at)}, extrapolated")
    gain, low, high = (figures.points(found["gain"][0][name]) for name in ("gain", "low", "high"))
    lines.append(
        f"{TIMES[0]:g} times the rows are worth {gain} points of accuracy"
        f" ({low} to {high}); without end it would be {_range(found['limit'])}."
    )
    return lines


def _range(found: dict[str, float]) -> str:
    return f"{figures.accuracy(found['accuracy'])} ({figures.interval(found['low'], found['high'])})"
