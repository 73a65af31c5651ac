"""An axis that paints itself in 0.2 ms; pyqtgraph strokes every line of the grid, which takes 10 ms per axis."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetrics, QPainter

from mcsvm_gui.core.base import figures

DECADES = 300  # largest decimal exponent of a tick: powers of ten beyond it overflow
TICK_ROOM = 32  # smallest distance between two tick labels, in pixels
MARGIN = 10  # pixels around the name that HTML text adds
Text = tuple[QRectF, Any, str]


class Axis(pg.AxisItem):
    """`picture` is None whenever something has changed; any other value means that the specifications still hold."""

    picture: Any
    limits: tuple[float, float] | None = None  # the range of possible values: no tick outside of it is labelled
    _specs: tuple[Any, Any, Any] | None = None

    def updateAutoSIPrefix(self) -> None:
        """Switch off unit prefixes: even if they are disabled, pyqtgraph scales the numbers by the current range."""
        self.autoSIPrefixScale = 1.0

    def paint(self, painter: QPainter, option: Any, widget: Any) -> None:
        if self.picture is None:
            self._specs = self.drawn(painter)
            self.picture = True
        if self._specs is not None:
            painter.save()
            self._draw(painter, *self._specs)
            painter.restore()

    def labelString(self) -> str:
        """Return the label cut to the length of the axis, or "" if a third would be lost; the tooltip has all of it."""
        words = html.unescape(self.labelText)
        length = int(self.size().width() if self.orientation == "bottom" else self.size().height())
        letters = QFontMetrics(self.label.font())
        shown = letters.elidedText(words, Qt.TextElideMode.ElideRight, length - MARGIN) if length > MARGIN else words
        self.label.setToolTip("" if shown == words else words)
        shown = shown if 3 * len(shown) > 2 * len(words) else ""
        style = ";".join(f"{key}: {value}" for key, value in self.labelStyle.items())
        return f"<span style='{style}'>{html.escape(shown)}</span>"

    def resizeEvent(self, ev: Any = None) -> None:
        """Fit the label to the new size; a plot that is being closed is resized too, but has no label any more."""
        if self.label is not None and self.labelText:
            self.label.setHtml(self.labelString())
        super().resizeEvent(ev)

    def drawn(self, painter: QPainter) -> Any:
        """Return the line, the ticks and their numbers, or None without room.

        Numbers that would touch are thinned out; names stay.
        """
        painter.save()
        painter.setFont(self.style["tickFont"])
        specs = self.generateDrawSpecs(painter)
        painter.restore()
        if specs is None or self._tickLevels is not None:
            return specs
        axis, ticks, texts = specs
        return axis, ticks, apart(texts, upright=self.orientation in ("left", "right"))

    def tickValues(self, minVal: float, maxVal: float, size: float) -> list[tuple[float | None, list[float]]]:
        """Return the ticks of each level; the range of a plot may be wider than the limits of its values."""
        levels = super().tickValues(minVal, maxVal, size)
        if self.limits is None or self.logMode:
            return levels
        low, high = self.limits
        slack = 1e-9 * (high - low)  # sums of steps are rounded
        return [(step, [tick for tick in ticks if low - slack <= tick <= high + slack]) for step, ticks in levels]

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        """Write the numbers next to the ticks in the notation of the language."""
        return [figures.localised(text) for text in super().tickStrings(values, scale, spacing)]

    def logTickValues(
        self, low: float, high: float, size: float, levels: Any
    ) -> list[tuple[float | None, list[float]]]:
        """Return whole decades, few enough to read, or steps of 1, 2 and 5 if less than two decades are visible.

        While a plot changes to logarithms, its range is for a moment still one of plain values; DECADES limits it.
        """
        low, high = max(low, -DECADES), min(high, DECADES)
        decades = np.arange(math.floor(low), math.ceil(high) + 1.0)
        if high - low < 2.0:
            marks = np.add.outer(decades, np.log10([1.0, 2.0, 5.0])).ravel()
        else:
            marks = decades[:: max(1, math.ceil(decades.size * TICK_ROOM / max(size, 1.0)))]
        return [(None, [float(mark) for mark in marks if low <= mark <= high])]

    def _draw(self, painter: QPainter, axis: Any, ticks: Any, texts: Any) -> None:
        """Draw the lines as rectangles of one pixel: all are upright or level, so that no stroker is needed."""
        for pen, start, end in (axis, *ticks):
            painter.fillRect(_line(start, end), pen.color())
        painter.setFont(self.style["tickFont"])
        painter.setPen(self.textPen())
        painter.setClipRect(self.boundingRect().toAlignedRect())
        for area, flags, text in texts:
            painter.drawText(area, int(flags), text)


def apart(texts: Sequence[Text], *, upright: bool) -> Sequence[Text]:
    """Drop labels evenly, as few as possible, until no two neighbours touch; pyqtgraph thins out only finer levels.

    The area of a text has 0.8 of the height of a line, which is enough for numbers.
    """
    ends = [(area.top(), area.bottom()) if upright else (area.left(), area.right()) for area, _, _ in texts]
    order = sorted(range(len(texts)), key=lambda place: ends[place][0])
    for step in range(1, len(texts)):
        kept = order[::step]
        if all(ends[one][1] <= ends[other][0] for one, other in pairwise(kept)):
            return [texts[place] for place in sorted(kept)]
    return texts[:1]


def _line(start: QPointF, end: QPointF) -> QRectF:
    """Return the line as a rectangle on whole pixels, at least one pixel wide and high."""
    area = QRectF(start, end).normalized()
    x, y = round(area.x()), round(area.y())
    return QRectF(x, y, max(round(area.width()), 1), max(round(area.height()), 1))


def axes(limits: Mapping[str, tuple[float, float]]) -> dict[str, Axis]:
    """Return the axes of a plot; `limits` has the ranges of possible values by side, for the sides that have one."""
    made = {side: Axis(side) for side in ("bottom", "left")}
    for side, axis in made.items():
        axis.limits = limits.get(side)
    return made
