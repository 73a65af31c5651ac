"""The look of a class in every plot: a colour and a marker, with a hundred different pairs before one is repeated."""

from __future__ import annotations

import re
import unicodedata

from mcsvm_gui.ui.kit.theme import CLASS_COLOURS, CLASS_MARKERS

DISTINCT = len(CLASS_COLOURS) * len(CLASS_MARKERS)
_TURNING = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066\u2067]")


def class_colour(number: int) -> str:
    return CLASS_COLOURS[number % len(CLASS_COLOURS)]


def class_marker(number: int) -> str:
    """Return a marker: the first ten classes have one each; later classes combine every colour with another marker."""
    return CLASS_MARKERS[(number + number // len(CLASS_COLOURS)) % len(CLASS_MARKERS)]


def on_one_line(text: str) -> str:
    """Spell out line breaks, tabs and marks that change the direction of the text after them."""
    return _TURNING.sub(lambda found: ascii(found[0])[1:-1], text)


def isolated(text: str) -> str:
    """Isolate right-to-left text (FIRST STRONG ISOLATE), so that it does not reorder the text around it."""
    turns = any(unicodedata.bidirectional(letter) in ("R", "AL") for letter in text)
    return f"\u2068{text}\u2069" if turns else text


def shortened(name: str, most: int) -> str:
    """Return the name on one line, with at most `most` letters."""
    shown = on_one_line(name)
    return isolated(shown if len(shown) <= most else f"{shown[: most - 1]}…")
