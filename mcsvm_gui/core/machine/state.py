"""Whether a model is the optimum: one word for the badge, decided in one place."""

from __future__ import annotations

import math
from typing import Literal

Verdict = Literal["solved", "nearly", "not solved"]

NEAR = 0.01  # a relative gap up to which a model that is not solved is called nearly so
SEMIDEFINITE = "rbf", "linear"  # kernels whose dual is a bound on the optimum whatever their parameters


def verdict(ending: str, relative_gap: float, kernel: str) -> Verdict:
    """Converged means that no constraint is violated by more than the tolerance; the gap bounds the distance.

    A stalled run of a kernel that may be indefinite has no bound: nothing can be said for it.
    """
    near = math.isfinite(relative_gap) and relative_gap <= NEAR
    if ending == "converged":
        return "solved" if near else "nearly"
    if ending == "stalled" and kernel not in SEMIDEFINITE:
        return "not solved"
    return "nearly" if near else "not solved"
