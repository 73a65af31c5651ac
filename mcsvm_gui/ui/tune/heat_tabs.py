"""One tab with a heat map for each machine; the first tab shows all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QWidget

from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.kit.page import Tabs
from mcsvm_gui.ui.kit.theme import UNIT
from mcsvm_gui.ui.plots.heatmap import HeatPlot
from mcsvm_gui.ui.plots.scale_bar import ScaleStrip

if TYPE_CHECKING:
    from mcsvm_gui.core.tune.heat import HeatMap

COLUMNS = 3
BETWEEN = 15  # milliseconds between the drawing of two tiles


class HeatTabs(Tabs):
    cell_chosen = Signal(str, float, object)  # machine, C, gamma or None
    machine_shown = Signal(str)  # empty for all of them
    message = Signal(str)
    named = Signal(str)  # full text for the cell under the pointer

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("heatmapTabs")
        self.setAccessibleName(tr("Heat maps"))
        self.setDocumentMode(True)
        self._made: dict[str, HeatPlot] = {}  # includes maps of machines that are not shown now
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
        self._maps: dict[str, HeatMap] = {}
        self._old: list[str] = []  # tiles that show outdated maps
        self._turn = QTimer(self, interval=BETWEEN)
        self._turn.timeout.connect(self._draw_next)
        self.currentChanged.connect(lambda _: self._turned())

    @property
    def machine(self) -> str:
        """Return the machine whose map is shown; empty for all of them."""
        widget = self.currentWidget()
        return next((name for name, plot in self.plots.items() if plot is widget), "")

    def show_maps(self, maps: Sequence[HeatMap]) -> None:
        if [shown.machine for shown in maps] != list(self.plots):
            self._rebuild(maps)
        self._maps = {shown.machine: shown for shown in maps}
        self._draw()

    def _draw(self) -> None:
        """Draw the visible map; the other maps are drawn when their tabs are opened."""
        here = self.machine
        if here:
            self.plots[here].show_map(self._maps[here])
            return
        self._old += [name for name in self.tiles if name not in self._old]
        if self._old and not self._turn.isActive():
            self._draw_next()
            self._turn.start()

    def _draw_next(self) -> None:
        """Draw one outdated tile: drawing all at once, while other threads are busy, would block the window."""
        name = self._old.pop(0)
        self.tiles[name].show_map(self._maps[name])
        self.scale.show_ticks(self._maps[name].ticks)
        if not self._old:
            self._turn.stop()

    def _turned(self) -> None:
        self._draw()
        self.machine_shown.emit(self.machine)

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
                tile.show()  # `_clear` hides the tiles
        if here in self.plots:
            self.setCurrentWidget(self.plots[here])
        self.blockSignals(False)
        self.machine_shown.emit(self.machine)

    def _clear(self) -> None:
        self.clear()  # removes the tabs; their widgets remain
        self._old.clear()
        self._turn.stop()
        for plot in (*self.plots.values(), *self.tiles.values()):
            self._grid.removeWidget(plot)
            plot.setParent(None)
            plot.hide()
        self.plots, self.tiles = {}, {}

    def _plot(self, name: str, shown: HeatMap, *, small: bool = False) -> HeatPlot:
        """Return an existing plot, or a new one: pyqtgraph never frees a plot, and each takes 2 MB."""
        if name not in self._made:
            self._made[name] = self._new_plot(name, shown, small)
        return self._made[name]

    def _new_plot(self, name: str, shown: HeatMap, small: bool) -> HeatPlot:
        plot = HeatPlot(name, shown.title, small=small)
        plot.chosen.connect(lambda cost, gamma: self.cell_chosen.emit(shown.machine, cost, gamma))
        plot.saved.connect(lambda where: self.message.emit(tr("Saved the plot: {where}.", where=where)))
        plot.save_failed.connect(self.message)
        plot.pointed_at.connect(self.named)
        return plot
