"""Why a run went on as it did: decisions, and what is told of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

ASKED = "This solver was asked for."


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

    def __str__(self) -> str:
        numbers = ", ".join(f"{name} {value:.3g}" for name, value in self.numbers.items())
        return f"step {self.step}, {self.phase}: {self.reason}" + (f" ({numbers})" if numbers else "")


def final_reasons(asked: str, decisions: Sequence[Decision]) -> list[str]:
    """Why the solver that was used did the work: the last reason of each part, the commonest first."""
    if asked != "auto":
        return [ASKED]
    last = {decision.part: decision.reason for decision in decisions}
    return [reason for reason, _ in Counter(last.values()).most_common()]
