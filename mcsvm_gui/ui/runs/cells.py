"""Cells of searches, as the window knows them; the project file follows."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from mcsvm_gui.core.base.i18n import tr

if TYPE_CHECKING:
    from mcsvm.solvers.selection.cell import Cell, FoldResult
    from mcsvm.solvers.selection.trials.task import Done
    from mcsvm_gui.core.tune.cells import Found
    from mcsvm_gui.ui.runs.collection import RunCollection

KEPT = 8  # conditions whose cells stay in memory; 1350 cells of five folds take 12 MB


class CellCollection(QObject):
    """By the conditions under which they were found. What was not asked for yet is read first."""

    arrived = Signal(str)  # cells of these conditions were read
    failed = Signal(str)  # in a sentence

    def __init__(self, runs: RunCollection, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._runs = runs
        self._found: dict[str, Found] = {}
        self._shares: dict[str, dict[Cell, dict[float, dict[int, FoldResult]]]] = {}  # of rows, of cells found here
        self._reading: set[str] = set()
        self._read: set[str] = set()
        self._path = runs.path
        runs.project_read.connect(self._follow)

    def of(self, conditions: str) -> Found:
        """All that is known now; what the project has arrives."""
        if self._runs.loaded and conditions not in self._reading | self._read:
            self._ask(conditions, self._path)
        self._found[conditions] = self._found.pop(conditions, {})  # the newest
        return self._found[conditions]

    def ready(self, conditions: str) -> bool:
        """Whether what the project has is known: until then nothing may be added, which would replace it."""
        self.of(conditions)
        return conditions in self._read

    def add(self, conditions: str, done: Iterable[Done]) -> None:
        """Later results stand over earlier ones; each cell is written whole, of those trained on all rows."""
        from mcsvm.solvers.selection.cell import CellResult
        from mcsvm_gui.core.tune.cells import document

        cells = self._found.setdefault(conditions, {})
        shares = self._shares.setdefault(conditions, {})
        whole: dict[Cell, CellResult] = {}
        for (cell, fold, share), result in done:
            if cell not in shares:
                shares[cell] = {cells[cell].share: dict(cells[cell].by_fold)} if cell in cells else {}
            shares[cell].setdefault(share, {})[fold] = result
            cells[cell] = CellResult.of_shares(shares[cell])
            if share == 1.0:
                whole[cell] = CellResult(shares[cell][share])
        self._runs.keep_cells(conditions, {(*cell,): partial(document, result) for cell, result in whole.items()})

    def drop_oldest(self, needed: Collection[str]) -> None:
        """They can be read again. `needed`: to which a search still adds, which would replace what is in the file."""
        droppable = [one for one in self._found if one not in needed and one not in self._reading]
        for conditions in droppable[: max(len(self._found) - KEPT, 0)]:
            del self._found[conditions]
            self._shares.pop(conditions, None)
            self._read.discard(conditions)

    # -- the file ---------------------------------------------------------------------------------

    def _ask(self, conditions: str, path: str) -> None:
        def read(rows: list[Any]) -> None:
            if path == self._path:
                self._take(conditions, rows)

        def failed(sentence: str) -> None:
            self.failed.emit(sentence)
            read([])

        self._reading.add(conditions)
        self._runs.read_cells(conditions, read, failed)

    def _take(self, conditions: str, rows: list[Any]) -> None:
        from mcsvm_gui.core.tune.cells import read_cells

        cells, unreadable = read_cells(rows)
        self._found.setdefault(conditions, {}).update(cells)
        self._reading.discard(conditions)
        self._read.add(conditions)
        if unreadable:
            self.failed.emit(tr("{count} cells of the project cannot be read.", count=unreadable))
        self.arrived.emit(conditions)

    def _follow(self) -> None:
        """Another project knows other cells; the same one read again changes nothing."""
        if self._runs.path != self._path:
            self._path = self._runs.path
            self._found, self._shares, self._reading, self._read = {}, {}, set(), set()
