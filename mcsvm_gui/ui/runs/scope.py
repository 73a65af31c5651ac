"""Which runs the pages show: those of the open data, or all runs of the project."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from mcsvm_gui.core.project.records import RunRecord, from_json, to_json

if TYPE_CHECKING:
    from mcsvm_gui.ui.runs.workspace import Workspace


class RunScope(QObject):
    """A run belongs to the data that it was trained on: the content of a file, and how it is read (roles, rows)."""

    changed = Signal()

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._workspace, self._runs = workspace, workspace.runs
        self._everything = False
        self._of: tuple[Any, ...] | None = self._concerned()
        for signal in (
            *(workspace.data_changed, workspace.data_failed, workspace.loading, workspace.loading_cancelled),
            workspace.runs.project_read,
        ):
            signal.connect(lambda *ignored: self._look())

    @property
    def everything(self) -> bool:
        """Whether runs of other data are shown too."""
        return self._everything

    def show_everything(self, everything: bool) -> None:
        if everything != self._everything:
            self._everything = everything
            self._let_go()
            self.changed.emit()

    def holds(self, record: RunRecord) -> bool:
        if self._everything or self._of is None:
            return True
        return self._of == _data_of(record.digest, record.plain_request.get("read"))

    def records(self) -> list[RunRecord]:
        """All runs that are shown, the oldest first."""
        return [record for record in map(self._runs.record, self._runs.ids()) if self.holds(record)]

    def _concerned(self) -> tuple[Any, ...] | None:
        """The open data; nothing while another file is read or is refused. None: no file was asked for."""
        from mcsvm_gui.core.base import options

        workspace = self._workspace
        asked, _ = workspace.last_asked
        if asked is None:
            return None
        if workspace.dataset is None or asked != workspace.path:
            return ()
        return _data_of(workspace.dataset.digest, options.plain(workspace.read))

    def _look(self) -> None:
        found = self._concerned()
        if found != self._of:
            self._of = found
            self._everything = False
            self._let_go()
            self.changed.emit()

    def _let_go(self) -> None:
        """Runs that are not shown are not selected."""
        runs = self._runs
        runs.select([run for run in runs.selected if run in runs and self.holds(runs.record(run))])


def _data_of(digest: str | None, read: Any) -> tuple[Any, ...]:
    """As JSON has it: requests of this session hold tuples where those of the file hold lists."""
    return digest, from_json(to_json(read)) if isinstance(read, dict) else None
