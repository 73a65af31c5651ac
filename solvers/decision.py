"""Why a run went on as it did."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True)
class Decision:
    """What a method decided at a step, with the numbers that it was decided on."""

    step: int
    phase: str
    reason: str
    numbers: Mapping[str, float] = field(default_factory=dict)
    part: int = 0

    def document(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {**asdict(self), "numbers": {name: float(value) for name, value in self.numbers.items()}}
