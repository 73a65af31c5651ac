"""The formats that a page offers to write a report in, asked for behind the window: their modules are many."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mcsvm_gui.presenters.workspace import Workspace

Show = Callable[[list[tuple[str, str]]], None]  # (title, suffix) of each


class ReportFormats:
    """Asked for once."""

    def __init__(self, workspace: Workspace, show: Show) -> None:
        self._workspace, self._show, self._asked = workspace, show, False

    def ask(self) -> None:
        if not self._asked:
            self._asked = True
            self._workspace.tasks.start(_titles, self._show, self._workspace.message.emit)


def _titles() -> list[tuple[str, str]]:
    from mcsvm_gui.core.report import titles

    return titles()
