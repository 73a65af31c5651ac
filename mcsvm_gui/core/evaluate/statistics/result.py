"""TestResult: the statistic and p value of a test."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

SIGNIFICANT = 0.05  # differences with p below this are significant


@dataclass(frozen=True)
class TestResult:
    """`between`: the two compared machines, empty for a test of all; `adjusted`: p adjusted for all pairs."""

    name: str
    statistic: float | None  # None if it is infinite
    p: float
    between: tuple[str, ...] = ()
    adjusted: Mapping[str, float] = field(default_factory=dict)
    details: Mapping[str, Any] = field(default_factory=dict)
    data: str | None = None

    __test__ = False  # tells pytest that this is no test class

    def document(self) -> dict[str, Any]:
        """Return plain JSON: name, statistic, p, adjusted, and further details."""
        return {
            "name": self.name,
            "statistic": self.statistic,
            "p": self.p,
            "adjusted": dict(self.adjusted),
            "between": list(self.between),
            "data": self.data,
            **self.details,
        }


def finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
