"""Compute the lines of the four live plots from the history of a run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from mcsvm.solvers.dual.gap import relative_gaps
from mcsvm_gui.core.base.figures import SMALLEST_SHARE

Axis = Literal["seconds", "iteration", "examples"]
Line = tuple[np.ndarray, np.ndarray]
EMPTY = np.empty(0)
BAND = 300  # largest number of corners along each edge of a shaded band
SETTLED = 0.5  # share of the samples that the scale of a convergence plot ignores, from the start
FAR_APART = 10.0  # smallest ratio of the longest to the shortest run that needs a logarithmic axis
LEAP = 1.0  # multiple of the last value; values that differ more from it are ignored as well


@dataclass(frozen=True, eq=False)
class History:
    """The plotted data of one run: its trace and readings as tables."""

    run: int
    label: str
    machine: str
    trace: Mapping[str, np.ndarray]
    readings: Mapping[str, np.ndarray] = field(default_factory=dict)
    class_names: tuple[str, ...] = ()
    accuracies: tuple[float | None, float | None] = (None, None)  # final accuracies on all rows: training, test
    support: tuple[int, ...] = ()  # number of support vectors of each class at the end


def online(history: History) -> bool:
    """Return whether the readings count the processed examples."""
    return bool(np.isfinite(history.readings.get("examples", EMPTY)).any())


def has_samples(history: History) -> bool:
    """Return whether there is anything to plot."""
    return bool(history.trace["seconds"].size) or any(one is not None for one in history.accuracies)


def convergence(history: History, axis: Axis) -> dict[str, Line]:
    return _of(history.trace, axis, ("primal", "dual"))


def gaps(table: Mapping[str, np.ndarray]) -> np.ndarray:
    """Return relative gaps as `Sample.relative_gap`; rounding errors become the smallest meaningful gap."""
    with np.errstate(over="ignore", invalid="ignore"):
        gap = relative_gaps(table["primal"], table["dual"])
    return np.where(np.isfinite(gap), np.maximum(gap, SMALLEST_SHARE), np.nan)


def relative_gap(history: History, axis: Axis) -> dict[str, Line]:
    return {"gap": (_places(history.trace, axis), gaps(history.trace))} if history.trace["primal"].size else {}


def violation(history: History, axis: Axis) -> dict[str, Line]:
    """Return the violation of the part in training; after the last part, at least the largest violation of a part.

    Parts are solved one after another, and the violation of a finished part stays to the end. Without this bound
    the line of a finished training of many parts would rise, below the tolerance, as if it got worse.
    """
    lines = _of(history.trace, axis, ("violation",))
    if lines and history.accuracies != (None, None) and _has_parts(history.machine):
        x, y = lines["violation"]
        lines["violation"] = x, np.maximum(y, y[-1])
    return lines


def support(history: History, axis: Axis) -> dict[str, Line]:
    return _of(history.trace, axis, ("support", "bounded"))


def support_per_class(history: History, axis: Axis) -> list[Line]:
    """Return one line per class, from the readings."""
    counts = history.readings.get("support_per_class")
    if counts is None or not counts.size:
        return []
    x = _places(history.readings, axis)
    if len(history.support) != counts.shape[1] or not history.trace["seconds"].size:
        return [(x, counts[:, number]) for number in range(counts.shape[1])]
    x = np.append(x, _places(history.trace, axis)[-1])  # the readings end before the training
    return [(x, np.append(counts[:, number], history.support[number])) for number in range(counts.shape[1])]


def accuracy(history: History, axis: Axis) -> dict[str, Line]:
    """Return accuracies in percent: of sampled rows, at the end of all rows. A side without readings has no line."""
    lines = {}
    for kind, final in zip(("train_accuracy", "test_accuracy"), history.accuracies, strict=True):
        x, y = _of(history.readings, axis, (kind,)).get(kind, (EMPTY, EMPTY))
        if axis == "examples":
            x = history.readings.get("examples", EMPTY)[: y.size]
        elif final is not None and history.trace[axis].size:
            x, y = np.append(x, history.trace[axis][-1]), np.append(y, final)
        if np.isfinite(y).any():
            lines[kind] = x, 100.0 * y
    return lines


def _of(table: Mapping[str, np.ndarray], axis: Axis, kinds: tuple[str, ...]) -> dict[str, Line]:
    return {kind: (_places(table, axis), table[kind]) for kind in kinds if kind in table and table[kind].size}


def _places(table: Mapping[str, np.ndarray], axis: Axis) -> np.ndarray:
    """Return the x values. Only accuracies are known by examples; all others use steps instead."""
    return table["iteration" if axis == "examples" else axis]


def band(lower: Line, upper: Line) -> Line:
    """Return the outline of the area between two lines over the same places, with no more corners than are visible."""
    x, low, high = lower[0], lower[1], upper[1]
    if x.size > BAND:
        starts = np.linspace(0, x.size, BAND, endpoint=False).astype(int)
        x, low, high = x[starts], np.minimum.reduceat(low, starts), np.maximum.reduceat(high, starts)
        x = np.append(x[:-1], lower[0][-1])
    return np.concatenate([x, x[::-1]]), np.concatenate([high, low[::-1]])


def reach(histories: Iterable[History], axis: Axis) -> tuple[float, float] | None:
    """Return the common ends of the x axis, so that plots below each other can be compared."""
    places = [_places(history.trace, axis) for history in histories]
    ends = [(line[0], line[-1]) for line in places if line.size]
    if not ends:
        return None
    low, high = float(min(first for first, _ in ends)), float(max(last for _, last in ends))
    return (low, high) if low < high else None


def taken(histories: Iterable[History]) -> tuple[float, float] | None:
    """Return the ends of the axis of processed examples."""
    counts = [history.readings["examples"] for history in histories if online(history)]
    return (float(min(map(np.nanmin, counts))), float(max(map(np.nanmax, counts)))) if counts else None


def settled(line: Line) -> tuple[float, float]:
    """Return the minimum and maximum of a line after its first leaps; its last value always counts.

    The first samples of a primal are thousands of times the optimum, and a short run has few others.
    """
    count, last = line[1].size, line[1][-1]
    values = line[1][min(max(int(SETTLED * count), 1), count - 1) :]
    values = values[np.abs(values - last) <= LEAP * abs(last)] if np.isfinite(last) else values[np.isfinite(values)]
    return (float(values.min()), float(values.max())) if values.size else (0.0, 1.0)


def at(line: Line, place: float) -> float | None:
    """Return the value at a place: that of the last point not beyond it."""
    x, y = line
    position = int(np.searchsorted(x, place, side="right")) - 1
    return float(y[position]) if 0 <= position < y.size else None


def ends_differ(histories: Iterable[History], axis: Axis) -> bool:
    """Return whether some runs end so much later than others that a linear axis would squeeze the short ones."""
    places = [_places(history.trace, axis) for history in histories]
    ends = [float(line[-1]) for line in places if line.size and line[-1] > 0.0]
    return bool(ends) and max(ends) > FAR_APART * min(ends)


def _has_parts(machine: str) -> bool:
    """Return whether a machine is trained part by part. The solvers are already loaded if there is a history."""
    from mcsvm.solvers.machines import MACHINES

    return MACHINES[machine].split != "joint"
