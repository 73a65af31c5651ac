"""The report of a search from the Tune page: when it is offered, and writing it behind the window."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from mcsvm_gui.core.words import tr
from mcsvm_gui.presenters.report_formats import ReportFormats
from mcsvm_gui.presenters.tune_view import TuneView

if TYPE_CHECKING:
    from mcsvm_gui.core.request import Request
    from mcsvm_gui.core.tune_maps import TuneMaps
    from mcsvm_gui.core.tuning import Tuned, TuneRequest
    from mcsvm_gui.presenters.workspace import Workspace


class TuneReport(QObject):
    """One at a time, as matplotlib can do no more."""

    changed = Signal()  # whether one is being written

    def __init__(self, view: TuneView, workspace: Workspace, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._view, self._workspace = view, workspace
        self._formats, self._writing = ReportFormats(workspace, view.show_formats), False

    def offer(self, something: bool) -> None:
        """The formats are asked for once there is something to write, behind the window."""
        self._view.show_report(something and not self._writing)
        if something:
            self._formats.ask()

    def write(
        self,
        path: str,
        asked: tuple[Request, TuneRequest],
        shown: TuneMaps,
        tuned: Tuned | None,
        running: bool,
        said: str,
    ) -> None:
        """Of what is shown, with the command that searches the same."""
        if self._writing:
            return
        dataset = self._workspace.dataset

        def write() -> None:
            from mcsvm_gui.core import shown_report

            shown_report.write(path, shown_report.Shown(*asked, shown, tuned, running), dataset, said)

        self._begin(True)
        self._workspace.tasks.start(write, lambda nothing: self._ended(tr("Saved {path}", path=path)), self._ended)

    def _begin(self, writing: bool) -> None:
        self._writing = writing
        self.changed.emit()

    def _ended(self, sentence: str) -> None:
        self._begin(False)
        self._workspace.message.emit(sentence)
