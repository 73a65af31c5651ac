"""Presenter of learning curves: chooses the run, and shows progress and result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from PySide6.QtCore import QObject, SignalInstance

from mcsvm_gui.core.base.i18n import tr
from mcsvm_gui.core.machine.state import ENDED, JobState

if TYPE_CHECKING:
    from mcsvm_gui.core.compare.tested_runs import ScoredRun
    from mcsvm_gui.ui.runs.workspace import Workspace


class LearningView(Protocol):
    run_chosen: SignalInstance
    start_asked: SignalInstance
    stop_asked: SignalInstance

    def show_runs(self, runs: Sequence[tuple[int, str]], chosen: int | None) -> None: ...
    def show_curve(self, run: int, machine: str, document: Mapping[str, Any] | None, words: str) -> None: ...
    def show_state(self, startable: bool, running: bool, progress: str, trouble: str) -> None: ...


class LearningPresenter(QObject):
    """A curve uses all rows of the file that its run was trained on, like `mcsvm curve`."""

    def __init__(self, view: LearningView, workspace: Workspace, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._view, self._curves = view, workspace.curves
        self._runs: dict[int, tuple[str, ScoredRun]] = {}
        self._chosen: int | None = None
        view.run_chosen.connect(self.choose)
        view.start_asked.connect(self.start)
        view.stop_asked.connect(self.stop)
        self._curves.changed.connect(lambda run: self._show() if run == self._chosen else None)

    def want(self, runs: Sequence[tuple[str, ScoredRun]]) -> None:
        self._runs = {one.run: (name, one) for name, one in runs}
        if self._chosen not in self._runs:
            self._chosen = next(iter(self._runs), None)
        self._view.show_runs([(run, name) for run, (name, _) in self._runs.items()], self._chosen)
        self._show()

    def choose(self, run: int) -> None:
        self._chosen = run
        self._show()

    def start(self) -> None:
        if self._chosen is None:
            return
        chosen = self._runs[self._chosen][1]
        if chosen.rows is not None:
            request = replace(chosen.request, holdout=None, test=None, test_digest=None, calibrate="none", costs=None)
            self._curves.start(chosen.run, request, chosen.rows.whole)

    def stop(self) -> None:
        if self._chosen is not None:
            self._curves.stop(self._chosen)

    def document(self, run: int) -> dict[str, Any] | None:
        return self._curves.document(run)

    def _show(self) -> None:
        if self._chosen is None:
            self._view.show_curve(0, "", None, "")
            self._view.show_state(False, False, "", "")
            return
        chosen, now = self._runs[self._chosen][1], self._curves.of(self._chosen)
        running = now is not None and now.state not in ENDED
        self._view.show_curve(chosen.run, chosen.request.machine, *self._known(running))
        progress = "" if now is None or not running else _progress(now.state, now.progress)
        why = "" if chosen.rows is not None else chosen.trouble
        self._view.show_state(chosen.rows is not None, running, progress, why or ("" if now is None else now.error))

    def _known(self, running: bool) -> tuple[dict[str, Any] | None, str]:
        assert self._chosen is not None
        document = self._curves.document(self._chosen)
        if document is not None and document["points"] and not (running and document["projected"] is None):
            from mcsvm_gui.core.tune.curve import conclusion

            return document, conclusion(document)
        if running:
            return document, tr("Points come as their trainings end.")
        return document, tr(
            "No learning curve yet. The button trains this machine on growing shares of the rows and estimates"
            " how much more rows would help."
        )


def _progress(state: JobState, words: str) -> str:
    return words if state is JobState.RUNNING and words else state.label
