"""Shrinking: variables at a bound leave the active set if no violating pair would move them.

Steps update the class functions of all examples, including shrunk ones, as scans over variables cost more. So
unshrinking needs no kernel values, and every sample shows the true primal. Variables are shrunk at fixed step counts,
never at the end of a slice.
"""

from __future__ import annotations

import numpy as np

from mcsvm.solvers.dual.geometry import BOX
from mcsvm.solvers.jit.sequential.loop import ActiveVariables
from mcsvm.solvers.jit.sequential.sums import Groups


def idle_box(variables: ActiveVariables) -> np.ndarray:
    """Return which variables are at a bound, with a gradient into it that is larger than the largest violation."""
    full, empty = BOX.at_upper(variables.alpha, variables.upper), variables.alpha <= 0.0
    g = variables.gradient
    worst = np.max(np.where(full, 0.0, g), initial=0.0)
    worst = max(worst, np.max(np.where(empty, 0.0, -g), initial=0.0))
    return (empty & (g < -worst)) | (full & (g > worst))


def idle_pairs(variables: ActiveVariables) -> np.ndarray:
    """Return which signed variables may only rise and have a z below that of all that may fall, or the reverse."""
    rises, falls = movable(variables)
    z = variables.gradient
    high = np.max(z, where=rises, initial=-np.inf)
    low = np.min(z, where=falls, initial=np.inf)
    return (~falls & (z < low)) | (~rises & (z > high))


def movable(variables: ActiveVariables) -> tuple[np.ndarray, np.ndarray]:
    """Return (whether each signed variable may rise, whether it may fall)."""
    room, used = BOX.room_up(variables.alpha, variables.upper), variables.alpha > 0.0
    positive = variables.value[0] > 0.0
    return np.where(positive, room, used), np.where(positive, used, room)


def idle_groups(variables: ActiveVariables, groups: Groups, *, whole: bool) -> np.ndarray:
    """Return which variables are zero, with a gradient more than the largest violation below the smallest one in use.

    An example leaves as a whole if none of its variables stays, or only one that clearly holds the whole sum; with
    `whole`, variables leave only together with their example.
    """
    starts, sizes = groups.starts[:-1], np.diff(groups.starts)
    worst = groups.violation.max(initial=0.0)
    idle = (variables.alpha <= 0.0) & (variables.gradient < np.repeat(groups.bottom, sizes) - worst)
    left = sizes - np.add.reduceat(idle, starts, dtype=np.int64)
    firm = (groups.slack == 0.0) & (groups.bottom > worst) & (left == 1)
    done = np.repeat((left == 0) | firm, sizes)
    return done if whole else idle | done
