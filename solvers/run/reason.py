"""Why a solver did the work: one sentence for each that `auto` may take, from what was asked for and what was used."""

from __future__ import annotations

ASKED = "This solver was asked for."
REASONS = {
    "auto": "Pair steps on blocks of the worst examples cost less than an interior point would have.",
    "ipm": "Pair steps had cost as much as an interior point of the kernel's rank would, which then took over.",
    "auto+ipm": "Pair steps were cheaper in some of the two-class problems, an interior point in the others.",
    "linear": "The kernel is linear and rows of features are shorter than kernel rows, so these are never formed.",
    "linear-newton": "The kernel is linear and the features are few, so systems of their weights replace kernel rows.",
}


def reason(asked: str, used: str) -> str:
    return REASONS[used] if asked == "auto" else ASKED
