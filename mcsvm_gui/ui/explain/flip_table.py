"""The smallest change as a table: every column of the row, whether it may change, and its new value."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QFont, QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView

from mcsvm_gui.core.base.i18n.terms import meaning
from mcsvm_gui.core.base.writing import tab_separated
from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.kit.labels import plain_tip
from mcsvm_gui.ui.kit.theme import UNIT
from mcsvm_gui.ui.plots.class_marks import on_one_line

Index = QModelIndex | QPersistentModelIndex
ROLE = Qt.ItemDataRole
NOWHERE = QModelIndex()


class FlipTableModel(QAbstractTableModel):
    fixed_changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.names: tuple[str, ...] = ()
        self.cells: tuple[str, ...] = ()
        self.changes: dict[str, str] = {}
        self.fixed: set[str] = set()
        self.held: frozenset[str] = frozenset()  # columns that never change
        self.why_held = ""

    def show_row(
        self, names: Sequence[str], cells: Sequence[str], held: Iterable[str] = (), why_held: str = ""
    ) -> None:
        self.beginResetModel()
        self.held, self.why_held = frozenset(held), why_held
        if tuple(names) != self.names:
            self.fixed &= set(names)
        self.names, self.cells, self.changes = tuple(names), tuple(cells), {}
        self.endResetModel()

    def show_changes(self, changes: dict[str, str]) -> None:
        self.beginResetModel()
        self.changes = changes
        self.endResetModel()

    @property
    def order(self) -> list[int]:
        """Return the order of the columns, changed ones first."""
        return sorted(range(len(self.names)), key=lambda place: self.names[place] not in self.changes)

    def rowCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(self.names)

    def columnCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else 3

    def headings(self) -> tuple[str, str, str]:
        return tr("Changeable column"), tr("Now"), tr("Changed")

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = ROLE.DisplayRole) -> object:
        if orientation is Qt.Orientation.Horizontal and role in (ROLE.DisplayRole, ROLE.ToolTipRole):
            return self.headings()[section]
        if orientation is Qt.Orientation.Horizontal and role == ROLE.WhatsThisRole:
            return meaning(self.headings()[section])
        return None

    def line(self, row: int) -> tuple[str, str, str]:
        place = self.order[row]
        name = self.names[place]
        return name, self.cells[place], self.changes.get(name, "")

    def data(self, index: Index, role: int = ROLE.DisplayRole) -> object:
        if not index.isValid():
            return None
        line = self.line(index.row())
        if role == ROLE.ToolTipRole and line[0] in self.held:
            return self.why_held
        if role == ROLE.DisplayRole:
            return on_one_line(line[index.column()])
        if role == ROLE.ToolTipRole:
            return plain_tip(line[index.column()])
        if role == ROLE.CheckStateRole and index.column() == 0:
            return Qt.CheckState.Unchecked if line[0] in self.fixed | self.held else Qt.CheckState.Checked
        if role == ROLE.FontRole and line[2]:
            font = QFont(QGuiApplication.font())
            font.setBold(True)
            return font
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        if self.line(index.row())[0] in self.held:
            return Qt.ItemFlag.ItemIsSelectable
        kind = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        return kind | Qt.ItemFlag.ItemIsUserCheckable if index.column() == 0 else kind

    def setData(self, index: Index, value: object, role: int = ROLE.EditRole) -> bool:
        name = self.line(index.row())[0]
        if role != ROLE.CheckStateRole or index.column() != 0 or name in self.held:
            return False
        if Qt.CheckState(value) is Qt.CheckState.Checked:
            self.fixed.discard(name)
        else:
            self.fixed.add(name)
        self.dataChanged.emit(index, index)
        self.fixed_changed.emit()
        return True


class FlipTable(QTableView):
    fixed_changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("flipTable")
        self.setAccessibleName(tr("Smallest change that changes the prediction"))
        self.entries = FlipTableModel()
        self.entries.setParent(self)
        self.entries.fixed_changed.connect(self.fixed_changed)
        self.setModel(self.entries)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.setCornerButtonEnabled(False)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(3 * UNIT)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.horizontalHeader().setHighlightSections(False)
        self.horizontalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            QGuiApplication.clipboard().setText(tab_separated(*self.plain()))
        else:
            super().keyPressEvent(event)

    def plain(self) -> tuple[list[str], list[list[object]]]:
        rows: list[list[object]] = [list(self.entries.line(row)) for row in range(len(self.entries.names))]
        return list(self.entries.headings()), rows
