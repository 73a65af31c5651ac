"""Asks what to do with runs and searches that were interrupted when the program ended."""

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
        self._searches = workspace.searches
        self._left_for_later = False
        view.decided.connect(self.decide)
        for signal in (self._runs.project_read, self._runs.changed, self._runs.added, self._runs.removed):
            signal.connect(lambda *runs: self._look())
        self._searches.interrupted_changed.connect(self._look)
        self._look()

    def decide(self, choice: str) -> None:
        """Carry out an answer; a search has already stored its cells, so only continuing it starts anything."""
        runs, searches = [record.id for record in self._runs.interrupted()], self._searches.interrupted()
        if choice == "later":
            self._left_for_later = True
        elif choice == "discard":
            self._runs.abandon(runs)
            self._searches.forget(searches)
        else:
            for run in runs:
                self._workspace.go_on(run, keep=choice == "keep")
            if choice == "keep":
                self._searches.forget(searches)
            else:
                for search in searches:
                    self._workspace.search_on(search)
        self._look()

    def _look(self) -> None:
        names = [record.name for record in self._runs.interrupted()]
        names += [search.title for search in self._searches.interrupted()]
        names = [] if self._left_for_later else names
        self._view.show_names(_words(len(names)), names)


def _words(count: int) -> str:
    return tr(
        "The program ended while a job was running. The point that it had reached is saved.",
        "The program ended while {count} jobs were running. The points that they had reached are saved.",
        count=count,
    )
