"""The Tune page: the form on the left; progress, the heat maps and the best cells on the right."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QProgressBar,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from mcsvm_gui.core.report.chapters import search_titles
from mcsvm_gui.core.tune.heat import SPREAD
from mcsvm_gui.core.tune.options import SCORES
from mcsvm_gui.ui.kit import file_dialogs, report_menu
from mcsvm_gui.ui.kit.buttons import push_button
from mcsvm_gui.ui.kit.checks_list import ChecksList
from mcsvm_gui.ui.kit.choice_dialog import choose_chapters
from mcsvm_gui.ui.kit.combos import Combo
from mcsvm_gui.ui.kit.command_row import CommandRow
from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.kit.ideas.card import IdeaCard, Invitation
from mcsvm_gui.ui.kit.ideas.table import ideas
from mcsvm_gui.ui.kit.labels import selectable, show_text, wrapped
from mcsvm_gui.ui.kit.nesting import nest
from mcsvm_gui.ui.kit.page import PageWidget, form_side
from mcsvm_gui.ui.kit.theme import UNIT
from mcsvm_gui.ui.tune.fields import TuneFields
from mcsvm_gui.ui.tune.heat_legend import HeatLegend
from mcsvm_gui.ui.tune.heat_tabs import HeatTabs

if TYPE_CHECKING:
    from mcsvm_gui.core.check.advice import Advice
    from mcsvm_gui.core.tune.heat import HeatMap


class TunePage(PageWidget):
    form_changed = Signal()
    reset_asked = Signal()
    value_changed = Signal()
    machine_shown = Signal(str)
    start_asked = Signal()
    stop_asked = Signal()
    check_acted = Signal(str, object)
    train_best_asked = Signal()
    cell_chosen = Signal(str, float, object)
    scheduler_test_asked = Signal()
    report_asked = Signal(str)  # a path, whose suffix determines the format
    chapters_chosen = Signal(list)  # of the report
    python_asked = Signal()
    tour_asked = Signal(str)  # of the playground, at a stop of the tour
    message = Signal(str)

    def __init__(self) -> None:
        super().__init__("tunePage", tr("Tune"))
        self._chapters: list[str] = []  # chosen for the last report
        self.fields, self.tabs, self.checks = TuneFields(), HeatTabs(), ChecksList(compact=True)
        self.checks.acted.connect(self.check_acted)
        self.fields.changed.connect(self.form_changed)
        self.fields.reset_asked.connect(self.reset_asked)
        self.fields.test_asked.connect(self.scheduler_test_asked)
        self.tabs.cell_chosen.connect(self.cell_chosen)
        self.tabs.machine_shown.connect(self.machine_shown)
        self.tabs.message.connect(self.message)
        self.lay_out(self._left(), self._right())

    # -- building ---------------------------------------------------------------------------------

    def _left(self) -> QWidget:
        self.start = push_button("tuneStartButton", tr("Search"))
        self.start.setProperty("role", "primary")
        self.start.clicked.connect(self.start_asked)
        self.stop = push_button("tuneStopButton", tr("Stop"))
        self.stop.setToolTip(tr("Finished cells are kept, and the search continues from there"))
        self.stop.clicked.connect(self.stop_asked)
        self.obstacle = wrapped("tuneObstacle", "muted")
        buttons = QHBoxLayout()
        buttons.setSpacing(UNIT)
        buttons.addWidget(self.start, 1)
        buttons.addWidget(self.stop)
        idea = IdeaCard("cost", ideas()["cost"])
        idea.asked.connect(self.tour_asked)
        return form_side("tuneFormArea", self.fields, self.obstacle, buttons, card=idea)

    def _right(self) -> QWidget:
        told = ideas()
        self._empty = Invitation("tuneEmpty", {name: told[name] for name in ("gamma", "six")})
        self._empty.asked.connect(self.tour_asked)
        self._stack = QStackedWidget()
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self._maps())
        self.command = CommandRow(
            *("tuneCommandLabel", "copyTuneCommandButton", tr("What the Search button does, from the command line")),
            "copyTunePythonButton",
        )
        self.command.message.connect(self.message)
        self.command.python_asked.connect(self.python_asked)
        self.failure = wrapped("tuneFailure", "bad")
        self.failure.hide()
        right = QWidget()
        column = QVBoxLayout(right)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(UNIT)
        column.addWidget(self.checks)
        nest(column, self._progress_row())
        column.addWidget(self.failure)
        column.addWidget(self._stack, 1)
        column.addWidget(self.command)
        return right

    def _maps(self) -> QWidget:
        self.best = selectable("bestLabel")
        self.best.setAccessibleName(tr("The best cells"))
        self.train_best = push_button("trainBestButton", tr("Train the best"))
        self.train_best.clicked.connect(self.train_best_asked)
        found = QHBoxLayout()
        found.setSpacing(UNIT)
        found.addWidget(self.best, 1)
        found.addWidget(self.train_best, 0, Qt.AlignmentFlag.AlignTop)
        maps = QWidget()
        column = QVBoxLayout(maps)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(UNIT)
        self.legend = HeatLegend()
        self.tabs.named.connect(self.legend.show_cell)
        column.addWidget(self.tabs, 1)
        column.addWidget(self.legend)
        nest(column, found)
        return maps

    def _progress_row(self) -> QHBoxLayout:
        self.progress = QProgressBar()
        self.progress.setObjectName("tuneProgress")
        self.progress.setAccessibleName(tr("Progress of the search"))
        self.progress.setTextVisible(False)
        self.progress.setFixedHeight(UNIT)
        self.progress.setMinimumWidth(6 * UNIT)
        # wrapped, because a long line would push its neighbours out of the window
        self.progress_text = wrapped("tuneProgressLabel")
        self.progress_text.setMinimumWidth(10 * UNIT)
        self.values = Combo()
        self.values.setObjectName("heatmapValueCombo")
        self.values.setAccessibleName(tr("What the colours show"))
        self.values.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.values.setMinimumContentsLength(12)
        measures = [(name, tr(title)) for name, title in SCORES.items()]
        others = (SPREAD, tr("Spread of the folds")), ("seconds", tr("Time per cell"))
        for value, text in (*measures, *others, ("n_support", tr("Support vectors"))):
            self.values.addItem(text, value)
        self.values.currentIndexChanged.connect(lambda _: self.value_changed.emit())
        self.good_cells = QCheckBox(tr("Good cells"))
        self.good_cells.setObjectName("heatmapRobustCheck")
        self.good_cells.setAccessibleName(tr("Colours for the better half of the cells"))
        self.good_cells.setToolTip(tr("Use the colour scale for the better half of the cells only"))
        self.good_cells.setChecked(True)
        self.good_cells.toggled.connect(lambda _: self.value_changed.emit())
        self.report_button = report_menu.report_button()
        row = QHBoxLayout()
        row.setSpacing(UNIT)
        row.addWidget(self.progress_text, 2)
        row.addWidget(self.progress, 1)
        row.addWidget(self.good_cells)
        row.addWidget(self.values)
        row.addWidget(self.report_button)
        return row

    # -- the form ---------------------------------------------------------------------------------

    def texts(self) -> dict[str, str]:
        return self.fields.texts()

    def set_texts(self, texts: Mapping[str, str]) -> None:
        self.fields.set_texts(texts)

    def show_parameters(self, parameters: Collection[str]) -> None:
        self.fields.show_parameters(parameters)

    def show_classes(self, totals: Mapping[str, float]) -> None:
        self.fields.show_classes(totals)

    def show_errors(self, errors: Mapping[str, str]) -> None:
        self.fields.show_errors(errors)

    def show_cluster(self, words: str, role: str, can_test: bool) -> None:
        self.fields.show_cluster(words, role, can_test)

    def close_field(self, key: str, why: str) -> None:
        self.fields.close_field(key, why)

    def show_command(self, command: str) -> None:
        self.command.show_command(command)

    # -- progress ---------------------------------------------------------------------------------

    def show_obstacle(self, why: str) -> None:
        """Show why searching is impossible; an empty text enables it."""
        self.start.setEnabled(not why)
        show_text(self.obstacle, why)

    def show_action(self, start: str, tip: str) -> None:
        self.start.setText(start)
        self.start.setToolTip(tip)

    def show_running(self, running: bool, stopping: bool) -> None:
        self.fields.set_busy(running)
        self.start.setVisible(not running)
        self.stop.setEnabled(running and not stopping)
        self.stop.setText(tr("Stopping…") if stopping else tr("Stop"))

    def show_progress(self, done: int, expected: int | None, words: str) -> None:
        """Show progress, without a bar if the total is unknown."""
        self.progress.setVisible(bool(expected and words))
        self.progress.setMaximum(max(expected or 1, 1))
        self.progress.setValue(done)
        self.progress.setAccessibleDescription(words)
        self.progress_text.setText(words)

    def show_failure(self, sentence: str) -> None:
        show_text(self.failure, sentence)

    # -- results ----------------------------------------------------------------------------------

    @property
    def value(self) -> str:
        """Return the name of the measure that the colours show."""
        return str(self.values.currentData())

    @property
    def robust(self) -> bool:
        """Return whether the colours are scaled to the better half of the cells."""
        return self.good_cells.isChecked()

    def show_value(self, value: str) -> None:
        with QSignalBlocker(self):
            self.values.setCurrentIndex(self.values.findData(value))

    @property
    def machine(self) -> str:
        """Return the machine whose map is shown; empty for all of them."""
        return self.tabs.machine

    def show_empty(self, words: str) -> None:
        self._empty.words.setText(words)
        self._stack.setCurrentIndex(0)

    def show_maps(self, maps: Sequence[HeatMap]) -> None:
        self.tabs.show_maps(maps)
        self._stack.setCurrentIndex(1)

    def show_formats(self, formats: Sequence[tuple[str, str]]) -> None:
        """Offer report formats as (title, suffix); until they are known there is no button."""
        report_menu.offer(self.report_button, formats, self._ask_for_report)

    def show_report(self, can_write: bool) -> None:
        self.report_button.setEnabled(can_write)

    def _ask_for_report(self, suffix: str) -> None:
        """Ask for the chapters of the report, then for its file."""
        titles = search_titles()
        choose_chapters(self, titles, self._chapters or titles, lambda names: self._ask_for_target(suffix, names))

    def _ask_for_target(self, suffix: str, chapters: list[str]) -> None:
        self._chapters = chapters
        self.chapters_chosen.emit(chapters)
        file_dialogs.choose_target(
            *(self, tr("Write a report"), "report", f"search{suffix}", suffix), self.report_asked.emit
        )

    def show_best(self, words: str, button: str) -> None:
        self.best.setText(words)
        self.train_best.setText(button)
        self.train_best.setEnabled(bool(words))

    def show_checks(self, advice: Sequence[Advice]) -> None:
        self.checks.show_advice(advice)
