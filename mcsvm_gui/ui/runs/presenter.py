"""Presenter of the table of runs: shows the runs of the scope, and carries out renaming, deleting and saving."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Protocol

from PySide6.QtCore import QObject, SignalInstance

from mcsvm_gui.core.base.i18n import tr
from mcsvm_gui.core.base.writing import csv_text, write_text
from mcsvm_gui.core.project.records import RunRecord

if TYPE_CHECKING:
    from mcsvm_gui.ui.runs.workspace import Workspace

MANY = 50  # number of added or removed runs beyond which the table is filled again


class RunListView(Protocol):
    chosen: SignalInstance
    renamed: SignalInstance
    noted: SignalInstance
    delete_asked: SignalInstance
    continue_asked: SignalInstance
    save_asked: SignalInstance
    everything_asked: SignalInstance

    @property
    def model(self) -> Any: ...
    def set_records(self, records: Iterable[RunRecord], hidden: int = ..., *, everything: bool = ...) -> None: ...
    def put(self, record: RunRecord) -> None: ...
    def remove(self, run: int) -> None: ...
    def choose(self, runs: Iterable[int]) -> None: ...


class RunListPresenter(QObject):
    def __init__(self, view: RunListView, workspace: Workspace, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._view, self._workspace, self._runs = view, workspace, workspace.runs
        view.chosen.connect(self._runs.select)
        view.renamed.connect(self._runs.rename)
        view.noted.connect(self._runs.annotate)
        view.delete_asked.connect(self.delete)
        view.continue_asked.connect(workspace.continue_runs)
        view.save_asked.connect(self.save)
        self._scope = workspace.scope
        view.everything_asked.connect(self._scope.show_everything)
        self._scope.changed.connect(self.fill)
        self._runs.project_read.connect(self.fill)
        self._runs.added.connect(self._add)
        self._runs.changed.connect(self._put)
        self._runs.removed.connect(self._remove)
        self._runs.selection_changed.connect(self._choose)
        self.fill()

    def fill(self) -> None:
        records = self._scope.records()
        hidden = len(self._runs.ids()) - len(records)
        self._view.set_records(records, hidden, everything=self._scope.everything)
        self._choose()

    def delete(self, runs: list[int]) -> None:
        gone = self._runs.delete(runs)
        kept = len(runs) - len(gone)
        if kept:
            self._workspace.message.emit(tr("Running trainings cannot be deleted. Stop or discard them first."))
        else:
            self._workspace.message.emit(
                tr(
                    "{count} run deleted; Undo brings it back.",
                    "{count} runs deleted; Undo brings them back.",
                    count=len(gone),
                )
            )

    def save(self, path: str) -> None:
        """Save the rows that are shown as CSV."""
        names, rows = self._view.model.table(self._view.model.shown())
        say = self._workspace.message.emit
        self._workspace.tasks.start(
            lambda: write_text(path, csv_text(names, rows)), lambda nothing: say(tr("Saved {path}", path=path)), say
        )

    def _add(self, runs: list[int]) -> None:
        if len(runs) > MANY:
            self.fill()
        else:
            for run in runs:
                self._put(run)

    def _remove(self, runs: list[int]) -> None:
        if len(runs) > MANY:
            self.fill()
        else:
            for run in runs:
                self._view.remove(run)

    def _put(self, run: int) -> None:
        if run in self._runs and self._scope.holds(self._runs.record(run)):
            self._view.put(self._runs.record(run))

    def _choose(self) -> None:
        self._view.choose(self._runs.selected)
