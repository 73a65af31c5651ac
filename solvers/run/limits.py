"""Limits: the tolerances and budgets at which a run ends."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Limits of a run. It ends at the violation `tolerance` or, if `gap_tolerance` is set, only at that gap."""

    tolerance: float = 1e-3  # largest KKT violation
    gap_tolerance: float | None = None  # relative duality gap (dual/gap.py)
    steps: int | None = None  # of the method
    seconds: float | None = None  # of the method
