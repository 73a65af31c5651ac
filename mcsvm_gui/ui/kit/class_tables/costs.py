"""A cost matrix to edit: true classes down, predicted classes across; every letter typed takes effect at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from PySide6.QtCore import QAbstractItemModel, QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QLineEdit,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from mcsvm.solvers.errors import InputError
from mcsvm_gui.core.base import figures
from mcsvm_gui.core.base.i18n import worded
from mcsvm_gui.core.base.i18n.terms import meaning
from mcsvm_gui.core.base.options import number, written
from mcsvm_gui.core.data.costs import BY_HAND, PRESETS, CostTable, costs_entry, entered_costs, preset_costs, read_costs
from mcsvm_gui.ui.kit import file_dialogs, theme
from mcsvm_gui.ui.kit.combos import Combo
from mcsvm_gui.ui.kit.dialog import Dialog
from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.kit.labels import plain_tip, selectable, show_text
from mcsvm_gui.ui.kit.theme import UNIT

Index = QModelIndex | QPersistentModelIndex
ROLE = Qt.ItemDataRole
NOWHERE = QModelIndex()
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter

WIDEST = 16 * UNIT  # pixels: limit of a column and of the names of rows


class CostModel(QAbstractTableModel):
    changed = Signal()  # by the user
    refused = Signal(str)  # why a text is not a cost; empty once it is one

    def __init__(self) -> None:
        super().__init__()
        self.names: tuple[str, ...] = ()
        self.costs = np.zeros((0, 0))
        self._refusing = False

    def show(self, names: Sequence[str], costs: np.ndarray) -> None:
        if tuple(names) == self.names:
            self.costs = costs.copy()
            self.dataChanged.emit(self.index(0, 0), self.index(len(self.names) - 1, len(self.names) - 1))
            return
        self.beginResetModel()
        self.names, self.costs = tuple(names), costs.copy()
        self.endResetModel()

    def rowCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(self.names)

    def columnCount(self, parent: Index = NOWHERE) -> int:
        return self.rowCount(parent)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = ROLE.DisplayRole) -> Any:
        if role == ROLE.WhatsThisRole:
            return meaning(tr("Costs"))
        if role not in (ROLE.DisplayRole, ROLE.ToolTipRole) or not 0 <= section < len(self.names):
            return None
        return plain_tip(self.names[section]) if role == ROLE.ToolTipRole else self.names[section]

    def flags(self, index: Index) -> Qt.ItemFlag:
        return super().flags(index) | Qt.ItemFlag.ItemIsEditable

    def data(self, index: Index, role: int = ROLE.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row, column = index.row(), index.column()
        if role in (ROLE.DisplayRole, ROLE.EditRole):
            return figures.entry(written(float(self.costs[row, column])))
        if role == ROLE.TextAlignmentRole:
            return RIGHT
        if role == ROLE.ForegroundRole and row == column:
            return QColor(theme.current().muted)
        if role in (ROLE.ToolTipRole, ROLE.AccessibleTextRole):
            cost, true, decided = self.data(index), self.names[row], self.names[column]
            said = tr(
                "Cost {cost} of predicting {decided} for true class {true}", cost=cost, true=true, decided=decided
            )
            return plain_tip(said) if role == ROLE.ToolTipRole else said
        return None

    def setData(self, index: Index, value: Any, role: int = ROLE.EditRole) -> bool:
        """Set a cost; a text that is not a cost is refused with a sentence, and the previous cost stays."""
        try:
            cost = number(figures.entered(str(value)).strip())
            if cost < 0.0:
                raise InputError("a cost must be at least 0, not {cost:g}", cost=cost)
        except InputError as error:
            self._refusing = True
            self.refused.emit(worded(error))
            return False
        again, self._refusing = self._refusing, False
        if again:
            self.refused.emit("")
        if again or cost != self.costs[index.row(), index.column()]:
            self.costs[index.row(), index.column()] = cost
            self.dataChanged.emit(index, index)
            self.changed.emit()
        return True


class AsTyped(QStyledItemDelegate):
    """Passes every letter on to the model, not only the finished text."""

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        field = QLineEdit(parent)
        field.setObjectName("costCellEdit")
        field.setAccessibleName(tr("Cost"))
        field.setFrame(False)
        field.setAlignment(RIGHT)
        kept = QPersistentModelIndex(index)
        field.textEdited.connect(lambda text: kept.model().setData(kept, text) if kept.isValid() else None)
        return field

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        """Fill the editor once; later the text belongs to the user."""
        if isinstance(editor, QLineEdit) and not editor.isModified() and not editor.text():
            editor.setText(index.data(ROLE.EditRole))

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: Index) -> None:
        if isinstance(editor, QLineEdit) and not model.setData(index, editor.text()):
            model.refused.emit("")  # type: ignore[attr-defined]


class CostTableView(QTableView):
    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("costTable")
        self.setAccessibleName(tr("Costs: true classes down, predicted classes across"))
        self.costs = CostModel()
        self.costs.setParent(self)
        self.setModel(self.costs)
        self.setItemDelegate(AsTyped(self))
        self.setEditTriggers(
            QAbstractItemView.EditTrigger.AnyKeyPressed
            | QAbstractItemView.EditTrigger.DoubleClicked
            | QAbstractItemView.EditTrigger.EditKeyPressed
        )
        self.setTabKeyNavigation(False)
        self.setCornerButtonEnabled(False)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.horizontalHeader().setDefaultSectionSize(8 * UNIT)
        self.horizontalHeader().setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.verticalHeader().setDefaultSectionSize(3 * UNIT)
        self.verticalHeader().setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.verticalHeader().setMaximumWidth(WIDEST)
        self.costs.modelReset.connect(self._fit)
        self.setStyleSheet(f"QTableView::item {{ padding: 0 {UNIT - 3}px; }}")
        theme.notifier().changed.connect(self.viewport().update)

    def _fit(self) -> None:
        """Give the columns room for the names of their classes, within bounds."""
        header = self.horizontalHeader()
        names = max((header.fontMetrics().horizontalAdvance(name) for name in self.costs.names), default=0)
        header.setDefaultSectionSize(min(max(6 * UNIT, names + 2 * UNIT + 4), WIDEST))


class CostsDialog(Dialog):
    """Edits the costs entered in a form; begins with equal costs if the entry does not fit these classes."""

    chosen = Signal(str)  # the entry of the form

    def __init__(self, parent: QWidget, entry: str, totals: Mapping[str, float]) -> None:
        """Build the dialog; `totals` has the rows of each class, or the sum of their weights."""
        super().__init__(parent, "costsDialog", tr("Costs of errors"), 88 * UNIT, 52 * UNIT)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._totals = totals
        self.body.addWidget(
            selectable("", "muted", tr("Cost of each prediction: true classes down, predicted classes across."))
        )
        self.preset = self._presets()
        self.table = CostTableView()
        self.table.setObjectName("costsDialogTable")
        self.table.horizontalHeader().setDefaultSectionSize(11 * UNIT)
        self.table.costs.changed.connect(lambda: self._show_preset(BY_HAND))
        self.table.costs.refused.connect(self._say)
        self.error = selectable("costsError", "bad")
        for widget in (self.preset, self.table, self.error):
            self.body.addWidget(widget)
        self.file = self.add_button("openCostsButton", tr("Open…"))
        self.file.clicked.connect(lambda: file_dialogs.choose(self, tr("Open costs"), "csv", "", self._read))
        self.take = self.add_button("takeCostsButton", tr("Apply"))
        self.take.setDefault(True)
        self.take.clicked.connect(self._take)
        self._show(*entered_costs(entry, totals))

    def _presets(self) -> QComboBox:
        combo = Combo()
        combo.setObjectName("costsPreset")
        combo.setAccessibleName(tr("Costs to begin with"))
        for name, text in PRESETS.items():
            combo.addItem(tr(text), name)
        combo.activated.connect(lambda _: self._begin(combo.currentData()))
        return combo

    def _begin(self, preset: str) -> None:
        """Show the costs of a preset; "By hand" keeps the current ones."""
        if preset != BY_HAND:
            self._show(preset, preset_costs(preset, self._totals))

    def _show(self, preset: str, costs: CostTable) -> None:
        self._show_preset(preset)
        self.table.costs.show(costs.names, np.array(costs.rows))
        self._say("")

    def _show_preset(self, preset: str) -> None:
        self.preset.setCurrentIndex(self.preset.findData(preset))

    def _say(self, sentence: str) -> None:
        show_text(self.error, sentence)
        self.table.setAccessibleDescription(sentence)
        self.take.setEnabled(not sentence)

    def _read(self, path: str) -> None:
        try:
            self._show(BY_HAND, read_costs(path).ordered(list(self._totals)))
        except InputError as error:
            self._say(worded(error))

    def _take(self) -> None:
        costs = self.table.costs
        self.chosen.emit(costs_entry(costs.names, costs.costs))
        self.close()
