"""One heat map for each machine, each behind a tab of its own; before them all at a glance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QTabWidget, QWidget

from mcsvm_gui.views import theme
from mcsvm_gui.views.plots.heatmap import HeatPlot, Ticks, paint_scale, scale_width
from mcsvm_gui.views.theme import UNIT
from mcsvm_gui.views.words import tr

if TYPE_CHECKING:
    from mcsvm_gui.core.heat import HeatMap

COLUMNS = 3


class ScaleStrip(QWidget):
    """What the colours of all maps mean."""

    def __init__(self) -> None:
        super().__init__()
        self._ticks: Ticks = ()
        theme.notifier().changed.connect(self.update)

    def show_ticks(self, ticks: Ticks) -> None:
        self._ticks = ticks
        self.setFixedWidth(int(scale_width(ticks)) + 1)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        paint_scale(painter, QRectF(self.rect()), self._ticks)
        painter.end()


class HeatTabs(QTabWidget):
    cell_chosen = Signal(str, float, object)  # machine, C, gamma or None
    machine_shown = Signal(str)  # nothing for all of them
    message = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("heatmapTabs")
        self.setAccessibleName(tr("Heat maps"))
        self.setDocumentMode(True)
        self.plots: dict[str, HeatPlot] = {}
        self.tiles: dict[str, HeatPlot] = {}
        self._all, tiles = QWidget(), QWidget()
        self.scale = ScaleStrip()
        row = QHBoxLayout(self._all)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(tiles, 1)
        row.addWidget(self.scale)
        self._grid = QGridLayout(tiles)
        self._grid.setContentsMargins(0, UNIT, 0, 0)
        self._grid.setSpacing(UNIT)
        self.currentChanged.connect(lambda _: self.machine_shown.emit(self.machine))

    @property
    def machine(self) -> str:
        """The one that is looked at; nothing for all of them."""
        widget = self.currentWidget()
        return next((name for name, plot in self.plots.items() if plot is widget), "")

    def show_maps(self, maps: Sequence[HeatMap]) -> None:
        if [shown.machine for shown in maps] != list(self.plots):
            self._rebuild(maps)
        self.scale.show_ticks(maps[0].ticks if maps else ())
        for shown in maps:
            self.plots[shown.machine].show_map(shown)
            if shown.machine in self.tiles:
                self.tiles[shown.machine].show_map(shown)

    def _rebuild(self, maps: Sequence[HeatMap]) -> None:
        here = self.machine
        self.blockSignals(True)
        self._clear()
        if len(maps) > 1:
            self.addTab(self._all, tr("All"))
        for number, shown in enumerate(maps):
            self.plots[shown.machine] = plot = self._plot(f"heatmap-{shown.machine}", shown)
            self.addTab(plot, shown.machine)
            self.setTabToolTip(self.count() - 1, shown.title)
            if len(maps) > 1:
                self.tiles[shown.machine] = tile = self._plot(f"heatmapTile-{shown.machine}", shown, small=True)
                self._grid.addWidget(tile, number // COLUMNS, number % COLUMNS)
        if here in self.plots:
            self.setCurrentWidget(self.plots[here])
        self.blockSignals(False)
        self.machine_shown.emit(self.machine)

    def _clear(self) -> None:
        self.clear()  # of tabs; their widgets are still there
        for plot in (*self.plots.values(), *self.tiles.values()):
            self._grid.removeWidget(plot)
            plot.setParent(None)
            plot.close()
            plot.deleteLater()
        self.plots, self.tiles = {}, {}

    def _plot(self, name: str, shown: HeatMap, *, small: bool = False) -> HeatPlot:
        plot = HeatPlot(name, shown.title, small=small)
        plot.chosen.connect(lambda cost, gamma: self.cell_chosen.emit(shown.machine, cost, gamma))
        plot.saved.connect(lambda where: self.message.emit(tr("The plot is in {where}.", where=where)))
        plot.save_failed.connect(self.message)
        return plot
