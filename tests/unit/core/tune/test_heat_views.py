"""Colours for the good cells, cells as good as the best, and where other machines are best."""

from __future__ import annotations

import math

import numpy as np
import pytest

from mcsvm.solvers.dual.certificate import Certificate
from mcsvm.solvers.run.ending import Ending
from mcsvm.solvers.selection.cell import Cell, CellResult, FoldResult
from mcsvm.solvers.selection.grid import Grid, Range
from mcsvm_gui.core.tune import heat
from mcsvm_gui.core.tune.maps import TuneMaps
from mcsvm_gui.core.tune.results import TuneResults

GRID = Grid(("ww", "cs"), Range(-2.0, 2.0), Range(-2.0, 2.0))
SOLVED = Certificate(1.0, 1.0, 0.0, 0.0)


def result(*shares: float) -> CellResult:
    folds = [FoldResult(share, 0.1, 10, 5, Ending.CONVERGED, SOLVED) for share in shares]
    return CellResult(dict(enumerate(folds)))


def known(seed: int = 0) -> dict[Cell, CellResult]:
    random = np.random.default_rng(seed)
    return {cell: result(*random.uniform(0.5, 0.99, 3)) for name in GRID.machines for cell in GRID.cells(name)}


def shown(cells: dict[Cell, CellResult], machine: str, value: str = "accuracy", robust: bool = True) -> heat.HeatMap:
    results = TuneResults(GRID, 3, cells, with_linear=False)
    return next(map_ for map_ in TuneMaps(results, live=False).maps(value, robust=robust) if map_.machine == machine)


def test_half_of_the_cells_share_the_darkest_colour_unless_all_are_to_be_told_apart() -> None:
    cells = known()
    shades = [cell.shade for name in GRID.machines for cell in shown(cells, name).cells]
    assert sum(shade == 0.0 for shade in shades) == len(shades) // 2
    assert max(shades) == 1.0
    assert shown(cells, "ww").ticks[0][1].startswith("≤ ")
    every = [cell.shade for name in GRID.machines for cell in shown(cells, name, robust=False).cells]
    assert sum(shade == 0.0 for shade in every) == 1
    assert not shown(cells, "ww", robust=False).ticks[0][1].startswith("≤")


@pytest.mark.parametrize("seed", range(5))
def test_cells_within_a_standard_error_of_the_best_are_those_by_the_formula(seed: int) -> None:
    cells = known(seed)
    map_ = shown(cells, "cs")
    assert map_.best is not None
    means = {cell: float(np.mean(found.fold_accuracy)) for cell, found in cells.items() if cell.machine == "cs"}
    top = max(means, key=lambda cell: means[cell])
    error = float(np.std(cells[top].fold_accuracy, ddof=1)) / math.sqrt(3)
    wanted = {(cell.C, cell.gamma) for cell, mean in means.items() if cell != top and mean >= means[top] - error}
    assert {(map_.cells[place].cost, map_.cells[place].gamma) for place in map_.near} == wanted


def test_a_lucky_fold_neither_outshines_the_best_nor_stands_beside_it() -> None:
    """Cells of an earlier search that was stopped: 100 % of one fold looked better than the best of three."""
    cells = known()
    before = shown(cells, "ww")
    assert before.best is not None
    odd = Cell("ww", 3.0, 0.7)
    map_ = shown(cells | {odd: result(1.0)}, "ww")
    partial = [cell for cell in map_.cells if cell.partial]
    assert [(cell.cost, cell.gamma) for cell in partial] == [(odd.C, odd.gamma)]
    assert all(not map_.cells[place].partial for place in map_.near)
    assert map_.cells[map_.best or 0].shade == before.cells[before.best].shade
    assert map_.ticks == before.ticks
    assert not any(cell.partial for cell in before.cells)


def test_the_best_cell_of_every_other_machine_is_marked_where_it_lies() -> None:
    cells = known()
    map_ = shown(cells, "ww")
    best = TuneResults(GRID, 3, cells, with_linear=False).best("cs")
    assert best is not None
    assert best.gamma is not None
    assert map_.rivals == (("cs", math.log2(best.C), math.log2(best.gamma)),)


def test_the_spread_of_folds_is_a_view_in_which_little_is_good() -> None:
    cells = known()
    map_ = shown(cells, "ww", "std")
    values = [cell.value for cell in map_.cells]
    assert map_.cells[int(np.argmin(values))].shade > map_.cells[int(np.argmax(values))].shade
    assert "%" in map_.ticks[0][1]
