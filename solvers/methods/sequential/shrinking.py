"""Shrinking: variables at a bound that every violating pair would leave there are taken out of the active set.

The class functions of all examples stay exact all the time (a step adds to a few long columns; the scans over
variables are what costs), so that unshrinking needs no kernel values and every sample shows the true primal. Shrinking
falls at fixed step counts, never at the end of a slice.
"""

from __future__ import annotations

import numpy as np

from solvers.dual.geometry import BOX
from solvers.jit.sequential.loop import Awake
from solvers.jit.sequential.sums import Groups


def idle_box(variables: Awake) -> np.ndarray:
    """At a bound, with a gradient into it larger than any violation."""
    full, empty = BOX.at_upper(variables.alpha, variables.upper), variables.alpha <= 0.0
    g = variables.gradient
    worst = np.max(np.where(full, 0.0, g), initial=0.0)
    worst = max(worst, np.max(np.where(empty, 0.0, -g), initial=0.0))
    return (empty & (g < -worst)) | (full & (g > worst))


def idle_pairs(variables: Awake) -> np.ndarray:
    """Signed variables that may only rise and lie below all that may fall, or the reverse."""
    rises, falls = movable(variables)
    z = variables.gradient
    high = np.max(z, where=rises, initial=-np.inf)
    low = np.min(z, where=falls, initial=np.inf)
    return (~falls & (z < low)) | (~rises & (z > high))


def movable(variables: Awake) -> tuple[np.ndarray, np.ndarray]:
    """Which signed variables may rise, and which may fall."""
    room, used = BOX.room_up(variables.alpha, variables.upper), variables.alpha > 0.0
    positive = variables.value[0] > 0.0
    return np.where(positive, room, used), np.where(positive, used, room)


def idle_groups(variables: Awake, groups: Groups, *, whole: bool) -> np.ndarray:
    """At zero, with a gradient below that of all variables that could give to it by more than any violation.

    An example leaves when none of its variables is left, or one that holds the whole sum; with `whole`, variables
    leave only together.
    """
    starts, sizes = groups.starts[:-1], np.diff(groups.starts)
    worst = groups.violation.max(initial=0.0)
    idle = (variables.alpha <= 0.0) & (variables.gradient < np.repeat(groups.bottom, sizes) - worst)
    left = sizes - np.add.reduceat(idle, starts, dtype=np.int64)
    firm = (groups.slack == 0.0) & (groups.bottom > worst) & (left == 1)
    done = np.repeat((left == 0) | firm, sizes)
    return done if whole else idle | done
