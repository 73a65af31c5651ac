"""The number of rows of each class: named bars while there is room for names, otherwise bars of all classes by rank."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor

from mcsvm_gui.core.base.figures import count
from mcsvm_gui.ui.kit import theme
from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.kit.theme import UNIT
from mcsvm_gui.ui.plots.class_marks import class_colour, class_marker, shortened
from mcsvm_gui.ui.plots.hover_title import HoverTitlePlot

MOST_NAMED = 12  # with more classes the names would overlap
_MOST_LETTERS, _FEW_LETTERS = 32, 2  # ranked bars have names below them up to this many classes and letters
_MOST_APART, _FEW_ROWS = 40, 6  # more bars touch each other; with fewer rows, ticks at whole numbers have to be set
_PALE = 160  # opacity, of 255
_FEWEST_SLOTS = 6  # keeps the bars thin if there are few classes


class ClassBars(HoverTitlePlot):
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
        """Draw one bar per class; the markers at their ends make this the legend of the projection."""
        for place, number in enumerate(self._counts):
            self._add_named(place, number)
        self.hideAxis("bottom")
        self.getViewBox().invertY(True)
        self._make_room()

    def _make_room(self) -> None:
        """Divide the width between the names, which are elided, the bars, and the counts behind the bars."""
        letters = self.fontMetrics()
        names = [
            letters.elidedText(shortened(name, 60), Qt.TextElideMode.ElideMiddle, self.width() * 2 // 5)
            for name in self._names
        ]
        axis, places = self.getAxis("left"), range(len(names))
        width = max(map(letters.horizontalAdvance, names)) + 2 * UNIT
        axis.setTicks([list(zip(places, names, strict=True))])
        axis.setWidth(width)
        figures = 3 * UNIT + letters.horizontalAdvance(count(int(self._counts.max())))
        bars = max(2 * UNIT, self.width() - width - figures)
        most = self._counts.max() * (bars + figures) / bars
        self.setRange(xRange=(0, most), yRange=(-0.6, max(len(names), _FEWEST_SLOTS) - 0.4), padding=0)

    def fit(self) -> None:
        if self._names and self.named:
            self._make_room()
        super().fit()

    def _add_named(self, place: int, number: float) -> None:
        colour = QColor(class_colour(place))
        paler = QColor(colour)
        paler.setAlpha(_PALE)
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
        width = 0.8 if counts.size <= _MOST_APART else 1.0
        bars = {"x": np.arange(1, counts.size + 1), "y0": np.zeros(counts.size), "height": counts, "width": width}
        colour = QColor(theme.current().accent)
        colour.setAlpha(_PALE)
        self.addItem(pg.BarGraphItem(pen=pg.mkPen(None), brush=colour, **bars))
        self.showAxis("bottom")
        self.name_axis("bottom", self._spread())
        self._mark_axes(int(counts.max()))
        self.getViewBox().invertY(False)
        self.setRange(xRange=(0.4, counts.size + 0.6), yRange=(0, counts.max() * 1.08), padding=0)

    def _spread(self) -> str:
        least, most = count(int(self._counts.min())), count(int(self._counts.max()))
        if least == most:
            return tr("{rows} rows each", rows=most)
        return tr("largest first: {most} to {least} rows", most=most, least=least)

    def _mark_axes(self, most: int) -> None:
        """Put ticks at whole numbers of rows, and the names below their bars if they are short enough."""
        rows, classes = self.getAxis("left"), self.getAxis("bottom")
        rows.setWidth(None)
        rows.setTicks([[(number, str(number)) for number in range(most + 1)]] if most < _FEW_ROWS else None)
        names = [self._names[number] for number in self._order]
        short = len(names) <= _MOST_LETTERS and max(map(len, names)) <= _FEW_LETTERS
        classes.setTicks([list(enumerate(names, 1))] if short else None)

    def class_at(self, x: float, y: float) -> int | None:
        """Return the number of the class whose bar is at this place of the view."""
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
