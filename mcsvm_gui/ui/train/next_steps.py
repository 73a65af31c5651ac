"""What the buttons beside the conclusion do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication

from mcsvm_gui.core.base.i18n import tr

if TYPE_CHECKING:
    from mcsvm_gui.core.compare.conclusion import NextStep
    from mcsvm_gui.core.machine.request import Request
    from mcsvm_gui.core.project.records import RunRecord
    from mcsvm_gui.ui.runs.workspace import Workspace
    from mcsvm_gui.ui.train.leaderboard import LeaderboardPresenter

HELD_OUT = 0.3


class NextSteps(QObject):
    page_asked = Signal(str, str)  # a page, and what is to be seen on it

    _edges: Sequence[str] = ()  # of the step that was asked for last

    def __init__(
        self, view: Any, board: LeaderboardPresenter, workspace: Workspace, find: Callable[[Sequence[str]], object]
    ) -> None:
        super().__init__(board)
        self._find = find
        self._board, self._workspace, self._runs = board, workspace, workspace.runs
        self._deeds: dict[str, Callable[[RunRecord], object]] = {
            "hold-out": self._hold_out,
            "unsolved": self._solve,
            "guessed": lambda record: self._find(()),
            "cut": lambda record: self._find(()),
            "edge": lambda record: self._find(self._edges),
            "confused": lambda record: self._go(record, "compare", "confusion"),
            "rows": self._copy_curve,
        }
        view.step_asked.connect(self.take)
        view.use_asked.connect(self.use)

    def take(self, step: NextStep) -> None:
        record, self._edges = self._best(), step.values
        if record is not None:
            self._deeds[step.code](record)

    def use(self) -> None:
        record = self._best()
        if record is not None:
            self._go(record, "predict", "model")

    def _best(self) -> RunRecord | None:
        found = self._board.conclusion
        return self._runs.record(found.run) if found is not None and found.run in self._runs else None

    def _go(self, record: RunRecord, page: str, what: str = "") -> None:
        self._runs.select([record.id])
        self.page_asked.emit(page, what)

    def _hold_out(self, record: RunRecord) -> None:
        """All of the runs again, which can be compared then."""
        if self._at_hand(record):
            again = [self._runs.record(run).request for run in self._board.ended]
            self._workspace.set_preparation(holdout=HELD_OUT)
            self._train([replace(request, holdout=HELD_OUT) for request in again])

    def _solve(self, record: RunRecord) -> None:
        if self._at_hand(record):
            self._train([replace(record.request, max_iter=None, time_limit=None)])

    def _train(self, requests: list[Request]) -> None:
        self._runs.select(self._workspace.train(requests))

    def _at_hand(self, record: RunRecord) -> bool:
        dataset = self._workspace.dataset
        if dataset is not None and dataset.digest == record.digest:
            return True
        self._workspace.message.emit(tr("Open {data} first: the run was trained on it.", data=record.data_name))
        return False

    def _copy_curve(self, record: RunRecord) -> None:
        from mcsvm_gui.core.machine.command_line import command

        QGuiApplication.clipboard().setText(command(record.request, "curve"))
        self._workspace.message.emit(tr("The command is on the clipboard."))
