"""How a class looks in every plot: a colour and a marker, a hundred pairs before one comes again."""

from __future__ import annotations

import re
import unicodedata

from mcsvm_gui.ui.kit.theme import CLASS_COLOURS, CLASS_MARKERS

DISTINCT = len(CLASS_COLOURS) * len(CLASS_MARKERS)
_TURNING = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066\u2067]")


def class_colour(number: int) -> str:
    return CLASS_COLOURS[number % len(CLASS_COLOURS)]


def class_marker(number: int) -> str:
    """Of the first ten classes each has its own; later ones meet every colour with another marker."""
    return CLASS_MARKERS[(number + number // len(CLASS_COLOURS)) % len(CLASS_MARKERS)]


def on_one_line(text: str) -> str:
    """Breaks, tabs and marks that turn the direction of what follows are spelled out."""
    return _TURNING.sub(lambda found: ascii(found[0])[1:-1], text)


def isolated(text: str) -> str:
    """What is read from right to left turns nothing around it: in FIRST STRONG ISOLATE and its end."""
    turns = any(unicodedata.bidirectional(letter) in ("R", "AL") for letter in text)
    return f"\u2068{text}\u2069" if turns else text


def shortened(name: str, most: int) -> str:
    """On one line, and not too much of it."""
    shown = on_one_line(name)
    return isolated(shown if len(shown) <= most else f"{shown[: most - 1]}…")
