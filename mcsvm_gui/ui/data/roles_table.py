"""The table in which each column gets its role, with its kind, missing values and histogram."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QLineEdit,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from mcsvm_gui.core.base.figures import count
from mcsvm_gui.core.data.roles.value import ROLES
from mcsvm_gui.ui.data.roles_model import BARS, COUNT, KIND, MISSING, NAME, ROLE, SUMMARY, VALUES, RolesModel
from mcsvm_gui.ui.kit import theme
from mcsvm_gui.ui.kit.column_widths import fitted_widths
from mcsvm_gui.ui.kit.combos import Combo
from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.kit.labels import show_hint
from mcsvm_gui.ui.kit.status import ElidedLabel
from mcsvm_gui.ui.kit.theme import UNIT
from mcsvm_gui.ui.plots.class_marks import class_colour

if TYPE_CHECKING:
    from mcsvm_gui.core.data.roles.summary import ColumnSummary

_WIDTHS = {NAME: 16, ROLE: 11, KIND: 9, COUNT: 8, MISSING: 9, VALUES: 26, BARS: 16}  # in units
_LEAST = {NAME: 10, ROLE: 11, KIND: 8, COUNT: 7, MISSING: 8, VALUES: 12, BARS: 10}


class HistogramDelegate(QStyledItemDelegate):
    """A histogram whose bars are divided by class."""

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        super().paint(painter, option, index)
        one: ColumnSummary = index.data(SUMMARY)
        if not one.bars:
            return
        room = QRectF(option.rect).adjusted(UNIT, 2, -UNIT, -2)
        step = min(room.width() / len(one.bars), UNIT)
        painter.save()
        painter.setPen(Qt.PenStyle.NoPen)
        for place, parts in enumerate(one.bars):
            bottom = room.bottom()
            for number, part in enumerate(parts):
                height = part * room.height()
                colour = class_colour(number) if len(parts) > 1 else theme.current().muted
                painter.fillRect(
                    QRectF(room.left() + place * step, bottom - height, max(1.0, step - 1.0), height), QColor(colour)
                )
                bottom -= height
        painter.restore()


class RolesTable(QWidget):
    role_chosen = Signal(object, str)  # names of columns, and their new role

    def __init__(self) -> None:
        super().__init__()
        self.model = RolesModel()
        self.view = _view(self.model)
        self.role = Combo()
        self.role.setObjectName("columnRoleCombo")
        self.role.setAccessibleName(tr("Role of the selected columns"))
        self.role.setPlaceholderText(tr("choose a role"))
        for role, title in ROLES.items():
            self.role.addItem(tr(title), role)
        self.role.setCurrentIndex(-1)
        self.role.activated.connect(self._choose)
        self.filter = QLineEdit()
        self.filter.setObjectName("columnFilterEdit")
        self.filter.setAccessibleName(tr("Columns whose name contains"))
        show_hint(self.filter, tr("columns whose name contains"))
        self.filter.setFixedWidth(28 * UNIT)
        self.filter.textChanged.connect(self._narrow)
        self.words = ElidedLabel("columnRolesWords")
        self.words.setProperty("role", "muted")
        self.view.selectionModel().selectionChanged.connect(lambda: self._refresh())
        self.model.modelReset.connect(self._refresh)
        self._lay_out()
        self._refresh()

    def _lay_out(self) -> None:
        row = QHBoxLayout()
        row.setSpacing(UNIT)
        row.addWidget(self.words, 1)
        row.addWidget(self.role)
        row.addWidget(self.filter)
        bar = QWidget()
        bar.setLayout(row)
        row.setContentsMargins(0, 0, 0, UNIT)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, UNIT, 0, 0)
        column.setSpacing(0)
        column.addWidget(bar)
        column.addWidget(self.view)

    def show_columns(self, columns: Sequence[ColumnSummary], classes: Sequence[str]) -> None:
        self.model.show(columns, classes)

    def selected(self) -> tuple[str, ...]:
        return tuple(self.model.summary(index.row()).name for index in self.view.selectionModel().selectedRows())

    def _narrow(self, words: str) -> None:
        self.model.filter(words)

    def _choose(self, place: int) -> None:
        names, role = self.selected(), self.role.itemData(place)
        self.role.setCurrentIndex(-1)
        if names:
            self.role_chosen.emit(names, role)

    def _refresh(self) -> None:
        chosen = len(self.view.selectionModel().selectedRows())
        self.role.setVisible(chosen > 0)
        columns = tr("{count} column", "{count} columns", count=self.model.total)
        selected = tr("{count} selected", "{count} selected", count=chosen)
        shown = self.model.rowCount()
        found = "" if shown == self.model.total else tr(", {shown} of them shown", shown=count(shown))
        hint = tr("Select columns to change their role.")
        self.words.say(f"{columns}{found}; {selected}:" if chosen else f"{columns}{found}. {hint}")


class _View(QTableView):
    """Narrows its columns before it scrolls; a truncated cell shows its text in a tooltip."""

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        wanted, least = ([UNIT * widths[place] for place in _WIDTHS] for widths in (_WIDTHS, _LEAST))
        for place, width in zip(_WIDTHS, fitted_widths(wanted, least, self.viewport().width()), strict=True):
            self.setColumnWidth(place, width)


def _view(model: RolesModel) -> QTableView:
    view = _View()
    view.setObjectName("columnRoles")
    view.setAccessibleName(tr("Columns and their roles"))
    view.setModel(model)
    view.setItemDelegateForColumn(BARS, HistogramDelegate(view))
    view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    view.setAlternatingRowColors(True)
    view.setShowGrid(False)
    view.setWordWrap(False)
    view.setTabKeyNavigation(False)
    view.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
    rows, columns = view.verticalHeader(), view.horizontalHeader()
    rows.hide()
    rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
    rows.setDefaultSectionSize(3 * UNIT)
    columns.setHighlightSections(False)
    columns.setStretchLastSection(True)
    columns.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
    view.setSortingEnabled(True)
    return view
