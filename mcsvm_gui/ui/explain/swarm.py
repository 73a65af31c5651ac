"""Shapley values of many rows as points: a beeswarm of the columns that matter most, and one column by its values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor

from mcsvm_gui.core.base import figures
from mcsvm_gui.ui.kit import theme
from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.kit.theme import UNIT
from mcsvm_gui.ui.plots.base import pen
from mcsvm_gui.ui.plots.class_marks import shortened
from mcsvm_gui.ui.plots.hover_title import HoverTitlePlot

MOST = 10  # limit on the columns of a beeswarm
SHADES = 9  # colours from small to large values; Qt paints a picture of a point once for each
LOW, HIGH = "#3b6fd4", "#e2572b"  # distinguishable with colour blindness, on light and on dark backgrounds
SIZES = np.linspace(3.0, 8.0, SHADES)  # size in pixels of a point in each shade, so that colour is not the only sign
HALF = 0.38  # half the height of a swarm
NEAR = 8.0  # pixels within which a point counts as under the pointer


@dataclass(frozen=True, eq=False)
class Swarm:
    label: str
    values: np.ndarray  # (rows,) Shapley values
    numbers: np.ndarray  # (rows,) numbers in the file


def shades(numbers: np.ndarray) -> np.ndarray:
    """Return the (rows,) shades from 0 to SHADES - 1 by rank; equal numbers get equal shades."""
    _, codes = np.unique(numbers, return_inverse=True)
    most = max(int(codes.max(initial=0)), 1)
    return np.asarray(codes * (SHADES - 1) // most)


def brushes() -> list[QColor]:
    low, high = QColor(LOW), QColor(HIGH)

    def mixed(share: float) -> QColor:
        parts = ((low.red(), high.red()), (low.green(), high.green()), (low.blue(), high.blue()))
        red, green, blue = (round((1.0 - share) * a + share * b) for a, b in parts)
        return QColor(red, green, blue, 200)

    return [mixed(number / (SHADES - 1)) for number in range(SHADES)]


def heights(values: np.ndarray) -> np.ndarray:
    """Return the (rows,) heights, within HALF of zero, that spread points with similar values."""
    if not values.size:
        return np.zeros(0)
    reach = float(values.max() - values.min()) or 1.0
    bins = np.round((values - values.min()) / reach * 60.0).astype(np.int64)
    order = np.argsort(bins, kind="stable")
    starts = np.searchsorted(bins[order], bins[order])
    rank = np.empty(values.size, dtype=np.int64)
    rank[order] = np.arange(values.size) - starts
    steps = (rank + 1) // 2 * np.where(rank % 2, 1.0, -1.0)
    return np.asarray(steps * min(0.07, HALF / max(float(np.abs(steps).max()), 1.0)))


class RowPoints(HoverTitlePlot):
    """Points in shades, each with the number and names of its row."""

    def __init__(self, name: str, title: str) -> None:
        self._of_rows: Sequence[str] = ()
        self._at = np.zeros((0, 2))
        self._words: list[str] = []
        super().__init__(name, title)

    def draw_points(self, at: np.ndarray, shade: np.ndarray, rows: Sequence[str]) -> None:
        self._at, self._of_rows = at, rows
        colours = brushes()
        for number in range(SHADES):
            chosen = shade == number
            if chosen.any():
                item = pg.ScatterPlotItem(
                    pos=at[chosen], size=SIZES[number], pen=pg.mkPen(None), brush=colours[number], pxMode=True
                )
                self.addItem(item)

    def named_at(self, where: QPointF) -> str | None:
        if not len(self._at):
            return None
        spot = self.getViewBox().mapSceneToView(where)
        across, down = self.getViewBox().viewPixelSize()
        steps = (self._at - (spot.x(), spot.y())) / (across, down)
        distances = np.hypot(steps[:, 0], steps[:, 1])
        nearest = int(distances.argmin())
        if distances[nearest] > NEAR:
            return None
        return tr(
            "row {row}: {value}",
            row=self._of_rows[nearest],
            value=figures.number(self._value(nearest), signed=True),
        )

    def _value(self, point: int) -> float:
        raise NotImplementedError


class BeeswarmPlot(RowPoints):
    def __init__(self) -> None:
        self._swarms: tuple[Swarm, ...] = ()
        self._names_width = 0
        self._rows: Sequence[str] = ()
        super().__init__("beeswarmPlot", tr("Values of all rows"))
        self.setToolTip(tr("Large and orange: a large number in the file; small and blue: a small one"))
        self.setMouseEnabled(x=True, y=False)
        self.getViewBox().invertY(True)

    def show_swarms(self, swarms: Sequence[Swarm], rows: Sequence[str]) -> None:
        self._swarms, self._rows = tuple(swarms[:MOST]), rows
        self._draw()

    @property
    def swarms(self) -> tuple[Swarm, ...]:
        return self._swarms

    def retheme(self) -> None:
        super().retheme()
        self._draw()

    def _draw(self) -> None:
        self.clear()
        self.getPlotItem().showGrid(x=True, y=False, alpha=0.3)
        self.getAxis("left").setStyle(tickLength=0)
        self.set_heading(tr("One dot per row; large dot: large value"), tr("Dot size: value"))
        self.name_axis("bottom", tr("Shapley value"))
        self.addItem(pg.InfiniteLine(0.0, pen=pen(theme.current().muted)), ignoreBounds=True)
        if self._swarms:
            at = [np.column_stack([one.values, place + heights(one.values)]) for place, one in enumerate(self._swarms)]
            shade = np.concatenate([shades(one.numbers) for one in self._swarms])
            self.draw_points(np.vstack(at), shade, [*self._rows] * len(self._swarms))
        self.fit()

    def _value(self, point: int) -> float:
        return float(self._at[point, 0])

    def title_room(self) -> int:
        return max(8 * UNIT, self.width() - self._names_width - 3 * UNIT)

    def fit(self) -> None:
        if not self._swarms:
            super().fit()
            return
        letters = self.fontMetrics()
        names = [
            letters.elidedText(shortened(one.label, 60), Qt.TextElideMode.ElideMiddle, self.width() * 2 // 5)
            for one in self._swarms
        ]
        self.getAxis("left").setTicks([list(enumerate(names))])
        self._names_width = max(map(letters.horizontalAdvance, names)) + 2 * UNIT
        self.getAxis("left").setWidth(self._names_width)
        ends = np.concatenate([one.values for one in self._swarms])
        low, high = float(ends.min(initial=0.0)), float(ends.max(initial=0.0))
        self.setRange(xRange=(low, high if high > low else low + 1.0), yRange=(-0.6, len(names) - 0.4), padding=0.02)
        super().fit()  # the heading has the width next to the names


class DependencePlot(RowPoints):
    def __init__(self) -> None:
        self._shown: Swarm | None = None
        self._partner: Swarm | None = None
        self._levels: tuple[str, ...] = ()
        self._rows: Sequence[str] = ()
        super().__init__("dependencePlot", tr("Dependence on a column"))

    def show_column(
        self, shown: Swarm | None, partner: Swarm | None, levels: Sequence[str], rows: Sequence[str]
    ) -> None:
        """Show one column. `levels` are the texts of a category, whose numbers are their places."""
        self._shown, self._partner, self._levels, self._rows = shown, partner, tuple(levels), rows
        self._draw()

    @property
    def partner(self) -> Swarm | None:
        return self._partner

    def retheme(self) -> None:
        super().retheme()
        self._draw()

    def _draw(self) -> None:
        self.clear()
        shown = self._shown
        if shown is None:
            self.set_heading(self.titled)
            return
        partner = self._partner
        self.set_heading(
            shortened(shown.label, 40)
            if partner is None
            else tr(
                "large dots: large {partner}",
                partner=shortened(partner.label, 40),
            )
        )
        self.name_axis("bottom", shortened(shown.label, 40))
        self.name_axis("left", tr("Shapley value"))
        self.getAxis("bottom").setTicks(
            [[(place, shortened(level, 12)) for place, level in enumerate(self._levels)]] if self._levels else None
        )
        self.addItem(pg.InfiniteLine(0.0, angle=0, pen=pen(theme.current().muted)), ignoreBounds=True)
        shade = np.full(shown.values.size, SHADES // 2) if partner is None else shades(partner.numbers)
        self.draw_points(np.column_stack([shown.numbers, shown.values]), shade, self._rows)
        self.getPlotItem().autoRange()

    def _value(self, point: int) -> float:
        return float(self._at[point, 1])
