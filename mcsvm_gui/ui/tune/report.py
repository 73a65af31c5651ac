"""The report of a search from the Tune page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from mcsvm_gui.core.report.chapters import OF_SEARCH
from mcsvm_gui.ui.runs.report_writer import ReportWriter
from mcsvm_gui.ui.tune.view import TuneView

if TYPE_CHECKING:
    from mcsvm_gui.core.machine.request import Request
    from mcsvm_gui.core.tune.maps import TuneMaps
    from mcsvm_gui.core.tune.search import Tuned, TuneRequest
    from mcsvm_gui.ui.runs.workspace import Workspace


class TuneReport(QObject):
    changed = Signal()  # whether a report is being written has changed

    def __init__(self, view: TuneView, workspace: Workspace, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._view, self._workspace = view, workspace
        self._reports = ReportWriter(workspace, view.show_formats, self)
        self._reports.changed.connect(self.changed)
        self._chapters: tuple[str, ...] = OF_SEARCH
        view.chapters_chosen.connect(self._choose_chapters)

    def _choose_chapters(self, names: Sequence[str]) -> None:
        self._chapters = tuple(names)

    def offer(self, something: bool) -> None:
        """Offer the report; the formats are requested once there are results to write."""
        self._view.show_report(something and not self._reports.writing)
        if something:
            self._reports.offer_formats()

    def write(
        self,
        path: str,
        asked: tuple[Request, TuneRequest],
        shown: TuneMaps,
        tuned: Tuned | None,
        running: bool,
        said: str,
    ) -> None:
        """Write the chosen chapters about the shown results, with the command that repeats the search."""
        dataset, chapters = self._workspace.dataset, self._chapters

        def write() -> None:
            from mcsvm_gui.core.report import of_shown_search

            of_shown_search.write(
                path, of_shown_search.ShownSearch(*asked, shown, tuned, running), dataset, said, chapters
            )

        self._reports.write(path, write)
