"""The points as a table that the rest of the program, and any other, can read."""

from __future__ import annotations

from mcsvm_gui.core.playground.drawing import Drawing
from mcsvm_gui.core.writing import csv_text


def table(drawing: Drawing) -> str:
    """Classes by the numbers they have on the canvas, from 1 on."""
    rows = zip(drawing.places.tolist(), drawing.classes.tolist(), strict=True)
    return csv_text(("x", "y", "class"), ((repr(x), repr(y), number + 1) for (x, y), number in rows))
