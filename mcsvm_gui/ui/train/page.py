"""The Train page: the form at the left, the run at hand, four plots and the table of runs at the right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QScrollArea,
    QSplitter,
    QStackedLayout,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from mcsvm_gui.ui.kit.buttons import push_button
from mcsvm_gui.ui.kit.checks_list import ChecksList
from mcsvm_gui.ui.kit.command_row import CommandRow
from mcsvm_gui.ui.kit.i18n import tr
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

FORM_WIDTH = 35 * UNIT


class TrainPage(QWidget):
    """Setters and signals; what they mean is decided elsewhere."""

    form_changed = Signal()
    view_changed = Signal()
    start_asked = Signal()
    train_all_asked = Signal()
    pause_asked = Signal()
    stop_asked = Signal()
    discard_asked = Signal()
    chosen = Signal(list)  # runs, in the leaderboard
    step_asked = Signal(object)  # a NextStep
    use_asked = Signal()
    check_acted = Signal(str, object)
    message = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("trainPage")
        self.setAccessibleName(tr("Train"))
        self.form, self.card, self.plots = MachineForm(), RunCard(), PlotGrid()
        self.board, self.conclusion = Leaderboard(), ConclusionBar()
        self.board.chosen.connect(self.chosen)
        self.board.pointed.connect(self.plots.mark)
        self.plots.pointed.connect(self.board.mark)
        self.conclusion.step_asked.connect(self.step_asked)
        self.conclusion.use_asked.connect(self.use_asked)
        self.checks = ChecksList(compact=True)
        self.checks.acted.connect(self.check_acted)
        self.form.changed.connect(self.form_changed)
        self.plots.view_changed.connect(self.view_changed)
        self.plots.message.connect(self.message)
        self.card.pause_asked.connect(self.pause_asked)
        self.card.stop_asked.connect(self.stop_asked)
        self.card.discard_asked.connect(self.discard_asked)
        tip = tr("What the Train button does, from the command line")
        self.command = CommandRow("commandLabel", "copyCommandButton", tip)
        self.command.message.connect(self.message)
        self.card.command_asked.connect(lambda: self.command.copy(self.card.command))
        row = QHBoxLayout(self)
        row.setContentsMargins(2 * UNIT, 2 * UNIT, 2 * UNIT, UNIT)
        row.setSpacing(2 * UNIT)
        row.addWidget(self._left())
        row.addWidget(self._right(), 1)

    def heightForWidth(self, width: int) -> int:
        """None: a page takes the room there is, though its wrapped words would like more of it."""
        return -1

    # -- building ---------------------------------------------------------------------------------

    def _left(self) -> QWidget:
        self.start = push_button("startButton", tr("Train"))
        self.start.setProperty("role", "primary")
        self.start.clicked.connect(self.start_asked)
        self.all = push_button("trainAllButton", tr("Train all six machines"))
        self.all.clicked.connect(self.train_all_asked)
        self.obstacle = QLabel()
        self.obstacle.setObjectName("obstacleLabel")
        self.obstacle.setProperty("role", "muted")
        self.obstacle.setWordWrap(True)
        scroll = QScrollArea()
        scroll.setObjectName("machineFormArea")
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # it scrolls to what has the focus
        scroll.setWidgetResizable(True)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidget(self.form)
        side = QWidget()
        side.setFixedWidth(FORM_WIDTH)
        column = QVBoxLayout(side)
        column.setContentsMargins(0, 0, 0, UNIT)
        column.setSpacing(UNIT)
        column.addWidget(scroll, 1)
        for widget in (self.obstacle, self.start, self.all):
            column.addWidget(widget)
        return side

    def _right(self) -> QWidget:
        self._empty = QLabel()
        self._empty.setObjectName("trainEmpty")
        self._empty.setProperty("role", "muted")
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._empty.setWordWrap(True)
        upper = QWidget()
        self._stack = QStackedLayout(upper)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self._live())
        self.tabs = QTabWidget()
        self.tabs.setObjectName("runTabs")
        self.tabs.setAccessibleName(tr("Runs"))
        self.tabs.setDocumentMode(True)
        self.tabs.addTab(self.board, tr("Leaderboard"))
        self.splitter = QSplitter(Qt.Orientation.Vertical)
        self.splitter.setObjectName("trainSplitter")
        self.splitter.setHandleWidth(UNIT)
        self.splitter.addWidget(upper)
        self.splitter.addWidget(self.tabs)
        self.splitter.setStretchFactor(0, 3)
        self.splitter.setStretchFactor(1, 1)
        self.splitter.setCollapsible(0, False)
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

    def set_run_table(self, table: QWidget) -> None:
        self.tabs.addTab(table, tr("All runs"))

    # -- the form ---------------------------------------------------------------------------------

    def texts(self) -> dict[str, str]:
        return self.form.texts()

    def set_texts(self, texts: Mapping[str, str]) -> None:
        self.form.set_texts(texts)

    def show_choices(self, choices: Choices) -> None:
        self.form.show_choices(choices)

    def show_classes(self, totals: Mapping[str, float]) -> None:
        self.form.show_classes(totals)

    def show_errors(self, errors: Mapping[str, str]) -> None:
        self.form.show_errors(errors)

    def show_obstacle(self, one: str | None, all_: str | None) -> None:
        """Why nothing can be trained now; None where it can. What stands in the form itself is not said twice."""
        self.start.setEnabled(one is None)
        self.all.setEnabled(all_ is None)
        self.start.setToolTip(one or tr("Train this machine"))
        self.all.setToolTip(all_ or tr("Train each of them with these options, and compare"))
        self.obstacle.setText(all_ or "")
        self.obstacle.setVisible(bool(all_))

    def show_command(self, command: str) -> None:
        self.command.show_command(command)

    def show_checks(self, advice: Sequence[Advice]) -> None:
        self.checks.show_advice(advice)

    # -- runs -------------------------------------------------------------------------------------

    def show_empty(self, words: str) -> None:
        self._empty.setText(words)
        self._stack.setCurrentIndex(0)

    def show_run(self, title: str, badge: Badge, words: str, *, bad: bool = False) -> None:
        self._stack.setCurrentIndex(1)
        self.card.badge.set_badge(badge.kind, badge.text, badge.tip)
        self.card.show_run(title, words, bad=bad)

    def show_run_command(self, command: str) -> None:
        """Which trains the run at hand again, whatever the form says by now."""
        self.card.show_command(command)

    def show_actions(self, possible: bool, paused: bool) -> None:
        self.card.show_actions(possible, paused)

    def show_standings(self, records: Sequence[RunRecord], standings: Standings) -> None:
        self.board.show_runs(records, standings)

    def put_standing(self, record: RunRecord) -> None:
        self.board.put(record)

    def choose(self, runs: Sequence[int]) -> None:
        self.board.choose(runs)

    def show_conclusion(self, words: str, steps: Sequence[NextStep]) -> None:
        self.conclusion.show_conclusion(words, steps)

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
