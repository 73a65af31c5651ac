"""Maps of cells: where each lies, how bright it is, and which stand out."""

from __future__ import annotations

import math
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcsvm.solvers.dual.certificate import Certificate
from mcsvm.solvers.run.ending import Ending
from mcsvm.solvers.selection.cell import Cell, CellResult, FoldResult
from mcsvm.solvers.selection.grid import Grid, Range
from mcsvm.solvers.selection.scores import WIDTH, Measured
from mcsvm_gui.core.tune import heat
from mcsvm_gui.core.tune.results import TuneResults

GRID = Grid(("ww", "cs"), Range(-2, 4, 2), Range(-3, 1, 2))


def fold(accuracy: float, seconds: float = 1.0) -> FoldResult:
    return FoldResult(accuracy, seconds, 5, 7, Ending.CONVERGED, Certificate(1.0, 1.0, 0.0, 0.0))


def result(*accuracies: float) -> CellResult:
    return CellResult({number: fold(accuracy) for number, accuracy in enumerate(accuracies)})


@given(st.floats(1e-3, 1.0), st.floats(1.001, 1e3), st.booleans(), st.floats(0.0, 1.0))
def test_a_scale_runs_from_its_worst_to_its_best(low: float, wide: float, logarithmic: bool, shade: float) -> None:
    scale = heat.Scale(low, low * wide, logarithmic)
    assert (scale.shade(scale.low), scale.shade(scale.high)) == (0.0, 1.0)
    assert scale.shade(scale.at(shade)) == pytest.approx(shade, abs=1e-6)
    assert scale.shade(0.0 if not logarithmic else low / 2) == 0.0


def test_one_scale_holds_all_machines() -> None:
    scale = heat.scale_of("accuracy", [result(0.25, 0.75), result(0.9), result(0.3)])
    assert scale == heat.Scale(0.3, 0.9)
    assert heat.scale_of("accuracy", []) is None


def test_cells_lie_at_their_powers_of_two_and_are_small_where_others_are_near() -> None:
    cells = {Cell("ww", 1.0, 0.5): result(0.5), Cell("ww", 2.0, 0.5): result(0.7), Cell("ww", 4.0, None): result(0.6)}
    shown = heat.heat_map("ww", "W", "w", "w", GRID, cells, None, str, "accuracy", heat.Scale(0.5, 0.7))
    assert [(cell.x, cell.side) for cell in shown.cells] == [(0.0, 1.0), (1.0, 1.0), (2.0, 2.0)]
    assert [cell.shade for cell in shown.cells] == pytest.approx([0.0, 1.0, 0.5])
    assert shown.linear == shown.cells[2].y < GRID.gammas.low - GRID.gammas.step
    assert (shown.left, shown.right, shown.top) == (-3.0, 5.0, 2.0)
    assert shown.bottom == shown.linear - 1.0
    assert shown.best is None


AXIS = st.floats(-4, 4).map(lambda place: round(place, 6))  # closer places are one grid point
PLACES = st.tuples(st.integers(-8, 8), st.integers(-8, 8)), st.tuples(AXIS, AXIS)


@given(st.one_of(*(st.lists(places, max_size=12, unique=True) for places in (PLACES[0], st.one_of(*PLACES)))))
def test_no_cell_reaches_beyond_the_middle_of_the_way_to_another(places: list[tuple[float, float]]) -> None:
    apart = [[max(abs(x - u), abs(y - v)) for u, v in places if (u, v) != (x, y)] for x, y in places]
    expected = [min([1.0, *others]) for others in apart]
    assert heat._sides(places, 1.0) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("beside", [0, 1000])
def test_a_fine_grid_is_not_compared_cell_by_cell(beside: int) -> None:
    places = [(0.25 * x, 0.25 * y) for x in range(57) for y in range(57)]
    places += [(0.25 * x + 0.1, 0.3) for x in range(beside)]
    tracemalloc.start()
    assert len(heat._sides(places, 0.25)) == len(places)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 5000 * len(places)


def lost(loss: float) -> CellResult:
    tested = Measured(*np.array([[0, 1], [0, 0]]), np.ones(2), np.full(WIDTH, 2.0 * loss), 0)
    return CellResult({0: replace(fold(0.5), tested=tested)})


def test_the_lowest_loss_is_the_brightest_and_contours_run_above_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heat, "FEW", 0)
    scale = heat.Scale(0.25, 0.5, falls=True)
    assert (scale.best, scale.shade(0.25), scale.shade(0.5)) == (0.25, 1.0, 0.0)
    assert [scale.at(scale.shade(value)) for value in (0.25, 0.3, 0.5)] == pytest.approx([0.25, 0.3, 0.5])
    cells = {Cell("ww", cost, 0.5): lost(loss) for cost, loss in ((1.0, 0.5), (2.0, 0.25))}
    cells[Cell("ww", 4.0, 0.5)] = result(0.5)
    assert heat.scale_of("log-loss", cells.values()) == heat.Scale(0.25, 0.5, falls=True)
    shown = heat.heat_map("ww", "W", "w", "w", GRID, cells, Cell("ww", 4.0, 0.5), str, "log-loss", scale)
    assert [(cell.cost, cell.shade) for cell in shown.cells] == [(1.0, 0.0), (2.0, 1.0)]
    assert [level for level, _ in shown.levels] == pytest.approx([0.255, 0.26, 0.27, 0.3])
    assert shown.best is None
    assert heat.ticks("log-loss", scale)[0] == (0.0, "0.500")


def test_contours_run_below_the_best_of_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heat, "FEW", 0)
    cells = {Cell("ww", 1.0, 0.5): result(0.985)}
    shown = heat.heat_map("ww", "W", "w", "w", GRID, cells, None, str, "accuracy", heat.Scale(0.975, 0.99))
    assert [level for level, _ in shown.levels] == pytest.approx([0.985, 0.98])
    other = heat.heat_map("ww", "W", "w", "w", GRID, cells, None, str, "seconds", heat.Scale(1.0, 2.0))
    assert other.levels == ()


def test_no_contours_run_among_cells_of_two_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Between a wide cell and narrow ones they would be corners and loops."""
    monkeypatch.setattr(heat, "FEW", 0)
    cells = {Cell("ww", cost, 0.5): result(0.985) for cost in (1.0, 2.0, 4.0)}
    scale = heat.Scale(0.975, 0.99)
    assert heat.heat_map("ww", "W", "w", "w", GRID, cells, None, str, "accuracy", scale).levels
    cells[Cell("ww", 2.0**0.5, 0.5)] = result(0.985)
    assert heat.heat_map("ww", "W", "w", "w", GRID, cells, None, str, "accuracy", scale).levels == ()


def test_only_what_the_form_asks_for_counts() -> None:
    known = {
        Cell(machine, cost, gamma): result(0.5)
        for machine in ("ww", "cs", "ova")
        for cost in (0.125, 0.25, 3.0, 16.0, 32.0)
        for gamma in (None, 0.0625, 0.125, 2.0, 4.0)
    }
    plain = TuneResults(GRID, 2, known, with_linear=False)
    assert {cell.machine for cell in plain.cells} == {"ww", "cs"}
    assert {cell.C for cell in plain.cells} == {0.25, 3.0, 16.0}
    assert {cell.gamma for cell in plain.cells} == {0.125, 2.0}
    assert {cell.gamma for cell in TuneResults(GRID, 2, known, with_linear=True).cells} == {None, 0.125, 2.0}
    alone = TuneResults(Grid(("ww",), GRID.costs, None), 2, known, with_linear=False)
    assert {cell.gamma for cell in alone.cells} == {None}


def test_what_is_missing_and_what_is_done_is_the_grid() -> None:
    known = {Cell("ww", 1.0, 0.5): CellResult({1: fold(0.5)}), Cell("cs", 4.0, 2.0): result(1.0, 1.0)}
    results = TuneResults(GRID, 2, known, with_linear=False)
    assert sum(results.missing().values()) + results.done == 2 * 2 * 4 * 3
    assert results.missing()[Cell("ww", 1.0, 0.5)] == 1
    assert Cell("cs", 4.0, 2.0) not in results.missing()
    assert results.done == 3


def test_while_a_search_runs_one_lucky_fold_is_no_best_cell() -> None:
    known = {Cell("ww", 1.0, 0.5): result(0.8, 0.8), Cell("ww", 4.0, 0.5): result(0.7, 0.9)}
    known[Cell("ww", 16.0, 0.5)] = result(1.0)
    results = TuneResults(GRID, 5, known, with_linear=False)
    assert results.best("ww") == Cell("ww", 1.0, 0.5)  # of equals the smaller C
    assert results.best("cs") is None
    assert math.isclose(results.cells[Cell("ww", 4.0, 0.5)].mean, 0.8)
