"""Decision: a change of phase with its reason and numbers; the reasons that `solver_reason_` shows to users."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

ASKED = "This solver was asked for."
SMALL_PHASE = "matrix"
SMALL_PAIRS = "Small pairs are solved on one kernel matrix, each in one compiled call."


@dataclass(frozen=True)
class Decision:
    """A choice of a method at a step: the phase that follows, the reason, and the numbers that decided."""

    step: int
    phase: str
    reason: str
    numbers: Mapping[str, float] = field(default_factory=dict)
    part: int = 0

    def document(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {**asdict(self), "numbers": {name: float(value) for name, value in self.numbers.items()}}

    def __str__(self) -> str:
        numbers = ", ".join(f"{name} {value:.3g}" for name, value in self.numbers.items())
        return f"step {self.step}, {self.phase}: {self.reason}" + (f" ({numbers})" if numbers else "")


def final_reasons(asked: str, decisions: Sequence[Decision]) -> list[str]:
    """Return the reasons why the used solver did the work: the last reason of each part, most frequent first."""
    if asked != "auto":
        return [ASKED]
    counts: Counter[str] = Counter()
    for decision in {decision.part: decision for decision in decisions}.values():
        counts[decision.reason] += int(decision.numbers.get("pairs", 1))
    return [reason for reason, _ in counts.most_common()]
