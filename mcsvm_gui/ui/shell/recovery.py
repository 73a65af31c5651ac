"""What becomes of runs that the last end of the program cut short."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from PySide6.QtCore import QObject

from mcsvm_gui.core.base.i18n import tr

if TYPE_CHECKING:
    from mcsvm_gui.ui.runs.workspace import Workspace


class RecoveryView(Protocol):
    decided: Any

    def show_names(self, words: str, names: Sequence[str]) -> None: ...


class RecoveryPresenter(QObject):
    def __init__(self, view: RecoveryView, workspace: Workspace, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._view, self._workspace, self._runs = view, workspace, workspace.runs
        self._left_for_later = False
        view.decided.connect(self.decide)
        for signal in (self._runs.project_read, self._runs.changed, self._runs.added, self._runs.removed):
            signal.connect(lambda *runs: self._look())
        self._look()

    def decide(self, choice: str) -> None:
        runs = [record.id for record in self._runs.interrupted()]
        if choice == "discard":
            self._runs.abandon(runs)
        elif choice == "later":
            self._left_for_later = True
        else:
            for run in runs:
                self._workspace.go_on(run, keep=choice == "keep")
        self._look()

    def _look(self) -> None:
        found = [] if self._left_for_later else self._runs.interrupted()
        self._view.show_names(_words(len(found)), [record.name for record in found])


def _words(count: int) -> str:
    if count == 1:
        return tr("The program ended while a run was going on. All that was saved of it is here.")
    return tr("The program ended while {count} runs were going on. All that was saved of them is here.", count=count)
