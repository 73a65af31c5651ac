"""The Train page: the form on the left; the current run, four plots and the table of runs on the right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QCheckBox, QComboBox, QHBoxLayout, QSpinBox, QStackedLayout, QVBoxLayout, QWidget

from mcsvm_gui.core.machine import names
from mcsvm_gui.core.project.leaderboard import MEASURES
from mcsvm_gui.core.tune.options import SCORES
from mcsvm_gui.ui.kit import file_dialogs
from mcsvm_gui.ui.kit.buttons import push_button
from mcsvm_gui.ui.kit.checks_list import ChecksList
from mcsvm_gui.ui.kit.command_row import CommandRow
from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.kit.ideas.card import IdeaCard, Invitation
from mcsvm_gui.ui.kit.ideas.table import ideas, machine_ideas
from mcsvm_gui.ui.kit.labels import show_text, wrapped
from mcsvm_gui.ui.kit.page import PageWidget, TableSplitter, Tabs, form_side
from mcsvm_gui.ui.kit.theme import UNIT
from mcsvm_gui.ui.train.conclusion_bar import ConclusionBar
from mcsvm_gui.ui.train.leaderboard import Leaderboard
from mcsvm_gui.ui.train.machine_form import MachineForm
from mcsvm_gui.ui.train.plot_grid import PlotGrid
from mcsvm_gui.ui.train.run_card import RunCard

if TYPE_CHECKING:
    from mcsvm_gui.core.check.advice import Advice
    from mcsvm_gui.core.compare.conclusion import NextStep
    from mcsvm_gui.core.evaluate.curves import History
    from mcsvm_gui.core.machine.choices import Choices
    from mcsvm_gui.core.machine.summary import Badge
    from mcsvm_gui.core.project.leaderboard import Standings
    from mcsvm_gui.core.project.records import RunRecord

BUDGET = 60  # seconds
FIRST_IDEAS = "six", "margin", "certificate"  # shown before the first training


HIGH = 95 * UNIT  # minimum height at which plots, table and all texts of a run fit


class TrainPage(PageWidget):
    form_changed = Signal()
    reset_asked = Signal()
    view_changed = Signal()
    start_asked = Signal()
    find_best_asked = Signal()
    baselines_asked = Signal()
    python_asked = Signal()  # the script of the form's request
    runs_python_asked = Signal()  # the script of the selected runs
    train_all_asked = Signal()
    pause_asked = Signal()
    stop_asked = Signal()
    discard_asked = Signal()
    continue_asked = Signal()
    chosen = Signal(list)  # runs, in the leaderboard
    step_asked = Signal(object)  # a NextStep
    tour_asked = Signal(str)  # of the playground, at a stop of the tour
    use_asked = Signal()
    save_asked = Signal()
    save_chosen = Signal(str)  # a path
    settings_asked = Signal()  # put the settings of the current run into the form
    file_asked = Signal()  # choose a data file to train on with the settings of the current run
    file_chosen = Signal(str)
    check_acted = Signal(str, object)
    scheduler_test_asked = Signal()
    message = Signal(str)

    def __init__(self) -> None:
        super().__init__("trainPage", tr("Train"))
        self.form, self.card, self.plots = MachineForm(), RunCard(), PlotGrid()
        self.board, self.conclusion = Leaderboard(), ConclusionBar()
        self.board.chosen.connect(self.chosen)
        self.board.pointed.connect(self.plots.mark)
        self.plots.pointed.connect(self.board.mark)
        self.conclusion.step_asked.connect(self.step_asked)
        self.conclusion.use_asked.connect(self.use_asked)
        self.conclusion.save_asked.connect(self.save_asked)
        self.checks = ChecksList(compact=True)
        self.checks.acted.connect(self.check_acted)
        self.form.changed.connect(self.form_changed)
        self.form.reset_asked.connect(self.reset_asked)
        self.form.test_asked.connect(self.scheduler_test_asked)
        self.plots.view_changed.connect(self.view_changed)
        self.plots.message.connect(self.message)
        self.card.pause_asked.connect(self.pause_asked)
        self.card.stop_asked.connect(self.stop_asked)
        self.card.discard_asked.connect(self.discard_asked)
        self.card.settings_asked.connect(self.settings_asked)
        self.card.file_asked.connect(self.file_asked)
        self.card.continue_asked.connect(self.continue_asked)
        tip = tr("What the Train button does, from the command line")
        self.command = CommandRow("commandLabel", "copyCommandButton", tip, "copyPythonButton")
        self.command.message.connect(self.message)
        self.command.python_asked.connect(self.python_asked)
        self.card.python_asked.connect(self.runs_python_asked)
        self.card.command_asked.connect(lambda: self.command.copy(self.card.command))
        self.lay_out(self._left(), self._right())

    # -- building ---------------------------------------------------------------------------------

    def _left(self) -> QWidget:
        self.find_best = push_button("findBestButton", tr("Find the best model"))
        self.find_best.setProperty("role", "primary")
        self.find_best.clicked.connect(self.find_best_asked)
        self.start = push_button("startButton", tr("Train"))
        self.start.clicked.connect(self.start_asked)
        self.all = push_button("trainAllButton", tr("Train all six machines"))
        self.all.clicked.connect(self.train_all_asked)
        self.baselines = push_button("baselinesButton", "")
        self.baselines.clicked.connect(self.baselines_asked)
        self.show_baselines(False)
        self.obstacle = wrapped("obstacleLabel", "muted")
        self.refit = QCheckBox(tr("Train the final model on all rows"))
        self.refit.setObjectName("refitCheck")
        self.refit.setAccessibleName(self.refit.text())
        self.refit.setToolTip(tr("Test on the held-out rows first, then train the same settings on all rows"))
        rows = self._best_row(), self._measure_row(), self.refit, self.start, self.all, self.baselines
        self._ideas = machine_ideas(names.machine_titles())
        self.idea = IdeaCard("six", ideas()["six"])
        self.idea.asked.connect(self.tour_asked)
        return form_side("machineFormArea", self.form, self.obstacle, *rows, card=self.idea)

    def _best_row(self) -> QHBoxLayout:
        self.seconds = QSpinBox()
        self.seconds.setObjectName("bestBudgetSpin")
        self.seconds.setAccessibleName(tr("Time budget of the search"))
        self.seconds.setToolTip(tr("Seconds that the search may take; the best so far is trained then"))
        self.seconds.setRange(5, 86_400)
        self.seconds.setValue(BUDGET)
        self.seconds.setSuffix(f" {tr('s')}")
        self.seconds.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.seconds.setMinimumHeight(self.find_best.sizeHint().height())
        row = QHBoxLayout()
        row.setSpacing(UNIT)
        row.addWidget(self.find_best, 1)
        row.addWidget(self.seconds)
        return row

    def _measure_row(self) -> QComboBox:
        """Build the row that chooses the measure of the best model."""
        self.measure = QComboBox()
        self.measure.setObjectName("bestScoreCombo")
        self.measure.setAccessibleName(tr("Measure of the best model"))
        self.measure.setToolTip(tr("The measure by which cross-validation chooses the best model"))
        for name in MEASURES:
            self.measure.addItem(tr("Chosen by: {measure}", measure=tr(SCORES[name])), name)
        return self.measure

    def _right(self) -> QWidget:
        upper, told = QWidget(), ideas()
        self._empty = Invitation("trainEmpty", {name: told[name] for name in FIRST_IDEAS})
        self._empty.asked.connect(self.tour_asked)
        self._stack = QStackedLayout(upper)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self._live())
        self.tabs = Tabs()
        self.tabs.setObjectName("runTabs")
        self.tabs.setAccessibleName(tr("Runs"))
        self.tabs.setDocumentMode(True)
        self.tabs.addTab(self.board, tr("Leaderboard"))
        self.splitter = TableSplitter("trainSplitter", upper)
        self.splitter.set_table(self.tabs)
        right = QWidget()
        column = QVBoxLayout(right)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(UNIT)
        column.addWidget(self.checks)
        column.addWidget(self.conclusion)
        column.addWidget(self.splitter, 1)
        column.addWidget(self.command)
        return right

    def _live(self) -> QWidget:
        live = QWidget()
        column = QVBoxLayout(live)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(UNIT)
        column.addWidget(self.card)
        column.addWidget(self.plots, 1)
        return live

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.card.shorten(self.height() < HIGH)
        self._give_plots_room()

    def _give_plots_room(self) -> None:
        """Give the plots all the height that the leaderboard does not need, if the window is low."""
        if self.height() < HIGH:
            self.splitter.favour_upper()

    def set_run_table(self, table: QWidget) -> None:
        self.tabs.addTab(table, tr("Runs"))

    # -- the form ---------------------------------------------------------------------------------

    def texts(self) -> dict[str, str]:
        return self.form.texts()

    def set_texts(self, texts: Mapping[str, str]) -> None:
        self.form.set_texts(texts)

    def show_choices(self, choices: Choices) -> None:
        self.form.show_choices(choices)
        machine = self.form.texts()["machine"]
        if machine in self._ideas:
            self.idea.show_idea(machine, self._ideas[machine])

    def show_cluster(self, words: str, role: str, can_test: bool) -> None:
        self.form.show_cluster(words, role, can_test)

    def close_field(self, key: str, why: str) -> None:
        self.form.close_field(key, why)

    def show_classes(self, totals: Mapping[str, float]) -> None:
        self.form.show_classes(totals)

    def show_errors(self, errors: Mapping[str, str]) -> None:
        self.form.show_errors(errors)

    def show_obstacle(self, one: str | None, all_: str | None) -> None:
        """Show why training is impossible, or enable it if None. Errors that the form itself shows are not repeated."""
        self.start.setEnabled(one is None)
        self.all.setEnabled(all_ is None)
        self.baselines.setEnabled(one is None)
        self._may_find = all_ is None
        self._say_find(self._finding)
        self.find_best.setToolTip(
            all_ or tr("All six machines, C and gamma searched on the rows not kept for the test")
        )
        self.start.setToolTip(one or tr("Train this machine"))
        tip = tr(
            "Cross-validate this machine on five folds with three baselines: majority class, nearest"
            " neighbours and boosted trees"
        )
        self.baselines.setToolTip(one or tip)
        self.all.setToolTip(all_ or tr("Train each of them with these options, and compare"))
        show_text(self.obstacle, all_ or "")

    # -- the best model ---------------------------------------------------------------------------

    _may_find = _finding = False

    @property
    def budget(self) -> float:
        return float(self.seconds.value())

    @property
    def score(self) -> str:
        return str(self.measure.currentData())

    @property
    def wants_refit(self) -> bool:
        return self.refit.isChecked()

    def show_recommended(self, score: str) -> None:
        """Select the measure that is recommended for the classes of new data."""
        self.measure.setCurrentIndex(self.measure.findData(score))

    def show_finding(self, running: bool, stopping: bool) -> None:
        self._finding = running
        self._say_find(running, stopping)

    def _say_find(self, running: bool, stopping: bool = False) -> None:
        self.find_best.setText(tr("Stop and keep") if running else tr("Find the best model"))
        self.find_best.setAccessibleName(self.find_best.text())
        self.find_best.setEnabled(not stopping if running else self._may_find)
        self.seconds.setVisible(not running)

    def choose_new_data(self, folder: str) -> None:
        title = tr("Same settings on a new file")
        file_dialogs.choose(self, title, "data", folder, self.file_chosen.emit)

    def choose_model_target(self, place: str) -> None:
        file_dialogs.choose_target(self, tr("Save model"), "model", place, ".mcsvm", self.save_chosen.emit)

    def show_note(self, words: str, role: str = "muted") -> None:
        self.conclusion.show_note(words, role)

    def show_instead(self, words: str) -> None:
        self.conclusion.show_instead(words)

    def show_command(self, command: str) -> None:
        self.command.show_command(command)

    def show_baselines(self, running: bool) -> None:
        self.baselines.setText(tr("Stop comparing") if running else tr("Compare with baselines"))
        self.baselines.setAccessibleName(self.baselines.text())

    def show_checks(self, advice: Sequence[Advice]) -> None:
        self.checks.show_advice(advice)

    # -- runs -------------------------------------------------------------------------------------

    def show_empty(self, words: str) -> None:
        self._empty.words.setText(words)
        self._stack.setCurrentIndex(0)

    def show_run(self, title: str, badge: Badge, words: str, *, bad: bool = False) -> None:
        self._stack.setCurrentIndex(1)
        self.card.show_run(title, badge, words, bad=bad)
        self.plots.show_failed(bad)

    def show_run_command(self, command: str) -> None:
        """Show the command that repeats the training of the current run, which may differ from the form."""
        self.card.show_command(command)

    def show_actions(self, possible: bool, paused: bool) -> None:
        self.card.show_actions(possible, paused)

    def show_continue(self, possible: bool) -> None:
        self.card.show_continue(possible)

    def show_standings(self, records: Sequence[RunRecord], standings: Standings) -> None:
        self.board.show_runs(records, standings)
        self._give_plots_room()

    def put_standing(self, record: RunRecord) -> None:
        self.board.put(record)

    def choose(self, runs: Sequence[int]) -> None:
        self.board.choose(runs)

    def show_conclusion(self, words: str, steps: Sequence[NextStep], quality: str, verdict: str, tip: str) -> None:
        self.conclusion.show_conclusion(words, steps, quality, verdict, tip)

    def show_runs(self, runs: Sequence[tuple[int, str, str]]) -> None:
        self.plots.show_runs(runs)

    def draw(self, histories: Sequence[History]) -> None:
        for history in histories:
            self.plots.draw(history)
        self.plots.finish()

    def view(self) -> dict[str, object]:
        return self.plots.view()

    def set_view(self, view: dict[str, object]) -> None:
        with QSignalBlocker(self):
            self.plots.set_view(view)
