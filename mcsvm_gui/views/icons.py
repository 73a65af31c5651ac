"""Our own icons: strokes in `currentColor`, drawn in the colours of the theme of the moment."""

from __future__ import annotations

from functools import cache

from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QIconEngine, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from mcsvm_gui.core.resources import folder
from mcsvm_gui.views import theme

APPLICATION = "application"
SMALL = 2 * theme.UNIT


def icon(name: str) -> QIcon:
    """Drawn anew at every painting, so that it follows the theme and any screen's resolution."""
    return QIcon(Strokes(name))


def application_icon() -> QIcon:
    result = QIcon()
    for size in (16, 24, 32, 48, 64, 128, 256):
        result.addPixmap(_pixmap(renderer(APPLICATION, "#000000"), QSize(size, size)))
    return result


@cache
def tinted(name: str, colour: str) -> QPixmap:
    """For cells and other places whose colour says something."""
    return _pixmap(renderer(name, colour), QSize(SMALL, SMALL))


def paint(painter: QPainter, name: str, area: QRectF, colour: str) -> None:
    renderer(name, QColor(colour).name()).render(painter, area)


@cache
def renderer(name: str, colour: str) -> QSvgRenderer:
    drawing = (folder() / "icons" / f"{name}.svg").read_text("utf-8").replace("currentColor", colour)
    return QSvgRenderer(drawing.encode("utf-8"))


def _pixmap(drawing: QSvgRenderer, size: QSize) -> QPixmap:
    pixmap = QPixmap(size)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    drawing.render(painter, QRectF(0, 0, size.width(), size.height()))
    painter.end()
    return pixmap


class Strokes(QIconEngine):
    """One icon in the colour that its state asks for."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name

    def clone(self) -> QIconEngine:
        return Strokes(self.name)

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        paint(painter, self.name, _square(rect), colour_of(mode, state))

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        pixmap = QPixmap(size)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        self.paint(painter, QRect(QPoint(0, 0), size), mode, state)
        painter.end()
        return pixmap


def colour_of(mode: QIcon.Mode, state: QIcon.State) -> str:
    now = theme.current()
    if mode is QIcon.Mode.Disabled:
        return now.line
    if mode is QIcon.Mode.Selected:
        return now.accent_text
    return now.accent if state is QIcon.State.On else now.text


def _square(rect: QRect) -> QRectF:
    side = min(rect.width(), rect.height())
    return QRectF(rect.x() + (rect.width() - side) / 2, rect.y() + (rect.height() - side) / 2, side, side)
