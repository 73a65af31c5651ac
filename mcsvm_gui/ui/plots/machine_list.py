"""The machines as a list to tick, each with its stroke."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal
from PySide6.QtWidgets import QListWidget, QListWidgetItem

from mcsvm_gui.core.machine import names
from mcsvm_gui.ui.kit import theme
from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.kit.theme import UNIT
from mcsvm_gui.ui.plots.stroke import stroke_icon


class MachineList(QListWidget):
    """A list as high as its rows; all machines are ticked at first."""

    changed = Signal()

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setObjectName(name)
        self.setAccessibleName(tr("Machines"))
        self.setSelectionMode(QListWidget.SelectionMode.NoSelection)  # ticks choose, not the selection
        self.setIconSize(QSize(4 * UNIT, 2 * UNIT))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        for machine, title in names.machine_titles().items():
            item = QListWidgetItem(title)
            item.setData(Qt.ItemDataRole.UserRole, machine)
            item.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsUserCheckable)
            item.setCheckState(Qt.CheckState.Checked)
            self.addItem(item)
        self.setCurrentRow(0)
        self.itemChanged.connect(lambda _: self.changed.emit())
        self._retheme()
        theme.notifier().changed.connect(self._retheme)
        self.setFixedHeight(self.count() * self.sizeHintForRow(0) + 2 * self.frameWidth() + UNIT // 2)

    def ticked(self) -> tuple[str, ...]:
        return tuple(_machine(item) for item in self._items() if item.checkState() is Qt.CheckState.Checked)

    def tick(self, machines: Collection[str]) -> None:
        """Tick exactly these machines, without a signal."""
        with QSignalBlocker(self):
            for item in self._items():
                ticked = _machine(item) in machines
                item.setCheckState(Qt.CheckState.Checked if ticked else Qt.CheckState.Unchecked)
        self.viewport().update()

    def _items(self) -> list[QListWidgetItem]:
        return [self.item(row) for row in range(self.count())]

    def _retheme(self) -> None:
        with QSignalBlocker(self):
            for item in self._items():
                item.setIcon(stroke_icon(_machine(item)))


def _machine(item: QListWidgetItem) -> str:
    return str(item.data(Qt.ItemDataRole.UserRole))
