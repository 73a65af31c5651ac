"""How a class looks in every plot: a colour and a marker, a hundred pairs before one comes again."""

from __future__ import annotations

from mcsvm_gui.ui.kit.theme import CLASS_COLOURS, CLASS_MARKERS

DISTINCT = len(CLASS_COLOURS) * len(CLASS_MARKERS)


def class_colour(number: int) -> str:
    return CLASS_COLOURS[number % len(CLASS_COLOURS)]


def class_marker(number: int) -> str:
    """Of the first ten classes each has its own; later ones meet every colour with another marker."""
    return CLASS_MARKERS[(number + number // len(CLASS_COLOURS)) % len(CLASS_MARKERS)]


def shortened(name: str, most: int) -> str:
    """On one line, and not too much of it."""
    shown = name if name.isprintable() else repr(name)
    return shown if len(shown) <= most else f"{shown[: most - 1]}…"
