"""The machine of the form beside simple methods on the same folds, when that is asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, SignalInstance

from mcsvm_gui.core.base import figures
from mcsvm_gui.core.base.i18n import as_sentence, tr, worded
from mcsvm_gui.ui.threads.tasks import Ticket
from solvers.errors import InputError

if TYPE_CHECKING:
    from mcsvm_gui.core.check.advice import Advice
    from mcsvm_gui.core.data.dataset import Dataset
    from mcsvm_gui.core.machine.request import Request
    from mcsvm_gui.ui.train.presenter import TrainPresenter

FOLDS = 5


class BaselinesView(Protocol):
    baselines_asked: SignalInstance

    def show_baselines(self, running: bool) -> None: ...


class Baselines(QObject):
    """A second press stops; for other data, or another preparation of them, the answer does not hold."""

    def __init__(self, view: BaselinesView, form: TrainPresenter) -> None:
        super().__init__(form)
        self._view, self._form, self._workspace = view, form, form.workspace
        self._ticket: Ticket | None = None
        view.baselines_asked.connect(self.toggle)
        self._workspace.data_changed.connect(self._forget)
        self._workspace.preparation_changed.connect(self._forget)

    def toggle(self) -> None:
        request, dataset = self._form.request, self._workspace.dataset
        if self._ticket is not None:
            self._end()
        elif request is not None and dataset is not None:
            begun: list[Ticket] = []
            work = self._workspace.tasks.start(
                lambda: _compared(request, dataset, lambda: bool(begun) and not begun[0].wanted),
                self._show,
                refused=self._refuse,
            )
            begun.append(work)
            self._ticket = work
            self._view.show_baselines(True)

    def _end(self) -> None:
        if self._ticket is not None:
            self._ticket.cancel()
            self._ticket = None
        self._view.show_baselines(False)

    def _forget(self) -> None:
        self._end()
        self._form.show_found(())

    def _show(self, found: tuple[Advice, ...]) -> None:
        self._end()
        self._form.show_found(found)

    def _refuse(self, error: InputError) -> None:
        self._end()
        self._workspace.message.emit(as_sentence(worded(error)))


def _compared(request: Request, dataset: Dataset, stopped: Callable[[], bool]) -> tuple[Advice, ...]:
    """What is worse than a simple method, then all accuracies."""
    from mcsvm_gui.core.check.advice import Advice, advice_of
    from mcsvm_gui.core.check.baselines import accuracies
    from mcsvm_gui.core.check.finding import Severity
    from mcsvm_gui.core.check.results import CheckedResults
    from mcsvm_gui.core.check.table import check_results

    found = accuracies(request, dataset, FOLDS, stopped=stopped)
    findings = check_results(CheckedResults(accuracies=found))
    return (*map(advice_of, findings), Advice(_words(found), Severity.NOTE)) if found else ()


def _words(found: Mapping[str, float]) -> str:
    from mcsvm_gui.core.check.baselines import MACHINE
    from mcsvm_gui.core.check.results import TITLES

    others = [
        tr("{method} {share}", method=worded(TITLES[name]), share=figures.accuracy(value))
        for name, value in found.items()
        if name != MACHINE
    ]
    own, rest = figures.accuracy(found[MACHINE]), ", ".join(others)
    return tr("Right in {folds} folds: the machine {share}; {others}.", folds=FOLDS, share=own, others=rest)
