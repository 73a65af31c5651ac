"""The viridis colours, and the bar that shows their meaning."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QLinearGradient, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from mcsvm_gui.ui.kit import theme
from mcsvm_gui.ui.kit.theme import UNIT

Ticks = tuple[tuple[float, str], ...]  # position from 0 to 1, and its label

TOLD_APART = 256  # number of different shades
BAR, BAR_GAP = 1.5 * UNIT, UNIT / 2


@cache
def _viridis() -> list[QColor]:
    shades = np.linspace(0.0, 1.0, TOLD_APART)
    return list(pg.colormap.get("viridis").map(shades, mode=pg.ColorMap.QCOLOR))


def colour(shade: float) -> QColor:
    return _viridis()[round(shade * (TOLD_APART - 1))]


class ScaleBar(pg.GraphicsWidget):
    """The colour scale, the same for all machines."""

    def __init__(self) -> None:
        super().__init__()
        self._ticks: Ticks = ()

    def show_ticks(self, ticks: Ticks) -> None:
        if ticks != self._ticks:
            self._ticks = ticks
            self.setFixedWidth(scale_width(ticks))
            self.updateGeometry()
            self.update()

    def paint(self, painter: QPainter, option: Any, widget: Any = None) -> None:
        paint_scale(painter, self.rect(), self._ticks)


def scale_width(ticks: Ticks) -> float:
    widest = max((QFontMetrics(QFont()).horizontalAdvance(text) for _, text in ticks), default=0)
    return 2 * UNIT + BAR + 2 * BAR_GAP + widest if ticks else 0.0


def paint_scale(painter: QPainter, area: QRectF, ticks: Ticks) -> None:
    if not ticks:
        return
    line = QFontMetrics(QFont()).height()
    bar = QRectF(2 * UNIT, line / 2, BAR, area.height() - line)
    gradient = QLinearGradient(bar.bottomLeft(), bar.topLeft())
    for shade in np.linspace(0.0, 1.0, 17).tolist():
        gradient.setColorAt(shade, colour(shade))
    painter.fillRect(bar, gradient)
    painter.setFont(QFont())
    painter.setPen(QColor(theme.current().muted))
    for shade, text in ticks:
        y = bar.bottom() - shade * bar.height()
        room = QRectF(bar.right() + BAR_GAP, y - line / 2, area.width() - bar.right() - BAR_GAP, line)
        painter.drawText(room, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)


class ScaleStrip(QWidget):
    """The colour scale next to several plots."""

    def __init__(self) -> None:
        super().__init__()
        self._ticks: Ticks = ()
        theme.notifier().changed.connect(self.update)

    def show_ticks(self, ticks: Ticks) -> None:
        self._ticks = ticks
        self.setFixedWidth(int(scale_width(ticks)) + 1)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        paint_scale(painter, QRectF(self.rect()), self._ticks)
        painter.end()
