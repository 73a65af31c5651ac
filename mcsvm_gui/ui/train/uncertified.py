"""Selected runs that ended before their tolerance was reached: a finding in the list next to the form."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

if TYPE_CHECKING:
    from mcsvm_gui.core.check.advice import Advice
    from mcsvm_gui.core.project.records import RunRecord
    from mcsvm_gui.ui.train.presenter import TrainPresenter

LATER = 50  # milliseconds in which changes are collected
MOST = 3  # limit on the runs that are named
ENDINGS = "endings"


class Uncertified(QObject):
    def __init__(self, form: TrainPresenter) -> None:
        super().__init__(form)
        self._form, self._runs = form, form.workspace.runs
        self._later = QTimer(self, interval=LATER, singleShot=True)
        self._later.timeout.connect(self._show)
        for signal in (self._runs.selection_changed, self._runs.changed, self._runs.removed, self._runs.project_read):
            signal.connect(lambda *ignored: self._later.start())

    def _show(self) -> None:
        chosen = [self._runs.record(run) for run in self._runs.selected if run in self._runs]
        ended = [record for record in chosen if record.state == "done" and record.document is not None]
        self._form.show_found(ENDINGS, advice_on([record for record in ended if not _is_solved(record)][:MOST]))


def _is_solved(record: RunRecord) -> bool:
    return record.optimality == "solved"


def advice_on(records: list[RunRecord]) -> list[Advice]:
    if not records:
        return []
    from mcsvm.solvers.run.ending import Ending
    from mcsvm_gui.core.check.advice import advice_of
    from mcsvm_gui.core.check.results import CheckedResults, Ended, NotCertified

    ended = tuple(
        Ended(
            record.name,
            Ending(record.ending or "stopped"),
            record.relative_gap or 0.0,
            record.optimality or "not solved",
        )
        for record in records
    )
    return [advice_of(found) for found in NotCertified().find(CheckedResults(ended=ended))]
