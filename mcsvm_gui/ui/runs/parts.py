"""Traces, readings and models of runs: in memory while they are new, read from the file later."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from mcsvm_gui.core.base.arrays import packed, unpacked
from mcsvm_gui.core.project.pending import Part
from mcsvm_gui.core.project.sqlite_errors import as_file_error
from mcsvm_gui.core.project.store import ProjectStore
from mcsvm_gui.ui.threads.writer import Writer

if TYPE_CHECKING:
    from mcsvm.solvers.run.trace import Sample, Trace
    from mcsvm_gui.core.machine.live import Reading, Readings
    from mcsvm_gui.core.machine.session import Outcome
    from mcsvm_gui.core.machine.trained import TrainedModel

KEPT = 300  # limit on the traces of ended runs in memory
MODELS = 6  # limit on the written models in memory
TRACE_WIDTH, READINGS_WIDTH = 7, 4  # columns; readings have one more column per class
MOST_CLASSES = 100_000


def _no_samples() -> Trace:
    from mcsvm.solvers.run.trace import Trace

    return Trace()


@dataclass
class RunSeries:
    trace: Trace = field(default_factory=_no_samples)
    readings: Readings | None = None

    def follow(self, earlier: RunSeries) -> None:
        """Continue the series `earlier` with the newer samples of this one."""
        known = earlier.trace.last.iteration if len(earlier.trace) else -1
        for sample in self.trace:
            if sample.iteration > known:
                earlier.trace.append(sample)
        self.trace = earlier.trace
        self.readings = earlier.readings if self.readings is None else self.readings


class RunParts:
    """Traces, readings and models. All methods except `model` must be called in the window's thread."""

    def __init__(self, writer: Writer, arrived: Callable[[int], object], complain: Callable[[str], object]) -> None:
        self._writer, self._arrived, self._complain = writer, arrived, complain
        self._series: OrderedDict[int, RunSeries] = OrderedDict()
        self._growing: set[int] = set()  # runs whose series must not be dropped: they are active or not written yet
        self._asked: set[int] = set()
        self._following: set[int] = set()  # continued runs whose earlier samples are not read yet
        self._models: OrderedDict[int, TrainedModel] = OrderedDict()

    def clear(self) -> None:
        for known in (self._series, self._growing, self._asked, self._following, self._models):
            known.clear()

    # -- traces and readings ----------------------------------------------------------------------

    def begin(self, run: int) -> None:
        """Start an empty series, which receives the samples of a run."""
        self._growing.add(run)
        self._series[run] = RunSeries()

    def go_on(self, run: int) -> None:
        """Append the samples of a continued run to those in the file."""
        self.begin(run)
        self._following.add(run)
        series = self._series[run]

        def put_earlier_first(earlier: RunSeries) -> None:
            if run in self._following and self._series.get(run) is series:
                self._following.discard(run)
                series.follow(earlier)

        self._ask(run, put_earlier_first)

    def _ask(self, run: int, done: Callable[[RunSeries], object]) -> None:
        self._writer.ask(lambda store: read_series(store, run), done, self._complain)

    def series(self, run: int) -> RunSeries:
        if run in self._series:
            self._series.move_to_end(run)
            return self._series[run]
        if run not in self._asked:
            self._asked.add(run)
            self._ask(run, lambda found: self._arrive(run, found))
        return RunSeries()

    def _arrive(self, run: int, found: RunSeries) -> None:
        """Store a series that was read, unless the run has started again meanwhile."""
        if run in self._asked and run not in self._series:
            self._series[run] = found
            self._drop_oldest()
            self._arrived(run)
        self._asked.discard(run)

    def _drop_oldest(self) -> None:
        for run in list(self._series)[: max(len(self._series) - KEPT, 0)]:
            if run not in self._growing:
                del self._series[run]

    def add_sample(self, run: int, sample: Sample) -> None:
        self.series(run).trace.append(sample)

    def add_reading(self, run: int, reading: Reading) -> None:
        from mcsvm_gui.core.machine.live import Readings

        series = self.series(run)
        if series.readings is None:
            series.readings = Readings(len(reading.support_per_class))
        series.readings.append(reading)

    def packed(self, run: int) -> dict[str, Part]:
        """Return the parts of a run whose series are in memory; they are copied now and encoded when written."""
        if run not in self._series or run in self._following:
            return {}
        trace, readings = self._series[run].trace.pack(), self._series[run].readings
        parts: dict[str, Part] = {"trace": lambda: packed(trace)}
        if readings is not None:
            table = readings.pack()
            parts["readings"] = lambda: packed(table)
        return parts

    # -- the end ----------------------------------------------------------------------------------

    def keep(self, run: int, model: TrainedModel) -> None:
        self._models[run] = model

    def end(self, run: int, outcome: Outcome) -> None:
        """Keep the samples that are drawn, so that no curve changes, and append the last one of the training."""
        shown, whole = self.series(run).trace, run not in self._following
        self._following.discard(run)
        if not (whole and len(shown)):
            self.series(run).trace = outcome.trace
        elif len(outcome.trace) and outcome.trace.last.iteration > shown.last.iteration:
            shown.append(outcome.trace.last)
        self.keep(run, outcome.trained)

    def go_back(self, run: int, steps: int) -> None:
        """Remove the samples after this step, because a continued run was discarded."""
        self._models.pop(run, None)  # the file has the earlier model
        if run in self._following:  # the file has the earlier trace too
            self._following.discard(run)
            self._growing.discard(run)
            del self._series[run]
            return
        if run in self._series:
            earlier = _no_samples()
            for sample in self._series[run].trace:
                if sample.iteration <= steps:
                    earlier.append(sample)
            self._series[run].trace = earlier

    def model(self, run: int) -> TrainedModel:
        """Return the model of a run; may be called from any thread."""
        known = self._models.get(run)
        if known is not None:
            return known
        store = self._writer.store
        content = store.part(run, "model")
        if content is None:
            raise KeyError(run)
        from mcsvm_gui.core.machine import model_file

        return model_file.unpacked(store.path, content)

    def forget_written(self, runs: Sequence[int]) -> None:
        """Drop models of ended runs, and old traces, that can be read from the file again."""
        self._growing.difference_update(runs)
        written = [run for run in self._models if run not in self._growing]
        for run in written[: max(len(written) - MODELS, 0)]:
            del self._models[run]
        self._drop_oldest()

    def drop(self, runs: Sequence[int]) -> None:
        """Drop the parts of deleted runs. The file holds them until the next start, for undo."""
        for run in runs:
            self._series.pop(run, None)
            self._models.pop(run, None)
            self._asked.discard(run)


def read_series(store: ProjectStore, run: int) -> RunSeries:
    """Read trace and readings of a run; runs in the writing thread."""
    from mcsvm.solvers.run.trace import Trace

    trace, readings = store.part(run, "trace"), store.part(run, "readings")
    found = RunSeries()
    with as_file_error(store.path):
        if trace is not None:
            found.trace = Trace.unpack(_checked(unpacked(trace), TRACE_WIDTH, TRACE_WIDTH))
        if readings is not None:
            from mcsvm_gui.core.machine.live import Readings

            found.readings = Readings.unpack(_checked(unpacked(readings), READINGS_WIDTH, MOST_CLASSES))
    return found


def _checked(table: np.ndarray, least: int, most: int) -> np.ndarray:
    """Return a valid table. Its first line holds counters of at least 0; the limit and the stride are at least 1."""
    if not (len(table) and least <= table.shape[1] <= most and np.isfinite(table[0]).all()):
        raise ValueError("a trace of another shape")
    if (table[0, :2] < 1.0).any() or (table[0] < 0.0).any():
        raise ValueError("a trace with impossible counters")
    return table


def packed_model(trained: TrainedModel) -> Part:
    def content() -> bytes:
        from mcsvm_gui.core.machine import model_file

        return model_file.packed(trained)

    return content
