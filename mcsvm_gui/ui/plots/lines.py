"""A plot of several runs: one curve object per line, a mark at each end, a legend, and values under the pointer."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, Qt, Signal
from PySide6.QtGui import QColor, QResizeEvent
from PySide6.QtWidgets import QLabel

from mcsvm_gui.core.base import figures
from mcsvm_gui.core.evaluate import curves
from mcsvm_gui.core.evaluate.curves import Line
from mcsvm_gui.ui.kit import theme
from mcsvm_gui.ui.plots.base import Plot, pen
from mcsvm_gui.ui.plots.end_labels import EndLabel, EndLabels

FAINT = 160  # opacity of secondary lines, of 255
KEY_OFFSET = {0.0: theme.UNIT, 0.5: 0, 1.0: -theme.UNIT}
LABELLED = 200  # height in pixels from which on the lower axis has a name
MARGIN = 0.03  # share of the width, left and right
PALE = 60  # opacity of all other lines while one run is highlighted, of 255
NEAR = 12  # largest distance in pixels between the pointer and a line that it points at
ROOM = 300  # height in pixels that a legend of many runs needs


@dataclass(frozen=True)
class LineStyle:
    """Colour and name of a line; `kind` says which values of its run it shows."""

    run: int
    kind: str
    words: str
    style: theme.MachineStyle
    faint: bool = False

    @property
    def colour(self) -> QColor:
        colour = QColor(self.style.colour)
        if self.faint:
            colour.setAlpha(FAINT)
        return colour


class LinePlot(Plot):
    """`put` adds or changes lines by key, `drop` removes them; `finish` after a batch paints once."""

    reach: tuple[float, float] | None = None  # the horizontal range that all plots of a page show
    following = True  # until the user zooms
    key_height = 0.0  # position of the legend: 0 at the top, 1 at the bottom, so that it hides no line's end
    _built = False
    _dirty_key = False
    labels: Mapping[int, str] = {}  # names of the runs if there are several
    named_at_ends = False  # instead of a legend
    room = 0.0  # smallest width in pixels for names at the ends of lines: the same for plots that share an axis
    marked: int | None = None  # the highlighted run; the others are faint
    pointed = Signal(object)  # the run whose line is under the pointer, or None

    def __init__(self, name: str, title: str, bottom: str, left: str) -> None:
        self._curves: dict[tuple[int, str], pg.PlotDataItem] = {}
        self._looks: dict[tuple[int, str], LineStyle] = {}
        self._data: dict[tuple[int, str], Line] = {}
        self._log = (False, False)
        self._exporting = False
        super().__init__(name, title, bottom, left)
        self._ends = pg.ScatterPlotItem(pxMode=True, size=8)
        self._ends.setZValue(10)
        self.addItem(self._ends, ignoreBounds=True)
        self.key = self.getPlotItem().addLegend(labelTextSize="8pt", verSpacing=-4)
        self.key.anchor((1, self.key_height), (1, self.key_height), offset=(-theme.UNIT, KEY_OFFSET[self.key_height]))
        self._names = EndLabels(self.area)
        self._pointed: int | None = None
        self._hair = pg.InfiniteLine(angle=90)
        self._hair.hide()
        self.addItem(self._hair, ignoreBounds=True)
        self._values = QLabel(self)
        self._values.setObjectName(f"{name}Values")
        self._values.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._values.hide()
        self.scene().sigMouseMoved.connect(self._look_at)
        self.area.sigRangeChangedManually.connect(self._let_go)
        self.area.sigResized.connect(lambda *_: self._follow())
        self._built = True
        self._recolour()

    def retheme(self) -> None:
        super().retheme()
        if self._built:
            self._recolour()
            self._show_bottom()

    def _recolour(self) -> None:
        colours = theme.current()
        self._hair.setPen(pen(colours.muted))
        self.key.setLabelTextColor(colours.text)
        self.key.setBrush(pg.mkBrush(_with_alpha(colours.surface, 150)))
        self._values.setStyleSheet(
            f"background: {colours.raised}; color: {colours.text}; border: 1px solid {colours.line};"
            f" padding: {theme.UNIT // 2}px;"
        )
        self._name_lines()

    # -- lines ------------------------------------------------------------------------------------

    def put(self, look: LineStyle, line: Line) -> None:
        key = look.run, look.kind
        curve = self._curves.get(key) or self._add(key)
        if self._looks.get(key) != look:
            self._looks[key] = look
            self._draw_in(key)
            self._dirty_key = True
        self._data[key] = line
        curve.setData(*line)

    def _draw_in(self, key: tuple[int, str]) -> None:
        look = self._looks[key]
        self._curves[key].setPen(pen(self._colour(look), look.style.dash))

    def _colour(self, look: LineStyle) -> QColor:
        """Return the colour of a line, paler if another run is highlighted."""
        colour = look.colour
        if self.marked not in (None, look.run):
            colour.setAlpha(min(colour.alpha(), PALE))
        return colour

    def mark(self, run: int | None) -> None:
        """Highlight the lines of this run; None: all lines look alike."""
        self.let_stand_out(run if run in self.runs else None)

    def let_stand_out(self, run: int | None) -> None:
        if run != self.marked:
            self.marked = run
            for key in self._curves:
                self._draw_in(key)
            self.finish()

    def _add(self, key: tuple[int, str]) -> pg.PlotDataItem:
        curve = self._curves[key] = pg.PlotDataItem(antialias=True)  # cheap at a width of one
        self.addItem(curve)
        curve.setDownsampling(auto=True, method="peak")
        curve.setClipToView(True)
        return curve

    def drop(self, run: int, kinds: Sequence[str] | None = None) -> None:
        """Remove all lines of a run, or only those of some kinds."""
        for key in [key for key in self._curves if key[0] == run and (kinds is None or key[1] in kinds)]:
            self.removeItem(self._curves.pop(key))
            del self._looks[key], self._data[key]
            self._dirty_key = True

    @property
    def runs(self) -> set[int]:
        return {run for run, _ in self._curves}

    def finish(self) -> None:
        """Update marks, legend and ranges, then paint everything once instead of twice."""
        self._mark_ends()
        if self._dirty_key:
            self._name_lines()
        self._follow()
        self.scene().prepareForPaint()

    def _follow(self) -> None:
        """Show the whole horizontal range, and leave room for names at the ends of lines."""
        if self.following and self.reach is not None:
            low, high = _logarithms(self.reach, self._log[0])
            width = (1.0 - 2.0 * MARGIN) * max(self.area.width(), 1.0)
            beyond = min(max(self.room, self.names_room()) / width, 0.5)  # share of the width
            self.setXRange(low, high + (high - low) * beyond / (1.0 - beyond), padding=MARGIN)

    def _mark_ends(self) -> None:
        keys = [key for key in self._curves if self._data[key][0].size]
        ends = np.array([[self._data[key][0][-1], self._data[key][1][-1]] for key in keys]).reshape(-1, 2)
        with np.errstate(divide="ignore", invalid="ignore"):
            for axis in (0, 1):
                if self._log[axis]:
                    ends[:, axis] = np.log10(ends[:, axis])
        seen = np.flatnonzero(np.isfinite(ends).all(axis=1))
        looks = [self._looks[keys[i]] for i in seen]
        self._ends.setData(
            x=ends[seen, 0],
            y=ends[seen, 1],
            symbol=[look.style.marker for look in looks],
            brush=[pg.mkBrush(self._colour(look)) for look in looks],
            pen=None,
        )
        if self.named_at_ends:
            self._name_ends([(keys[i], (float(ends[i, 0]), float(ends[i, 1]))) for i in seen])

    def _name_ends(self, ends: Sequence[tuple[tuple[int, str], tuple[float, float]]]) -> None:
        several, named = len(self.runs) > 1, self._named()
        shown = [(named[key], end) for key, end in ends if key in named]
        self._names.show_labels(
            [
                EndLabel(self._called(look), end, self._colour(look), several and look.run == self.marked)
                for look, end in shown
            ]
        )

    def _named(self) -> dict[tuple[int, str], LineStyle]:
        """Return the lines to name: all lines of a single run, or the first line of each of several runs."""
        if len(self._looks) < 2:
            return {}
        first, several = dict(reversed(self._looks)), len(self.runs) > 1
        return {key: look for key, look in self._looks.items() if not several or first[key[0]] == key[1]}

    def names_room(self) -> float:
        """Return how many pixels the names at the ends of lines need."""
        return self._names.room([self._called(look) for look in self._named().values()]) if self.named_at_ends else 0.0

    def set_log(self, x: bool, y: bool) -> None:
        if (x, y) != self._log:
            self._log = (x, y)
            self.setLogMode(x, y)
            self.fit()
            self.finish()

    def relabel(self) -> None:
        """Mark the legend as outdated, because names of runs have changed; `finish` rebuilds it."""
        self._dirty_key = True

    def _let_go(self) -> None:
        self.following = False

    def fit(self) -> None:
        self.following = True
        super().fit()
        self.finish()

    # -- legend -----------------------------------------------------------------------------------

    def _name_lines(self) -> None:
        """Fill the legend: one entry per kind for a single run, one entry per run for several runs."""
        self._dirty_key = False
        self.key.clear()
        if self.named_at_ends:
            self._mark_ends()
            return
        for key, look in sorted(self._looks.items(), key=lambda entry: self._place(entry[1].run)):
            first = next(kind for run, kind in self._looks if run == key[0])
            if not self._crowded or key[1] == first:
                self.key.addItem(self._curves[key], escape(self._called(look)))
        self._show_key()

    @property
    def _crowded(self) -> bool:
        return len(self.runs) > 1

    def _place(self, run: int) -> int:
        """Return the position of a run in the order that the whole page uses."""
        return list(self.labels).index(run) if run in self.labels else 0

    def _called(self, look: LineStyle) -> str:
        return self.labels.get(look.run, str(look.run)) if self._crowded else look.words

    def _show_key(self) -> None:
        fits = self.height() >= ROOM or not self._crowded
        self.key.setVisible(len(self.key.items) > 1 and (fits or self._exporting))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._built:
            self._show_key()
            self._show_bottom()

    def close(self) -> bool:
        """Stop arranging first: closing resizes the plot when its parts no longer exist."""
        self._built = False
        return super().close()

    def _show_bottom(self) -> None:
        """Hide the name of the lower axis in a low plot, which needs the room; a control next to it has the name."""
        self.getAxis("bottom").showLabel(self.height() >= LABELLED or self._exporting)

    def name_axis(self, side: str, words: str) -> None:
        super().name_axis(side, words)
        self._show_bottom()

    @contextmanager
    def exporting(self) -> Iterator[None]:
        """Show the legend and the axis name: a file is read without the window's own legend."""
        self._exporting = True
        self._hair.hide()
        self._show_key()
        self._show_bottom()
        try:
            yield
        finally:
            self._exporting = False
            self._show_key()
            self._show_bottom()

    # -- values under the mouse -------------------------------------------------------------------

    def _look_at(self, place: QPointF) -> None:
        if not self._looks or not self.area.sceneBoundingRect().contains(place):
            self._look_away()
            return
        seen = self.area.mapSceneToView(place).x()
        self._hair.setPos(seen)
        self._hair.show()
        rows = self._rows(10.0**seen if self._log[0] else seen)
        self._values.setText(f"<table cellspacing='0' cellpadding='1'>{''.join(rows)}</table>")
        self._values.setVisible(bool(rows))
        self._values.adjustSize()
        self._point(self._nearest(place))
        beside = place.x() + theme.UNIT * 2
        if beside + self._values.width() > self.width():
            beside = place.x() - theme.UNIT * 2 - self._values.width()
        self._values.move(max(int(beside), 0), theme.UNIT * 3)

    def _nearest(self, place: QPointF) -> int | None:
        """Return the run whose line is nearest to this place of the scene, if it is near."""
        found: list[tuple[float, int]] = []
        seen = self.area.mapSceneToView(place).x()
        for key, line in self._data.items():
            value = curves.at(line, 10.0**seen if self._log[0] else seen)
            if value is None or not np.isfinite(value) or (self._log[1] and value <= 0.0):
                continue
            height = math.log10(value) if self._log[1] else value
            found.append((abs(self.area.mapViewToScene(QPointF(seen, height)).y() - place.y()), key[0]))
        distance, run = min(found, default=(math.inf, None))
        return run if distance <= NEAR else None

    def _point(self, run: int | None) -> None:
        if run != self._pointed:
            self._pointed = run
            self.pointed.emit(run)

    def _rows(self, place: float) -> list[str]:
        rows = []
        for key, look in self._looks.items():
            value = curves.at(self._data[key], place)
            if value is not None and np.isfinite(value):
                words = f"{self.labels.get(look.run, '')} {look.words}" if self._crowded else look.words
                rows.append(
                    f"<tr><td style='color:{look.style.colour}'>&#9644;&nbsp;</td><td>{escape(words)}&nbsp;&nbsp;</td>"
                    f"<td align='right'>{escape(self.written(value))}</td></tr>"
                )
        return rows

    def written(self, value: float) -> str:
        """Return the value in the notation of this plot's quantity."""
        return figures.number(value, 4)

    def _look_away(self) -> None:
        self._point(None)
        self._hair.hide()
        self._values.hide()

    def leaveEvent(self, event: QEvent) -> None:
        self._look_away()
        super().leaveEvent(event)


def _logarithms(ends: tuple[float, float], wanted: bool) -> tuple[float, float]:
    """Return the ends, or if wanted their logarithms; as ranges may begin at zero, these span at most three decades."""
    low, high = ends
    if not wanted:
        return low, high
    high = max(high, 1e-12)
    return math.log10(max(low, 1e-3 * high)), math.log10(high)


def _with_alpha(colour: str, alpha: int) -> QColor:
    made = QColor(colour)
    made.setAlpha(alpha)
    return made
