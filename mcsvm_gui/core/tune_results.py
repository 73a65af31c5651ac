"""What is known of a search, looked at through the form: which cells count, which are best, what is missing."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from solvers.selection.cell import Cell, CellResult, FoldResult, Trial
from solvers.selection.grid import Grid, best, preference

SLACK = 1e-9  # of rounding at the ends of ranges


class TuneResults:
    """Cells of the machines and within the ranges asked for, with `folds` folds when they are complete."""

    def __init__(self, grid: Grid, folds: int, known: Mapping[Cell, CellResult], *, with_linear: bool) -> None:
        self.grid, self.folds = grid, folds
        within = _Within(grid, with_linear)
        self.cells = {cell: result for cell, result in known.items() if result.folds and within(cell)}

    def of(self, machine: str) -> dict[Cell, CellResult]:
        return {cell: result for cell, result in self.cells.items() if cell.machine == machine}

    def best(self, machine: str, *, live: bool) -> Cell | None:
        """While a search runs, of the half of its cells that is furthest: the very first are no rivals yet."""
        mine = self.of(machine)
        if not live:
            return best(mine, machine)
        mine = {cell: result for cell, result in mine.items() if cell.gamma is not None} or mine
        if not mine:
            return None
        enough = sorted(result.folds for result in mine.values())[len(mine) // 2]
        rivals = [cell for cell in mine if mine[cell].folds >= enough]
        return min(rivals, key=lambda cell: preference(cell, mine[cell].mean))

    @property
    def done(self) -> int:
        return sum(result.folds for result in self.cells.values())

    @property
    def trials(self) -> dict[Trial, FoldResult]:
        return {
            Trial(cell, fold): result for cell, found in self.cells.items() for fold, result in found.by_fold.items()
        }

    def missing(self) -> dict[Cell, int]:
        """How many folds the cells of the grid lack."""
        lacking = {cell: self.folds - self.cells[cell].folds for cell in self.cells}
        return {cell: lack for cell in _cells_of(self.grid) if (lack := lacking.get(cell, self.folds)) > 0}


@lru_cache(maxsize=4)
def _cells_of(grid: Grid) -> tuple[Cell, ...]:
    return tuple(cell for machine in grid.machines for cell in grid.cells(machine))


class _Within:
    """Whether the form asks for a cell."""

    def __init__(self, grid: Grid, with_linear: bool) -> None:
        self._machines, self._linear = grid.machines, with_linear or grid.gammas is None
        self._costs = _ends(grid.costs.values)
        self._gammas = None if grid.gammas is None else _ends(grid.gammas.values)

    def __call__(self, cell: Cell) -> bool:
        if cell.machine not in self._machines or not self._costs[0] <= cell.C <= self._costs[1]:
            return False
        if cell.gamma is None:
            return self._linear
        return self._gammas is not None and self._gammas[0] <= cell.gamma <= self._gammas[1]


def _ends(values: tuple[float, ...]) -> tuple[float, float]:
    return values[0] * (1.0 - SLACK), values[-1] * (1.0 + SLACK)
