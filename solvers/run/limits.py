"""When a run ends by itself."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """`gap_tolerance`, where it is given, rules alone: the largest violation then ends nothing."""

    tolerance: float = 1e-3
    gap_tolerance: float | None = None
    steps: int | None = None
    seconds: float | None = None


def gap_allowed(goal: float, primal: float, parts: int) -> float:
    """The gap of one of so many independent parts at which the sum of all is within a relative gap.

    The relative gap is sum gap / max(1, sum primal). With half of the goal shared out by primal value and half evenly,
    goal * (P / 2 + 1 / (2 parts)), the gaps of all parts stay below it, and a part whose own optimum is tiny is not
    asked for more than arithmetic gives.
    """
    return goal * (max(1.0, primal) if parts == 1 else 0.5 * (max(primal, 0.0) + 1.0 / parts))
