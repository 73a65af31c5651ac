"""The machine of the form beside simple methods on the same folds, when that is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, SignalInstance

from mcsvm_gui.core.base import figures
from mcsvm_gui.core.base.i18n import tr, worded
from mcsvm_gui.ui.threads.baselines import FOLDS

if TYPE_CHECKING:
    from mcsvm_gui.core.check.advice import Advice
    from mcsvm_gui.ui.train.presenter import TrainPresenter


BASELINES = "baselines"


class BaselinesView(Protocol):
    baselines_asked: SignalInstance

    def show_baselines(self, running: bool) -> None: ...


class Baselines(QObject):
    """A second press stops; for other data, or another preparation of them, the answer does not hold."""

    def __init__(self, view: BaselinesView, form: TrainPresenter) -> None:
        super().__init__(form)
        self._view, self._form, self._workspace = view, form, form.workspace
        self._comparison = form.workspace.baselines
        view.baselines_asked.connect(self.toggle)
        self._comparison.changed.connect(self._show)
        self._workspace.data_changed.connect(self._forget)
        self._workspace.preparation_changed.connect(self._forget)

    def toggle(self) -> None:
        request, dataset = self._form.request, self._workspace.dataset
        if self._comparison.running:
            self._comparison.stop()
        elif request is not None and dataset is not None:
            self._comparison.start(request, dataset)

    def _forget(self) -> None:
        self._comparison.forget()
        self._form.show_found(BASELINES, ())

    def _show(self) -> None:
        self._view.show_baselines(self._comparison.running)
        known = self._comparison.known
        if known is not None and known.accuracies is not None:
            self._form.show_found(BASELINES, advice_on(known.accuracies))


def advice_on(accuracies: Mapping[str, float]) -> tuple[Advice, ...]:
    """What is worse than a simple method, then all accuracies."""
    from mcsvm_gui.core.check.advice import Advice, advice_of
    from mcsvm_gui.core.check.finding import Severity
    from mcsvm_gui.core.check.results import CheckedResults
    from mcsvm_gui.core.check.table import check_results

    findings = check_results(CheckedResults(accuracies=accuracies))
    return (*map(advice_of, findings), Advice(_words(accuracies), Severity.NOTE))


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
