"""The rows in two dimensions, each class with its colour and marker; rows can be highlighted and clicked."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QColor, QPen, QResizeEvent, QStandardItemModel

from mcsvm_gui.core.base.figures import count, percent
from mcsvm_gui.core.base.settings import SETTINGS
from mcsvm_gui.ui.kit import theme
from mcsvm_gui.ui.kit.combos import Combo
from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.plots.base import freest_corner
from mcsvm_gui.ui.plots.class_marks import DISTINCT, class_colour, class_marker, shortened
from mcsvm_gui.ui.plots.hover_title import HoverTitlePlot

if TYPE_CHECKING:
    from mcsvm_gui.core.data.projections.projection import Projected

_KEY = 5 * theme.UNIT  # width of the legend without its text, in pixels
MOST_IN_LEGEND, MOST_SHOWN, _SHORT = 20, 6, 14  # classes: in saved files, in the window, letters there
_NEAR = 8.0  # largest distance in pixels between the pointer and the point that it names
_SIZE, _MANY = 7, 2_000
_RING = 13  # diameter of a ring around a row of the table, in pixels


class Rings(pg.ScatterPlotItem):
    """Rings around points, which keep their own marks."""


class Projection(HoverTitlePlot):
    row_clicked = Signal(int)  # number of the row in the data set
    way_chosen = Signal(str)

    def __init__(self) -> None:
        self.shown: Projected | None = None
        self._ringed: np.ndarray | None = None  # (rows of the data set,) whether the table shows the row
        self.pointed_out = -1  # the row that is selected in that table
        self._words = ""
        self.way = Combo()
        super().__init__("projectionPlot", tr("Projection"))
        self._offer_ways()
        self.legend = self.addLegend(offset=(-4, 4), labelTextSize="8pt", verSpacing=-6)
        self.retheme()
        self.scene().sigMouseClicked.connect(self._clicked)

    def _offer_ways(self) -> None:
        """Put the list of projections into the corner, next to the title."""
        self.way.setParent(self)
        self.way.setObjectName("projectionCombo")
        self.way.setAccessibleName(tr("How the rows are projected"))
        for name, title in SETTINGS["projection"].choices():
            self.way.addItem(name.upper(), name)
            self.way.setItemData(self.way.count() - 1, tr(title), Qt.ItemDataRole.ToolTipRole)
        self.way.currentIndexChanged.connect(lambda: self.way_chosen.emit(self.way.currentData()))

    _corner: tuple[float, float] = (0.0, 0.0)

    def show_ways(self, chosen: str, missing: Mapping[str, str]) -> None:
        """Show the chosen projection; `missing` has the projections that are unavailable, with the reasons."""
        with QSignalBlocker(self.way):
            self.way.setCurrentIndex(self.way.findData(chosen))
        self.way.setToolTip(self.way.currentData(Qt.ItemDataRole.ToolTipRole))
        model = self.way.model()
        assert isinstance(model, QStandardItemModel)
        for place in range(self.way.count()):
            why = missing.get(self.way.itemData(place))
            model.item(place).setEnabled(why is None)
            if why is not None:
                model.item(place).setToolTip(why)

    def room_beside(self) -> int:
        return 2 * self.way.sizeHint().width()  # twice, because the title is centred

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        size = self.way.sizeHint()
        self.way.setGeometry(self.width() - size.width(), 0, size.width(), size.height())

    def say(self, words: str) -> None:
        """Show a message instead of points: nothing to show yet, or the reason."""
        self.shown, self._words, self.pointed_out = None, words, -1
        self._draw()

    def show_points(self, projected: Projected) -> None:
        self.shown, self._words = projected, ""
        self._draw()
        self.getPlotItem().autoRange()

    def retheme(self) -> None:
        super().retheme()
        if hasattr(self, "legend"):
            colours = theme.current()
            ground = QColor(colours.surface)
            ground.setAlpha(160)
            self.legend.setBrush(ground)
            self.legend.setLabelTextColor(colours.text)
            self._draw()

    def _draw(self) -> None:
        self.clear()
        self.legend.clear()
        shown = self.shown
        self.set_heading(self._title())
        for number, side in enumerate(("bottom", "left")):
            self.name_axis(side, "" if shown is None else _direction(shown.way, number, shown.shares[number]))
        if shown is None or not shown.rows.size:
            return
        for mark in range(min(DISTINCT, max(1, len(shown.classes)))):
            self._add_class(shown, mark)
        self._draw_rings()
        self._put_legend_aside(shown.points)
        self.legend.setVisible(self._legend_is_small() and not self._legend_covers(shown.points))

    @contextmanager
    def exporting(self) -> Iterator[None]:
        """Show the legend in exported pictures: in the window, the class bars next to the plot are the legend."""
        self.legend.setVisible(bool(self.legend.items))
        try:
            yield
        finally:
            shown = self.shown
            covers = shown is not None and self._legend_covers(shown.points)
            self.legend.setVisible(self._legend_is_small() and not covers)

    def _legend_is_small(self) -> bool:
        names = () if self.shown is None else self.shown.classes
        return 1 < len(names) <= MOST_SHOWN and max(map(len, names)) <= _SHORT

    def _add_class(self, shown: Projected, mark: int) -> None:
        """Draw all classes of this colour and marker: several classes share both only beyond a hundred classes."""
        chosen = shown.codes % DISTINCT == mark
        colour = QColor(class_colour(mark))
        outline = pg.mkPen(colour, width=1)
        filling = QColor(colour)
        filling.setAlpha(96)
        points = pg.ScatterPlotItem(
            pos=shown.points[chosen],
            symbol=class_marker(mark),
            size=_SIZE if shown.rows.size <= _MANY else _SIZE - 2,
            pen=outline,
            brush=filling,
            pxMode=True,
        )
        self.addItem(points)
        if 1 < len(shown.classes) <= MOST_IN_LEGEND:
            self.legend.addItem(points, html.escape(shortened(shown.classes[mark], 30)))

    def ring(self, rows: np.ndarray | None) -> None:
        """Draw rings around the rows that a table shows; if it shows all rows, there are no rings."""
        total = 0 if self.shown is None else self.shown.total
        if rows is None or len(rows) >= total:
            if self._ringed is None:
                return
            self._ringed = None
        else:
            self._ringed = np.zeros(total, dtype=bool)
            self._ringed[rows] = True
        self.pointed_out = -1
        self._draw_rings()

    def point_out(self, row: int) -> None:
        """Highlight the row that is selected in a table."""
        if row != self.pointed_out:
            self.pointed_out = row
            self._draw_rings()

    @property
    def ringed(self) -> tuple[int, ...]:
        """The rows of the data set that have rings."""
        if self._ringed is None or self.shown is None:
            return ()
        return tuple(self.shown.rows[self._ringed[self.shown.rows]].tolist())

    def _draw_rings(self) -> None:
        """Draw the rings again, without the points: those take 20 ms."""
        for item in [item for item in self.getPlotItem().items if isinstance(item, Rings)]:
            self.removeItem(item)
        shown, colours = self.shown, theme.current()
        if shown is None:
            return
        if self._ringed is not None:
            self._rings(shown.points[self._ringed[shown.rows]], pg.mkPen(colours.text, width=1))
        self._rings(shown.points[shown.rows == self.pointed_out], pg.mkPen(colours.accent, width=3))

    def _rings(self, points: np.ndarray, pen: QPen) -> None:
        if len(points):
            self.addItem(Rings(pos=points, symbol="o", size=_RING, pen=pen, brush=None, pxMode=True))

    def _title(self) -> str:
        shown = self.shown
        if shown is None:
            return self._words
        if not shown.points.any():
            return tr("No two rows differ in any number")
        some = shown.rows.size < shown.total
        which = tr("{some} of {total} rows", some=count(shown.rows.size), total=count(shown.total))
        words = tr("Projection: {which}", which=which) if some else self.titled
        if shown.left_out:
            left_out = ", ".join(shortened(name, 20) for name in shown.left_out[:2])
            words += tr(", without {columns}", columns=left_out + (", …" if len(shown.left_out) > 2 else ""))
        return words

    # -- a row under the pointer ------------------------------------------------------------------

    def row_at(self, where: QPointF) -> int | None:
        """Return the position, among the points shown, of the point nearest to this place of the scene, or None."""
        if self.shown is None or not self.shown.rows.size:
            return None
        spot = self.getViewBox().mapSceneToView(where)
        across, down = self.getViewBox().viewPixelSize()
        steps = (self.shown.points - (spot.x(), spot.y())) / (across, down)
        distances = np.hypot(steps[:, 0], steps[:, 1])
        nearest = int(distances.argmin())
        return nearest if distances[nearest] <= _NEAR else None

    def _clicked(self, event: Any) -> None:
        if event.button() is Qt.MouseButton.LeftButton and not event.double():
            place = self.row_at(event.scenePos())
            if place is not None and self.shown is not None:
                self.point_out(int(self.shown.rows[place]))
                self.row_clicked.emit(self.pointed_out)

    def named_at(self, where: QPointF) -> str | None:
        place, shown = self.row_at(where), self.shown
        if place is None or shown is None:
            return None
        row = count(int(shown.rows[place]) + 1 if shown.numbers is None else int(shown.numbers[place]))
        if not shown.classes:
            return tr("row {row}", row=row)
        return tr("row {row}: {name}", row=row, name=shortened(shown.classes[shown.codes[place]], 30))

    def _legend_covers(self, points: np.ndarray) -> bool:
        """Return whether points lie behind the legend; then the bars next to the plot serve as the legend."""
        x, y = self._corner
        across, down = self._legend_share()
        places = _relative_places(points)
        return bool(((abs(places[:, 0] - x) < across) & (abs(places[:, 1] - y) < down)).any())

    def _legend_share(self) -> tuple[float, float]:
        """Return the width and height of the legend as shares of the plot area."""
        names = () if self.shown is None else self.shown.classes
        metrics, area = self.fontMetrics(), self.area.rect()
        across = metrics.horizontalAdvance(max(names, key=len, default="")) + _KEY
        down = (len(names) + 0.5) * 1.2 * metrics.height()
        return min(across / max(area.width(), 1.0), 1.0), min(down / max(area.height(), 1.0), 1.0)

    def _put_legend_aside(self, points: np.ndarray) -> None:
        """Move the legend into the corner that holds the fewest points."""
        self._corner = x, y = freest_corner(_relative_places(points), *self._legend_share())
        self.legend.anchor((x, y), (x, y), offset=(4 - 8 * x, 4 - 8 * y))


def _relative_places(points: np.ndarray) -> np.ndarray:
    """Return the positions of points in the area, from 0 to 1, measured from its upper left corner."""
    low, high = points.min(axis=0), points.max(axis=0)
    places = (points - low) / np.maximum(high - low, 1e-300)
    return np.column_stack([places[:, 0], 1.0 - places[:, 1]])


def _direction(way: str, number: int, share: float) -> str:
    if way == "umap":
        return tr("UMAP {number}", number=number + 1)
    if way == "pca":
        return tr("component {number} ({share})", number=number + 1, share=percent(share))
    if not share:
        return tr("widest direction beside it")
    return tr("discriminant {number}: {share}", number=number + 1, share=percent(share))
