"""When a training will be done, from how its gap has fallen lately."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from solvers.run.trace import Sample

FEWEST = 4  # samples without which nothing is said


def seconds_left(
    samples: Sequence[Sample], tol: float, gap_tol: float | None = None, *, parts: int = 1
) -> float | None:
    """None where there is no trend. The gap of one part falls exponentially; that of many, part after part.

    The distance to go is that of the gap to its tolerance; without one, that of the violation, which jumps
    about but falls at the same rate.
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
