"""Curves of several runs in the unit square: ROC, precision-recall, reliability, with bands behind them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPen

from mcsvm_gui.core.base import figures
from mcsvm_gui.core.compare import variants
from mcsvm_gui.core.evaluate.curves import Line
from mcsvm_gui.ui.kit import theme
from mcsvm_gui.ui.plots.base import freest_corner, pen
from mcsvm_gui.ui.plots.lines import ROOM, LinePlot, LineStyle

BAND = 36  # opacity, of 255
PLACES = 200  # points along each line that the legend avoids


@dataclass(frozen=True, eq=False)
class RunLine:
    """`band` holds horizontal places, lower and upper values."""

    run: int
    label: str
    machine: str
    line: Line
    band: tuple[np.ndarray, np.ndarray, np.ndarray] | None = None


class UnitPlot(LinePlot):
    """`key` is the preferred corner of the legend; `chance` adds the diagonal; `dots` marks each point of a line."""

    limits: Mapping[str, tuple[float, float]] = {"bottom": (0.0, 1.0), "left": (0.0, 1.0)}

    def __init__(
        self,
        name: str,
        title: str,
        bottom: str,
        left: str,
        *,
        key: tuple[float, float],
        chance: bool,
        dots: bool = False,
    ) -> None:
        self.dots = dots
        self._lines: tuple[RunLine, ...] = ()
        self._bands: list[pg.FillBetweenItem] = []
        self._chance = pg.PlotDataItem([0.0, 1.0], [0.0, 1.0]) if chance else None
        self._corner = key
        super().__init__(name, title, bottom, left)
        if self._chance is not None:
            self.addItem(self._chance)
        self.area.setAspectLocked(False)
        self._show()

    def fit(self) -> None:
        self.setRange(xRange=(0.0, 1.0), yRange=(0.0, 1.0), padding=0.02)
        self.finish()

    def retheme(self) -> None:
        super().retheme()
        if self._built:
            self._show()

    def show_lines(self, lines: Sequence[RunLine]) -> None:
        self._lines = tuple(lines)
        self._show()
        self.fit()

    @property
    def shown(self) -> tuple[RunLine, ...]:
        return self._lines

    def _show(self) -> None:
        if self._chance is not None:
            self._chance.setPen(pen(theme.current().muted, (4.0, 4.0)))
        for run in self.runs - {one.run for one in self._lines}:
            self.drop(run)
        for band in self._bands:
            self.removeItem(band)
        self._bands = []
        self.labels = {one.run: one.label for one in self._lines}
        numbers = variants.numbers([one.machine for one in self._lines])
        for one, number in zip(self._lines, numbers, strict=True):
            self._put(one, theme.machine_style(one.machine, number))
        self.relabel()
        self.finish()

    def _put(self, one: RunLine, style: theme.MachineStyle) -> None:
        self.put(LineStyle(one.run, "", one.label, style), one.line)
        curve = self._curves[one.run, ""]
        if self.dots:
            curve.setSymbol(style.marker)
            curve.setSymbolSize(8)
            curve.setSymbolBrush(pg.mkBrush(style.colour))
            curve.setSymbolPen(pen(style.colour))
        if one.band is not None:
            places, low, high = one.band
            edges = [pg.PlotCurveItem(places, edge) for edge in (low, high)]
            colour = QColor(style.colour)
            colour.setAlpha(BAND)
            band = pg.FillBetweenItem(*edges, brush=pg.mkBrush(colour), pen=QPen(Qt.PenStyle.NoPen))
            band.setZValue(-10)
            self._bands.append(band)
            self.addItem(band, ignoreBounds=True)

    def _show_key(self) -> None:
        """Show the legend for a single run too: its entry has the area under the curve."""
        self.key.setVisible(bool(self.key.items) and (self.height() >= ROOM or self._exporting))

    def _follow(self) -> None:
        """Move the legend, now that ranges and sizes are known, to the corner in which it covers least of the lines."""
        super()._follow()
        width, height = self.area.width() or 1.0, self.area.height() or 1.0
        across, down = (self.key.width() + theme.UNIT) / width, (self.key.height() + theme.UNIT) / height
        corner = freest_corner(self._shares(), across, down, self._corner)
        self.key.anchor(corner, corner, offset=tuple(round(theme.UNIT * (1 - 2 * side)) for side in corner))

    def _shares(self) -> np.ndarray:
        """Return places along the lines, as shares of the area measured from its upper left."""
        (left, right), (bottom, top) = self.area.viewRange()
        found = [_along((x - left) / (right - left), (top - y) / (top - bottom)) for x, y in self._drawn()]
        return np.concatenate([np.empty((0, 2)), *found])

    def _drawn(self) -> list[Line]:
        return [one.line for one in self._lines]

    def written(self, value: float) -> str:
        return figures.fixed(value, 3)


def _along(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return places at equal distances along a line."""
    seen = np.isfinite(x) & np.isfinite(y)
    x, y = x[seen], y[seen]
    if not x.size:
        return np.empty((0, 2))
    way = np.concatenate([[0.0], np.cumsum(np.hypot(np.diff(x), np.diff(y)))])
    places = np.linspace(0.0, way[-1], PLACES)
    return np.column_stack([np.interp(places, way, x), np.interp(places, way, y)])
