"""Reuse of the settings of a run, in the form or on a new file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, SignalInstance

from mcsvm_gui.core.base.i18n import tr, worded
from mcsvm_gui.core.machine import form

if TYPE_CHECKING:
    from mcsvm.solvers.errors import InputError
    from mcsvm_gui.core.machine.request import Request
    from mcsvm_gui.core.project.records import RunRecord
    from mcsvm_gui.ui.train.presenter import TrainPresenter


class ReuseView(Protocol):
    settings_asked: SignalInstance
    file_asked: SignalInstance
    file_chosen: SignalInstance

    def choose_new_data(self, folder: str) -> None: ...


class Reuse(QObject):
    """Trains on a new file after it was loaded; if the user opens another file meanwhile, nothing is trained."""

    def __init__(self, view: ReuseView, presenter: TrainPresenter) -> None:
        super().__init__(presenter)
        self._view, self._presenter = view, presenter
        self._workspace, self._runs = presenter.workspace, presenter.workspace.runs
        self._run: int | None = None  # the run whose settings apply to the chosen file
        self._waiting: tuple[str, Request] | None = None
        view.settings_asked.connect(self.use_settings)
        view.file_asked.connect(self.ask_file)
        view.file_chosen.connect(self.open_file)
        self._workspace.loading.connect(self._loading)
        self._workspace.data_changed.connect(self._train_on_new_data)
        self._workspace.data_failed.connect(self._show_failure)

    def use_settings(self) -> None:
        """Put the settings of the current run into the form, with its preparation and hold-out."""
        record = self._record()
        if record is None:
            return
        request = record.request
        self._presenter.fill_form(form.texts_of(request))
        holdout = request.holdout if request.tested is None else request.tested.holdout
        keep_test = request.test is not None and request.test == self._workspace.test_path
        preparation = {} if keep_test else {"holdout": holdout}
        self._workspace.set_preparation(rules=request.rules, seed=request.seed, **preparation)
        self._workspace.message.emit(tr("The form has the settings of {run}.", run=record.name))

    def ask_file(self) -> None:
        record = self._record()
        if record is not None:
            self._run = record.id
            self._view.choose_new_data(str(Path(record.request.data or "").parent))

    def open_file(self, path: str) -> None:
        """Open a file with the import settings and roles of the run, and train with the run's settings."""
        if self._run is None or self._run not in self._runs:
            return
        request = self._runs.record(self._run).request
        self._workspace.open_data(path, request.read)
        self._waiting = path, request

    def _loading(self, path: str) -> None:
        self._waiting = None

    def _show_failure(self, error: InputError) -> None:
        if self._waiting is not None:
            self._waiting = None
            self._workspace.message.emit(worded(error))

    def _train_on_new_data(self) -> None:
        waiting, self._waiting = self._waiting, None
        dataset = self._workspace.dataset
        if waiting is None or dataset is None or self._workspace.path != waiting[0]:
            return
        path, request = waiting
        holdout = request.holdout if request.tested is None else request.tested.holdout
        again = replace(
            request, data=path, digest=dataset.digest, test=None, test_digest=None, holdout=holdout, tested=None
        )
        self._workspace.set_preparation(rules=request.rules, seed=request.seed, holdout=holdout)
        self._presenter.fill_form(form.texts_of(request))
        self._runs.select(self._workspace.train([again]))

    def _record(self) -> RunRecord | None:
        run = self._presenter.current_run
        record = None if run is None else self._runs.record(run)
        return record if record is not None and record.readable else None
