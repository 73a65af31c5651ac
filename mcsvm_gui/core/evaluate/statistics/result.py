"""TestResult: statistic and p-value of a test."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

SIGNIFICANT = 0.05  # p below it is called a difference


@dataclass(frozen=True)
class TestResult:
    """`between`: the two that are compared, or nothing where all are; `adjusted`: p for all pairs at once."""

    name: str
    statistic: float | None  # None where it is infinite
    p: float
    between: tuple[str, ...] = ()
    adjusted: Mapping[str, float] = field(default_factory=dict)
    details: Mapping[str, Any] = field(default_factory=dict)
    data: str | None = None

    __test__ = False  # no pytest class, whatever its name

    def document(self) -> dict[str, Any]:
        """Plain JSON: name, statistic, p, adjusted, and what else there is to say."""
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
