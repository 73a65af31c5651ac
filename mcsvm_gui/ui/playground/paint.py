"""Appearance of a panel of the playground: the palette of its regions, and the marks of its points."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPainterPath, QPen, QPixmap, QTransform

from mcsvm_gui.core.playground.palette import BAND, LINE, MARGIN_LINE
from mcsvm_gui.ui.kit import theme
from mcsvm_gui.ui.plots.class_marks import class_colour, class_marker

SIZE, RING, FRAME, CROSS, WORKING = 7.0, 12.0, 12.0, 7.0, 19.0  # pixels across
ROOM = 22  # size of a mark's picture
WITHIN, BEYOND = 0.14, 0.36  # opacity of a class's colour in its region, and where the class leads clearly
PLAIN, FREE, BOUNDED = 0, 1, 2


def colour_of(number: int) -> str:
    colour = class_colour(number)
    return theme.ON_DARK.get(colour, colour) if theme.current().dark else colour


def _blend(colour: str, share: float) -> int:
    top, ground = QColor(colour), QColor(theme.current().surface)

    def mixed(a: int, b: int) -> int:
        return round(share * a + (1.0 - share) * b)

    return QColor(
        mixed(top.red(), ground.red()), mixed(top.green(), ground.green()), mixed(top.blue(), ground.blue())
    ).rgb()


def region_image(codes: np.ndarray) -> QImage:
    """Return an image of a panel's codes in the theme's colours."""
    height, width = codes.shape
    held = np.ascontiguousarray(codes)
    image = QImage(held.data, width, height, width, QImage.Format.Format_Indexed8)
    image.setColorTable(_colours())
    return image.convertToFormat(QImage.Format.Format_RGB32)  # a copy, independent of `held`


def _colours() -> list[int]:
    table = [QColor(theme.current().surface).rgb()] * (MARGIN_LINE + 1)
    for number in range(BAND):
        table[number] = _blend(colour_of(number), WITHIN)
        table[number + BAND] = _blend(colour_of(number), BEYOND)
    table[LINE], table[MARGIN_LINE] = QColor(theme.current().text).rgb(), QColor(theme.current().muted).rgb()
    return table


# -- marks ----------------------------------------------------------------------------------------


def draw_mark(painter: QPainter, place: QPointF, number: int, role: int, wrong: bool) -> None:
    """Draw the marker of a point's class, with a ring for a free support vector, a frame for a bounded one, and a
    cross if the point is misclassified.
    """
    painter.save()
    painter.translate(place)
    text = QColor(theme.current().text)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(text, 1.2))
    if role == FREE:
        painter.drawEllipse(QPointF(), RING / 2, RING / 2)
    elif role == BOUNDED:
        painter.drawRect(QRectF(-FRAME / 2, -FRAME / 2, FRAME, FRAME))
    _draw_marker(painter, number)
    if wrong:
        _draw_cross(painter)
    painter.restore()


def _draw_marker(painter: QPainter, number: int) -> None:
    painter.save()
    painter.setPen(QPen(QColor(theme.current().surface), 1.6))
    path = _marker(class_marker(number))
    painter.drawPath(path)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(colour_of(number)))
    painter.drawPath(path)
    painter.restore()


@lru_cache(maxsize=32)
def _marker(symbol: str) -> QPainterPath:
    return QTransform.fromScale(SIZE, SIZE).map(pg.graphicsItems.ScatterPlotItem.Symbols[symbol])


def _draw_cross(painter: QPainter) -> None:
    half = CROSS / 2
    for width, colour in ((3.4, theme.current().surface), (1.6, theme.current().bad)):
        painter.setPen(QPen(QColor(colour), width))
        painter.drawLine(QPointF(-half, -half), QPointF(half, half))
        painter.drawLine(QPointF(-half, half), QPointF(half, -half))


def draw_working(painter: QPainter, place: QPointF) -> None:
    """Draw a frame around a point whose variables moved in the last step."""
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(QColor(theme.current().accent), 2.0))
    painter.drawRoundedRect(QRectF(place.x() - WORKING / 2, place.y() - WORKING / 2, WORKING, WORKING), 4, 4)


class Marks:
    """Marks that are drawn once and then stamped: thousands of them in a few milliseconds."""

    def __init__(self) -> None:
        self._kept: dict[tuple[int, int, bool, float], QPixmap] = {}
        theme.notifier().changed.connect(self.forget)

    def forget(self) -> None:
        self._kept.clear()

    def stamp(self, painter: QPainter, x: float, y: float, number: int, role: int, wrong: bool, sharp: float) -> None:
        mark = self._kept.get((number, role, wrong, sharp))
        if mark is None:
            mark = self._kept[number, role, wrong, sharp] = mark_pixmap(number, role, wrong, sharp)
        painter.drawPixmap(QPointF(x - ROOM / 2, y - ROOM / 2), mark)


def mark_pixmap(number: int, role: int, wrong: bool, sharp: float) -> QPixmap:
    pixmap = QPixmap(round(ROOM * sharp), round(ROOM * sharp))
    pixmap.setDevicePixelRatio(sharp)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    draw_mark(painter, QPointF(ROOM / 2, ROOM / 2), number, role, wrong)
    painter.end()
    return pixmap
