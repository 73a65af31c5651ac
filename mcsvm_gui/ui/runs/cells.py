"""Cells of searches in memory, which are also written to the project file."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from mcsvm_gui.core.base.i18n import tr

if TYPE_CHECKING:
    from mcsvm.solvers.selection.cell import Cell
    from mcsvm.solvers.selection.trials.task import Done
    from mcsvm_gui.core.tune.cells import Found, Shares
    from mcsvm_gui.core.tune.options import TuneRequest
    from mcsvm_gui.ui.runs.collection import RunCollection

KEPT = 8  # limit on the conditions whose cells stay in memory; 1350 cells of five folds take 12 MB


class CellCollection(QObject):
    """Cells by the conditions under which they were computed. They are read from the file on the first request."""

    arrived = Signal(str)  # cells of these conditions were read
    failed = Signal(str)  # an error as a sentence

    def __init__(self, runs: RunCollection, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._runs = runs
        self._found: dict[str, Found] = {}  # each cell on the share of the rows with the most folds
        self._whole: dict[str, Found] = {}  # trained on all rows
        self._shares: dict[str, dict[Cell, Shares]] = {}
        self._reading: set[str] = set()
        self._read: set[str] = set()
        self._path = runs.path
        runs.project_read.connect(self._follow)

    def of(self, conditions: str) -> Found:
        """Return all cells that are known now; request those in the project, after which `arrived` is emitted."""
        if self._runs.loaded and conditions not in self._reading | self._read:
            self._ask(conditions, self._path)
        self._found[conditions] = self._found.pop(conditions, {})  # moves to the newest place
        return self._found[conditions]

    def for_search(self, wanted: TuneRequest, conditions: str) -> Found:
        """Return the results for a search: for halving, each cell on its best known share of the rows, else on all."""
        found = self.of(conditions)
        return found if wanted.search == "halving" else self._whole.setdefault(conditions, {})

    def shares_of(self, conditions: str) -> Mapping[Cell, Shares]:
        """Return every known result, including results on shares of the training rows."""
        self.of(conditions)
        return self._shares.get(conditions, {})

    def ready(self, conditions: str) -> bool:
        """Return whether the project's cells are read: before that, added cells would replace them."""
        self.of(conditions)
        return conditions in self._read

    def add(self, conditions: str, done: Iterable[Done]) -> None:
        """Replace earlier results by later ones, and write each changed cell to the file as a whole."""
        from mcsvm_gui.core.tune.cells import shares_document

        shares = self._shares.setdefault(conditions, {})
        changed: dict[Cell, None] = {}  # in the order of their results
        for (cell, fold, share), result in done:
            shares.setdefault(cell, {}).setdefault(share, {})[fold] = result
            changed[cell] = None
        parts = {}
        for cell in changed:
            known = {share: dict(folds) for share, folds in shares[cell].items()}  # another thread writes them
            self._take_cell(conditions, cell, known)
            parts[(*cell,)] = partial(shares_document, known)
        self._runs.keep_cells(conditions, parts)

    def _take_cell(self, conditions: str, cell: Cell, shares: Shares) -> None:
        from mcsvm.solvers.selection.cell import CellResult

        self._found.setdefault(conditions, {})[cell] = CellResult.of_shares(shares)
        if 1.0 in shares:
            self._whole.setdefault(conditions, {})[cell] = CellResult(shares[1.0])

    def drop_oldest(self, needed: Collection[str]) -> None:
        """Drop the oldest conditions, which can be read again.

        `needed`: conditions to which searches still add cells. They stay, because added cells would replace those in
        the file.
        """
        droppable = [one for one in self._found if one not in needed and one not in self._reading]
        for conditions in droppable[: max(len(self._found) - KEPT, 0)]:
            del self._found[conditions]
            self._shares.pop(conditions, None)
            self._whole.pop(conditions, None)
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
        from mcsvm_gui.core.tune.cells import read_shares

        shares, unreadable = read_shares(rows)
        self._shares.setdefault(conditions, {}).update(shares)
        for cell, known in shares.items():
            self._take_cell(conditions, cell, known)
        self._reading.discard(conditions)
        self._read.add(conditions)
        if unreadable:
            self.failed.emit(tr("{count} cells of the project cannot be read.", count=unreadable))
        self.arrived.emit(conditions)

    def _follow(self) -> None:
        """Forget all cells if another project was opened; the same one read again changes nothing."""
        if self._runs.path != self._path:
            self._path = self._runs.path
            self._found, self._whole, self._shares, self._reading, self._read = {}, {}, {}, set(), set()
