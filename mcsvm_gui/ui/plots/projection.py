"""The rows along their first two principal components, each class with its colour and its marker."""

from __future__ import annotations

import html
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor

from mcsvm_gui.core.base.figures import count, per_cent
from mcsvm_gui.ui.kit import theme
from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.plots.class_marks import DISTINCT, class_colour, class_marker, shortened
from mcsvm_gui.ui.plots.hover_title import HoverTitlePlot

if TYPE_CHECKING:
    from mcsvm_gui.core.data.projections.principal import Projected

MOST_IN_LEGEND, MOST_SHOWN, _SHORT = 20, 6, 14  # classes in pictures saved, and in the window if so short
_NEAR = 8.0  # pixels from the pointer to a point that is meant
_SIZE, _MANY = 7, 2_000


class Projection(HoverTitlePlot):
    def __init__(self) -> None:
        self._shown: Projected | None = None
        self._words = ""
        super().__init__("projectionPlot", tr("Projection"))
        self.legend = self.addLegend(offset=(-4, 4), labelTextSize="8pt", verSpacing=-6)
        self.retheme()

    def say(self, words: str) -> None:
        """Nothing to show yet, or why there is nothing."""
        self._shown, self._words = None, words
        self._draw()

    def show_points(self, projected: Projected) -> None:
        self._shown, self._words = projected, ""
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
        shown = self._shown
        self.set_heading(self._title())
        for number, side in enumerate(("bottom", "left")):
            self.name_axis(side, "" if shown is None else _component(number, shown.shares[number]))
        if shown is None or not shown.rows.size:
            return
        for mark in range(min(DISTINCT, max(1, len(shown.classes)))):
            self._add_class(shown, mark)
        self._put_legend_aside(shown.points)
        self.legend.setVisible(self._legend_is_small())

    @contextmanager
    def exporting(self) -> Iterator[None]:
        """Away from the bars, which are its key in the window, the picture needs its legend."""
        self.legend.setVisible(bool(self.legend.items))
        try:
            yield
        finally:
            self.legend.setVisible(self._legend_is_small())

    def _legend_is_small(self) -> bool:
        names = () if self._shown is None else self._shown.classes
        return 1 < len(names) <= MOST_SHOWN and max(map(len, names)) <= _SHORT

    def _add_class(self, shown: Projected, mark: int) -> None:
        """All classes of this colour and marker: only beyond a hundred classes are there several."""
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

    def _title(self) -> str:
        shown = self._shown
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
        """The position among the points shown of the one next to this place of the scene."""
        if self._shown is None or not self._shown.rows.size:
            return None
        spot = self.getViewBox().mapSceneToView(where)
        across, down = self.getViewBox().viewPixelSize()
        steps = (self._shown.points - (spot.x(), spot.y())) / (across, down)
        distances = np.hypot(steps[:, 0], steps[:, 1])
        nearest = int(distances.argmin())
        return nearest if distances[nearest] <= _NEAR else None

    def named_at(self, where: QPointF) -> str | None:
        place, shown = self.row_at(where), self._shown
        if place is None or shown is None:
            return None
        row = count(int(shown.rows[place]) + 1)
        if not shown.classes:
            return tr("row {row}", row=row)
        return tr("row {row}: {name}", row=row, name=shortened(shown.classes[shown.codes[place]], 30))

    def _put_legend_aside(self, points: np.ndarray) -> None:
        """Into the corner that holds the fewest points."""
        low, high = points.min(axis=0), points.max(axis=0)
        share = (points - low) / np.maximum(high - low, 1e-300)
        corners = [(0, 0), (1, 0), (0, 1), (1, 1)]  # across, down
        held = [
            int(((np.abs(share[:, 0] - x) < 0.4) & (np.abs(1.0 - share[:, 1] - y) < 0.4)).sum()) for x, y in corners
        ]
        x, y = corners[int(np.argmin(held))]
        self.legend.anchor((x, y), (x, y), offset=(4 - 8 * x, 4 - 8 * y))


def _component(number: int, share: float) -> str:
    return tr("component {number}: {share} of variance", number=number + 1, share=per_cent(share))
