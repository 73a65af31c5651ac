"""One bar per run with its number behind it; a part of each bar may be drawn stronger."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pyqtgraph as pg
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor

from mcsvm_gui.ui.kit import theme
from mcsvm_gui.ui.kit.theme import UNIT
from mcsvm_gui.ui.plots.hover_title import HoverTitlePlot

PALE, STRONG = 120, 230  # opacities, of 255
FEWEST = 6  # keeps the bars thin if there are few runs


@dataclass(frozen=True)
class Bar:
    """`part` of `value` is drawn stronger; a `value` of None is unknown."""

    label: str
    machine: str
    value: float | None
    part: float | None = None


class BarPlot(HoverTitlePlot):
    """Horizontal bars, the first one at the top. The constructor of the base class already calls `_draw`."""

    def __init__(self, name: str, title: str) -> None:
        super().__init__(name, title)
        self.setMouseEnabled(x=False, y=False)
        self.getViewBox().invertY(True)

    def retheme(self) -> None:
        super().retheme()
        self.getPlotItem().showGrid(x=False, y=False)
        self.getAxis("left").setStyle(tickLength=0)
        self._draw()

    def _draw(self) -> None:
        raise NotImplementedError


class RunBars(BarPlot):
    def __init__(self, name: str, title: str, written: Callable[[Bar], str]) -> None:
        self._bars: tuple[Bar, ...] = ()
        self._written = written
        super().__init__(name, title)

    def show_bars(self, bars: Sequence[Bar]) -> None:
        self._bars = tuple(bars)
        self.setAccessibleDescription("; ".join(f"{bar.label}: {self._written(bar)}" for bar in bars))
        self._draw()

    def _draw(self) -> None:
        """Draw a few items for all bars: one item per bar would take milliseconds each."""
        self.clear()
        self.hideAxis("bottom")
        self._draw_lengths([bar.value or 0.0 for bar in self._bars], PALE)
        self._draw_lengths([bar.part or 0.0 for bar in self._bars], STRONG)
        styles = [theme.machine_style(bar.machine) for bar in self._bars]
        ends = pg.ScatterPlotItem(
            [bar.value or 0.0 for bar in self._bars],
            list(range(len(self._bars))),
            symbol=[style.marker for style in styles],
            brush=[QColor(style.colour) for style in styles],
            size=UNIT + 1,
            pen=pg.mkPen(None),
        )
        self.addItem(ends, ignoreBounds=True)
        for place, bar in enumerate(self._bars):
            figure = pg.TextItem(self._written(bar), color=theme.current().text, anchor=(-0.15, 0.5))
            figure.setPos(bar.value or 0.0, place)
            self.addItem(figure, ignoreBounds=True)
        self.fit()

    def _draw_lengths(self, lengths: Sequence[float], alpha: int) -> None:
        colours = [QColor(theme.machine_style(bar.machine).colour) for bar in self._bars]
        for colour in colours:
            colour.setAlpha(alpha)
        places = list(range(len(lengths)))
        bars = pg.BarGraphItem(x0=0, y=places, height=0.5, width=list(lengths), brushes=colours, pen=pg.mkPen(None))
        self.addItem(bars, ignoreBounds=True)

    def fit(self) -> None:
        """Divide the width between the names, the bars, and the numbers behind the bars."""
        super().fit()
        if not self._bars:
            return
        letters = self.fontMetrics()
        names = [letters.elidedText(bar.label, Qt.TextElideMode.ElideMiddle, self.width() // 3) for bar in self._bars]
        axis, names_width = self.getAxis("left"), max(map(letters.horizontalAdvance, names)) + 2 * UNIT
        axis.setTicks([list(enumerate(names))])
        axis.setWidth(names_width)
        figures = 5 * UNIT + max(letters.horizontalAdvance(self._written(bar)) for bar in self._bars)
        room = max(2 * UNIT, self.width() - names_width - figures)
        most = max((bar.value or 0.0) for bar in self._bars) or 1.0
        places = (-0.7, max(len(names), FEWEST) - 0.3)
        self.setRange(xRange=(0.0, most * (room + figures) / room), yRange=places, padding=0)

    def named_at(self, where: QPointF) -> str | None:
        place = round(self.getViewBox().mapSceneToView(where).y())
        if not 0 <= place < len(self._bars):
            return None
        bar = self._bars[place]
        return f"{bar.label}: {self._written(bar)}"
