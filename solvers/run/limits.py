"""Limits: the tolerances and budgets at which a run ends."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Where `gap_tolerance` is given, it decides alone: the run then goes on at any violation."""

    tolerance: float = 1e-3  # largest KKT violation
    gap_tolerance: float | None = None  # relative duality gap
    steps: int | None = None  # of the method
    seconds: float | None = None  # of the method


def gap_allowed(goal: float, primal: float, parts: int) -> float:
    """The gap allowed to one of `parts` independent parts, so that the relative gap of their sum is at most `goal`.

    The relative gap is sum gap / max(1, sum primal). Each part is allowed goal * (P / 2 + 1 / (2 parts)): half of the
    goal in proportion to its primal P, half evenly, since P alone may be smaller than rounding allows.
    """
    return goal * (max(1.0, primal) if parts == 1 else 0.5 * (max(primal, 0.0) + 1.0 / parts))
