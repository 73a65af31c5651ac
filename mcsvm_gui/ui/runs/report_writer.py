"""Reports of a page: the formats on offer, and the reports that are being written in the background."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from mcsvm_gui.core.base.i18n import tr

if TYPE_CHECKING:
    from mcsvm_gui.ui.runs.workspace import Workspace

Show = Callable[[list[tuple[str, str]]], None]  # (title, suffix) of each format


class ReportWriter(QObject):
    changed = Signal()  # `writing`

    def __init__(self, workspace: Workspace, show_formats: Show, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._workspace, self._show_formats, self._asked = workspace, show_formats, False
        self._written = 0

    @property
    def writing(self) -> bool:
        return self._written > 0

    def offer_formats(self) -> None:
        """Request the titles of all formats once, in a task, because that imports many modules."""
        if not self._asked:
            self._asked = True
            self._workspace.tasks.start(_titles, self._show_formats, self._workspace.message.emit)

    def write(self, path: str, write: Callable[[], object]) -> None:
        """Run `write` in a task. The status bar shows the result."""
        self._change(1)
        self._workspace.tasks.start(write, lambda nothing: self._ended(tr("Saved {path}", path=path)), self._ended)

    def _ended(self, sentence: str) -> None:
        self._change(-1)
        self._workspace.message.emit(sentence)

    def _change(self, by: int) -> None:
        self._written += by
        self.changed.emit()


def _titles() -> list[tuple[str, str]]:
    from mcsvm_gui.core.report import FORMATS

    return [(format_.title, suffix) for suffix, format_ in FORMATS.items()]
