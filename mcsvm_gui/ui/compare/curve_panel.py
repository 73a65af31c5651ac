"""The learning curve of a run: would more data help?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout

from mcsvm_gui.core.base import figures
from mcsvm_gui.core.evaluate.curves import Line
from mcsvm_gui.ui.compare.panels import Panel
from mcsvm_gui.ui.kit import theme
from mcsvm_gui.ui.kit.buttons import push_button
from mcsvm_gui.ui.kit.combos import Combo
from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.kit.labels import show_text, wrapped
from mcsvm_gui.ui.kit.nesting import nest
from mcsvm_gui.ui.kit.theme import UNIT
from mcsvm_gui.ui.plots.base import pen
from mcsvm_gui.ui.plots.unit import RunLine, UnitPlot

MARK = 8  # size of a point in pixels


class LearningPlot(UnitPlot):
    """Accuracy against rows: points with the standard deviation over folds, the fitted law, and its band."""

    limits: Mapping[str, tuple[float, float]] = {"left": (0.0, 1.0)}

    def __init__(self) -> None:
        self._points: tuple[tuple[float, float, float], ...] = ()
        self._machine = ""
        self._marks = pg.ScatterPlotItem(size=MARK)
        self._bars = pg.ErrorBarItem(x=np.zeros(0), y=np.zeros(0))
        super().__init__(
            *("learningCurvePlot", tr("Learning curve"), tr("rows trained on"), tr("accuracy")),
            key=(1.0, 1.0),
            chance=False,
        )
        for item in (self._bars, self._marks):
            self.addItem(item)

    def show_curve(self, run: int, machine: str, document: Mapping[str, Any] | None) -> None:
        """Show points as they arrive, and the fitted law once there are enough of them."""
        points = [] if document is None else document["points"]
        self._points = tuple((point["rows"], point["accuracy"], point["std"]) for point in points)
        self._machine = machine
        found = None if document is None else document["projected"]
        lines = []
        if found is not None:
            rows, middle, low, high = (
                np.array([place[name] for place in found["line"]]) for name in ("rows", "accuracy", "low", "high")
            )
            lines = [RunLine(run, tr("extrapolated, with its band of 90%"), machine, (rows, middle), (rows, low, high))]
        self.show_lines(lines)

    def fit(self) -> None:
        """Fit the range to the points and bands, because accuracies far below them are irrelevant."""
        bands = [line.band for line in self.shown if line.band is not None]
        low = [accuracy - std for _, accuracy, std in self._points] + [float(band[1].min()) for band in bands]
        high = [accuracy + std for _, accuracy, std in self._points] + [float(band[2].max()) for band in bands]
        right = [rows for rows, _, _ in self._points] + [float(band[0].max()) for band in bands]
        if not right:
            self.setRange(xRange=(0.0, 1.0), yRange=(0.0, 1.0), padding=0.02)
        else:
            self.setRange(xRange=(0.0, max(right)), yRange=(min(low), max(high)), padding=0.05)
        self.finish()

    def _show(self) -> None:
        super()._show()
        rows, accuracies, deviations = np.array(self._points, dtype=float).reshape(-1, 3).T
        style = theme.machine_style(self._machine, 0)
        self._marks.setData(rows, accuracies, brush=pg.mkBrush(style.colour), pen=pen(style.colour))
        beam = 0.01 * float(rows.max(initial=0.0))
        self._bars.setData(x=rows, y=accuracies, height=2.0 * deviations, beam=beam, pen=pen(style.colour))

    def _drawn(self) -> list[Line]:
        marks = [(np.full(2, rows), np.array([middle - std, middle + std])) for rows, middle, std in self._points]
        return [*super()._drawn(), *marks]

    def written(self, value: float) -> str:
        return figures.accuracy(value)

    @property
    def points(self) -> tuple[tuple[float, float, float], ...]:
        return self._points


class CurvePanel(Panel):
    """Setters and signals."""

    run_chosen = Signal(int)
    start_asked = Signal()
    stop_asked = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("learningCurvePanel")
        self.plot = LearningPlot()
        self.runs = Combo()
        self.runs.setObjectName("learningCurveRunCombo")
        self.runs.setAccessibleName(tr("Run whose learning curve is shown"))
        self.runs.setMinimumContentsLength(12)
        self.runs.currentIndexChanged.connect(lambda _: self._choose())
        self.start = push_button(
            "learningCurveStartButton",
            tr("Is more data worth it?"),
            "play",
            tr("Trains the run's machine on growing shares of the rows, with cross-validation, and extrapolates"),
        )
        self.start.clicked.connect(self.start_asked)
        self.stop = push_button("learningCurveStopButton", tr("Stop"), "stop-keep", tr("Finished points are kept"))
        self.stop.clicked.connect(self.stop_asked)
        self.progress = QLabel()
        self.progress.setObjectName("learningCurveProgress")
        self.words = wrapped("learningCurveWords")
        self.trouble = wrapped("learningCurveTrouble", "bad")
        row = QHBoxLayout()
        row.setSpacing(UNIT)
        for part in (self.runs, self.start, self.stop, self.progress):
            row.addWidget(part)
        row.addStretch()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, UNIT, 0, 0)
        column.setSpacing(UNIT)
        nest(column, row)
        column.addWidget(self.words)
        column.addWidget(self.trouble)
        column.addWidget(self.plot, 1)
        column.addStretch()
        self.show_state(False, False, "", "")

    def show_runs(self, runs: Sequence[tuple[int, str]], chosen: int | None) -> None:
        with QSignalBlocker(self.runs):
            self.runs.clear()
            for run, label in runs:
                self.runs.addItem(label, run)
            self.runs.setCurrentIndex(self.runs.findData(chosen))
        self.runs.setEnabled(bool(runs))

    def show_curve(self, run: int, machine: str, document: Mapping[str, Any] | None, words: str) -> None:
        self.plot.show_curve(run, machine, document)
        self.plot.setVisible(bool(self.plot.points))
        show_text(self.words, words)

    def show_state(self, startable: bool, running: bool, progress: str, trouble: str) -> None:
        self.start.setEnabled(startable)
        self.start.setVisible(not running)
        self.stop.setVisible(running)
        self.progress.setText(progress)
        show_text(self.trouble, trouble)

    def plain(self) -> tuple[list[str], list[list[object]]]:
        """Return the points, and then the fitted line with its extrapolation."""
        rows: list[list[object]] = [[tr("measured"), *point] for point in self.plot.points]
        for line in self.plot.shown:
            rows += [
                [tr("extrapolated"), x, y, ""] for x, y in zip(*(part.tolist() for part in line.line), strict=True)
            ]
        return [tr("Kind"), tr("Rows"), tr("Accuracy"), tr("Deviation")], rows

    def _choose(self) -> None:
        if self.runs.currentData() is not None:
            self.run_chosen.emit(self.runs.currentData())
