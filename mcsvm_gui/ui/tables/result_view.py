"""Results as a table: sorts by any column, copies as tab-separated text, and marks the best or wrong values."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, QPoint, QRect, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPixmap,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QMenu, QStyleOptionHeader, QTableView, QWidget

from mcsvm_gui.core.base.i18n.terms import meaning
from mcsvm_gui.core.base.writing import tab_separated
from mcsvm_gui.core.compare.result_table import ResultTable, TableCell, order_of
from mcsvm_gui.ui.kit import icons, theme
from mcsvm_gui.ui.kit.badge import SIGNS
from mcsvm_gui.ui.kit.column_widths import fitted_widths
from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.kit.labels import plain_tip
from mcsvm_gui.ui.kit.theme import UNIT
from mcsvm_gui.ui.plots.class_marks import on_one_line
from mcsvm_gui.ui.plots.stroke import draw_stroke

Index = QModelIndex | QPersistentModelIndex
ROLE = Qt.ItemDataRole
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
LONG = 20  # letters; longer texts of cells may be cut, and then have a tooltip
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
NOWHERE = QModelIndex()
HEAT = 0.45  # largest opacity of a colour behind a cell
MEASURED = 200  # number of rows that decide how wide columns are
STROKE = 3 * UNIT, 2 * UNIT
MACHINE = ROLE.UserRole  # role of a heading
ARROW = 2 * UNIT  # room for the arrow of the sorted column


class ResultTableModel(QAbstractTableModel):
    def __init__(self) -> None:
        super().__init__()
        self.table = ResultTable()
        self.hidden: frozenset[str] = frozenset()  # keys of rows
        self._order: list[int] = []
        self._by, self._falling = -1, False

    def show(self, table: ResultTable) -> list[int]:
        """Show a table, sorted as before; return the columns in which a cell differs, or all columns."""
        if self._by < 0 and _as_large(table, self.table):
            return self._replace(table)
        self.beginResetModel()
        self.table = table
        self._arrange()
        self.endResetModel()
        return list(range(len(table.headings)))

    def _replace(self, table: ResultTable) -> list[int]:
        """Replace the table cell by cell: after a reset, thousands of cells are painted even if one has changed."""
        before, self.table = self.table, table
        found: set[int] = set()
        for place, row in enumerate(self._order):
            pairs = zip(before.rows[row], table.rows[row], strict=True)
            columns = [column for column, (old, new) in enumerate(pairs) if old != new]
            if columns:
                self.dataChanged.emit(self.index(place, columns[0]), self.index(place, columns[-1]))
                found.update(columns)
        return sorted(found)

    def hide(self, keys: Iterable[str]) -> None:
        self.beginResetModel()
        self.hidden = frozenset(keys)
        self._arrange()
        self.endResetModel()

    def _arrange(self) -> None:
        table = self.table
        known = 0 <= self._by < len(table.headings)
        rows = order_of(table, self._by, self._falling) if known else list(range(len(table.rows)))
        self._order = [row for row in rows if not table.keys or table.keys[row] not in self.hidden]

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self._by, self._falling = column, order is Qt.SortOrder.DescendingOrder
        self.layoutAboutToBeChanged.emit()
        before = self.persistentIndexList()
        rows = [self._order[index.row()] for index in before]
        self._arrange()
        places = {row: place for place, row in enumerate(self._order)}
        after = [self.index(places[row], index.column()) for row, index in zip(rows, before, strict=True)]
        self.changePersistentIndexList(before, after)
        self.layoutChanged.emit()

    @property
    def order(self) -> list[int]:
        return self._order

    def key_at(self, row: int) -> str:
        return self.table.keys[self._order[row]] if self.table.keys else ""

    def cell(self, index: Index) -> TableCell:
        return self.table.rows[self._order[index.row()]][index.column()]

    def rowCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._order)

    def columnCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(self.table.headings)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = ROLE.DisplayRole) -> Any:
        if orientation is not Qt.Orientation.Horizontal or not 0 <= section < len(self.table.headings):
            return None
        heading = self.table.headings[section]
        answers: dict[int, Any] = {
            ROLE.DisplayRole: on_one_line(heading.title),
            MACHINE: heading.machine,
            ROLE.ToolTipRole: plain_tip(heading.tip or heading.title),
            ROLE.TextAlignmentRole: RIGHT if heading.number else LEFT,
            ROLE.WhatsThisRole: meaning(heading.term or heading.title) or heading.tip,
        }
        return answers.get(role)

    def data(self, index: Index, role: int = ROLE.DisplayRole) -> Any:
        if not index.isValid() or role not in _ANSWERS:
            return None
        if role == ROLE.TextAlignmentRole:
            return RIGHT if self.table.headings[index.column()].number else LEFT
        return _ANSWERS[ROLE(role)](self.cell(index))


def _as_large(table: ResultTable, other: ResultTable) -> bool:
    same = table.headings == other.headings and table.keys == other.keys and bool(other.rows)
    return same and len(table.rows) == len(other.rows)


def _colour(cell: TableCell) -> QColor | None:
    now = theme.current()
    colours = {"best": now.accent, "wrong": now.bad, "quiet": now.muted}
    if cell.sign in SIGNS:
        return QColor(getattr(now, SIGNS[cell.sign][1]))
    return QColor(colours[cell.sign]) if cell.sign in colours else None


def _ground(cell: TableCell) -> QColor | None:
    if not cell.heat:
        return None
    colour = QColor(theme.current().accent if cell.heat > 0.0 else theme.current().bad)
    colour.setAlphaF(HEAT * min(abs(cell.heat), 1.0))
    return colour


def _font(cell: TableCell) -> QFont | None:
    if cell.sign != "best":
        return None
    font = QFont(QGuiApplication.font())
    font.setBold(True)
    return font


def _sign(cell: TableCell) -> QPixmap | None:
    if cell.sign == "wrong":
        return icons.tinted("close", theme.current().bad)
    name, role = SIGNS.get(cell.sign, ("", ""))
    return icons.tinted(name, getattr(theme.current(), role)) if name else None


_ANSWERS: dict[int, Callable[[TableCell], Any]] = {
    ROLE.DisplayRole: lambda cell: on_one_line(cell.text),
    ROLE.ToolTipRole: lambda cell: plain_tip(cell.tip or cell.text) if cell.tip or len(cell.text) > LONG else None,
    ROLE.ForegroundRole: _colour,
    ROLE.BackgroundRole: _ground,
    ROLE.FontRole: _font,
    ROLE.DecorationRole: _sign,
    ROLE.TextAlignmentRole: lambda cell: None,
}


class StrokeHeader(QHeaderView):
    """A header that draws the stroke of its machine before the title of a run."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self.setSectionsClickable(True)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.setHighlightSections(False)
        self.setSortIndicatorClearable(True)
        self.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)

    def initStyleOptionForIndex(self, option: QStyleOptionHeader, section: int) -> None:
        super().initStyleOptionForIndex(option, section)
        if self._machine(section):
            option.text = ""

    def _machine(self, section: int) -> str:
        return self.model().headerData(section, Qt.Orientation.Horizontal, MACHINE) or ""

    def paintSection(self, painter: QPainter, area: QRect, section: int) -> None:
        painter.save()
        super().paintSection(painter, area, section)
        painter.restore()
        machine = self._machine(section)
        if not machine:
            return
        title = self.model().headerData(section, Qt.Orientation.Horizontal)
        right = self.model().headerData(section, Qt.Orientation.Horizontal, ROLE.TextAlignmentRole) == RIGHT
        room = area.adjusted(UNIT, 0, -UNIT - (ARROW if self.sortIndicatorSection() == section else 0), 0)
        words = self.fontMetrics().elidedText(title, Qt.TextElideMode.ElideMiddle, room.width() - STROKE[0] - UNIT)
        width = STROKE[0] + UNIT + self.fontMetrics().horizontalAdvance(words)
        left = room.right() - width if right else room.left()
        draw_stroke(painter, QRect(left, area.top(), STROKE[0], area.height()), theme.machine_style(machine))
        painter.setPen(QColor(theme.current().muted))
        painter.drawText(QRect(left + STROKE[0] + UNIT, area.top(), room.width(), area.height()), int(LEFT), words)


class ResultTableView(QTableView):
    row_chosen = Signal(str)  # the key of a row that was double-clicked, or chosen with Enter
    cell_chosen = Signal(str, int)  # the same, with the column
    save_asked = Signal()

    def __init__(self, name: str, title: str, widest: int = 34 * UNIT) -> None:
        """Build the table; `widest` limits columns of numbers, and longer headings are cut."""
        super().__init__()
        self._widest = widest
        self._wanted: list[int] = []  # comfortable widths of all columns
        self._least: list[int] = []  # smallest widths that cut no text without a tooltip
        self._by_hand = self._fitting = False  # whether the user chose the widths; whether they are being set
        self.setObjectName(name)
        self.setAccessibleName(title)
        self.entries = ResultTableModel()
        self.entries.setParent(self)
        self.setModel(self.entries)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setCornerButtonEnabled(False)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.verticalHeader().setDefaultSectionSize(3 * UNIT)
        self.setHorizontalHeader(StrokeHeader(self))
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.horizontalHeader().sectionResized.connect(self._resized)
        self.horizontalHeader().sortIndicatorChanged.connect(lambda *_: self._distribute())
        self.setSortingEnabled(True)
        self.setStyleSheet(f"QTableView::item {{ padding: 0 {UNIT - 3}px; }}")
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._show_menu)
        self.doubleClicked.connect(self._choose)
        theme.notifier().changed.connect(self._retheme)

    def show_table(self, table: ResultTable) -> None:
        fresh = [heading.title for heading in table.headings] != [h.title for h in self.entries.table.headings]
        columns = self.entries.show(table)
        if fresh or self.entries.rowCount():
            self._fit(columns)

    @property
    def comfortable_width(self) -> int:
        """The width at which no column is narrowed and the table does not scroll sideways."""
        bar = self.verticalScrollBar().sizeHint().width()
        return sum(self._wanted) + bar + 2 * self.frameWidth()

    def hide_rows(self, keys: Iterable[str]) -> None:
        self.entries.hide(keys)

    def _retheme(self) -> None:
        self.horizontalHeader().viewport().update()
        self.viewport().update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._distribute()

    def _resized(self) -> None:
        self._by_hand = self._by_hand or not self._fitting

    def _fit(self, columns: Iterable[int]) -> None:
        """Measure the heading and the first rows of these columns."""
        count = len(self.entries.table.headings)
        if len(self._wanted) != count:
            self._wanted, self._least, self._by_hand = [0] * count, [0] * count, False
        bold = _font(TableCell(None, "", "best"))
        assert bold is not None
        metrics, in_bold = self.fontMetrics(), QFontMetrics(bold)
        for column in columns:
            heading = self.entries.table.headings[column]
            cells = [self.entries.table.rows[row][column] for row in self.entries.order[:MEASURED]]
            texts = [
                (in_bold if cell.sign == "best" else metrics).horizontalAdvance(cell.text)
                + (3 * UNIT if cell.sign == "wrong" or cell.sign in SIGNS else 0)
                for cell in cells
            ]
            stroke = STROKE[0] + UNIT if heading.machine else 0
            title = metrics.horizontalAdvance(heading.title) + stroke + 2 * UNIT
            widest = max([title + ARROW, *(int(1.06 * text) + 2 * UNIT for text in texts)])
            most = self._widest if heading.number else 34 * UNIT
            self._wanted[column] = min(max(widest, 6 * UNIT), most)
            whole = [text + 2 * UNIT + 2 for cell, text in zip(cells, texts, strict=True) if len(cell.text) <= LONG]
            shortened = metrics.horizontalAdvance("0" * LONG) if len(whole) < len(cells) and not heading.number else 0
            self._least[column] = min(max([title + 2, shortened, *whole]), self._wanted[column])
        self._distribute()

    def _distribute(self) -> None:
        """Set the comfortable widths, or narrower ones if the columns exceed the view."""
        header = self.horizontalHeader()
        if self._by_hand or len(self._wanted) != header.count():
            return
        least = list(self._least)
        if 0 <= header.sortIndicatorSection() < len(least):
            least[header.sortIndicatorSection()] = self._wanted[header.sortIndicatorSection()]
        self._fitting = True
        for column, width in enumerate(fitted_widths(self._wanted, least, self.viewport().width())):
            self.setColumnWidth(column, width)
        self._fitting = False

    # -- keys and menu ----------------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._choose(self.currentIndex())
        else:
            super().keyPressEvent(event)

    def _choose(self, index: Index) -> None:
        if index.isValid() and self.entries.table.keys:
            key = self.entries.key_at(index.row())
            self.row_chosen.emit(key)
            self.cell_chosen.emit(key, index.column())

    def copy(self) -> None:
        """Copy the selected rows, or all rows, with their headings as tab-separated text."""
        chosen = sorted({index.row() for index in self.selectionModel().selectedIndexes()})
        order = self.entries.order
        rows = [order[row] for row in chosen] if len(chosen) > 1 else order
        QGuiApplication.clipboard().setText(tab_separated(*self.entries.table.plain(rows)))

    def plain(self) -> tuple[list[str], list[list[object]]]:
        """Return the headings and rows that are shown, in their order."""
        return self.entries.table.plain(self.entries.order)

    def _show_menu(self, place: QPoint) -> None:
        menu = QMenu(self)
        menu.setObjectName(f"{self.objectName()}Menu")
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(icons.icon("copy"), tr("Copy"), self.copy)
        menu.addAction(icons.icon("save"), tr("Save as CSV…"), self.save_asked.emit)
        menu.popup(self.viewport().mapToGlobal(place))
