"""Small multiples: primal and dual of each run in its own plot, because the objectives do not share a scale."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QGridLayout, QWidget

from mcsvm_gui.core.evaluate import curves
from mcsvm_gui.core.evaluate.curves import Axis, History
from mcsvm_gui.ui.kit.theme import UNIT
from mcsvm_gui.ui.plots.live import RunConvergencePlot


class RunPlots(QWidget):
    """Reuses plots, because pyqtgraph frees none; each missing plot is made in its own turn of the event loop."""

    given = Signal(int)  # this run has a plot now, which is still empty

    def __init__(self, connect: Callable[[RunConvergencePlot], None]) -> None:
        super().__init__()
        self.setObjectName("runPlots")
        self._connect = connect  # called with every plot that is made
        self._names: dict[int, str] = {}
        self._of: dict[int, RunConvergencePlot] = {}
        self.plots: list[RunConvergencePlot] = []  # all plots that were made
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(UNIT)
        self._later = QTimer(self, interval=0, singleShot=True)
        self._later.timeout.connect(self._make)

    @property
    def shown(self) -> list[RunConvergencePlot]:
        """Return the plots in the order of the runs."""
        return [self._of[run] for run in self._names if run in self._of]

    def show_runs(self, names: Mapping[int, str]) -> None:
        for run in self._of.keys() - names.keys():
            plot = self._of.pop(run)
            plot.drop(run)
            plot.hide()
        self._names = dict(names)
        self._give()

    def _give(self) -> None:
        held = set(self._of.values())
        free = [plot for plot in self.plots if plot not in held]
        new = [run for run in self._names if run not in self._of]
        for run, plot in zip(new, free, strict=False):
            self._of[run] = plot
        if len(new) > len(free):
            self._later.start()
        self._arrange()
        for run in new[: len(free)]:
            self.given.emit(run)

    def _make(self) -> None:
        plot = RunConvergencePlot(f"runPlot{len(self.plots) + 1}")
        self.plots.append(plot)
        self._connect(plot)
        self._give()

    def _arrange(self) -> None:
        """Arrange the plots in about as many columns as rows."""
        across = max(1, math.ceil(math.sqrt(len(self._names))))
        for place, (run, name) in enumerate(self._names.items()):
            plot = self._of.get(run)
            if plot is not None:
                self._grid.addWidget(plot, place // across, place % across)
                plot.name(name)

    def draw(self, histories: Sequence[History], axis: Axis, variants: Mapping[int, int]) -> None:
        """Draw the changed histories."""
        for history in histories:
            plot = self._of.get(history.run)
            if plot is not None:
                plot.variants = variants
                plot.draw(history, axis, alone=True)
                plot.reach = curves.reach([history], axis)
                plot.finish()
