"""The known results of a search, restricted to a form's settings: its cells, the best ones, the missing ones."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from mcsvm.solvers.selection.cell import Cell, CellResult, FoldResult, Trial
from mcsvm.solvers.selection.grid import Grid, best
from mcsvm.solvers.selection.scores import SCORES, Score
from mcsvm_gui.core.data import splitting
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.tune.cells import Shares
from mcsvm_gui.core.tune.search import TuneRequest, rows_searched

WHOLE = "grid", "per-pair"  # searches that try every cell


def results_of(
    wanted: TuneRequest, known: Mapping[Cell, CellResult], parts: int | None = None, score: Score | None = None
) -> TuneResults:
    """Return the results that belong to a search.

    `parts` is the number of parts of the rows, if a column defines it. `score` includes the costs of errors, if it is
    needed.
    """
    grid, two_line = Grid(wanted.machines, wanted.C, wanted.gamma), wanted.search == "two-line"
    if wanted.search != "halving":
        known = {cell: result for cell, result in known.items() if result.share == 1.0}
    return TuneResults(grid, parts or wanted.parts, known, with_linear=two_line, score=score or SCORES[wanted.score])


def trials_of(wanted: TuneRequest, known: Mapping[Cell, Shares]) -> dict[Trial, FoldResult]:
    """Return the known results that a search need not repeat: halving uses those on shares of the rows too."""
    within = _Within(Grid(wanted.machines, wanted.C, wanted.gamma), wanted.search == "two-line")
    score = SCORES[wanted.score]
    return {
        Trial(cell, fold, share): result
        for cell, shares in known.items()
        if within(cell)
        for share, folds in shares.items()
        if share == 1.0 or wanted.search == "halving"
        for fold, result in CellResult(folds).known_by(score).by_fold.items()
    }


class TuneResults:
    """Cells of the requested machines within the requested ranges; complete cells have `folds` folds."""

    def __init__(
        self,
        grid: Grid,
        folds: int,
        known: Mapping[Cell, CellResult],
        *,
        with_linear: bool,
        score: Score = SCORES["accuracy"],
    ) -> None:
        self.grid, self.folds, self.score = grid, folds, score
        within = _Within(grid, with_linear)
        scored = {cell: result.known_by(score).scored(score) for cell, result in known.items() if within(cell)}
        self.cells = {cell: result for cell, result in scored.items() if result.folds}

    def of(self, machine: str) -> dict[Cell, CellResult]:
        return {cell: result for cell, result in self.cells.items() if cell.machine == machine}

    def best(self, machine: str) -> Cell | None:
        return best(self.of(machine), machine)

    @property
    def done(self) -> int:
        return sum(result.folds for result in self.cells.values())

    def missing(self) -> dict[Cell, int]:
        """Return the number of missing folds by cell of the grid."""
        whole = {cell: result for cell, result in self.cells.items() if result.share == 1.0}
        lacking = {cell: self.folds - result.folds for cell, result in whole.items()}
        return {cell: lack for cell in _cells_of(self.grid) if (lack := lacking.get(cell, self.folds)) > 0}


@lru_cache(maxsize=4)
def _cells_of(grid: Grid) -> tuple[Cell, ...]:
    return tuple(cell for machine in grid.machines for cell in grid.cells(machine))


class _Within:
    """Whether a cell belongs to the settings of the form."""

    def __init__(self, grid: Grid, with_linear: bool) -> None:
        self._machines, self._linear = grid.machines, with_linear or grid.gammas is None
        self._costs, self._gammas = grid.costs, grid.gammas

    def __call__(self, cell: Cell) -> bool:
        if cell.machine not in self._machines or not self._costs.is_within(cell.C):
            return False
        if cell.gamma is None:
            return self._linear
        return self._gammas is not None and self._gammas.is_within(cell.gamma)


def parts_of(request: Request, wanted: TuneRequest, dataset: Dataset) -> int:
    """Return the number of parts on which every cell is validated."""
    if dataset.folds is not None:  # rows that are kept apart may have folds of their own
        dataset = rows_searched(request, wanted, dataset)
    return splitting.parts_of(dataset, request.split, wanted.folds, wanted.repeats, wanted.holdout)
