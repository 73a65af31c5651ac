"""The Explain page: a list of rows on the left; on the right one row, all rows, and a map."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QSplitter,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

from mcsvm_gui.core.explain.looked_at import LookedAt, OneRow
from mcsvm_gui.core.report.chapters import explanation_titles
from mcsvm_gui.ui.explain import tables
from mcsvm_gui.ui.explain.map_panel import MapPanel
from mcsvm_gui.ui.explain.overview_panel import OverviewPanel
from mcsvm_gui.ui.explain.row_panel import RowPanel
from mcsvm_gui.ui.kit import file_dialogs, report_menu
from mcsvm_gui.ui.kit.buttons import labelled, push_button, python_button
from mcsvm_gui.ui.kit.choice_dialog import choose_chapters
from mcsvm_gui.ui.kit.combos import narrow_combo
from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.kit.nesting import nest
from mcsvm_gui.ui.kit.page import Tabs
from mcsvm_gui.ui.kit.theme import UNIT
from mcsvm_gui.ui.plots.class_marks import shortened
from mcsvm_gui.ui.tables.result_view import ResultTableView

NAME = 30  # limit on the letters of a name in a list


class ExplainPage(QWidget):
    """Setters and signals; the presenter decides."""

    seen = Signal()
    run_chosen = Signal(int)
    rows_asked = Signal()  # other rows than those in the table are requested
    row_chosen = Signal(int)  # its place in the data set
    flip_asked = Signal()
    overview_seen = Signal()
    stop_asked = Signal()
    save_asked = Signal(str, list, list)  # a path, names of columns, rows
    values_asked = Signal(str)  # a path
    report_asked = Signal(str)
    chapters_chosen = Signal(list)  # chapters of the report
    python_asked = Signal()
    message = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._chapters: list[str] = []  # chosen for the last report
        self.setObjectName("explainPage")
        self.setAccessibleName(tr("Explain"))
        self._make_controls()
        self.row, self.overview, self.map = RowPanel(), OverviewPanel(), MapPanel()
        self.tabs = Tabs()
        self.tabs.setObjectName("explainTabs")
        self.tabs.setAccessibleName(tr("What is explained"))
        self.tabs.setDocumentMode(True)
        self.tabs.addTab(self.row, tr("This row"))
        self.tabs.addTab(self.overview, tr("All rows"))
        self.tabs.addTab(self.map, tr("Map"))
        self._lay_out()
        self._connect()
        self.show_empty("")

    def heightForWidth(self, width: int) -> int:
        """Return -1 (no preferred height): a page takes the available space, whatever its wrapped text needs."""
        return -1

    # -- building ---------------------------------------------------------------------------------

    def _make_controls(self) -> None:
        self.runs = narrow_combo("explainRunCombo", tr("Run that is explained"))
        self.which = narrow_combo("explainWhichCombo", tr("Rows that are listed"))
        for name, title in which_rows().items():
            self.which.addItem(title, name)
        self.true, self.decided = (
            narrow_combo("explainTrueCombo", tr("True class of the row")),
            narrow_combo("explainDecidedCombo", tr("Predicted class")),
        )
        self.rows = ResultTableView("explainRowTable", tr("Rows to choose from"))
        self.stop = push_button("explainStopButton", tr("Stop"), "close", tr("Keep finished work"))
        self.progress = QLabel()
        self.progress.setObjectName("explainProgress")
        self.progress.setProperty("role", "muted")
        self.progress.setTextFormat(Qt.TextFormat.PlainText)
        self.save_button = labelled(
            "explainSaveButton", tr("Save values"), tr("Save the values of the row as CSV"), "save"
        )
        words = tr("Copy as a Python script that gives the same numbers")
        self.python_button = python_button("explainPythonButton", words)
        self.python_button.clicked.connect(self.python_asked)
        self.report_button = report_menu.report_button()
        self.notes = QLabel()
        self.notes.setObjectName("explainNotes")
        self.notes.setProperty("role", "warning")
        self.notes.setWordWrap(True)
        self.notes.setTextFormat(Qt.TextFormat.PlainText)
        self.notes.hide()

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(UNIT)
        head.addWidget(self.runs)
        head.addWidget(self.progress, 1)
        for widget in (self.stop, self.python_button, self.save_button, self.report_button):
            head.addWidget(widget)
        left = QWidget()
        column = QVBoxLayout(left)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(UNIT)
        column.addWidget(self.which)
        cell = QHBoxLayout()
        cell.setSpacing(UNIT)
        cell.addWidget(self.true, 1)
        cell.addWidget(self.decided, 1)
        nest(column, cell)
        column.addWidget(self.rows, 1)
        splitter = QSplitter(Qt.Orientation.Horizontal)
        splitter.setObjectName("explainSplitter")
        splitter.setHandleWidth(2 * UNIT)
        splitter.setChildrenCollapsible(False)
        splitter.addWidget(left)
        splitter.addWidget(self.tabs)
        splitter.setStretchFactor(0, 1)
        splitter.setStretchFactor(1, 3)
        splitter.setSizes([48 * UNIT, 72 * UNIT])
        self._stack_on(head, splitter)

    def _stack_on(self, head: QHBoxLayout, splitter: QSplitter) -> None:
        self._full = QWidget()
        whole = QVBoxLayout(self._full)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(UNIT)
        nest(whole, head)
        whole.addWidget(self.notes)
        whole.addWidget(splitter, 1)
        self._empty = QLabel()
        self._empty.setObjectName("explainEmpty")
        self._empty.setProperty("role", "muted")
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._empty.setWordWrap(True)
        holder = QWidget()
        self._stack = QStackedLayout(holder)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self._full)
        page = QVBoxLayout(self)
        page.setContentsMargins(2 * UNIT, 2 * UNIT, 2 * UNIT, UNIT)
        page.addWidget(holder)

    def _connect(self) -> None:
        self.runs.currentIndexChanged.connect(lambda _: self.run_chosen.emit(self.runs.currentData()))
        for combo in (self.which, self.true, self.decided):
            combo.currentIndexChanged.connect(lambda _: self.rows_asked.emit())
        self.rows.selectionModel().currentRowChanged.connect(self._chosen)
        self.row.flip_asked.connect(self.flip_asked)
        self.overview.seen.connect(self.overview_seen)
        self.stop.clicked.connect(self.stop_asked)
        self.save_button.clicked.connect(self._ask_for_values)
        for table in (self.rows, self.row.near, self.row.machines):
            table.save_asked.connect(lambda table=table: self._ask_to_save(table))
        for plot in (self.row.plot, *self.overview.plots, self.map.plot):
            plot.saved.connect(lambda where: self.message.emit(tr("Saved the plot: {where}.", where=where)))
            plot.save_failed.connect(self.message)

    def _chosen(self, now: object, before: object) -> None:
        index = self.rows.currentIndex()
        if index.isValid():
            self.row_chosen.emit(int(self.rows.entries.key_at(index.row())))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.seen.emit()

    # -- contents ---------------------------------------------------------------------------------

    def is_seen(self) -> bool:
        return self.isVisible()

    def overview_is_seen(self) -> bool:
        return self.overview.isVisible()

    def show_empty(self, words: str) -> None:
        self._empty.setText(words)
        self._stack.setCurrentWidget(self._empty)

    def show_runs(self, runs: Sequence[tuple[int, str]], chosen: int) -> None:
        """Show all runs that can be explained, and select one."""
        self._stack.setCurrentWidget(self._full)
        with QSignalBlocker(self.runs):
            self.runs.clear()
            for run, name in runs:
                self.runs.addItem(shortened(name, NAME), run)
            self.runs.setCurrentIndex(self.runs.findData(chosen))

    def show_classes(self, names: Sequence[str], labelled_rows: bool) -> None:
        for combo, whole in ((self.true, tr("Any true class")), (self.decided, tr("Any predicted class"))):
            with QSignalBlocker(combo):
                before = combo.currentData()
                combo.clear()
                combo.addItem(whole, "")
                for name in names:
                    combo.addItem(shortened(name, NAME), name)
                combo.setCurrentIndex(max(combo.findData(before), 0))
        self.true.setEnabled(labelled_rows)

    @property
    def wanted_rows(self) -> tuple[str, str, str]:
        """Return the selection of rows, the true class and the predicted class."""
        return self.which.currentData(), self.true.currentData() or "", self.decided.currentData() or ""

    def want_rows(self, which: str, true: str = "", decided: str = "") -> None:
        """Select rows as if the user had chosen them, and open the tab of one row."""
        for combo, value in ((self.which, which), (self.true, true), (self.decided, decided)):
            with QSignalBlocker(combo):
                combo.setCurrentIndex(max(combo.findData(value), 0))
        self.tabs.setCurrentWidget(self.row)

    def show_rows(self, runs: Sequence[LookedAt], places: np.ndarray) -> None:
        self.rows.show_table(tables.row_table(runs, places))

    def choose_row(self, place: int | None) -> None:
        """Select the row at this place in the data set, or the first row."""
        entries = self.rows.entries
        keys = [entries.key_at(row) for row in range(entries.rowCount())]
        if keys:
            self.rows.setCurrentIndex(entries.index(keys.index(str(place)) if str(place) in keys else 0, 0))

    def show_row(self, of: LookedAt, found: OneRow) -> None:
        self.row.show_row(of, found)

    def show_progress(self, words: str, stoppable: bool = False) -> None:
        self.progress.setText(words)
        self.stop.setVisible(stoppable)

    def show_notes(self, sentences: Sequence[str]) -> None:
        self.notes.setText(" ".join(sentences))
        self.notes.setVisible(bool(sentences))

    # -- copying and saving -----------------------------------------------------------------------

    def _ask_to_save(self, table: ResultTableView) -> None:
        file_dialogs.choose_target(
            *(self, tr("Save the table"), "csv", f"{table.objectName()}.csv", ".csv"),
            lambda path: self.save_asked.emit(path, *table.plain()),
        )

    def _ask_for_values(self) -> None:
        file_dialogs.choose_target(self, tr("Save values"), "csv", "explained.csv", ".csv", self.values_asked.emit)

    def set_formats(self, formats: Sequence[tuple[str, str]]) -> None:
        report_menu.offer(self.report_button, formats, self._ask_for_report)

    def _ask_for_report(self, suffix: str) -> None:
        """Ask for the chapters of the report, then for its file."""
        titles = explanation_titles()
        choose_chapters(self, titles, self._chapters or titles, lambda names: self._ask_for_target(suffix, names))

    def _ask_for_target(self, suffix: str, chapters: list[str]) -> None:
        self._chapters = chapters
        self.chapters_chosen.emit(chapters)
        file_dialogs.choose_target(
            *(self, tr("Write a report"), "report", f"explained{suffix}", suffix), self.report_asked.emit
        )


def which_rows() -> dict[str, str]:
    return {
        "all": tr("All rows, smallest margin first"),
        "wrong": tr("Misclassified rows"),
        "apart": tr("Rows that the selected runs predict differently"),
    }
