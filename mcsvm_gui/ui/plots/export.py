"""Export of a plot as PNG, SVG or PDF, or to the clipboard: a file is written completely or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pyqtgraph as pg
from pyqtgraph.exporters import ImageExporter, SVGExporter
from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QMarginsF, QRectF, QSaveFile, QSizeF
from PySide6.QtGui import QGuiApplication, QImage, QPageLayout, QPageSize, QPainter, QPdfWriter

KINDS = "png", "svg", "pdf"
SHARPNESS = 2  # pixels of a PNG per pixel of the window
INCH = 96  # pixels per inch, as in style sheets
POINTS = 72 / INCH  # points of a page per pixel


def save(plot: pg.PlotWidget, path: str, kind: str) -> str | None:
    """Write the plot to a file; return why that failed, or None."""
    return write(path, {"png": png, "svg": svg, "pdf": pdf}[kind](plot))


def write(path: str, contents: bytes) -> str | None:
    """Write the contents to a file; return why that failed, or None."""
    file = QSaveFile(path)
    if file.open(QIODevice.OpenModeFlag.WriteOnly):
        file.write(QByteArray(contents))
        if file.commit():
            return None
    return file.errorString()


def copy(plot: pg.PlotWidget) -> None:
    QGuiApplication.clipboard().setImage(image(plot))


def image(plot: pg.PlotWidget) -> QImage:
    exporter = ImageExporter(plot.getPlotItem())
    exporter.parameters()["width"] = SHARPNESS * int(exporter.getTargetRect().width())
    return exporter.export(toBytes=True)


def png(plot: pg.PlotWidget) -> bytes:
    buffer = _buffer()
    image(plot).save(buffer, "PNG")  # type: ignore[call-overload]
    return bytes(buffer.data().data())


def svg(plot: pg.PlotWidget) -> bytes:
    return SVGExporter(plot.getPlotItem()).export(toBytes=True)


def pdf(plot: pg.PlotWidget) -> bytes:
    """Return a PDF with one page of the plot's own size; lines and text stay vector graphics."""
    buffer, item = _buffer(), plot.getPlotItem()
    writer = QPdfWriter(buffer)
    writer.setResolution(INCH)
    area = item.mapRectToScene(item.boundingRect())
    size = QPageSize(QSizeF(area.width() * POINTS, area.height() * POINTS), QPageSize.Unit.Point, matchPolicy=_EXACT)
    writer.setPageLayout(QPageLayout(size, QPageLayout.Orientation.Portrait, QMarginsF()))
    painter = QPainter(writer)
    with _export_mode(plot, painter):
        plot.scene().render(painter, QRectF(0, 0, area.width(), area.height()), area)
    painter.end()
    return bytes(buffer.data().data())


_EXACT = QPageSize.SizeMatchPolicy.ExactMatch


@contextmanager
def _export_mode(plot: pg.PlotWidget, painter: QPainter) -> Iterator[None]:
    """Make the items draw for a printer instead of the screen, as pyqtgraph's exporters do."""
    options = {"antialias": True, "background": plot.backgroundBrush().color(), "painter": painter}
    items = [item for item in plot.scene().items() if hasattr(item, "setExportMode")]
    for item in items:
        item.setExportMode(True, {**options, "resolutionScale": 1.0})
    try:
        yield
    finally:
        for item in items:
            item.setExportMode(False)


def _buffer() -> QBuffer:
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.ReadWrite)
    return buffer
