"""Shrinking: variables at a bound that want to stay there leave the scans, single ones and so whole examples.

The class functions of all examples stay exact all the time (a step adds to a few long columns, the scans over
variables are what costs), so waking everything is free and every sample shows the true primal. What sleeps is
decided at a fixed distance in steps, never by slices.
"""

from __future__ import annotations

import numpy as np

from solvers.jit.sequential.loop import Awake
from solvers.jit.sequential.sums import Groups


def idle_box(awake: Awake) -> np.ndarray:
    """At a bound, with a gradient into it larger than any violation."""
    full, empty = awake.alpha >= awake.upper, awake.alpha <= 0.0
    g = awake.gradient
    worst = np.max(np.where(full, 0.0, g), initial=0.0)
    worst = max(worst, np.max(np.where(empty, 0.0, -g), initial=0.0))
    return (empty & (g < -worst)) | (full & (g > worst))


def idle_pairs(awake: Awake) -> np.ndarray:
    """May only rise and is below all that may fall, or only fall and is above all that may rise."""
    rises, falls = signs_of(awake)
    z = awake.gradient
    high = np.max(z, where=rises, initial=-np.inf)
    low = np.min(z, where=falls, initial=np.inf)
    return (~falls & (z < low)) | (~rises & (z > high))


def signs_of(awake: Awake) -> tuple[np.ndarray, np.ndarray]:
    """Which signed variables may rise, and which may fall."""
    room, used, positive = awake.alpha < awake.upper, awake.alpha > 0.0, awake.value[0] > 0.0
    return np.where(positive, room, used), np.where(positive, used, room)


def idle_groups(awake: Awake, groups: Groups, *, whole: bool) -> np.ndarray:
    """Zero, and the gradient below all that could give to it by more than any violation.

    An example sleeps when none of its variables is left, or one that holds the whole sum; with `whole`,
    variables sleep only so.
    """
    starts, sizes = groups.starts[:-1], np.diff(groups.starts)
    worst = groups.violation.max(initial=0.0)
    idle = (awake.alpha <= 0.0) & (awake.gradient < np.repeat(groups.bottom, sizes) - worst)
    left = sizes - np.add.reduceat(idle, starts, dtype=np.int64)
    firm = (groups.slack == 0.0) & (groups.bottom > worst) & (left == 1)
    done = np.repeat((left == 0) | firm, sizes)
    return done if whole else idle | done
