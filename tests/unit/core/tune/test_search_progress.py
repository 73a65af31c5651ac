"""The time that a search still takes: kept up to date trial by trial, the same as computed from all cells at once."""

from __future__ import annotations

import random

import pytest

from mcsvm.solvers.dual.certificate import Certificate
from mcsvm.solvers.run.ending import Ending
from mcsvm.solvers.selection.cell import Cell, CellResult, FoldResult, Trial, summarise
from mcsvm_gui.core.tune.progress import RungProgress, SearchProgress

CELLS = [Cell("ww", 2.0**c, 2.0**g) for c in range(6) for g in range(5)]
FOLDS = 4


def result(seconds: float) -> FoldResult:
    return FoldResult(0.5, seconds, 1, 1, Ending.CONVERGED, Certificate(1.0, 1.0, 0.0, 0.0))


def at_once(known: dict[Cell, CellResult], share: float) -> float:
    """`share`: seconds by the clock for a second of training."""
    means = {cell: found.seconds / found.folds for cell, found in known.items()}
    average = sum(means.values()) / len(means)
    lacking = {cell: FOLDS - (known[cell].folds if cell in known else 0) for cell in CELLS}
    return share * sum(means.get(cell, average) * lack for cell, lack in lacking.items())


def test_the_time_left_is_that_of_all_cells_at_once() -> None:
    chance, now = random.Random(0), 100.0
    trials = [Trial(cell, fold) for cell in CELLS for fold in range(FOLDS)]
    chance.shuffle(trials)
    before = {trial: result(chance.random()) for trial in trials[:17]}
    known = summarise(before)
    lacking = {cell: lack for cell in CELLS if (lack := FOLDS - (known[cell].folds if cell in known else 0))}
    progress = SearchProgress(lacking, known, lambda: now)
    assert (progress.done, progress.expected, progress.tried) == (17, len(trials), 0)
    assert progress.seconds_left() is None
    progress.go_on()
    worked = 0.0
    for number, trial in enumerate(trials[17:], 1):
        before[trial] = found = result(chance.random())
        worked += found.seconds
        now += 0.25
        progress.add(trial, found)
        expected = at_once(summarise(before), 0.25 * number / worked)
        assert progress.seconds_left() == pytest.approx(expected, rel=1e-9, abs=1e-9)
    assert (progress.done, progress.tried) == (len(trials), len(trials) - 17)


def test_a_pause_is_no_work() -> None:
    now = 0.0
    progress = SearchProgress(dict.fromkeys(CELLS, FOLDS), {}, lambda: now)
    progress.go_on()
    now = 2.0
    progress.add(Trial(CELLS[0], 0), result(1.0))
    expected = progress.seconds_left()
    progress.rest()
    now = 1000.0
    assert progress.seconds_left() == expected
    progress.go_on()
    assert progress.seconds_left() == expected == pytest.approx((len(CELLS) * FOLDS - 1) * 2.0)


def test_nobody_knows_how_long_where_nobody_knows_how_many() -> None:
    progress = SearchProgress(None, {})
    progress.go_on()
    progress.add(Trial(CELLS[0], 0), result(1.0))
    assert (progress.done, progress.expected, progress.seconds_left()) == (1, None, None)


@pytest.mark.parametrize("kind", [SearchProgress, RungProgress])
def test_no_more_is_left_than_the_budget_has(kind: type) -> None:
    now = 0.0
    asked = (dict.fromkeys(CELLS, FOLDS), {}) if kind is SearchProgress else ([(1.0, len(CELLS) * FOLDS)],)
    progress = kind(*asked, clock=lambda: now, budget=20.0)
    progress.go_on()
    assert progress.seconds_left() == 20.0
    now = 5.0
    progress.add(Trial(CELLS[0], 0), result(5.0))
    assert progress.seconds_left() == 15.0
    progress.rest()
    now = 100.0
    assert progress.seconds_left() == 15.0
    progress.go_on()
    now = 200.0
    assert progress.seconds_left() == 0.0


def test_the_time_left_of_halving_is_that_of_its_rungs() -> None:
    """Each rung takes as long as three times the rows take at least; what is known is not tried."""
    now, rungs = 0.0, [(1 / 9, 90), (1 / 3, 30), (1.0, 3)]
    progress = RungProgress(rungs, lambda: now)
    assert (progress.seconds_left(), progress.expected) == (None, 123)
    progress.go_on()
    for number in range(1, 91):
        now += 0.5
        progress.add(Trial(CELLS[0], number, 1 / 9), result(1.0))
        assert progress.seconds_left() == pytest.approx(0.5 * (90 - number + 30 * 9 + 3 * 81))
    now += 10.0
    progress.add(Trial(CELLS[0], 0, 1.0), result(20.0))  # a third of the rows was known
    assert progress.seconds_left() == pytest.approx(0.5 * 2 * 20)
    assert (progress.done, progress.expected) == (91, 93)


def test_halving_counts_what_an_earlier_start_tried() -> None:
    """After 50 of 123 fits it said 0 of 123, and never reached its end."""
    rungs = [(1 / 9, 90), (1 / 3, 30), (1.0, 3)]
    known = {Trial(CELLS[0], number, 1 / 9): result(1.0) for number in range(50)}
    progress = RungProgress(known=known)
    assert (progress.done, progress.tried, progress.expected) == (50, 0, None)
    progress.take_rungs(rungs)
    assert progress.expected == 123
    progress.go_on()
    for share, trials in rungs:
        for number in range(50 if share < 0.2 else 0, trials):
            progress.add(Trial(CELLS[0], number, share), result(1.0))
            assert progress.expected == 123
    assert (progress.done, progress.tried) == (123, 73)
