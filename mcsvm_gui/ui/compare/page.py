"""The Compare page: the comparison of the selected runs above, the table of all runs below."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QLabel,
    QSplitter,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

from mcsvm_gui.core.base.writing import tab_separated
from mcsvm_gui.core.report.chapters import USUAL
from mcsvm_gui.ui.compare.chapters_dialog import ChaptersDialog
from mcsvm_gui.ui.compare.confusion import ConfusionView
from mcsvm_gui.ui.compare.curve_panel import CurvePanel
from mcsvm_gui.ui.compare.evaluation_tabs import EvaluationTabs
from mcsvm_gui.ui.compare.gradual import Filler, Gradual
from mcsvm_gui.ui.compare.panels import ClassPanel, ConvergencePanel, CostPanel, Panel, TablePanel
from mcsvm_gui.ui.compare.tools import CompareTools
from mcsvm_gui.ui.kit import file_dialogs
from mcsvm_gui.ui.kit.buttons import push_button
from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.kit.labels import show_text, wrapped
from mcsvm_gui.ui.kit.page import PageWidget, TableSplitter, Tabs
from mcsvm_gui.ui.kit.theme import UNIT

if TYPE_CHECKING:
    from mcsvm_gui.core.compare.tables import ComparisonTables
    from mcsvm_gui.core.evaluate.curves import History
    from mcsvm_gui.ui.runs.table import RunPanel

WIDE = 175 * UNIT  # minimum width at which the measures are shown next to the tabs
ROOMY = 110 * UNIT  # minimum width at which buttons show text


class ComparePage(PageWidget):
    seen = Signal()  # the page became visible
    order_asked = Signal(str)  # sort the runs by a measure
    save_asked = Signal(str, list, list)  # a path, names of columns, rows
    newest_asked = Signal()
    experiment_asked = Signal(str)  # a path
    python_asked = Signal()
    report_asked = Signal(str)  # a path, whose suffix determines the format
    chapters_chosen = Signal(list)  # chapters of the next report
    _chapters: tuple[str, ...] = USUAL
    message = Signal(str)
    cell_chosen = Signal(int, str, str)  # from a confusion matrix: a run, a true class and a predicted class
    disagreement_chosen = Signal(int)  # a row on which runs disagree

    def __init__(self) -> None:
        super().__init__("comparePage", tr("Compare"))
        self._picture: ComparisonTables | None = None
        self.parts = Gradual(self)
        self.parts.finished.connect(lambda: self._enable())
        self._build_parts()
        self._build_tools()
        self._lay_out()
        self.show_empty("")

    # -- building ---------------------------------------------------------------------------------

    def _build_parts(self) -> None:
        self.measures = TablePanel("compareTable", tr("Chosen runs side by side"))
        self.measures.table.row_chosen.connect(self.order_asked)
        self.measures.table.setToolTip(tr("Double-click a measure to order the runs by it"))
        self.confusion = ConfusionView()
        self.per_class = ClassPanel()
        self.margins = TablePanel("marginTable", tr("Target-margin violations of each pair of classes"))
        self.margins.say(
            tr(
                "How far training rows fall short of the target margins, summed up for each pair of classes."
                " The bound made of them, in the table of measures, is loose: it compares machines, and promises"
                " nothing."
            )
        )
        self.convergence, self.cost = ConvergencePanel(), CostPanel()
        self.disagreements = TablePanel("disagreementTable", tr("Rows on which runs disagree"))
        self.disagreements.table.row_chosen.connect(lambda row: self.disagreement_chosen.emit(int(row)))
        self.disagreements.table.setToolTip(tr("Double-click a row to explain why the runs predict it differently"))
        self.confusion.cell_chosen.connect(self.cell_chosen)
        self.tests = TablePanel("significanceTable", tr("Tests of the differences"))
        self.evaluations, self.learning = EvaluationTabs(self), CurvePanel()
        self.confusion.save_asked.connect(lambda table: self.ask_to_save(table.objectName(), *table.plain()))
        for panel in (self.measures, self.per_class, self.margins, self.disagreements, self.tests):
            panel.save_asked.connect(lambda panel=panel: self.ask_to_save(panel.objectName(), *panel.plain()))
        self.evaluations.thresholds.save_asked.connect(self._ask_to_save)
        for plot in (
            self.per_class.plot,
            self.convergence.plot,
            *self.cost.plots,
            *self.evaluations.plots,
            self.learning.plot,
        ):
            plot.saved.connect(lambda where: self.message.emit(tr("Saved the plot: {where}.", where=where)))
            plot.save_failed.connect(self.message)

    def _build_tools(self) -> None:
        self.tools = CompareTools()
        self.tools.differences.toggled.connect(self._show_differences)
        self.tools.copy_button.clicked.connect(self.copy)
        self.tools.python_button.clicked.connect(self.python_asked)
        self.tools.save_button.clicked.connect(self._ask_to_save)
        self.tools.experiment_button.clicked.connect(self._ask_for_experiment)
        self.tools.report_chosen.connect(self._ask_for_report)

    def _lay_out(self) -> None:
        self.tabs = Tabs()
        self.tabs.setObjectName("compareTabs")
        self.tabs.setAccessibleName(tr("What is compared"))
        self.tabs.setDocumentMode(True)
        self.tabs.setUsesScrollButtons(True)
        named: tuple[tuple[QWidget, str], ...] = (
            (self.measures, tr("Measures")),
            (self.confusion, tr("Confusion")),
            (self.per_class, tr("Classes")),
            *self.evaluations.named,
            (self.learning, tr("Learning curve")),
            (self.convergence, tr("Convergence")),
            (self.cost, tr("Cost")),
            (self.disagreements, tr("Disagreements")),
            (self.tests, tr("Tests")),
            (self.margins, tr("Margins")),
        )
        for part, words in named:
            self.tabs.addTab(part, words)
        self.tabs.currentChanged.connect(lambda _: self._turn())
        self._beside = QSplitter(Qt.Orientation.Horizontal)
        self._beside.setObjectName("compareBeside")
        self._beside.setHandleWidth(2 * UNIT)
        self._beside.setChildrenCollapsible(False)
        self._beside.addWidget(self.tabs)
        full = QWidget()
        column = QVBoxLayout(full)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(UNIT)
        column.addWidget(self.tools)
        column.addWidget(self._notes_label())
        column.addWidget(self._beside, 1)
        self._stack_on(full)

    def _stack_on(self, full: QWidget) -> None:
        self._stack_empty()
        self._full = full
        upper = QWidget()
        self._stack = QStackedLayout(upper)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(full)
        self.splitter = TableSplitter("compareSplitter", upper)
        page = QVBoxLayout(self)
        page.setContentsMargins(2 * UNIT, 2 * UNIT, 2 * UNIT, UNIT)
        page.addWidget(self.splitter)

    def _stack_empty(self) -> None:
        """Build the empty state: a text that says what to do, and a button that does it."""
        self._said = wrapped("compareEmpty", "muted")
        self._said.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._offer = push_button("compareNewestButton", tr("Compare the newest runs"))
        self._offer.clicked.connect(self.newest_asked)
        self._empty = QWidget()
        column = QVBoxLayout(self._empty)
        column.setSpacing(2 * UNIT)
        column.addStretch()
        column.addWidget(self._said)
        column.addWidget(self._offer, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addStretch()

    def _notes_label(self) -> QLabel:
        self.notes = wrapped("compareNotes", "warning")
        self.notes.hide()
        return self.notes

    def set_run_table(self, table: RunPanel) -> None:
        """Add the table of runs; its parts get other object names than those of the other table of runs."""
        table.hide_exports()
        for part in (table, *table.findChildren(QWidget)):
            name = part.objectName()
            if name.startswith("run"):
                part.setObjectName(f"compareR{name[1:]}")
        self.splitter.set_table(table)

    def show_tab(self, name: str) -> None:
        """Show the tab whose widget has this object name, or a name that begins with it."""
        for place in range(self.tabs.count()):
            part = self.tabs.widget(place)
            if part is not None and part.objectName().startswith(name):
                self.tabs.setCurrentIndex(place)
                return

    # -- contents ---------------------------------------------------------------------------------

    def is_seen(self) -> bool:
        return self.isVisible()

    def show_empty(self, words: str, newest: bool = False) -> None:
        """Show a text instead of a comparison. `newest`: whether there are runs that could be compared."""
        self._picture = None
        self._said.setText(words)
        self._offer.setVisible(newest)
        self._stack.setCurrentWidget(self._empty)

    def show_picture(self, picture: ComparisonTables) -> None:
        """Show a comparison: visible parts at once, the others one by one, so that the window does not block."""
        self._picture = picture
        self._stack.setCurrentWidget(self._full)
        self.parts.begin(self._fillers(picture))
        for part in (self.measures, self.tabs.currentWidget()):
            self.parts.fill(part)
        self._enable()

    def _fillers(self, picture: ComparisonTables) -> Iterator[Filler]:
        yield self.measures, lambda: self._show_measures(picture)
        yield self.confusion, lambda: self.confusion.show_matrices(picture.matrices)
        yield self.per_class, lambda: self.per_class.show_classes(picture.per_class, picture.class_marks)
        yield self.disagreements, lambda: self.disagreements.show_table(picture.disagreements)
        yield self.tests, lambda: self.tests.show_table(picture.tests)
        yield self.margins, lambda: self.margins.show_table(picture.margins)
        yield from self.cost.fillers(picture.costs)
        self.disagreements.say(picture.disagreement_words)
        self.tests.say(picture.test_words)

    def _turn(self) -> None:
        """Fill the tab that was opened."""
        self.parts.fill(self.tabs.currentWidget())
        self._enable()

    def _show_measures(self, picture: ComparisonTables) -> None:
        self.measures.show_table(picture.measures)
        self._show_differences()

    def draw(self, histories: Sequence[History]) -> None:
        self.parts.begin([(self.convergence, lambda: self.convergence.plot.show_histories(histories))])
        self.parts.fill(self.tabs.currentWidget())

    def show_progress(self, words: str) -> None:
        """Show progress; an empty text means that the comparison is complete and can be reported."""
        self.tools.progress.setText(words)
        self.tools.report_button.setEnabled(not words)

    def show_notes(self, sentences: Sequence[str]) -> None:
        show_text(self.notes, " ".join(sentences))

    def _show_differences(self) -> None:
        alike = self._picture.same if self._picture is not None and self.tools.differences.isChecked() else ()
        self.measures.table.hide_rows(alike)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.seen.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show the measures next to the tabs if the page is wide enough, else in a tab."""
        super().resizeEvent(event)
        self.tools.show_texts(self.width() >= ROOMY)
        inside = self.tabs.indexOf(self.measures) >= 0
        if inside and self.width() >= WIDE:
            self._beside.insertWidget(0, self.measures)
            self.measures.show()
            self._beside.setSizes([self.width() // 2, self.width() // 2])
        elif not inside and self.width() < WIDE:
            self.tabs.insertTab(0, self.measures, tr("Measures"))
            self.tabs.setCurrentIndex(0)

    # -- copying and saving -----------------------------------------------------------------------

    @property
    def _at_hand(self) -> Panel | ConfusionView | None:
        """Return the part whose table is copied and saved; None for the convergence, which is a plot."""
        part = self.measures if self.measures.table.hasFocus() else self.tabs.currentWidget()
        return part if isinstance(part, Panel | ConfusionView) else None

    def _enable(self) -> None:
        part = self._at_hand
        self.tools.enable(part is None or bool(part.plain()[1]), picture=part is None)

    def copy(self) -> None:
        part = self._at_hand
        if part is None:
            self.convergence.plot.copy_image()
        else:
            QGuiApplication.clipboard().setText(tab_separated(*part.plain()))
            self.message.emit(tr("The table is on the clipboard."))

    def _ask_to_save(self) -> None:
        part = self._at_hand
        if part is None:
            self.convergence.plot.ask("png")
        else:
            self.ask_to_save(part.objectName(), *part.plain())

    def ask_to_save(self, name: str, names: list[str], rows: list[list[object]]) -> None:
        file_dialogs.choose_target(
            *(self, tr("Save the table"), "csv", f"{name}.csv", ".csv"),
            lambda path: self.save_asked.emit(path, names, rows),
        )

    def _ask_for_experiment(self) -> None:
        title = tr("Save these runs as an experiment")
        file_dialogs.choose_target(self, title, "experiment", "experiment.toml", ".toml", self.experiment_asked.emit)

    def set_formats(self, formats: Sequence[tuple[str, str]]) -> None:
        """Offer report formats as (title, suffix); until they are known there is no button."""
        self.tools.set_formats(formats)

    def show_chapters(self, names: Sequence[str]) -> None:
        self._chapters = tuple(names)

    def _ask_for_report(self, suffix: str) -> None:
        """Ask for the chapters of the report, then for its file."""
        dialog = ChaptersDialog(self, self._chapters)
        dialog.chosen.connect(lambda names: self._ask_for_target(suffix, names))
        dialog.open()

    def _ask_for_target(self, suffix: str, chapters: list[str]) -> None:
        self.show_chapters(chapters)
        self.chapters_chosen.emit(chapters)
        file_dialogs.choose_target(
            *(self, tr("Write a report"), "report", f"report{suffix}", suffix), self.report_asked.emit
        )
