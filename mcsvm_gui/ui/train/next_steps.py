"""Actions of the buttons next to the conclusion."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from mcsvm_gui.core.base.i18n import tr

if TYPE_CHECKING:
    from mcsvm_gui.core.compare.conclusion import Conclusion, NextStep
    from mcsvm_gui.core.machine.request import Request
    from mcsvm_gui.core.project.records import RunRecord
    from mcsvm_gui.ui.runs.workspace import Workspace
    from mcsvm_gui.ui.train.leaderboard import LeaderboardPresenter

HELD_OUT = 0.3


class NextSteps(QObject):
    page_asked = Signal(str, str)  # a page, and the part of it to show

    _values: Sequence[str] = ()  # values of the step requested last

    def __init__(
        self, view: Any, board: LeaderboardPresenter, workspace: Workspace, find: Callable[[Sequence[str]], object]
    ) -> None:
        super().__init__(board)
        self._view, self._find = view, find
        self._board, self._workspace, self._runs = board, workspace, workspace.runs
        self._deeds: dict[str, Callable[[RunRecord], object]] = {
            "hold-out": self._hold_out,
            "unsolved": self._finish,
            "tolerance": self._tighten,
            "guessed": lambda record: self._find(()),
            "cut": lambda record: self._find(self._values),
            "edge": lambda record: self._find(self._values),
            "refit": self.train_final,
            "confused": lambda record: self._go(record, "compare", "confusion"),
            "rows": lambda record: self._go(record, "compare", "learningCurve"),
        }
        self._begun: set[int] = set()  # runs of this session; their final model may be trained without a click
        self._runs.added.connect(self._begun.update)
        self._runs.project_read.connect(self._begun.clear)
        board.concluded.connect(self._train_final_once)
        view.step_asked.connect(self.take)
        view.use_asked.connect(self.use)
        view.save_asked.connect(self.ask_where)
        view.save_chosen.connect(self.save)

    def take(self, step: NextStep) -> None:
        record, self._values = self._best(), step.values
        if record is not None:
            self._deeds[step.code](record)

    def train_final(self, record: RunRecord) -> None:
        """Train the settings of a tested run on all rows."""
        from mcsvm_gui.core.compare.refit import final_request

        scores = self._board.scores_of(record.id)
        if scores is None or record.document is None or not self._at_hand(record):
            return
        begun = self._workspace.train([final_request(record.request, record.document, scores.interval)])
        for run in begun:
            self._runs.edit(run, name=tr("{run} final", run=record.name))
        self._runs.select(begun)

    def _train_final_once(self, conclusion: Conclusion | None) -> None:
        """Train the final model automatically if the user wants it, once for each best model."""
        record = self._best()
        if conclusion is None or record is None or not self._view.wants_refit or record.id not in self._begun:
            return
        self._begun.discard(record.id)
        if any(step.code == "refit" for step in conclusion.steps):
            self.train_final(record)

    def use(self) -> None:
        record = self._model_to_use()
        if record is not None:
            self._go(record, "predict", "model")

    def ask_where(self) -> None:
        record, folder = self._model_to_use(), self._workspace.settings["last_folder"]
        if record is not None:
            name = f"{PurePath(record.data_name).stem}-{record.machine}.mcsvm"
            self._view.choose_model_target(str(Path(folder) / name) if folder else name)

    def save(self, path: str) -> None:
        record = self._model_to_use()
        if record is None:
            return

        def write() -> str:
            from mcsvm_gui.core.export import menu

            return menu.write(self._runs.model(record.id), menu.OWN.name, path)

        self._workspace.tasks.start(write, self._view.show_note, lambda why: self._view.show_note(why, "bad"))

    def _best(self) -> RunRecord | None:
        found = self._board.conclusion
        return self._runs.record(found.run) if found is not None and found.run in self._runs else None

    def _model_to_use(self) -> RunRecord | None:
        """Return the run whose model is used or saved: the final one if it exists, else the best."""
        best = self._best()
        return None if best is None else self._board.final_of(best) or best

    def _go(self, record: RunRecord, page: str, what: str = "") -> None:
        self._runs.select([record.id])
        self.page_asked.emit(page, what)

    def _hold_out(self, record: RunRecord) -> None:
        """Train all compared runs again with a hold-out, so that they become comparable."""
        if self._at_hand(record):
            again = [self._runs.record(run).request for run in self._board.ended]
            self._workspace.set_preparation(holdout=HELD_OUT)
            self._train([replace(request, holdout=HELD_OUT) for request in again])

    def _finish(self, record: RunRecord) -> None:
        """Continue a run from its checkpoint; without one, begin a new run with its dual variables."""
        if record.continuable:
            self._workspace.continue_runs([record.id])
        else:
            self._train_on(record, replace(record.request, max_iter=None, time_limit=None))

    def _tighten(self, record: RunRecord) -> None:
        self._train_on(record, replace(record.request, tol=float(self._values[0]), gap_tol=None))

    def _train_on(self, record: RunRecord, request: Request) -> None:
        self._workspace.train_on(record.id, request, lambda run: self._board.inherit_choice(run, record.id))

    def _train(self, requests: list[Request]) -> None:
        self._runs.select(self._workspace.train(requests))

    def _at_hand(self, record: RunRecord) -> bool:
        if self._workspace.holds(record.request):
            return True
        self._workspace.message.emit(tr("Open {data} first: the run was trained on it.", data=record.data_name))
        return False
