"""The lines of a training do not change when it ends."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from mcsvm.solvers.run.trace import Sample, Trace
from mcsvm_gui.ui.runs.parts import RunParts


def traced(*steps: int) -> Trace:
    trace = Trace()
    for step in steps:
        trace.append(Sample(step, 0.1 * step, 1.0, 2.0, 1.0 / step, step, 0))
    return trace


def test_what_was_shown_stays_and_gets_its_last_sample() -> None:
    """A training of pairs keeps ends of pairs alone; the window has shown all samples."""
    parts = RunParts(None, lambda run: None, lambda why: None)  # type: ignore[arg-type]
    parts.begin(1)
    shown = traced(1, 2, 3, 5, 8)
    for sample in shown:
        parts.add_sample(1, sample)
    before = parts.series(1).trace.table()
    outcome: Any = SimpleNamespace(trace=traced(3, 8, 9), trained=None)
    parts.end(1, outcome)
    after = parts.series(1).trace.table()
    assert after["iteration"].tolist() == [1, 2, 3, 5, 8, 9]
    for name, values in before.items():
        np.testing.assert_array_equal(after[name][:5], values)


def test_without_samples_the_trace_of_the_training_is_shown() -> None:
    parts = RunParts(None, lambda run: None, lambda why: None)  # type: ignore[arg-type]
    parts.begin(1)
    outcome: Any = SimpleNamespace(trace=traced(3, 8), trained=None)
    parts.end(1, outcome)
    assert parts.series(1).trace["iteration"].tolist() == [3, 8]
