"""Limits: the tolerances and budgets that end a run."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """The limits of a run. It ends at the violation `tolerance` or, if `gap_tolerance` is set, only at that gap."""

    tolerance: float = 1e-3  # largest KKT violation
    gap_tolerance: float | None = None  # relative duality gap (dual/gap.py)
    steps: int | None = None  # largest number of steps of the method
    seconds: float | None = None  # largest time of the method
