"""The table of a data set, and a bar to browse more columns than can be shown together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QPushButton,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from mcsvm_gui.core.base.figures import count
from mcsvm_gui.core.data.roles.arrangement import ALL, PICKS, Arrangement, Place
from mcsvm_gui.ui.data.model import MOST_SHOWN, DataModel
from mcsvm_gui.ui.kit import theme
from mcsvm_gui.ui.kit.combos import Combo
from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.kit.labels import show_hint
from mcsvm_gui.ui.kit.theme import UNIT

if TYPE_CHECKING:
    import numpy as np

    from mcsvm_gui.core.data.dataset import Dataset

_NARROW, _WIDE = 9 * UNIT, 24 * UNIT
_CELLS_MEASURED = 400
_FEW = 20  # up to this number of features there is no search field
MOST_COPIED = 100_000  # limit on the cells that are copied


class CopyableTable(QTableView):
    """Copies the selected cells as tab-separated text."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            QGuiApplication.clipboard().setText(self.selected_text())
        else:
            super().keyPressEvent(event)

    def selected_text(self) -> str:
        """Return the text of the smallest rectangle around the selection, with a limit on its rows."""
        selection = self.selectionModel().selection()
        ranges = [selection.at(place) for place in range(selection.count())]
        if not ranges:
            return ""
        model = self.model()
        assert isinstance(model, DataModel)
        left, right = min(part.left() for part in ranges), max(part.right() for part in ranges)
        top, bottom = min(part.top() for part in ranges), max(part.bottom() for part in ranges)
        bottom = min(bottom, top + MOST_COPIED // (right - left + 1) - 1)
        columns = range(left, right + 1)
        heading = [str(model.headerData(column, Qt.Orientation.Horizontal)) for column in columns]
        lines = [[model.index(row, column).data() for column in columns] for row in range(top, bottom + 1)]
        return "\n".join("\t".join(line) for line in [heading, *lines])


class DataTable(QWidget):
    arrangement_asked = Signal(object)  # Arrangement
    row_selected = Signal(int)  # of the data set

    def __init__(self) -> None:
        super().__init__()
        self.model = DataModel()
        self.grid = _grid(self.model)
        self.where, self.trouble = QLabel(), QLabel()
        self.where.setProperty("role", "muted")
        self.go_to = QLineEdit()
        self.go_to.setObjectName("goToColumnEdit")
        self.go_to.setAccessibleName(tr("Go to column"))
        show_hint(self.go_to, tr("go to column: name or number"))
        _let_shrink(self.go_to)
        self.go_to.returnPressed.connect(self._go)
        self.go_to.textEdited.connect(lambda: self.trouble.clear())
        self.trouble.setProperty("role", "bad")
        self._sorted: Place | None = None
        self._descending = False
        self.rows = QLineEdit()
        self.rows.setObjectName("rowFilterEdit")
        self.rows.setAccessibleName(tr("Show the rows where"))
        show_hint(self.rows, tr("show rows where: CLASS=a; x>3"))
        _let_shrink(self.rows)
        self.rows.returnPressed.connect(self._ask)
        self.pick = Combo()
        self.pick.setObjectName("rowPickCombo")
        self.pick.setAccessibleName(tr("Which rows are shown"))
        for name, title in PICKS.items():
            self.pick.addItem(tr(title), name)
        self.pick.currentIndexChanged.connect(lambda: self._ask())
        self.rows.textEdited.connect(lambda words: None if words else self._ask())
        self.grid.selectionModel().currentRowChanged.connect(self._tell_row)
        self.grid.horizontalHeader().sectionClicked.connect(self._sort_by)
        self.back = self._step("previousColumnsButton", "<", tr("Previous columns"), -MOST_SHOWN)
        self.on = self._step("nextColumnsButton", ">", tr("Next columns"), MOST_SHOWN)
        self._lay_out()
        theme.notifier().changed.connect(self._retheme)
        self._retheme()

    def _step(self, name: str, sign: str, title: str, distance: int) -> QPushButton:
        button = QPushButton(sign)
        button.setObjectName(name)
        button.setAccessibleName(title)
        button.setToolTip(title)
        button.setFixedWidth(4 * UNIT)
        button.setStyleSheet("padding: 0;")
        button.clicked.connect(lambda: self._move_to(self.model.first + distance))
        return button

    def _lay_out(self) -> None:
        self.bar = QWidget()
        row = QHBoxLayout(self.bar)
        row.setContentsMargins(0, 0, 0, UNIT)
        row.setSpacing(UNIT)
        for part in (self.where, self.back, self.on):
            row.addWidget(part)
        row.addWidget(self.pick)
        row.addWidget(self.rows, 1)
        row.addStretch()
        row.addWidget(self.trouble)
        row.addWidget(self.go_to, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.bar)
        column.addWidget(self.grid)

    def _retheme(self) -> None:
        now = theme.current()
        self.grid.setStyleSheet(f"""
            QTableView::item {{ padding: 0 {UNIT}px; }}
            QHeaderView::section:vertical {{ border: none; }}
            QTableCornerButton::section {{ background: {now.window}; border: none;
                border-bottom: 1px solid {now.line}; }}
        """)

    def show_data(self, dataset: Dataset | None) -> None:
        self.model.show(dataset)
        for edit in (self.go_to, self.rows):
            edit.clear()
        self.trouble.clear()
        self._set_pick(ALL)
        self._sorted, self._descending = None, False
        self._refresh()
        self.grid.scrollToTop()

    def _sort_by(self, section: int) -> None:
        """Sort by a column: ascending, then descending, then in the original order."""
        place = self.model.feature_of(section)
        if place != self._sorted:
            self._sorted, self._descending = place, False
        elif not self._descending:
            self._descending = True
        else:
            self._sorted, self._descending = None, False
        self._ask()

    def _ask(self) -> None:
        self.trouble.clear()
        self.arrangement_asked.emit(
            Arrangement(self._sorted, self._descending, self.rows.text(), self.pick.currentData())
        )

    def pick_rows(self, pick: str) -> None:
        self._set_pick(pick)
        self.rows.clear()
        self._ask()

    def _set_pick(self, pick: str) -> None:
        with QSignalBlocker(self.pick):
            self.pick.setCurrentIndex(self.pick.findData(pick))

    def show_order(self, order: np.ndarray | None) -> None:
        self.model.show_order(order)
        self._mark()
        self.trouble.setText("" if order is None or len(order) else tr("No rows match"))
        self.grid.scrollToTop()

    def go_to_row(self, row: int) -> None:
        """Scroll to a row of the data set and select it, if it is shown."""
        place = self.model.place_of(row)
        if place is None:
            self.trouble.setText(tr("row {row} is not shown", row=count(self.model.number_of(row))))
            return
        self.trouble.clear()
        index = self.model.index(place, 0)
        self.grid.scrollTo(index, QAbstractItemView.ScrollHint.PositionAtCenter)
        self.grid.selectRow(place)

    def _tell_row(self, current: QModelIndex) -> None:
        if current.isValid():
            self.row_selected.emit(self.model.row_of(current.row()))

    def say_trouble(self, sentence: str) -> None:
        self.trouble.setText(sentence)

    def _mark(self) -> None:
        """Show the sort arrow in the heading of the column by which rows are sorted."""
        model, header = self.model, self.grid.horizontalHeader()
        section = next((c for c in range(model.columnCount()) if model.feature_of(c) == self._sorted), -1)
        header.setSortIndicatorShown(section >= 0)
        order = Qt.SortOrder.DescendingOrder if self._descending else Qt.SortOrder.AscendingOrder
        header.setSortIndicator(section, order)

    def _go(self) -> None:
        words = self.go_to.text()
        feature = self.model.find(words)
        if feature is None:
            self.trouble.setText(tr("there is no column “{name}”", name=words.strip()))
            return
        if not self.model.first <= feature < self.model.first + self.model.shown:
            self._move_to(feature - MOST_SHOWN // 2)
        row = max(0, self.grid.rowAt(0))
        index = self.model.index(row, self.model.column_of(feature))
        self.grid.scrollTo(index, QAbstractItemView.ScrollHint.PositionAtCenter)
        self.grid.selectColumn(index.column())

    def _move_to(self, first: int) -> None:
        row = max(0, self.grid.rowAt(0))
        self.model.move_to(first)
        self._refresh()
        self.grid.scrollTo(self.model.index(row, 0), QAbstractItemView.ScrollHint.PositionAtTop)

    def _refresh(self) -> None:
        model = self.model
        self.bar.setVisible(model.columnCount() > 0)
        self.go_to.setVisible(model.features > _FEW)
        self._mark()
        capped = model.features > MOST_SHOWN
        self.back.setVisible(capped)
        self.on.setVisible(capped)
        self.back.setEnabled(model.first > 0)
        self.on.setEnabled(model.first + model.shown < model.features)
        first, last = count(model.first + 1), count(model.first + model.shown)
        words = tr("features {first} to {last} of {total}", first=first, last=last, total=count(model.features))
        self.where.setText(words if capped else "")
        self._size_columns()

    def _size_columns(self) -> None:
        """Set the widths from headings and the first cells, in characters: measuring every text would be too slow."""
        model, character = self.model, self.grid.fontMetrics().averageCharWidth() + 1
        columns = model.columnCount()
        rows = range(min(model.rowCount(), max(3, _CELLS_MEASURED // max(1, columns))))
        for column in range(columns):
            texts = [model.text(row, model.feature_of(column)) for row in rows]
            heading = str(model.headerData(column, Qt.Orientation.Horizontal))
            wanted = max(map(len, [heading, *texts])) * character + 3 * UNIT
            self.grid.setColumnWidth(column, max(_NARROW, min(_WIDE, wanted)))


def _let_shrink(edit: QLineEdit) -> None:
    edit.setMinimumWidth(12 * UNIT)
    edit.setMaximumWidth(28 * UNIT)


def _grid(model: DataModel) -> CopyableTable:
    grid = CopyableTable()
    grid.setObjectName("dataTable")
    grid.setAccessibleName(tr("Data table"))
    grid.setModel(model)
    grid.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    grid.setAlternatingRowColors(True)
    grid.setShowGrid(False)
    grid.setWordWrap(False)
    grid.setTabKeyNavigation(False)  # Tab leaves the table; arrow keys move inside it
    grid.setCornerButtonEnabled(False)
    grid.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
    rows, columns = grid.verticalHeader(), grid.horizontalHeader()
    rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
    rows.setDefaultSectionSize(3 * UNIT)
    columns.setHighlightSections(False)
    columns.setTextElideMode(Qt.TextElideMode.ElideRight)
    columns.setSelectionModel(
        QItemSelectionModel(model, columns)
    )  # using the table's own would ask every row of a column
    columns.setSectionsClickable(True)
    columns.setDefaultAlignment(Qt.AlignmentFlag.AlignVCenter)
    return grid
