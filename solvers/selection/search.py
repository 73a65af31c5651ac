"""Searches: generators that yield the trials to run next, in any order, and are sent all results so far.

full grid, coarse to fine, two-line (Kao et al. 2004), successive halving. They know nothing of how trials are run.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping
from dataclasses import dataclass, replace

from solvers.budget import SEARCH
from solvers.selection.cell import Cell, CellResult, Trial
from solvers.selection.grid import Grid, best, preference

Results = Mapping[Cell, CellResult]
Steps = Generator[list[Trial], Results, None]


@dataclass(frozen=True)
class SearchStrategy:
    """`steps(grid, folds, per_class)`: rows of a class in a training part, on average."""

    name: str
    about: str
    steps: Callable[[Grid, int, float], Steps]


def on_all(cells: Iterable[Cell], folds: int) -> list[Trial]:
    return [Trial(cell, fold) for cell in cells for fold in range(folds)]


def once(trials: list[Trial]) -> Steps:
    """A search that runs given trials."""
    yield trials


def full(grid: Grid, folds: int, per_class: float) -> Steps:
    yield on_all((cell for machine in grid.machines for cell in grid.cells(machine)), folds)


def coarse_to_fine(grid: Grid, folds: int, per_class: float) -> Steps:
    """Every fourth cell, then the neighbours of the best cell; the distance halves when the best has no new ones."""
    coarse = [grid.at(machine, i, j) for machine in grid.machines for i, j in _coarse(grid)]
    results = yield on_all(coarse, folds)
    distance = SEARCH.widest
    while distance:
        wanted = [cell for machine in grid.machines for cell in _new_neighbours(grid, results, machine, distance)]
        if wanted:
            results = yield on_all(wanted, folds)
        else:
            distance //= 2


def _coarse(grid: Grid) -> list[tuple[int, int]]:
    """Indices spread evenly over the grid, both ends included."""
    columns, rows = (_spread(len(values)) for values in (grid.costs.values, grid.gamma_values))
    return [(i, j) for j in rows for i in columns]


def _spread(count: int) -> list[int]:
    parts = max(1, round((count - 1) / SEARCH.widest))
    return sorted({round(part * (count - 1) / parts) for part in range(parts + 1)})


def _new_neighbours(grid: Grid, results: Results, machine: str, distance: int) -> list[Cell]:
    here = best(results, machine)
    return [] if here is None else [cell for cell in grid.around(here, distance) if cell not in results]


def two_line(grid: Grid, folds: int, per_class: float) -> Steps:
    """Kao, Chung, Sun & Lin 2004, algorithm 1: the best C of the linear kernel first, called C~.

    Then only the line -1 - log2 gamma = log2 C - log2 C~ of the rbf kernel, as far as it lies in the grid.
    """
    linear = replace(grid, gammas=None)
    results = yield on_all((cell for machine in grid.machines for cell in linear.cells(machine)), folds)
    line = [cell for machine in grid.machines for cell in _line(grid, best(_linear(results), machine))]
    if line:
        yield on_all(line, folds)


def _linear(results: Results) -> Results:
    return {cell: result for cell, result in results.items() if cell.gamma is None}


def _line(grid: Grid, start: Cell | None) -> list[Cell]:
    if start is None:
        return []
    costs = [(0.5 * start.C / gamma, gamma) for gamma in grid.gamma_values if gamma is not None]
    return [Cell(start.machine, cost, gamma) for cost, gamma in costs if grid.costs.is_within(cost)]


def halving(grid: Grid, folds: int, per_class: float) -> Steps:
    """Successive halving: all cells on few rows of every fold, the better third on three times as many, and so on."""
    kept = {machine: list(grid.cells(machine)) for machine in grid.machines}
    results: Results = {}
    for share, cells in rungs(grid.size, per_class):
        kept = {machine: _better(mine, results, cells) for machine, mine in kept.items()}
        trials = [Trial(cell, fold, share) for mine in kept.values() for cell in mine for fold in range(folds)]
        results = yield trials


def rungs(cells: int, per_class: float) -> list[tuple[float, int]]:
    """(share of the training rows, cells of a machine) one after another; the last are all rows."""
    found = []
    for share, kept in SEARCH.rungs:
        if share == 1.0 or share * per_class >= SEARCH.per_class:
            found.append((share, cells))
            cells = min(cells, max(SEARCH.least, round(kept * cells)))
    return found


def _better(cells: list[Cell], results: Results, count: int) -> list[Cell]:
    """The best of those that were tried; all of them where no more are there."""
    if len(cells) <= count:
        return cells
    there = [cell for cell in cells if cell in results]
    chosen = set(sorted(there, key=lambda cell: preference(cell, results[cell].worth))[:count])
    return [cell for cell in cells if cell in chosen]


SEARCHES: dict[str, SearchStrategy] = {
    search.name: search
    for search in (
        SearchStrategy("grid", "every cell", full),
        SearchStrategy(
            "two-line", "the best C of the linear kernel, then one line of cells of the rbf kernel", two_line
        ),
        SearchStrategy("coarse-to-fine", "every fourth cell, then closer and closer around the best", coarse_to_fine),
        SearchStrategy(
            "halving", "every cell on a ninth of the rows, the best third on a third, their best on all", halving
        ),
        SearchStrategy("per-pair", "every cell, and for ovo and dag each pair's own best C and gamma", full),
    )
}
