"""The table of all runs, and the line above it: filter, differences, copy, save, delete."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtCore import QEvent, QItemSelection, QItemSelectionModel, QPoint, Qt, Signal
from PySide6.QtGui import QColor, QGuiApplication, QKeyEvent, QKeySequence, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QMenu,
    QStackedLayout,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from mcsvm_gui.core.base.figures import count
from mcsvm_gui.core.base.writing import tab_separated
from mcsvm_gui.core.project.columns import RunColumn
from mcsvm_gui.core.project.records import RunRecord
from mcsvm_gui.ui.kit import file_dialogs, icons, theme
from mcsvm_gui.ui.kit.buttons import clearable, labelled
from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.kit.labels import show_hint, show_text
from mcsvm_gui.ui.kit.nesting import nest
from mcsvm_gui.ui.kit.theme import UNIT
from mcsvm_gui.ui.runs.delegate import RunDelegate
from mcsvm_gui.ui.runs.table_model import RunModel

ALWAYS = "place", "name", "machine", "state"  # columns that stay visible if only differing columns are shown
ROOMY = 95 * UNIT  # minimum width at which the buttons above the table show text
SELECTION = 0.11  # opacity of the accent colour on selected rows


class RunTable(QTableView):
    """A table of runs. The plots show the selected ones."""

    chosen = Signal(list)  # runs, in the order of the rows
    delete_asked = Signal(list)
    continue_asked = Signal(list)
    pointed = Signal(object)  # the run under the mouse, or None
    columns_chosen = Signal()
    unwanted: frozenset[str] = frozenset()  # columns that the user hid
    _offered: set[str] | None = None

    def __init__(self, columns: Sequence[RunColumn], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("runTable")
        self.setAccessibleName(tr("Runs"))
        self.runs = RunModel(columns)
        self.runs.setParent(self)
        self.setModel(self.runs)
        names = [column.name for column in self.runs.columns]
        self._delegate = RunDelegate(names, self)
        self.setItemDelegate(self._delegate)
        self.setMouseTracking(True)
        self.entered.connect(lambda index: self._point(self.runs.run_at(index.row())))
        self._chosen: list[int] = []
        self._quiet = False
        self._look_like_an_instrument()
        self.selectionModel().selectionChanged.connect(self._choose)
        for signal in (self.runs.layoutChanged, self.runs.modelReset, self.runs.rowsInserted):
            signal.connect(lambda *ignored: self.choose(self._chosen))
        self.runs.rearranging.connect(self._let_go)
        theme.notifier().changed.connect(self._retheme)
        self._retheme()

    def _look_like_an_instrument(self) -> None:
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setMinimumHeight(13 * UNIT)  # a heading, two rows and a scroll bar
        self.setShowGrid(False)
        self.setDragEnabled(True)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.verticalHeader().setDefaultSectionSize(7 * UNIT // 2)
        header = self.horizontalHeader()
        header.setSectionsMovable(True)
        header.setHighlightSections(False)
        header.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        header.customContextMenuRequested.connect(self._show_column_menu)
        header.setSortIndicatorClearable(True)
        header.setSortIndicator(-1, Qt.SortOrder.DescendingOrder)
        self.setSortingEnabled(True)
        digit = self.fontMetrics().horizontalAdvance("0")
        for place, column in enumerate(self.runs.columns):
            words = self.fontMetrics().horizontalAdvance(column.title) + 4 * UNIT
            self.setColumnWidth(place, max(words, column.width * digit + 2 * UNIT))

    def _retheme(self) -> None:
        now = theme.current()
        accent = QColor(now.accent)
        ground = f"rgba({accent.red()}, {accent.green()}, {accent.blue()}, {round(255 * SELECTION)})"
        self.setStyleSheet(f"""
            QTableView {{ selection-background-color: {ground}; selection-color: {now.text}; outline: none; }}
            QTableView::item {{ padding: 0 {UNIT - 3}px; border: none; }}
            QTableView::item:selected {{ background: {ground}; color: {now.text}; }}
        """)

    # -- the run under the mouse ------------------------------------------------------------------

    def mark(self, run: int | None) -> None:
        """Mark a run that was highlighted elsewhere; emits no signal."""
        if run != self._delegate.marked:
            self._delegate.marked = run
            self.viewport().update()

    def _point(self, run: int | None) -> None:
        self.mark(run)
        self.pointed.emit(run)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._point(None)

    # -- selection --------------------------------------------------------------------------------

    def selected_runs(self) -> list[int]:
        rows: list[int] = []
        selection = self.selectionModel().selection()
        for place in range(selection.count()):
            part = selection.at(place)
            rows.extend(range(part.top(), part.bottom() + 1))
        return [self.runs.run_at(row) for row in sorted(set(rows))]

    def choose(self, runs: Iterable[int]) -> None:
        """Select runs from outside; emits no signal. Runs that the filter hides are selected again with their rows."""
        self._chosen = list(runs)
        last, selection = len(self.runs.columns) - 1, QItemSelection()
        places = [self.runs.row_of(run) for run in self._chosen]
        for first, end in _stretches(sorted(row for row in places if row is not None)):
            selection.select(self.runs.index(first, 0), self.runs.index(end, last))
        self._quiet = True
        self.selectionModel().select(selection, QItemSelectionModel.SelectionFlag.ClearAndSelect)
        self._quiet = False

    def _let_go(self) -> None:
        """Clear the selection: selecting again is faster than following every cell, and hidden rows stay chosen."""
        self._quiet = True
        self.clearSelection()

    def _choose(self) -> None:
        if not self._quiet:
            self._chosen = self.selected_runs()
            self.chosen.emit(self._chosen)

    # -- keys -------------------------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        elif event.matches(QKeySequence.StandardKey.Delete):
            self.ask_to_delete()
        elif event.key() == Qt.Key.Key_F2:
            self.edit_column("name")
        else:
            super().keyPressEvent(event)

    def copy(self) -> None:
        """Copy the selected rows, or all, as tab-separated text."""
        runs = self.selected_runs() or self.runs.shown()
        QGuiApplication.clipboard().setText(tab_separated(*self.runs.table(runs)))

    def ask_to_delete(self) -> None:
        runs = self.selected_runs()
        if runs:
            self.delete_asked.emit(runs)

    def add_continue(self, menu: QMenu) -> None:
        """Add the entry that continues runs to the menu, if a selected run was stopped."""
        stopped = [run for run in self.selected_runs() if self.runs.record(run).continuable]
        if stopped:
            action = menu.addAction(icons.icon("play"), tr("Continue"), lambda: self.continue_asked.emit(stopped))
            action.setObjectName("continueRunsAction")

    def edit_column(self, name: str) -> None:
        row = self.currentIndex().row()
        place = next(place for place, column in enumerate(self.runs.columns) if column.name == name)
        if row >= 0:
            self.setCurrentIndex(self.runs.index(row, place))
            self.edit(self.runs.index(row, place))

    # -- columns ----------------------------------------------------------------------------------

    def show_columns(self, names: Iterable[str] | None) -> None:
        """Show the named columns, or all if `names` is None, except those that the user hid."""
        self._offered = None if names is None else set(names)
        for place, column in enumerate(self.runs.columns):
            offered = self._offered is None or column.name in self._offered
            self.setColumnHidden(place, not offered or column.name in self.unwanted)

    def want(self, name: str, wanted: bool) -> None:
        """Show or hide a column because the user chose so."""
        self.unwanted = self.unwanted - {name} if wanted else self.unwanted | {name}
        self.show_columns(self._offered)
        self.columns_chosen.emit()

    def add_column_menu(self, menu: QMenu) -> None:
        columns = menu.addMenu(tr("Columns"))
        columns.setObjectName("columnMenu")
        for column in self.runs.columns:
            action = columns.addAction(column.title)
            action.setObjectName(f"column-{column.name}")
            action.setToolTip(column.tip)
            action.setCheckable(True)
            action.setChecked(column.name not in self.unwanted)
            action.setEnabled(column.name not in ALWAYS)
            action.toggled.connect(lambda on, name=column.name: self.want(name, on))

    def _show_column_menu(self, place: QPoint) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.add_column_menu(menu)
        columns = menu.findChild(QMenu, "columnMenu")
        assert columns is not None
        columns.popup(self.horizontalHeader().mapToGlobal(place))


def _stretches(rows: Sequence[int]) -> list[tuple[int, int]]:
    """Return stretches of adjacent rows as (first, last)."""
    found: list[tuple[int, int]] = []
    for row in rows:
        if found and found[-1][1] == row - 1:
            found[-1] = (found[-1][0], row)
        else:
            found.append((row, row))
    return found


class RunPanel(QWidget):
    _hidden = 0  # number of runs of other data
    chosen = Signal(list)
    renamed = Signal(int, str)
    noted = Signal(int, str)
    delete_asked = Signal(list)
    continue_asked = Signal(list)
    everything_asked = Signal(bool)  # show runs of other data too
    save_asked = Signal(str)  # a path

    def __init__(self, columns: Sequence[RunColumn], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("runPanel")
        self.setAccessibleName(tr("Table of runs"))
        self.table = RunTable(columns)
        self._build_tools()
        self._lay_out()
        self.table.chosen.connect(self.chosen)
        self.table.delete_asked.connect(self.delete_asked)
        self.table.continue_asked.connect(self.continue_asked)
        self.table.runs.edited.connect(self._edited)
        self.table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.table.customContextMenuRequested.connect(self._show_menu)
        for signal in (
            self.model.rowsInserted,
            self.model.rowsRemoved,
            self.model.layoutChanged,
            self.model.modelReset,
        ):
            signal.connect(lambda *ignored: self._refresh())
        self._refresh()

    @property
    def model(self) -> RunModel:
        return self.table.runs

    # -- building ---------------------------------------------------------------------------------

    def _build_tools(self) -> None:
        self.filter = QLineEdit()
        self.filter.setObjectName("runFilterEdit")
        self.filter.setAccessibleName(tr("Find runs"))
        show_hint(self.filter, tr("find: name, machine, C=4, note…"))
        clearable(self.filter)
        self.filter.setMinimumWidth(14 * UNIT)
        self.filter.setMaximumWidth(40 * UNIT)
        self.filter.textChanged.connect(self._filter)
        self.differences = QCheckBox(tr("Differences only"))
        self.differences.setObjectName("runDifferencesCheck")
        self.differences.setAccessibleName(tr("Differences only"))
        self.differences.setToolTip(tr("Show only the columns in which the runs shown differ"))
        self.differences.toggled.connect(lambda checked: self._show_columns())
        self.everything = QCheckBox(tr("All runs"))
        self.everything.setObjectName("allRunsCheck")
        self.everything.setAccessibleName(tr("All runs"))
        self.everything.setToolTip(
            tr("Show runs of other data too, not only those of the open data and its import settings")
        )
        self.everything.clicked.connect(self.everything_asked)
        self.counted = QLabel()
        self.counted.setObjectName("runCountLabel")
        self.counted.setProperty("role", "muted")
        self.copy_button = labelled("runCopyButton", tr("Copy"), tr("Copy the rows for a spreadsheet"), "copy")
        self.save_button = labelled("runSaveButton", tr("Save…"), tr("Save the table as CSV"), "save")
        self.delete_button = labelled("runDeleteButton", tr("Delete"), tr("Delete the selected runs"), "trash")
        self.copy_button.clicked.connect(self.table.copy)
        self.save_button.clicked.connect(self._ask_to_save)
        self.delete_button.clicked.connect(self.table.ask_to_delete)
        self.table.selectionModel().selectionChanged.connect(lambda *ignored: self._refresh())
        self._show_words()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_words()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._show_words()

    def _show_words(self) -> None:
        """Show text on the buttons if there is space; invisible buttons must not reserve the width."""
        for button in (self.copy_button, self.save_button, self.delete_button):
            button.show_texts(self.isVisible() and self.width() >= ROOMY)

    def _lay_out(self) -> None:
        tools = QHBoxLayout()
        tools.setSpacing(UNIT)
        tools.addWidget(self.filter, 1)
        tools.addWidget(self.differences)
        tools.addWidget(self.everything)
        tools.addWidget(self.counted)
        tools.addStretch()  # takes space only after the filter field has reached its maximum width
        for button in (self.copy_button, self.save_button, self.delete_button):
            tools.addWidget(button)
        self._nothing = QLabel()
        self._nothing.setObjectName("runEmptyLabel")
        self._nothing.setProperty("role", "muted")
        self._nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._nothing.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        stack = QStackedLayout()
        stack.setStackingMode(QStackedLayout.StackingMode.StackAll)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(UNIT)
        nest(column, tools)
        nest(column, stack, 1)
        # given to the panel before they are shown, because widgets without a parent open as windows
        for widget in (self.table, self._nothing):
            stack.addWidget(widget)
        stack.setCurrentWidget(self._nothing)

    # -- setters ----------------------------------------------------------------------------------

    def set_records(self, records: Iterable[RunRecord], hidden: int = 0, *, everything: bool = False) -> None:
        """Show these runs. `hidden` counts the runs of other data; `everything`: all runs are shown."""
        self._hidden = hidden
        self.everything.setChecked(everything)
        self.model.set_records(records)
        self._refresh()

    def put(self, record: RunRecord) -> None:
        self.model.put(record)

    def remove(self, run: int) -> None:
        self.model.remove(run)

    def hide_exports(self) -> None:
        """Hide the buttons that copy and save the table, for a page that has such buttons for something else."""
        for button in (self.copy_button, self.save_button):
            button.hide()

    def choose(self, runs: Iterable[int]) -> None:
        self.table.choose(runs)

    # -- actions of the user ----------------------------------------------------------------------

    def _edited(self, run: int, column: str, text: str) -> None:
        (self.renamed if column == "name" else self.noted).emit(run, text)

    def _filter(self, text: str) -> None:
        self.model.set_filter(text)
        self._show_columns()

    def _show_columns(self) -> None:
        only = self.differences.isChecked()
        self.table.show_columns({*ALWAYS, *self.model.differing()} if only else None)

    def _refresh(self) -> None:
        shown, total = self.model.rowCount(), self.model.total
        if total == 0 and self._hidden:
            words = tr("No runs of the open data. “All runs” shows those of other data.")
            self._nothing.setText(words)
        elif total == 0:
            self._nothing.setText(tr("No runs yet. Trained models are listed here."))
        else:
            self._nothing.setText(tr("No runs match this filter.") if shown == 0 else "")
        runs = tr("{count} run", "{count} runs", count=total)
        show_text(
            self.counted,
            "" if total == 0 else runs if shown == total else tr("{shown} of {runs}", shown=count(shown), runs=runs),
        )
        self.delete_button.setEnabled(self.table.selectionModel().hasSelection())
        for button in (self.copy_button, self.save_button):
            button.setEnabled(shown > 0)

    def _ask_to_save(self) -> None:
        file_dialogs.choose_target(self, tr("Save the table"), "csv", "runs.csv", ".csv", self.save_asked.emit)

    def _show_menu(self, place: QPoint) -> None:
        menu = QMenu(self)
        menu.setObjectName("runMenu")
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if self.table.indexAt(place).isValid():
            menu.addAction(tr("Rename"), lambda: self.table.edit_column("name"))
            menu.addAction(tr("Write a note"), lambda: self.table.edit_column("note"))
            menu.addSeparator()
            self.table.add_continue(menu)
            menu.addAction(icons.icon("trash"), tr("Delete"), self.table.ask_to_delete)
        menu.addAction(icons.icon("copy"), tr("Copy"), self.table.copy)
        self.table.add_column_menu(menu)
        menu.popup(self.table.viewport().mapToGlobal(place))
