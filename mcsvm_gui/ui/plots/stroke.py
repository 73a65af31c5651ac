"""The stroke of a machine: its colour, dash and marker, as in the plots."""

from __future__ import annotations

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap

from mcsvm_gui.ui.kit import theme
from mcsvm_gui.ui.kit.theme import UNIT, MachineStyle
from mcsvm_gui.ui.plots.base import pen

MARKER = UNIT - 1  # pixels
SHARP = 2  # pixels of an icon per pixel of the screen


def draw_stroke(painter: QPainter, area: QRect | QRectF, style: MachineStyle, marker: int = MARKER) -> None:
    """Draw the stroke over the whole width of the area, in the middle of its height."""
    middle = QRectF(area).center()
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(pen(style.colour, style.dash))
    painter.drawLine(QPointF(area.left(), middle.y()), QPointF(area.right(), middle.y()))
    painter.translate(middle)
    painter.scale(marker, marker)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(style.colour))
    painter.drawPath(pg.graphicsItems.ScatterPlotItem.Symbols[style.marker])
    painter.restore()


def stroke_icon(machine: str, width: int = 4 * UNIT, height: int = 2 * UNIT) -> QIcon:
    pixmap = QPixmap(SHARP * width, SHARP * height)
    pixmap.setDevicePixelRatio(SHARP)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    draw_stroke(painter, QRect(0, 0, width, height), theme.machine_style(machine))
    painter.end()
    return QIcon(pixmap)
