"""What is known of a search, looked at through the form: which cells count, which are best, what is missing."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from solvers.selection.cell import Cell, CellResult, FoldResult, Trial
from solvers.selection.grid import Grid, best, preference

Folds = Mapping[Cell, Mapping[int, FoldResult]]
SLACK = 1e-9  # of rounding at the ends of ranges


class TuneResults:
    """Cells of the machines and within the ranges asked for, with `folds` folds when they are complete."""

    def __init__(self, grid: Grid, folds: int, known: Folds, *, with_linear: bool) -> None:
        self.grid, self.folds = grid, folds
        self.known = {cell: known[cell] for cell in known if known[cell] and _counts(cell, grid, with_linear)}

    @cached_property
    def cells(self) -> dict[Cell, CellResult]:
        return {cell: CellResult(folds) for cell, folds in self.known.items()}

    def of(self, machine: str) -> dict[Cell, CellResult]:
        return {cell: result for cell, result in self.cells.items() if cell.machine == machine}

    def best(self, machine: str, *, live: bool) -> Cell | None:
        """While a search runs, of the half of its cells that is furthest: the very first are no rivals yet."""
        if not live:
            return best(self.cells, machine)
        mine = self.of(machine)
        with_gamma = {cell: result for cell, result in mine.items() if cell.gamma is not None}
        mine = with_gamma or mine
        enough = sorted(result.folds for result in mine.values())[len(mine) // 2 :][:1]
        rivals = [cell for cell in mine if mine[cell].folds >= enough[0]]
        return min(rivals, key=lambda cell: preference(cell, mine[cell].mean), default=None)

    @property
    def trials(self) -> dict[Trial, FoldResult]:
        return {Trial(cell, fold): result for cell, folds in self.known.items() for fold, result in folds.items()}

    def missing(self) -> list[Trial]:
        """Of the whole grid."""
        wanted = (cell for machine in self.grid.machines for cell in self.grid.cells(machine))
        none: Mapping[int, FoldResult] = {}
        return [
            Trial(cell, fold) for cell in wanted for fold in range(self.folds) if fold not in self.known.get(cell, none)
        ]


def _counts(cell: Cell, grid: Grid, with_linear: bool) -> bool:
    if cell.machine not in grid.machines or not _within(cell.C, grid.costs.values):
        return False
    if cell.gamma is None or grid.gammas is None:
        return cell.gamma is None and (grid.gammas is None or with_linear)
    return _within(cell.gamma, grid.gammas.values)


def _within(value: float, values: tuple[float, ...]) -> bool:
    return values[0] * (1.0 - SLACK) <= value <= values[-1] * (1.0 + SLACK)
