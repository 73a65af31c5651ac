"""Saves the canvas as PNG or SVG, or copies it; files are written completely or not at all."""

from __future__ import annotations

from PySide6.QtCore import QBuffer, QIODevice, QSize
from PySide6.QtGui import QGuiApplication, QImage, QPainter
from PySide6.QtSvg import QSvgGenerator

from mcsvm_gui.ui.playground.canvas import PlaygroundCanvas
from mcsvm_gui.ui.plots.export import write

SHARPNESS = 2  # pixels of a PNG per pixel of the window


def save(canvas: PlaygroundCanvas, path: str, kind: str) -> str | None:
    """Write the canvas to a file, and return the reason if that fails, else None."""
    return write(path, {"png": png, "svg": svg}[kind](canvas))


def copy(canvas: PlaygroundCanvas) -> None:
    QGuiApplication.clipboard().setImage(image(canvas))


def image(canvas: PlaygroundCanvas) -> QImage:
    made = QImage(canvas.size() * SHARPNESS, QImage.Format.Format_RGB32)
    made.setDevicePixelRatio(SHARPNESS)
    painter = QPainter(made)
    canvas.draw(painter, vector=True)
    painter.end()
    return made


def png(canvas: PlaygroundCanvas) -> bytes:
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.ReadWrite)
    image(canvas).save(buffer, "PNG")  # type: ignore[call-overload]
    return bytes(buffer.data().data())


def svg(canvas: PlaygroundCanvas) -> bytes:
    """Return an SVG with points, lines and text as vectors, and regions as images."""
    buffer, made = QBuffer(), QSvgGenerator()
    buffer.open(QIODevice.OpenModeFlag.ReadWrite)
    made.setOutputDevice(buffer)
    made.setSize(QSize(canvas.width(), canvas.height()))
    made.setViewBox(canvas.rect())
    made.setTitle(canvas.accessibleName())
    painter = QPainter(made)
    painter.setFont(canvas.font())
    canvas.draw(painter, vector=True)
    painter.end()
    return bytes(buffer.data().data())
