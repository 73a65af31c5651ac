"""How many rows each class has: named bars while there is room for names, else all of them by rank."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor

from mcsvm_gui.core.figures import count
from mcsvm_gui.views import theme
from mcsvm_gui.views.plots.class_marks import class_colour, class_marker, shortened
from mcsvm_gui.views.plots.headed import HeadedPlot
from mcsvm_gui.views.theme import UNIT
from mcsvm_gui.views.words import tr

MOST_NAMED = 12  # beyond, names would lie on each other
_LONGEST_NAME = 18
_FEWEST_SLOTS = 6  # bars do not grow into blocks where there are few


class ClassBars(HeadedPlot):
    def __init__(self) -> None:
        self._names: tuple[str, ...] = ()
        self._counts = np.zeros(0)
        self._order = np.zeros(0, dtype=np.int64)
        super().__init__("classChart", tr("Rows per class"))
        self.setMouseEnabled(x=False, y=False)

    def show_counts(self, names: Sequence[str], counts: Sequence[int]) -> None:
        self._names, self._counts = tuple(names), np.array(counts, dtype=float)
        self._order = np.argsort(-self._counts, kind="stable")
        self._draw()

    @property
    def named(self) -> bool:
        return len(self._names) <= MOST_NAMED

    def retheme(self) -> None:
        super().retheme()
        self.getPlotItem().showGrid(x=False, y=False)
        for axis in ("left", "bottom"):
            self.getAxis(axis).setStyle(tickLength=0)
        self._draw()

    def _draw(self) -> None:
        self.clear()
        if self._names and self.named:
            self.set_heading(self.titled)
            self._draw_named()
        elif self._names:
            self.set_heading(tr("{count} classes", count=count(len(self._names))))
            self._draw_ranked()

    def _draw_named(self) -> None:
        """Markers at the ends make this the key to the projection."""
        places = np.arange(len(self._names))
        for place, number in enumerate(self._counts):
            self._add_named(place, number)
        names = [shortened(name, _LONGEST_NAME) for name in self._names]
        axis = self.getAxis("left")
        axis.setTicks([list(zip(places.tolist(), names, strict=True))])
        axis.setWidth(max(map(self.fontMetrics().horizontalAdvance, names)) + 2 * UNIT)
        self.hideAxis("bottom")
        self.getViewBox().invertY(True)
        slots = max(places.size, _FEWEST_SLOTS)
        self.setRange(xRange=(0, self._counts.max() * 1.4), yRange=(-0.6, slots - 0.4), padding=0)

    def _add_named(self, place: int, number: float) -> None:
        colour = QColor(class_colour(place))
        paler = QColor(colour)
        paler.setAlpha(160)
        self.addItem(pg.BarGraphItem(x0=0, y=place, height=0.5, width=number, brush=paler, pen=pg.mkPen(None)))
        marker = pg.ScatterPlotItem(
            [number], [place], symbol=class_marker(place), size=UNIT + 1, pen=colour, brush=colour
        )
        self.addItem(marker)
        figure = pg.TextItem(count(int(number)), color=theme.current().muted, anchor=(-0.25, 0.5))
        figure.setPos(number, place)
        self.addItem(figure, ignoreBounds=True)

    def _draw_ranked(self) -> None:
        counts = self._counts[self._order]
        least, most = count(int(counts.min())), count(int(counts.max()))
        bars = {"x": np.arange(1, counts.size + 1), "y0": np.zeros(counts.size), "height": counts, "width": 0.8}
        self.addItem(pg.BarGraphItem(pen=pg.mkPen(None), brush=QColor(theme.current().accent), **bars))
        axis = self.getAxis("left")
        axis.setTicks(None)
        axis.setWidth(None)
        self.showAxis("bottom")
        self.name_axis("bottom", tr("largest first: {most} to {least} rows", most=most, least=least))
        self.getViewBox().invertY(False)
        self.setRange(xRange=(0.4, counts.size + 0.6), yRange=(0, counts.max() * 1.08), padding=0)

    def class_at(self, x: float, y: float) -> int | None:
        """The number of the class whose bar is there."""
        place = round(y) if self.named else round(x) - 1
        if not 0 <= place < len(self._names):
            return None
        return place if self.named else int(self._order[place])

    def named_at(self, where: QPointF) -> str | None:
        if not self._names:
            return None
        spot = self.getViewBox().mapSceneToView(where)
        number = self.class_at(spot.x(), spot.y())
        if number is None:
            return None
        name = shortened(self._names[number], 40)
        return tr("{name}: {count} rows", name=name, count=count(int(self._counts[number])))
