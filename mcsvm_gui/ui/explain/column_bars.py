"""One bar per column of the file, right or left of zero, with its number behind it, and an interval if known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor

from mcsvm_gui.ui.kit import theme
from mcsvm_gui.ui.kit.theme import UNIT
from mcsvm_gui.ui.plots.base import pen
from mcsvm_gui.ui.plots.class_marks import shortened
from mcsvm_gui.ui.plots.run_bars import FEWEST, BarPlot

MOST = 12  # limit on the bars; the remaining columns share one more
LETTERS = 60  # limit on the letters of a name
HEADING = 4 * UNIT  # pixels above the bars
PALE = 170  # opacity of the bars, of 255


@dataclass(frozen=True)
class ColumnBar:
    """`words` is the formatted number behind the bar, `interval` its ends."""

    label: str
    value: float
    words: str
    interval: tuple[float, float] | None = None


class ColumnBars(BarPlot):
    def __init__(self, name: str, title: str) -> None:
        self._bars: tuple[ColumnBar, ...] = ()
        self._colours: tuple[str, str] | None = None  # of bars on the right and on the left
        self._names_width = 0
        super().__init__(name, title)

    @property
    def bars(self) -> tuple[ColumnBar, ...]:
        return self._bars

    def show_bars(
        self, heading: str, bars: Sequence[ColumnBar], colours: tuple[str, str] | None = None, brief: str = ""
    ) -> None:
        """Show bars. `brief` is the heading if space is scarce."""
        self._bars, self._colours = tuple(bars), colours
        self.setAccessibleDescription("; ".join(f"{bar.label}: {bar.words}" for bar in bars))
        self.set_heading(heading, brief)
        self.setMinimumHeight(HEADING + (max(len(bars), FEWEST) + 1) * self.fontMetrics().height())
        self._draw()

    def _draw(self) -> None:
        """Draw all bars with a few items, because one item per bar would take milliseconds each."""
        self.clear()
        self.hideAxis("bottom")
        right, left = self._colours or (theme.current().accent, theme.current().accent)
        colours = [QColor(right if bar.value >= 0.0 else left) for bar in self._bars]
        for colour in colours:
            colour.setAlpha(PALE)
        places, widths = list(range(len(self._bars))), [bar.value for bar in self._bars]
        self.addItem(
            pg.BarGraphItem(x0=0, y=places, height=0.6, width=widths, brushes=colours, pen=pg.mkPen(None)),
            ignoreBounds=True,
        )
        self._draw_intervals()
        self.addItem(pg.InfiniteLine(0.0, pen=pen(theme.current().line)), ignoreBounds=True)
        for place, bar in enumerate(self._bars):
            end = max(bar.value, 0.0) if bar.interval is None else max(bar.interval[1], bar.value, 0.0)
            figure = pg.TextItem(bar.words, color=theme.current().text, anchor=(0.0, 0.5))
            figure.setPos(end, place)
            self.addItem(figure, ignoreBounds=True)
        self.fit()

    def _draw_intervals(self) -> None:
        known = [(place, bar.interval) for place, bar in enumerate(self._bars) if bar.interval is not None]
        if known:
            x = np.array([ends for _, ends in known]).ravel()
            y = np.repeat([place for place, _ in known], 2).astype(float)
            lines = pg.PlotCurveItem(x, y, connect="pairs", pen=pen(theme.current().text))
            self.addItem(lines, ignoreBounds=True)

    def title_room(self) -> int:
        return max(8 * UNIT, self.width() - self._names_width - 3 * UNIT)

    def fit(self) -> None:
        """Fit the range, and reserve parts of the width for the names and for the numbers behind the bars."""
        if not self._bars:
            super().fit()
            return
        letters = self.fontMetrics()
        names = [
            letters.elidedText(shortened(bar.label, LETTERS), Qt.TextElideMode.ElideMiddle, self.width() * 2 // 5)
            for bar in self._bars
        ]
        axis, names_width = self.getAxis("left"), max(map(letters.horizontalAdvance, names)) + 2 * UNIT
        axis.setTicks([list(enumerate(names))])
        axis.setWidth(names_width)
        self._names_width = names_width  # the axis gets this width only after the next layout
        figures = 4 * UNIT + max(letters.horizontalAdvance(bar.words) for bar in self._bars)
        room = max(2 * UNIT, self.width() - names_width - figures)
        ends = [end for bar in self._bars for end in (bar.value, *(bar.interval or ()))]
        low, high = min(0.0, *ends), max(0.0, *ends)
        reach = (high - low) or 1.0
        places = (-0.7, max(len(names), FEWEST) - 0.3)
        self.setRange(xRange=(low - 0.02 * reach, high + reach * figures / room), yRange=places, padding=0)
        super().fit()  # the heading has the width next to the names

    def named_at(self, where: QPointF) -> str | None:
        place = round(self.getViewBox().mapSceneToView(where).y())
        if not 0 <= place < len(self._bars):
            return None
        bar = self._bars[place]
        return f"{shortened(bar.label, LETTERS)}: {bar.words}"
