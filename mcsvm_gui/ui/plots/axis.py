"""An axis that paints itself: pyqtgraph strokes every line of the grid, 10 ms an axis and paint instead of 0.2."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter

DECADES = 300  # whose powers of ten are numbers
TICK_ROOM = 32  # pixels between two labels, at least


class Axis(pg.AxisItem):
    """`picture` is None whenever something changed; any other value says that the specifications still hold."""

    picture: Any
    _specs: tuple[Any, Any, Any] | None = None

    def updateAutoSIPrefix(self) -> None:
        """No prefixes: where they are switched off, pyqtgraph still scales the numbers by the range of that moment."""
        self.autoSIPrefixScale = 1.0

    def paint(self, painter: QPainter, option: Any, widget: Any) -> None:
        if self.picture is None:
            painter.save()
            painter.setFont(self.style["tickFont"])
            self._specs = self.generateDrawSpecs(painter)
            painter.restore()
            self.picture = True
        if self._specs is not None:
            painter.save()
            self._draw(painter, *self._specs)
            painter.restore()

    def logTickValues(
        self, low: float, high: float, size: float, levels: Any
    ) -> list[tuple[float | None, list[float]]]:
        """Whole decades, few enough to read; 1, 2, 5 where less than two are seen.

        Until a plot that changes to logarithms has its new range, the range is one of plain values.
        """
        low, high = max(low, -DECADES), min(high, DECADES)
        decades = np.arange(math.floor(low), math.ceil(high) + 1.0)
        if high - low < 2.0:
            marks = np.add.outer(decades, np.log10([1.0, 2.0, 5.0])).ravel()
        else:
            marks = decades[:: max(1, math.ceil(decades.size * TICK_ROOM / max(size, 1.0)))]
        return [(None, [float(mark) for mark in marks if low <= mark <= high])]

    def _draw(self, painter: QPainter, axis: Any, ticks: Any, texts: Any) -> None:
        """All lines are upright or level: rectangles of one pixel, which no stroker has to look at."""
        for pen, start, end in (axis, *ticks):
            painter.fillRect(_line(start, end), pen.color())
        painter.setFont(self.style["tickFont"])
        painter.setPen(self.textPen())
        painter.setClipRect(self.boundingRect().toAlignedRect())
        for area, flags, text in texts:
            painter.drawText(area, int(flags), text)


def _line(start: QPointF, end: QPointF) -> QRectF:
    """Half a pixel to either side, on whole pixels."""
    area = QRectF(start, end).normalized()
    x, y = round(area.x()), round(area.y())
    return QRectF(x, y, max(round(area.width()), 1), max(round(area.height()), 1))


def axes() -> dict[str, Axis]:
    return {side: Axis(side) for side in ("bottom", "left")}
