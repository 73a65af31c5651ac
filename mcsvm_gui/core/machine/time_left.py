"""The progress of a training, its speed, and its time left, from the recent decrease of its gap."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from mcsvm.solvers.machines import MACHINES
from mcsvm.solvers.run.loop import find_method
from mcsvm.solvers.run.trace import Sample, Trace

if TYPE_CHECKING:
    from mcsvm_gui.core.machine.request import Request

FEWEST = 4  # fewest samples for an estimate
TREND = 200  # recent samples that determine the speed of a training


@dataclass(frozen=True)
class TrainingProgress:
    last: Sample
    rate: float | None  # recent steps per second
    seconds_left: float | None


def progress_of(trace: Trace, request: Request, classes: int) -> TrainingProgress | None:
    """Return the progress; None before the first sample. `classes` is the number of classes."""
    samples = [Sample(*row) for row in trace.rows[-TREND:].tolist()]
    if not samples:
        return None
    goal = find_method(request.solver).natural_gap if request.gap_tol is None else request.gap_tol
    left = seconds_left(samples, request.tol, goal, parts=parts_of(request.machine, classes))
    return TrainingProgress(samples[-1], _rate(samples), left)


RENEWED = 1.0  # seconds until an estimate is computed again
_estimates: WeakKeyDictionary[Trace, tuple[float, TrainingProgress]] = WeakKeyDictionary()


def shared_progress(
    trace: Trace, request: Request, classes: int, clock: Callable[[], float] = time.monotonic
) -> TrainingProgress | None:
    """Return the shared progress of a trace: its smoothed estimate is renewed once per second."""
    now, known = clock(), _estimates.get(trace)
    if known is not None and now - known[0] < RENEWED:
        return replace(known[1], last=trace.last)
    progress = progress_of(trace, request, classes)
    if progress is not None:
        if known is not None and known[1].seconds_left is not None and progress.seconds_left is not None:
            expected = max(known[1].seconds_left - (now - known[0]), 0.0)
            progress = replace(progress, seconds_left=0.5 * (expected + progress.seconds_left))
        _estimates[trace] = now, progress
    return progress


def parts_of(machine: str, classes: int) -> int:
    """Return the number of independent problems that are solved one after another."""
    return {"joint": 1, "one-vs-rest": classes, "pairs": classes * (classes - 1) // 2}[MACHINES[machine].split]


def _rate(samples: Sequence[Sample]) -> float | None:
    first, last = samples[0], samples[-1]
    return (last.iteration - first.iteration) / (last.seconds - first.seconds) if last.seconds > first.seconds else None


def seconds_left(
    samples: Sequence[Sample], tol: float, gap_tol: float | None = None, *, parts: int = 1
) -> float | None:
    """Return the estimated seconds left; None without a trend.

    The gap of one part falls exponentially; that of many parts falls part after part. The distance to go is that of the
    gap to its tolerance; without a gap tolerance, that of the violation, which fluctuates but falls at the same rate.
    """
    recent = samples[len(samples) // 2 :]
    if len(recent) < FEWEST or recent[-1].gap <= 0.0:
        return None
    seconds = np.array([sample.seconds for sample in recent])
    gaps = np.array([max(sample.gap, 1e-300) for sample in recent])
    if parts > 1:
        return _positive(gaps[-1], -_slope(seconds, gaps))
    last = recent[-1]
    ratio = last.relative_gap / gap_tol if gap_tol else last.violation / tol
    if not ratio > 0.0 or not math.isfinite(ratio):
        return None
    return _positive(max(math.log(ratio), 0.0), -_slope(seconds, np.log(gaps)))


def _slope(seconds: np.ndarray, values: np.ndarray) -> float:
    centred = seconds - seconds.mean()
    spread = float(centred @ centred)
    return float(centred @ values) / spread if spread > 0.0 else 0.0


def _positive(distance: float, speed: float) -> float | None:
    return float(distance) / speed if speed > 0.0 else None
