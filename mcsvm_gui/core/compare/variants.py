"""Distinguish several runs of one machine in one plot.

The first run looks as its machine does everywhere. Later runs keep the hue of its colour, lighter or darker, and take
the dashes and markers of other machines in turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

SHADES = 0.0, -0.4, 0.35, -0.6  # towards black or white; the signs are reversed on a dark background
ON_DARK = {  # the same hues on a dark background, where thin lines in the palette's own shades are hard to see
    "#0072b2": "#3d9fe0",
    "#009e73": "#2fc79b",
    "#d55e00": "#ff8438",
    "#cc79a7": "#e394c0",
    "#e69f00": "#f5b52e",
    "#56b4e9": "#8ad3ff",
    "#8a8f98": "#a9afb9",
}
Look = TypeVar("Look")


def numbers(machines: Sequence[str]) -> list[int]:
    """Return for each run how many runs of the same machine precede it."""
    return [list(machines[:place]).count(machine) for place, machine in enumerate(machines)]


def shaded(colour: str, number: int, *, dark: bool = False) -> str:
    """Return a lighter or darker `colour`, as #rrggbb."""
    shade = SHADES[number % len(SHADES)] * (-1.0 if dark else 1.0)
    parts = [int(colour[place : place + 2], 16) for place in (1, 3, 5)]
    mixed = [round(part + abs(shade) * ((255 if shade > 0.0 else 0) - part)) for part in parts]
    return "#" + "".join(f"{part:02x}" for part in mixed)


def turned(looks: Sequence[Look], own: Look, number: int) -> Look:
    """Return the dashes or markers of a run; the first run of a machine has the machine's own."""
    return looks[(looks.index(own) + number) % len(looks)]
