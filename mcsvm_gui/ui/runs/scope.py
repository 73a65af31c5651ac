"""Which runs the pages show: those of the open data, or all runs of the project."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from mcsvm_gui.core.machine.identity import data_key
from mcsvm_gui.core.project.records import RunRecord

if TYPE_CHECKING:
    from mcsvm_gui.ui.runs.workspace import Workspace


class RunScope(QObject):
    """Filter of runs by the data they were trained on, as `core/machine/identity.py` tells data apart."""

    changed = Signal()

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._workspace, self._runs = workspace, workspace.runs
        self._everything = False
        self._of: tuple[Any, ...] | None = self._data_key()
        for signal in (
            *(workspace.data_changed, workspace.data_failed, workspace.loading, workspace.loading_cancelled),
            workspace.runs.project_read,
        ):
            signal.connect(lambda *ignored: self._look())

    @property
    def everything(self) -> bool:
        """Return whether runs of other data are shown too."""
        return self._everything

    def show_everything(self, everything: bool) -> None:
        if everything != self._everything:
            self._everything = everything
            self._let_go()
            self.changed.emit()

    def holds(self, record: RunRecord) -> bool:
        if self._everything or self._of is None:
            return True
        return self._of == data_key(record.plain_request)

    def records(self) -> list[RunRecord]:
        """Return the runs that are shown, the oldest first."""
        return [record for record in map(self._runs.record, self._runs.ids()) if self.holds(record)]

    def _data_key(self) -> tuple[Any, ...] | None:
        """Return the key of the open data: () if the requested file is not open (yet), None without a request."""
        from mcsvm_gui.core.base import options

        workspace = self._workspace
        requested_path, _ = workspace.last_asked
        if requested_path is None:
            return None
        if workspace.dataset is None or requested_path != workspace.path:
            return ()
        return data_key({"digest": workspace.dataset.digest, "read": options.plain(workspace.read)})

    def _look(self) -> None:
        data_key = self._data_key()
        if data_key != self._of:
            self._of = data_key
            self._everything = False
            self._let_go()
            self.changed.emit()

    def _let_go(self) -> None:
        """Deselect runs that are not shown."""
        runs = self._runs
        runs.select([run for run in runs.selected if run in runs and self.holds(runs.record(run))])
