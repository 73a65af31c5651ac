"""What was decided in a run, in words for users."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from solvers.decision import Decision
from solvers.methods.auto.conductor import Why
from solvers.methods.linear import choice

ASKED = "This solver was asked for."
REASONS = choice.ROWS, choice.NEWTON, choice.VISITS, *(why.value for why in Why)


def final_reasons(asked: str, decisions: Sequence[Decision]) -> list[str]:
    """Why the solver that was used did the work: the last reason of each part, the commonest first."""
    if asked != "auto":
        return [ASKED]
    last = {decision.part: decision.reason for decision in decisions}
    return [reason for reason, _ in Counter(last.values()).most_common()]


def account(decisions: Sequence[Decision]) -> list[str]:
    """One line per decision: step, phase, reason and the numbers behind it."""
    lines = []
    for decision in decisions:
        numbers = ", ".join(f"{name} {value:.3g}" for name, value in decision.numbers.items())
        reason = f"{decision.reason} ({numbers})" if numbers else decision.reason
        lines.append(f"step {decision.step}, {decision.phase}: {reason}")
    return lines
