"""Our own icons: strokes in `currentColor`, drawn in the colours of the current theme."""

from __future__ import annotations

from functools import cache
from weakref import WeakKeyDictionary

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QAction, QColor, QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QAbstractButton
from shiboken6 import isValid

from mcsvm_gui.core.base.resources import folder
from mcsvm_gui.ui.kit import theme

APPLICATION = "application"
SMALL = 2 * theme.UNIT
SIZES = 16, 24, 32, 48  # in pixels; Qt takes the next larger size
_shown: WeakKeyDictionary[QAction | QAbstractButton, str] = WeakKeyDictionary()


def icon(name: str) -> QIcon:
    """Return an icon in the colours of the current theme; `put` makes it follow the theme."""
    return _drawn(name, theme.current().name)


@cache
def _drawn(name: str, theme_name: str) -> QIcon:
    """Return an icon of pixmaps; Qt would call an icon engine in Python at times when Python has already deleted it."""
    result = QIcon()
    for mode, state, colour in _colours(theme.THEMES[theme_name]):
        drawing = renderer(name, colour)
        for side in SIZES:
            result.addPixmap(_pixmap(drawing, QSize(side, side)), mode, state)
    return result


def _colours(now: theme.Theme) -> tuple[tuple[QIcon.Mode, QIcon.State, str], ...]:
    mode, off, on = QIcon.Mode, QIcon.State.Off, QIcon.State.On
    return (
        (mode.Normal, off, now.text),
        (mode.Normal, on, now.accent),
        (mode.Disabled, off, now.line),
        (mode.Selected, off, now.accent_text),
    )


def put(target: QAction | QAbstractButton, name: str) -> None:
    """Put an icon on an action or a button; it follows the theme."""
    target.setIcon(icon(name))
    _shown[target] = name


def follow_theme() -> None:
    """Set the icons that `put` has placed again: asking Qt for all widgets would wrap some that are being deleted."""
    for target, name in list(_shown.items()):
        if isValid(target):
            target.setIcon(icon(name))


def application_icon() -> QIcon:
    result = QIcon()
    for size in (16, 24, 32, 48, 64, 128, 256):
        result.addPixmap(_pixmap(renderer(APPLICATION, "#000000"), QSize(size, size)))
    return result


@cache
def tinted(name: str, colour: str) -> QPixmap:
    """Return an icon in a given colour, for cells and other places where the colour has a meaning."""
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
