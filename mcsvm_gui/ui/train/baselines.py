"""Compares the best model, or else the machine of the form, with baselines on request."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, SignalInstance

from mcsvm_gui.core.base import figures
from mcsvm_gui.core.base.i18n import tr, worded
from mcsvm_gui.ui.threads.baselines import FOLDS

if TYPE_CHECKING:
    from mcsvm_gui.core.check.advice import Advice
    from mcsvm_gui.core.compare.baselines import BaselineResult
    from mcsvm_gui.ui.train.leaderboard import LeaderboardPresenter
    from mcsvm_gui.ui.train.presenter import TrainPresenter


BASELINES = "baselines"


class BaselinesView(Protocol):
    baselines_asked: SignalInstance

    def show_baselines(self, running: bool) -> None: ...


class Baselines(QObject):
    """Presenter of the comparison with baselines; a second click stops it.

    The best model is compared on its own test rows; without one, the machine of the form is compared on folds. Results
    on test rows belong to a run, and the project stores them. Results on folds belong to the data and their
    preprocessing.
    """

    def __init__(self, view: BaselinesView, form: TrainPresenter, board: LeaderboardPresenter) -> None:
        super().__init__(form)
        self._view, self._form, self._board, self._workspace = view, form, board, form.workspace
        self._comparison = form.workspace.baselines
        view.baselines_asked.connect(self.toggle)
        self._comparison.changed.connect(self._show)
        self._workspace.data_changed.connect(self._forget)
        self._workspace.preparation_changed.connect(self._forget)
        board.concluded.connect(lambda found: self._show_results())

    def toggle(self) -> None:
        request, dataset = self._form.request, self._workspace.dataset
        best = self._board.tested_best()
        if self._comparison.running:
            self._comparison.stop()
        elif best is not None:
            self._comparison.start(best.request, dataset, best)
        elif request is not None and dataset is not None:
            self._comparison.start(request, dataset)

    def _forget(self) -> None:
        self._comparison.forget()
        self._form.show_found(BASELINES, ())

    def _show(self) -> None:
        self._view.show_baselines(self._comparison.running)
        known = self._comparison.known
        if known is None:
            return
        if known.accuracies is not None:
            self._form.show_found(BASELINES, advice_on(known.accuracies))
        if known.results:
            self._board.keep_baselines(known.results)
            self._comparison.known = None
            self._show_results()

    def _show_results(self) -> None:
        """Show the accuracies of the baselines in one line."""
        from mcsvm_gui.core.check.advice import Advice
        from mcsvm_gui.core.check.finding import Severity

        results = self._board.baselines()
        self._form.show_found(BASELINES, (Advice(_summary(results), Severity.NOTE),) if results else ())


def _summary(results: Sequence[BaselineResult]) -> str:
    listed = (
        tr("{method} {share}", method=result.title, share=figures.accuracy(result.accuracy, result.rows))
        for result in results
    )
    return tr("Baselines on the same {rows} test rows: {methods}.", rows=results[0].rows, methods=", ".join(listed))


def advice_on(accuracies: Mapping[str, float]) -> tuple[Advice, ...]:
    """Return advice for each baseline that is better than the model, then all accuracies."""
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
    return tr(
        "Accuracy in {folds}-fold cross-validation: this machine {share}; {others}.",
        folds=FOLDS,
        share=own,
        others=rest,
    )
