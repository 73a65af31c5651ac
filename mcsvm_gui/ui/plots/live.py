"""The plots that follow running trainings.

The Train page shows those in its table LIVE_PLOTS (ui/train/plot_grid.py).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainter, QPainterPath

from mcsvm_gui.core.base import figures
from mcsvm_gui.core.evaluate import curves
from mcsvm_gui.core.evaluate.curves import Axis, History, Line
from mcsvm_gui.ui.kit import theme
from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.plots.lines import LinePlot, LineStyle

SHADE = 36  # opacity, of 255
DECADES = 1e-6  # smallest value shown, as a share of the largest: a dual begins at zero
MOST_CLASSES = len(theme.CLASS_COLOURS)  # lines per class are drawn up to this number of classes


class Band(pg.GraphicsObject):
    """The area between two lines; pyqtgraph's own class takes 20 ms for six runs."""

    def __init__(self) -> None:
        super().__init__()
        self._path, self._colour = QPainterPath(), QColor()

    def set_colour(self, colour: str) -> None:
        self._colour = QColor(colour)
        self._colour.setAlpha(SHADE)

    def set_outline(self, x: np.ndarray, y: np.ndarray) -> None:
        seen = np.isfinite(x) & np.isfinite(y)
        self._path = pg.arrayToQPath(x[seen], y[seen])
        self.prepareGeometryChange()
        self.update()

    def boundingRect(self) -> QRectF:
        return self._path.boundingRect()

    def paint(self, painter: QPainter, *_: object) -> None:
        painter.fillPath(self._path, self._colour)


class LivePlot(LinePlot):
    """`draw` replaces the lines of a run by those of its history."""

    always_log = False
    may_be_log = True
    named_at_ends = True
    _asked = (False, False)  # whether the user has asked for logarithmic axes
    counts_examples = False  # drawn against examples seen while other plots are drawn against steps
    variants: Mapping[int, int] = {}  # by run: its number among the runs of its machine

    def style(self, history: History) -> theme.MachineStyle:
        return theme.machine_style(history.machine, self.variants.get(history.run, 0))

    def draw(self, history: History, axis: Axis, *, alone: bool) -> None:
        raise NotImplementedError

    def _put(
        self, history: History, lines: dict[str, Line], words: dict[str, str], faint: tuple[str, ...] = ()
    ) -> None:
        style = self.style(history)
        for kind, line in lines.items():
            self.put(LineStyle(history.run, kind, words[kind], style, kind in faint), line)

    def scale(self, x: bool, y: bool) -> None:
        self._asked = x, y
        self.set_log(x, (y and self.may_be_log) or self.always_log)


class ConvergencePlot(LivePlot):
    """Shows primal and dual of one run, or the relative gap of several runs, whose objectives are not comparable."""

    def __init__(self, name: str = "convergencePlot") -> None:
        self._bands: dict[int, Band] = {}
        self._alone = True
        super().__init__(name, tr("Primal and dual"), "", tr("objective"))

    def _show(self, alone: bool) -> None:
        if alone == self._alone:
            return
        self._alone, self.always_log = alone, not alone
        for run in self.runs:
            self.drop(run)
        self.titled = tr("Primal and dual") if alone else tr("Relative gap")
        self.setAccessibleName(self.titled)
        self.names["left"] = tr("objective") if alone else tr("gap")
        self.retheme()
        self.scale(*self._asked)

    def draw(self, history: History, axis: Axis, *, alone: bool) -> None:
        self._show(alone)
        if not alone:
            self._put(history, curves.relative_gap(history, axis), {"gap": tr("relative gap")})
            return
        lines = curves.convergence(history, axis)
        self._put(history, lines, {"primal": tr("primal"), "dual": tr("dual")}, faint=("dual",))
        if lines:
            self._shade(history, lines)

    def _shade(self, history: History, lines: dict[str, Line]) -> None:
        band = self._bands.get(history.run)
        if band is None:
            band = self._bands[history.run] = Band()
            self.addItem(band, ignoreBounds=True)
        band.set_colour(self.style(history).colour)
        with np.errstate(divide="ignore", invalid="ignore"):
            x, y = curves.band(lines["dual"], lines["primal"])
            band.set_outline(np.log10(x) if self._log[0] else x, np.log10(y) if self._log[1] else y)

    def drop(self, run: int, kinds: object = None) -> None:
        super().drop(run)
        if run in self._bands:
            self.removeItem(self._bands.pop(run))

    def finish(self) -> None:
        """Set the vertical range without the first large steps of a primal; a logarithmic axis has room for them."""
        if self.following and self._data and not self._alone:
            self.setYRange(*self._gaps(), padding=0.06)
        elif self.following and self._data:
            self.setYRange(*self._decades() if self._log[1] else self._settled(), padding=0.06)
        super().finish()

    def _gaps(self) -> tuple[float, float]:
        """Return the exponents from the smallest gap to the whole objective, at most nine decades."""
        low, high = self._decades()
        return max(min(low, -1.0), -9.0), min(max(high, low + 0.5), 0.0)

    def _settled(self) -> tuple[float, float]:
        ranges = [curves.settled(line) for line in self._data.values() if line[1].size] or [(0.0, 1.0)]
        return min(low for low, _ in ranges), max(high for _, high in ranges)

    def _decades(self) -> tuple[float, float]:
        values = np.concatenate([line[1] for line in self._data.values()])
        values = values[np.isfinite(values) & (values > 0.0)]
        if not values.size:
            return 0.0, 1.0
        return float(np.log10(max(values.min(), DECADES * values.max()))), float(np.log10(values.max()))

    def written(self, value: float) -> str:
        return figures.objective(value) if self._alone else figures.gap(value)


class RunConvergencePlot(ConvergencePlot):
    """Primal and dual of one run, next to plots of other runs; it is pale while another run is highlighted."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name_axis("left", "")  # the plot is too low for it; names are at the ends of the lines

    def name(self, words: str) -> None:
        if words != self.titled:
            self.titled = words
            self.setAccessibleName(tr("Primal and dual of {run}", run=words))
            self.retheme()

    def mark(self, run: int | None) -> None:
        self.let_stand_out(run)


class ViolationPlot(LivePlot):
    always_log = True

    def __init__(self) -> None:
        super().__init__("violationPlot", tr("Violation of optimality"), "", tr("violation"))
        self.set_log(False, True)

    def draw(self, history: History, axis: Axis, *, alone: bool) -> None:
        self._put(history, curves.violation(history, axis), {"violation": tr("violation")})

    def written(self, value: float) -> str:
        return figures.violation(value)


class SupportPlot(LivePlot):
    def __init__(self) -> None:
        super().__init__("supportPlot", tr("Support vectors"), "", tr("rows"))

    def draw(self, history: History, axis: Axis, *, alone: bool) -> None:
        words = {"support": tr("all"), "bounded": tr("bounded")}
        self._put(history, curves.support(history, axis), words, faint=("bounded",))
        lines = curves.support_per_class(history, axis) if alone else []
        shown = lines if len(lines) <= MOST_CLASSES else []
        for number, line in enumerate(shown):
            style = theme.MachineStyle(theme.CLASS_COLOURS[number], (4, 2), theme.CLASS_MARKERS[number])
            self.put(LineStyle(history.run, f"class {number}", self._class_name(history, number), style), line)
        if not shown:
            self.drop(history.run, [f"class {number}" for number in range(MOST_CLASSES)])

    @staticmethod
    def _class_name(history: History, number: int) -> str:
        names = history.class_names
        return names[number] if number < len(names) else tr("class {number}", number=number + 1)

    def written(self, value: float) -> str:
        return figures.count(round(value))


class AccuracyPlot(LivePlot):
    may_be_log = False
    counts_examples = True
    limits: Mapping[str, tuple[float, float]] = {"left": (0.0, 100.0)}

    def __init__(self) -> None:
        super().__init__("accuracyPlot", tr("Accuracy"), "", tr("per cent"))

    def draw(self, history: History, axis: Axis, *, alone: bool) -> None:
        words = {"train_accuracy": tr("training"), "test_accuracy": tr("held out")}
        lines = dict(sorted(curves.accuracy(history, axis).items()))  # the first line names a run
        self._put(history, lines, words, faint=("train_accuracy",) if "test_accuracy" in lines else ())

    def written(self, value: float) -> str:
        return figures.accuracy(value / 100.0)
