"""The heat map of a search over C and gamma in powers of two: viridis colours, contours, a mark on the best cell."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pyqtgraph as pg
from pyqtgraph.graphicsItems.ScatterPlotItem import Symbols
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFocusEvent, QKeyEvent, QPainter, QPen

from mcsvm_gui.core.base import figures
from mcsvm_gui.core.base.writing import csv_text
from mcsvm_gui.ui.kit import theme
from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.kit.theme import UNIT
from mcsvm_gui.ui.plots import export
from mcsvm_gui.ui.plots.axis import Axis
from mcsvm_gui.ui.plots.base import pen
from mcsvm_gui.ui.plots.hover_title import HoverTitlePlot
from mcsvm_gui.ui.plots.scale_bar import ScaleBar, colour

if TYPE_CHECKING:
    from mcsvm_gui.core.tune.heat import HeatCell, HeatMap

SUPERSCRIPTS = str.maketrans("-.0123456789", "⁻·⁰¹²³⁴⁵⁶⁷⁸⁹")
LABEL_ROOM = {"bottom": 4 * UNIT, "left": 3 * UNIT}  # pixels for one tick label
DOUBLES = 1, 2, 4, 8, 16, 32, 64
RIVAL = 1.5 * UNIT  # size of the marks of other machines in pixels
CROSS = 0.3  # half the size of the mark on the best cell, as a share of the cell
PARTIAL = 0.5  # painted share of a cell's side if not all folds have tested it
KEYS = {
    Qt.Key.Key_Left: (-1.0, 0.0),
    Qt.Key.Key_Right: (1.0, 0.0),
    Qt.Key.Key_Up: (0.0, 1.0),
    Qt.Key.Key_Down: (0.0, -1.0),
}


class HeatPlot(HoverTitlePlot):
    """The pointer or the arrow keys name a cell; a click or Enter chooses it."""

    chosen = Signal(float, object)  # C and gamma, which may be None
    kinds = (*export.KINDS, "csv")

    def __init__(self, name: str, title: str, *, small: bool = False) -> None:
        self._shown: HeatMap | None = None
        self._small, self._scale = small, ScaleBar()
        self._at: int | None = None  # the cell that the arrow keys have reached
        super().__init__(name, title)
        self.setAxisItems({side: PowerAxis(side) for side in LABEL_ROOM})
        self.names = {"bottom": tr("C"), "left": tr("Gamma")}
        self.getPlotItem().showGrid(x=False, y=False)
        self.area.setMouseEnabled(x=False, y=False)
        self.area.setDefaultPadding(0.0)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._cells = CellImage()
        self.addItem(self._cells, ignoreBounds=True)
        if not small:
            self.getPlotItem().layout.addItem(self._scale, 2, 3)
        self.scene().sigMouseClicked.connect(self._clicked)
        self.retheme()

    def show_map(self, shown: HeatMap) -> None:
        before, self._shown = self._shown, shown
        if self._at is not None and (before is None or len(before.cells) != len(shown.cells)):
            self._at = None
        for side, start in (("bottom", shown.first_cost), ("left", shown.first_gamma)):
            self.getAxis(side).show_steps(start, shown.step, shown.linear if side == "left" else None)
        self._cells.show_cells(shown, self._at)
        self._scale.show_ticks(shown.ticks)
        self.fit()

    def room_beside(self) -> int:
        return 0 if self._small else int(self._scale.minimumWidth())  # the current width may be outdated

    def fit(self) -> None:
        if self._shown is not None:
            shown = self._shown
            self.setRange(xRange=(shown.left, shown.right), yRange=(shown.bottom, shown.top), padding=0.0)
            self._heading = next(filter(self.fits, (shown.title, shown.short)), shown.brief)
        self.write_heading()

    def retheme(self) -> None:
        super().retheme()
        if hasattr(self, "_cells"):
            self._cells.update()
            self._scale.update()

    def write(self, path: str, kind: str) -> str | None:
        """Write the plot; a CSV file has the visible values, one line per cell."""
        if kind != "csv":
            return super().write(path, kind)
        cells = [] if self._shown is None else self._shown.cells
        rows = [[cell.cost, "" if cell.gamma is None else cell.gamma, cell.value] for cell in cells]
        return export.write(path, csv_text(["C", "gamma", "value"], rows).encode("utf-8"))

    # -- one cell ---------------------------------------------------------------------------------

    def cell_at(self, where: QPointF) -> int | None:
        if self._shown is None or not self.area.sceneBoundingRect().contains(where):
            return None
        place = self.area.mapSceneToView(where)
        return self._cells.cell_at(place)

    def named_at(self, where: QPointF) -> str | None:
        found = self.cell_at(where)
        if found is None or self._shown is None:
            return None
        return self._shown.words(found)

    def _clicked(self, event: Any) -> None:
        if event.button() is Qt.MouseButton.LeftButton and not event.double():
            self._choose(self.cell_at(event.scenePos()))

    def _choose(self, number: int | None) -> None:
        if number is not None and self._shown is not None:
            cell = self._shown.cells[number]
            self.chosen.emit(cell.cost, cell.gamma)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if key in KEYS:
            self._go(*KEYS[key])
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self._choose(self._at)
        else:
            super().keyPressEvent(event)

    def _go(self, right: float, up: float) -> None:
        """Move to the nearest cell in that direction; the first key moves to the best cell."""
        shown = self._shown
        if shown is None or not shown.cells:
            return
        if self._at is None:
            self._at = shown.best or 0
        else:
            self._at = _towards(shown.cells, self._at, right, up)
        self._cells.show_cells(shown, self._at)
        words = shown.words(self._at)
        self.setAccessibleDescription(words)
        self._under_pointer = words
        self.write_heading()
        self.pointed_at.emit(words)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        if self._shown is not None:
            self._at = None
            self._cells.show_cells(self._shown, None)
        super().focusOutEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.write_heading()


def _towards(cells: tuple[HeatCell, ...], start: int, right: float, up: float) -> int:
    here = cells[start]

    def distance(number: int) -> float:
        along = (cells[number].x - here.x) * right + (cells[number].y - here.y) * up
        aside = abs((cells[number].x - here.x) * up) + abs((cells[number].y - here.y) * right)
        return along + 10.0 * aside if along > 0.0 else np.inf

    nearest = min(range(len(cells)), key=distance)
    return nearest if np.isfinite(distance(nearest)) else start


class PowerAxis(Axis):
    """Powers of two at the cells, as many as can be read; cells without gamma have a word instead."""

    def __init__(self, side: str) -> None:
        super().__init__(side)
        self.setStyle(hideOverlappingLabels=False)
        self._first, self._step = 0.0, 1.0
        self._linear: float | None = None

    def show_steps(self, first: float | None, step: float, linear: float | None) -> None:
        """Set the scale; `first` is the first value of the cells, or None if all cells are without gamma."""
        self._first, self._step, self._linear = math.inf if first is None else first, step, linear
        self.picture = None
        self.update()

    def tickValues(self, minVal: float, maxVal: float, size: float) -> list[tuple[float | None, list[float]]]:
        most = max(size / LABEL_ROOM[self.orientation], 1.0)
        cells = (maxVal - minVal) / self._step
        spacing = self._step * next((double for double in DOUBLES if cells / double <= most), DOUBLES[-1])
        values = [] if math.isinf(self._first) else np.arange(self._first, maxVal, spacing).tolist()
        return [(spacing, values if self._linear is None else [self._linear, *values])]

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        return [self._word(value) for value in values]

    def _word(self, value: float) -> str:
        if value == self._linear:
            return tr("linear")
        return "2" + figures.number(value or 0.0, 6).translate(SUPERSCRIPTS)  # `or` avoids -0


class CellImage(pg.GraphicsObject):
    """Cells that are painted one by one: there are hundreds, in several sizes, and saved files keep them as shapes."""

    def __init__(self) -> None:
        super().__init__()
        self._map: HeatMap | None = None
        self._at: int | None = None
        self._lines: list[np.ndarray] = []
        self._colours: list[QColor] = []

    def show_cells(self, shown: HeatMap, at: int | None) -> None:
        if shown is not self._map:
            self.prepareGeometryChange()
            self._map = shown
            self._colours = [colour(cell.shade) for cell in shown.cells]
            self._lines = _contours(shown)
        self._at = at
        self.update()

    def cell_at(self, place: QPointF) -> int | None:
        """Return the number of the cell at this place; small cells are above large ones."""
        under = [number for number in self._order() if self._rect(number).contains(place)]
        return under[-1] if under else None

    def _order(self) -> list[int]:
        assert self._map is not None
        return sorted(range(len(self._map.cells)), key=lambda number: -self._map.cells[number].side)  # type: ignore[union-attr]

    def _rect(self, number: int) -> QRectF:
        assert self._map is not None
        cell = self._map.cells[number]
        return QRectF(cell.x - cell.side / 2, cell.y - cell.side / 2, cell.side, cell.side)

    def _painted(self, number: int) -> QRectF:
        assert self._map is not None
        rect, less = self._rect(number), 0.5 * (1.0 - PARTIAL) * self._map.cells[number].side
        return rect.adjusted(less, less, -less, -less) if self._map.cells[number].partial else rect

    def boundingRect(self) -> QRectF:
        if self._map is None:
            return QRectF()
        return QRectF(QPointF(self._map.left, self._map.bottom), QPointF(self._map.right, self._map.top))

    def paint(self, painter: QPainter, option: Any, widget: Any = None) -> None:
        if self._map is None:
            return
        for number in self._order():
            painter.fillRect(self._painted(number), self._colours[number])
        self._paint_lines(painter)
        for number in self._map.near:
            self._outline(painter, number)
        for machine, x, y in self._map.rivals:
            self._paint_rival(painter, machine, QPointF(x, y))
        if self._map.best is not None:
            self._paint_best(painter, self._map.best)
        if self._at is not None:
            self._frame(painter, self._at, theme.current().accent)

    def _paint_lines(self, painter: QPainter) -> None:
        """Paint the contours dark on light cells, and light on dark cells."""
        assert self._map is not None
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for (_, shade), segments in zip(self._map.levels, self._lines, strict=False):
            painter.setPen(pen(_ink(colour(shade))))
            for (x0, y0), (x1, y1) in segments.tolist():
                painter.drawLine(QPointF(x0, y0), QPointF(x1, y1))

    def _paint_best(self, painter: QPainter, number: int) -> None:
        """Paint a cross and a frame, dark on the light end of the scale and light on the dark end."""
        rect, ink = self._rect(number), _ink(self._colours[number])
        self._frame(painter, number, ink)
        width, height = CROSS * rect.width(), CROSS * rect.height()
        middle = rect.center()
        painter.setPen(_wide(ink))
        painter.drawLine(middle - QPointF(width, height), middle + QPointF(width, height))
        painter.drawLine(middle - QPointF(width, -height), middle + QPointF(width, -height))

    def _outline(self, painter: QPainter, number: int) -> None:
        """Outline a cell that is as good as the best one as far as its folds can tell."""
        outline = pen(_ink(self._colours[number]), (2.0, 2.0))
        painter.setPen(outline)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        inside = 0.1 * self._rect(number).width()
        painter.drawRect(self._rect(number).adjusted(inside, inside, -inside, -inside))

    def _paint_rival(self, painter: QPainter, machine: str, place: QPointF) -> None:
        """Paint the mark of another machine at that machine's best cell."""
        style = theme.machine_style(machine)
        width, height = self.pixelSize()
        painter.save()
        painter.translate(place)
        painter.scale(RIVAL * width, -RIVAL * height)
        painter.setPen(pen(theme.LIGHT.surface))
        painter.setBrush(QColor(style.colour))
        painter.drawPath(Symbols[style.marker])
        painter.restore()

    def _frame(self, painter: QPainter, number: int, ink: str) -> None:
        painter.setPen(_wide(ink))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(self._rect(number))


def _ink(ground: QColor) -> str:
    return theme.LIGHT.text if ground.lightnessF() > 0.35 else theme.LIGHT.surface


def _wide(ink: str) -> QPen:
    return pg.mkPen(ink, width=2)


def _contours(shown: HeatMap) -> list[np.ndarray]:
    from mcsvm_gui.core.tune.contours import contour, triangles

    known = [(cell.x, cell.y, cell.value) for cell in shown.cells if cell.gamma is not None and not cell.partial]
    corners = triangles(*np.reshape(known, (-1, 3)).T)
    return [contour(corners, level) for level, _ in shown.levels]
