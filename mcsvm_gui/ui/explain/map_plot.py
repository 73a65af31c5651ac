"""Regions of a plane through the space of columns, the rows on it, and the row that the user moves."""

from __future__ import annotations

import html

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor

from mcsvm_gui.core.base import figures
from mcsvm_gui.core.explain.column_map import PARTING, ColumnMap
from mcsvm_gui.core.explain.surface import BAND, LINE, Frame
from mcsvm_gui.ui.kit import theme
from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.kit.theme import UNIT
from mcsvm_gui.ui.plots.base import pen
from mcsvm_gui.ui.plots.class_marks import class_colour, class_marker, shortened
from mcsvm_gui.ui.plots.hover_title import HoverTitlePlot

WITHIN, BEYOND = 0.16, 0.4  # opacity of a class's colour in its region, and where the class leads clearly
BLANK = LINE + 1  # before the first frame
GROUND = 160  # opacity of the legend, of 255
MOST = 10  # limit on the classes in the legend; the name of any class is shown under the mouse
SIZE, OWN = 6, 14  # sizes in pixels of a point and of the row


class MapPlot(HoverTitlePlot):
    place_asked = Signal(float, float)  # in the units of the axes

    def __init__(self) -> None:
        self._map: ColumnMap | None = None
        self._frame: Frame | None = None
        self._at = np.zeros(2)
        self._image: pg.ImageItem | None = None
        self._own: pg.ScatterPlotItem | None = None
        super().__init__("mapPlot", tr("Map over two columns"))
        self.setMouseEnabled(x=False, y=False)
        self.scene().sigMouseClicked.connect(self._clicked)

    def show_map(self, found: ColumnMap | None) -> None:
        """Show the points of a map; the regions follow frame by frame."""
        self._map, self._frame = found, None
        self._draw()

    @property
    def shown(self) -> ColumnMap | None:
        return self._map

    def show_frame(self, frame: Frame, at: np.ndarray, words: str) -> None:
        """Show a frame. `at` is the place of the row, in the units of the axes."""
        self._frame, self._at = frame, at
        if self._image is not None and self._own is not None:
            self._image.setImage(_table()[frame.codes], autoLevels=False)
            self._own.setData(pos=at[None])
        self.set_heading(words)

    def retheme(self) -> None:
        super().retheme()
        self._draw()

    def _draw(self) -> None:
        self.clear()
        self._image = self._own = None
        found = self._map
        if found is None:
            self.set_heading(self.titled)
            return
        self.getPlotItem().showGrid(x=False, y=False)
        names = [shortened(found.columns.names[column], 40) for column in found.axes]
        if found.mode == PARTING:
            names = [tr("direction {number} that separates the classes", number=number) for number in (1, 2)]
        self.name_axis("bottom", names[0])
        self.name_axis("left", names[1])
        (left, bottom), (right, top) = found.units
        self._image = pg.ImageItem(axisOrder="row-major")
        blank = np.full((found.surface.side, found.surface.side), BLANK)
        self._image.setImage(_table()[blank], autoLevels=False)
        self._image.setRect(QRectF(left, bottom, right - left, top - bottom))
        self.addItem(self._image, ignoreBounds=True)
        self._add_points(found)
        text = theme.current().text
        self._own = pg.ScatterPlotItem(size=OWN, symbol="o", pen=pg.mkPen(text, width=2), brush=pg.mkBrush(None))
        self.addItem(self._own, ignoreBounds=True)
        self.setRange(xRange=(left, right), yRange=(bottom, top), padding=0)
        if self._frame is not None:
            self.show_frame(self._frame, self._at, self.heading)

    def _empty_key(self) -> pg.LegendItem:
        key = self.getPlotItem().addLegend(offset=(UNIT, UNIT), labelTextSize="8pt", verSpacing=-6)  # made only once
        ground = QColor(theme.current().surface)
        ground.setAlpha(GROUND)
        key.clear()
        key.setBrush(ground)
        key.setLabelTextColor(theme.current().text)
        return key

    def _add_points(self, found: ColumnMap) -> None:
        names, key = found.of.trained.class_names, self._empty_key()
        at = found.in_units(found.points)
        for code in np.unique(found.codes[found.codes >= 0]).tolist():
            colour, chosen = QColor(_shade(code)), found.codes == code
            points = pg.ScatterPlotItem(
                pos=at[chosen], symbol=class_marker(code), size=SIZE, brush=colour, pen=pen(theme.current().surface)
            )
            self.addItem(points, ignoreBounds=True)
            if len(names) <= MOST:
                key.addItem(points, html.escape(shortened(names[code], 20)))

    def _clicked(self, event: object) -> None:
        if self._map is None or event.button() is not Qt.MouseButton.LeftButton or event.double():  # type: ignore[attr-defined]
            return
        spot = self.getViewBox().mapSceneToView(event.scenePos())  # type: ignore[attr-defined]
        self.place_asked.emit(spot.x(), spot.y())

    def named_at(self, where: QPointF) -> str | None:
        found, frame = self._map, self._frame
        if found is None or frame is None:
            return None
        spot = self.getViewBox().mapSceneToView(where)
        (left, bottom), (right, top) = found.units
        side = len(frame.codes)
        across, down = (spot.x() - left) / (right - left), (spot.y() - bottom) / (top - bottom)
        if not (0.0 <= across < 1.0 and 0.0 <= down < 1.0):
            return None
        code = int(frame.codes[int(down * side), int(across * side)])
        names = found.of.trained.class_names
        if code == LINE or len(names) > BAND:
            return figures.pair(spot.x(), spot.y())
        return f"{figures.pair(spot.x(), spot.y())}: {shortened(names[code % BAND], 30)}"


def _shade(code: int) -> str:
    colour = class_colour(code)
    return theme.ON_DARK.get(colour, colour) if theme.current().dark else colour


def _table() -> np.ndarray:
    """Return the colours of the codes."""
    ground, table = _parts(theme.current().surface), np.zeros((BLANK + 1, 3), dtype=np.uint8)
    for code in range(BAND):
        own = _parts(_shade(code))
        for share, number in ((WITHIN, code), (BEYOND, code + BAND)):
            table[number] = np.round(share * own + (1.0 - share) * ground)
    table[LINE], table[BLANK] = _parts(theme.current().text), ground
    return table


def _parts(name: str) -> np.ndarray:
    colour = QColor(name)
    return np.array([colour.red(), colour.green(), colour.blue()])
