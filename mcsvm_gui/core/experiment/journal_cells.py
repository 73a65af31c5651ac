"""Cells of a search as entries of a journal, so that a killed search can be continued."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from mcsvm.solvers.selection.cell import CellResult, FoldResult, Trial
from mcsvm.solvers.selection.scores import SCORES
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.experiment.journal import Entry, Journal, key_of
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.tune.cells import conditions, document, read_cells
from mcsvm_gui.core.tune.options import TuneRequest


class JournalCells:
    """The cells of one search. Other grids have other entries, because the best cell must lie on this grid."""

    def __init__(self, journal: Journal, request: Request, wanted: TuneRequest, dataset: Dataset) -> None:
        self._journal, self._score = journal, SCORES[wanted.score]
        grid = repr((wanted.search, wanted.machines, wanted.C, wanted.gamma))
        self._key = key_of("cells", dataset.digest, conditions(replace(request, digest=None), wanted), grid)

    def done(self) -> dict[Trial, FoldResult]:
        return dict(trial for entry in self._journal.all(self._key) for trial in self._trials(entry))

    def keep(self, done: tuple[Trial, FoldResult]) -> None:
        (cell, fold, share), result = done
        some = {} if share == 1.0 else {"share": share}
        self._journal.add(self._key, {"cell": list(cell), **some, "result": document(CellResult({fold: result}))})

    def _trials(self, entry: Entry) -> list[tuple[Trial, FoldResult]]:
        cells, unreadable = read_cells([_row(entry)])
        cells = {cell: result.known_by(self._score) for cell, result in cells.items()}
        if unreadable:
            raise self._journal.broken(ValueError("no cell of a search"))
        share = entry.get("share", 1.0)
        if type(share) is not float or not 0.0 < share <= 1.0:
            raise self._journal.broken(ValueError("no share of the rows"))
        return [
            (Trial(cell, fold, share), one) for cell, result in cells.items() for fold, one in result.by_fold.items()
        ]


def _row(entry: Entry) -> tuple[Any, Any, Any, Any]:
    cell = entry.get("cell")
    machine, cost, gamma = cell if isinstance(cell, list) and len(cell) == 3 else (None, None, None)
    return machine, cost, gamma, entry.get("result")
