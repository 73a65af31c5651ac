"""Our own icons: strokes in `currentColor`, drawn in the colours of the theme of the moment."""

from __future__ import annotations

from functools import cache

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QAction, QColor, QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QAbstractButton, QApplication

from mcsvm_gui.core.resources import folder
from mcsvm_gui.views import theme

APPLICATION = "application"
SMALL = 2 * theme.UNIT
SIZES = 16, 24, 32, 48  # pixels, of which Qt takes the next larger one
_names: dict[int, str] = {}  # of every icon drawn, by Qt's key


def icon(name: str) -> QIcon:
    """In the colours of the theme of the moment; where it is shown, it follows the theme."""
    return _drawn(name, theme.current().name)


@cache
def _drawn(name: str, theme_name: str) -> QIcon:
    """Pixmaps, no icon engine: Qt would call one written in Python at times when Python has let go of it."""
    result = QIcon()
    for mode, state, colour in _colours(theme.THEMES[theme_name]):
        drawing = renderer(name, colour)
        for side in SIZES:
            result.addPixmap(_pixmap(drawing, QSize(side, side)), mode, state)
    _names[result.cacheKey()] = name
    return result


def _colours(now: theme.Theme) -> tuple[tuple[QIcon.Mode, QIcon.State, str], ...]:
    mode, off, on = QIcon.Mode, QIcon.State.Off, QIcon.State.On
    return (
        (mode.Normal, off, now.text),
        (mode.Normal, on, now.accent),
        (mode.Disabled, off, now.line),
        (mode.Selected, off, now.accent_text),
    )


def follow_theme() -> None:
    """Every icon of ours that is shown anywhere, in the colours of the new theme."""
    for widget in QApplication.allWidgets():
        for shown in (widget, *widget.actions()):
            if isinstance(shown, QAction | QAbstractButton) and shown.icon().cacheKey() in _names:
                shown.setIcon(icon(_names[shown.icon().cacheKey()]))


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


theme.notifier().changed.connect(follow_theme)
