"""Folds and grids: pure functions with laws of their own."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.model_selection import StratifiedKFold

from mcsvm import InputError
from mcsvm.solvers.budget import SEARCH
from mcsvm.solvers.dual.certificate import Certificate
from mcsvm.solvers.run.ending import Ending
from mcsvm.solvers.run.limits import Limits
from mcsvm.solvers.selection import folds as folding
from mcsvm.solvers.selection.cell import Cell, CellResult, FoldResult, Trial, summarise
from mcsvm.solvers.selection.executor import Folds
from mcsvm.solvers.selection.grid import Grid, Range, best
from mcsvm.solvers.selection.scores import SCORES
from mcsvm.solvers.selection.search import (
    SEARCHES,
    _line,
    _may_win,
    first_share,
    least_share,
    led,
    rising,
    rungs,
    rungs_of_rising,
    shares_from,
)
from mcsvm.solvers.selection.settings import TrainingSettings
from mcsvm.solvers.selection.study import Study
from mcsvm.solvers.selection.trials.shared import FoldRows

EVERY = 0.0  # share of the rows that a rung needs: none is left out
labels_of = st.lists(st.integers(0, 3), min_size=12, max_size=60).filter(
    lambda drawn: sorted(np.bincount(drawn, minlength=4))[-2] >= 4
)


def scored(accuracy: float, folds: int = 2) -> CellResult:
    done = FoldResult(accuracy, 0.1, 3, 1, Ending.CONVERGED, Certificate(1.0, 1.0, 0.0, 0.0))
    return CellResult(dict.fromkeys(range(folds), done))


@given(labels_of, st.integers(2, 4), st.integers(0, 2**40), st.integers(1, 3))
def test_every_row_is_tested_once_in_each_repeat_and_classes_are_shared_out(drawn, count, seed, repeats) -> None:
    labels = np.array(drawn)
    parts = folding.stratified(labels, count, seed, repeats)
    assert len(parts) == count * repeats
    for repeat in range(repeats):
        tested = [part.test for part in parts[repeat * count : (repeat + 1) * count]]
        assert np.array_equal(np.sort(np.concatenate(tested)), np.arange(labels.size))
        counts = np.array([np.bincount(labels[test], minlength=4) for test in tested])
        assert (counts.max(axis=0) - counts.min(axis=0) <= 1).all()
    for part in parts:
        assert np.array_equal(np.sort(np.concatenate([part.train, part.test])), np.arange(labels.size))
    again = folding.stratified(labels, count, seed, repeats)
    assert all(np.array_equal(a.test, b.test) for a, b in zip(parts, again, strict=True))


def test_folds_are_those_that_scikit_learn_gives() -> None:
    labels = np.random.default_rng(0).integers(0, 3, 50)
    theirs = StratifiedKFold(5, shuffle=True, random_state=7).split(labels[:, None], labels)
    for part, (train, test) in zip(folding.stratified(labels, 5, 7), theirs, strict=True):
        assert np.array_equal(part.train, train)
        assert np.array_equal(part.test, test)


def test_the_validation_part_has_its_share_of_every_class() -> None:
    labels = np.repeat([0, 1, 2], [100, 60, 40])
    (part,) = folding.validation(labels, 0.3, 0)
    assert np.bincount(labels[part.test]).tolist() == [30, 18, 12]


def test_inner_folds_stay_within_the_training_part() -> None:
    labels = np.arange(40) % 4
    outer = folding.stratified(labels, 4, 0)[1]
    for inner in folding.within(outer, folding.stratified(labels[outer.train], 3, 0)):
        assert np.array_equal(np.sort(np.concatenate([inner.train, inner.test])), outer.train)


@pytest.mark.parametrize(
    ("labels", "count"), [([0, 0, 0, 0], 2), ([0, 0, 0, 1], 2), ([0, 0, 1, 1], 3), ([0, 1, 0, 1], 1), ([0, 1], 2)]
)
def test_folds_that_cannot_be_are_refused(labels: list[int], count: int) -> None:
    with pytest.raises(InputError):
        folding.stratified(np.array(labels), count, 0)


@given(st.integers(-40, 40), st.integers(0, 30), st.sampled_from([0.25, 0.5, 1.0, 2.0, 3.0]))
def test_a_range_has_both_ends_where_the_step_divides_it(low: int, count: int, step: float) -> None:
    values = Range.between(2.0**low, 2.0 ** (low + count * step), step).values
    assert len(values) == count + 1
    assert values[0] == 2.0**low
    assert math.isclose(values[-1], 2.0 ** (low + count * step))


@pytest.mark.parametrize(
    "wrong", [(4.0, 1.0, 1.0), (0.0, 1.0, 1.0), (1.0, 2.0, 0.0), (1.0, 2.0, 1e-9), (1.0, 1e300, 1.0)]
)
def test_ranges_that_cannot_be_are_refused(wrong: tuple[float, float, float]) -> None:
    with pytest.raises(InputError):
        Range.between(*wrong)


def test_of_equal_cells_the_smaller_cost_then_the_smaller_gamma_is_best() -> None:
    means = {(4.0, 1.0): 0.9, (2.0, 4.0): 0.9, (2.0, 2.0): 0.9 + 1e-16, (1.0, 1.0): 0.8, (8.0, 0.5): 0.9}
    results = {Cell("ww", *place): scored(mean) for place, mean in means.items()}
    assert best(results, "ww") == Cell("ww", 2.0, 2.0)
    assert best(results, "cs") is None


def test_cells_tested_on_fewer_folds_do_not_count() -> None:
    results = {Cell("ww", 1.0, 1.0): scored(0.99, folds=1), Cell("ww", 2.0, 1.0): scored(0.9, folds=3)}
    results |= {Cell("ww", 4.0 * cost, 1.0): scored(0.99, folds=1) for cost in range(1, 9)}  # of a search before
    assert best(results, "ww") == Cell("ww", 2.0, 1.0)


def test_those_a_fold_ahead_after_a_stop_are_no_better_for_it() -> None:
    results = {Cell("ww", 2.0**place, 1.0): scored(0.5 + place / 100, folds=1 + (place < 2)) for place in range(9)}
    assert best(results, "ww") == Cell("ww", 2.0**8, 1.0)


def test_edges_are_named() -> None:
    grid = Grid(("ww",), Range(0, 2), Range(0, 2))
    assert grid.edges(Cell("ww", 1.0, 2.0)) == ("C low",)
    assert grid.edges(Cell("ww", 4.0, 4.0)) == ("C high", "gamma high")
    assert grid.edges(Cell("ww", 2.0, 2.0)) == ()
    assert grid.edges(Cell("ww", 0.7, 4.0 + 1e-12)) == ("gamma high",), "a cell of a line lies between"
    assert Grid(("ww",), Range(0, 0), Range(0, 2)).edges(Cell("ww", 1.0, 2.0)) == (), "one value has no ends"


def test_numbers_stay_as_they_were_written() -> None:
    assert Range.between(10.0, 10.0).values == (10.0,)
    assert Range.between(0.3, 30.0, 1.0).values[0] == 0.3
    assert Range(-40, -40).values == (2.0**-40,)
    assert Range(0.5, 0.5).values == (2.0**0.5,)


# -- searches, on accuracies that are given -------------------------------------------------------


def searched(name: str, grid: Grid, folds: int, accuracy) -> dict[Cell, CellResult]:
    """What a search tries when every trial has the accuracy that a function says."""
    steps, done = SEARCHES[name].steps(grid, folds, EVERY), {}
    trials = next(steps)
    try:
        while True:
            for trial in trials:
                assert trial not in done, "tried twice"
                done[trial] = scored(accuracy(trial.cell)).by_fold[0]
            trials = steps.send(summarise(done))
    except StopIteration:
        return summarise(done)


def hill(top: tuple[float, float]):
    """Falls evenly from its top, in powers of two."""

    def accuracy(cell: Cell) -> float:
        row = 0.0 if cell.gamma is None else abs(math.log2(cell.gamma) - top[1])
        return 1.0 - 0.01 * (abs(math.log2(cell.C) - top[0]) + row)

    return accuracy


tops = st.tuples(st.integers(-2, 12), st.integers(-10, 4))
HSU_LIN = Grid(("ww", "ovo"), Range(-2, 12), Range(-10, 4))


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(set(SEARCHES) - {"two-line"}))
@given(top=tops)
def test_searches_find_the_top_of_a_hill(name: str, top: tuple[int, int]) -> None:
    results = searched(name, HSU_LIN, 2, hill(top))
    for machine in HSU_LIN.machines:
        assert best(results, machine) == Cell(machine, 2.0 ** top[0], 2.0 ** top[1])


@pytest.mark.slow
@given(top=tops)
def test_coarse_to_fine_tries_a_fraction_of_the_grid(top: tuple[int, int]) -> None:
    assert len(searched("coarse-to-fine", HSU_LIN, 2, hill(top))) < 0.4 * 2 * HSU_LIN.size


@pytest.mark.slow
@given(seed=st.integers(0, 10**6), folds=st.integers(1, 6), spread=st.floats(0.001, 0.5))
def test_a_race_ends_at_the_best_cell_of_the_grid_and_leaves_the_hopeless(seed: int, folds: int, spread: float) -> None:
    """Accuracies of cells and folds at random; the oracle is the whole grid, each cell by hand."""
    rng = np.random.default_rng(seed)
    grid = Grid(("ww", "ovo"), Range(0, 4), Range(-2, 2))
    cells = [cell for machine in grid.machines for cell in grid.cells(machine)]
    table = {cell: np.clip(rng.normal(0.9, spread, folds), 0.0, 1.0).round(2) for cell in cells}
    steps, done = SEARCHES["race"].steps(grid, folds, EVERY), {}
    trials = next(steps)
    with suppress(StopIteration):
        while True:
            assert not set(trials) & done.keys(), "tried twice"
            done |= {trial: scored(table[trial.cell][trial.fold]).by_fold[0] for trial in trials}
            trials = steps.send(summarise(done))
    results = summarise(done)
    for machine in grid.machines:
        mine = [cell for cell in cells if cell.machine == machine]
        winner = min(mine, key=lambda cell: (-round(table[cell].mean(), 12), cell.C, cell.gamma))
        assert best(results, machine) == winner
        for cell in mine:
            perfect = (table[cell][: results[cell].folds].sum() + folds - results[cell].folds) / folds
            assert results[cell].folds == folds or perfect < table[winner].mean()


def test_a_race_of_a_score_without_an_ideal_is_the_grid() -> None:
    results = searched("race", HSU_LIN, 3, hill((4, -3)))
    raced = {cell: replace(result, score=SCORES["log-loss"]) for cell, result in results.items()}
    assert all(_may_win(cell, raced, 3) for cell in raced)
    assert any(result.folds < 3 for result in results.values())


@given(cost=st.integers(-2, 12))
def test_the_second_line_is_that_of_the_paper(cost: int) -> None:
    grid = Grid(("ww",), Range(-2, 12), Range(-10, 4))
    results = searched("two-line", grid, 2, hill((cost, 0)))
    line = [cell for cell in results if cell.gamma is not None]
    assert line
    for cell in line:
        assert math.isclose(-1.0 - math.log2(cell.gamma), math.log2(cell.C) - cost)
        assert -2 <= math.log2(cell.C) <= 12
    assert best(results, "ww") in line


@given(cost=st.integers(0, 140), step=st.sampled_from([0.1, 0.2, 0.3, 0.25, 1.0]))
def test_rounding_takes_no_cell_of_the_second_line(cost: int, step: float) -> None:
    """Kao's line through a point of the grid meets as many gammas as steps lie between."""
    grid = Grid(("ww",), Range(-2, 12, step), Range(-10, 4, step))
    start = grid.costs.values[cost % len(grid.costs.values)]
    found = {cell.gamma for cell in _line(grid, Cell("ww", start, None))}
    exponents = [math.log2(start) - 1.0 - exponent for exponent in grid.gammas.exponents]
    assert len(found) == sum(-2 - 1e-6 <= exponent <= grid.costs.exponents[-1] + 1e-6 for exponent in exponents)


class Told:
    """An executor that trains nothing: every trial has the accuracy that a function says."""

    def __init__(self, accuracy, most: float = math.inf) -> None:
        self.accuracy, self.most, self.done = accuracy, most, 0

    def perform(self, tasks, folds, settings, stopped):
        for task in tasks:
            for machine, costs in task.costs.items():
                for cost in costs:
                    if stopped():
                        return
                    self.done += 1
                    cell = Cell(machine, cost, task.gamma)
                    yield Trial(cell, task.fold, task.share), scored(self.accuracy(cell)).by_fold[0]


def planned(
    name: str, accuracy, known: dict, most: float = math.inf, grid: Grid = HSU_LIN, lead: bool = False
) -> Study:
    executor, folds = Told(accuracy, most), 3
    search = led(SEARCHES[name]) if lead else SEARCHES[name]
    steps = search.steps(grid, folds, EVERY)
    study = Study(
        steps, Folds((), None), TrainingSettings(), known, lambda: executor.done >= executor.most, executor=executor
    )
    study.run()
    return study


@pytest.mark.parametrize("name", ["coarse-to-fine", "halving"])
def test_slow_machines_follow_where_the_others_are_best(name: str) -> None:
    tops = {"ova": hill((3, 4)), "ovo": hill((7, 2)), "ww": hill((5, 5)), "llw": hill((5, 5))}
    two, four, slow = (
        replace(HSU_LIN, machines=machines) for machines in (("ova", "ovo"), ("ww", "ova", "llw", "ovo"), ("ww", "llw"))
    )

    def accuracy(cell: Cell) -> float:
        return tops[cell.machine](cell)

    before, study = planned(name, accuracy, {}, grid=two), planned(name, accuracy, {}, grid=four, lead=True)
    leading, following = list(study.asked)[: len(before.asked)], list(study.asked)[len(before.asked) :]
    assert set(leading) == set(before.asked)
    turns = [trial.cell.machine for trial in leading]
    assert turns == sorted(turns, reverse=True), "ovo before ova: what a time budget cuts is the slower one"
    cells = [best(before.results(), machine) for machine in ("ova", "ovo")]
    slow_cells = [cell._replace(machine=machine) for machine in ("ww", "llw") for cell in cells if cell is not None]
    wanted = {Trial(cell, fold) for cell in slow_cells for fold in range(3)}
    assert len(following) == len(wanted) == 12
    assert set(following) == wanted
    alone = planned(name, accuracy, {}, grid=slow)
    assert planned(name, accuracy, {}, grid=slow, lead=True).asked == alone.asked, "alone they lead"


def test_peaks_between_wide_steps_are_found_before_slow_machines_follow() -> None:
    wide = replace(
        HSU_LIN, machines=("ovo", "ww"), costs=replace(HSU_LIN.costs, step=2.0), gammas=Range(-10.0, 4.0, 2.0)
    )

    def accuracy(cell: Cell) -> float:
        """A peak at C = 2^3, gamma = 2^-3, which lies between the cells."""
        assert cell.gamma is not None
        return 0.9 - 0.01 * (math.log2(cell.C) - 3.0) ** 2 - 0.01 * (math.log2(cell.gamma) + 3.0) ** 2

    study = planned("halving", accuracy, {}, grid=wide, lead=True)
    peak = Cell("ovo", 8.0, 0.125)
    assert best(study.results(), "ovo") == peak
    followed = {trial.cell for trial in study.asked if trial.cell.machine == "ww"}
    assert followed == {peak._replace(machine="ww")}


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(SEARCHES))
@given(top=tops, most=st.integers(1, 2000), data=st.data())
@settings(max_examples=10, deadline=None)
def test_what_is_known_changes_no_search(name: str, top: tuple[int, int], most: int, data) -> None:
    """A stopped search asks for what it would have asked for, though cells of another grid are known too."""
    whole = planned(name, hill(top), {})
    stopped = planned(name, hill(top), {}, most)
    foreign = data.draw(st.lists(st.tuples(st.integers(-2, 11), st.integers(-10, 3), st.integers(0, 2)), max_size=5))
    other = {Trial(Cell("ww", 3.0 * 2.0**c, 3.0 * 2.0**g), fold): scored(1.0).by_fold[0] for c, g, fold in foreign}
    resumed = planned(name, hill(top), {**other, **stopped.done})
    assert resumed.asked == whole.asked
    assert {trial: resumed.done[trial] for trial in whole.done} == whole.done


def test_halving_takes_the_better_cells_to_more_rows() -> None:
    results = searched("halving", Grid(("ww", "cs"), Range(0, 17), None), 3, hill((3, 0)))
    shares = [result.share for cell, result in results.items() if cell.machine == "ww"]
    assert sorted(shares) == [1 / 9] + [1 / 3] * 11 + [1.0] * 5
    assert {result.folds for result in results.values()} == {3}
    assert {math.log2(cell.C) for cell, result in results.items() if result.share == 1.0} == {1, 2, 3, 4, 5}


@pytest.mark.parametrize(("step", "coarse"), [(1.0, 64), (0.5, 64), (2.0, 64), (3.5, 25)])
def test_halving_begins_two_powers_of_two_apart_and_looks_around_the_best(step: float, coarse: int) -> None:
    """A peak that no coarse cell lies on is found."""
    grid = Grid(("ww",), Range(-2, 12, step), Range(-10, 4, step))
    peak = grid.costs.exponents[1], grid.gammas.exponents[-2]
    plan = planned("halving", hill(peak), {}, grid=grid)
    asked = [{trial.cell for trial in plan.asked if trial.share == share} for share in (1 / 9, 1 / 3, 1.0)]
    assert len(asked[0]) == coarse
    assert [len(cells) for cells in asked] == [cells for _, cells in rungs(grid, EVERY)]
    assert Cell("ww", *(2.0**exponent for exponent in peak)) in asked[2] <= asked[1]


@pytest.mark.parametrize(("costs", "cells", "gammas"), [(Range(-2, 12), 8, 2), (Range(3, 3), 5, 5)])
def test_halving_takes_few_values_of_gamma_to_all_rows(costs: Range, cells: int, gammas: int) -> None:
    """Each needs kernel matrices of its own; more are taken only where two hold fewer cells than go on."""
    plan = planned("halving", hill((3, 0)), {}, grid=Grid(("ww",), costs, Range(-10, 4)))
    last = {trial.cell for trial in plan.asked if trial.share == 1.0}
    assert (len(last), len({cell.gamma for cell in last})) == (cells, gammas)
    assert Cell("ww", 8.0, 1.0) in last


@pytest.mark.parametrize(
    ("rows", "classes", "expected"),
    [
        (10_000, 10, [(1 / 9, 25), (1 / 3, 16), (1.0, 5)]),
        (10_000, 200, [(1 / 3, 25), (1.0, 16)]),
        (600, 2, [(1 / 3, 25), (1.0, 16)]),
        (10_000, 600, [(1.0, 90)]),
        (120, 3, [(1.0, 90)]),
    ],
)
def test_rungs_of_few_rows_are_left_out(rows: int, classes: int, expected: list) -> None:
    grid = Grid(("ww",), Range(0, 9), Range(0, 8))
    assert rungs(grid, least_share(rows, classes)) == expected


def test_lower_rungs_are_tested_on_nested_shares_of_each_class() -> None:
    labels = np.repeat([0, 1, 2], [90, 30, 9])
    rows = FoldRows.of(np.arange(129.0)[:, None], labels, np.arange(129.0)[:, None], np.r_[labels[:-1], 5])
    thirds = [rows.nested(share, tested) for share, tested in ((1 / 9, 1 / 3), (1 / 3, 2 / 3), (1.0, 1.0))]
    tested = [set(part.test.rows.ravel().tolist()) for part in thirds]
    assert tested[0] < tested[1] < tested[2] == set(range(129))
    counts = [np.unique(part.given_labels, return_counts=True)[1].tolist() for part in thirds]
    assert counts == [[30, 10, 3, 1], [60, 20, 6, 1], [90, 30, 8, 1]]
    assert [np.unique(part.labels, return_counts=True)[1].tolist() for part in thirds[:2]] == [[10, 4, 1], [30, 10, 3]]
    again = rows.nested(1 / 9, 1 / 3)
    assert again.test_labels.tolist() == [labels[int(row)] if row < 128 else -1 for row in again.test.rows.ravel()]


def test_machines_of_lower_rungs_are_compared_at_a_rough_tolerance() -> None:
    chosen = TrainingSettings(tested=SEARCHES["halving"].tested)
    assert [chosen.of_rung(share, "ww", 4).limits.tolerance for share in (1 / 9, 1 / 3, 1.0)] == [0.01, 0.01, 1e-3]
    assert chosen.of_rung(1 / 9, "llw", 5).limits.tolerance == 0.0025, "a hundredth of its margin"
    loose = replace(chosen, limits=Limits(tolerance=0.1))
    assert loose.of_rung(1 / 9, "ww", 4) == loose
    assert TrainingSettings().of_rung(1 / 9, "ww", 4) == TrainingSettings(), "of a learning curve"


def test_cells_of_more_rows_are_better_and_of_unfinished_rungs_are_not() -> None:
    few, more = scored(0.99, folds=3), scored(0.9, folds=3)
    results = {Cell("ww", 1.0, 1.0): replace(few, share=1 / 3), Cell("ww", 2.0, 1.0): more}
    assert best(results, "ww") == Cell("ww", 2.0, 1.0)
    trials = {Trial(Cell("ww", 1.0, 1.0), fold, 1 / 3): few.by_fold[0] for fold in range(3)}
    trials[Trial(Cell("ww", 1.0, 1.0), 0)] = scored(0.5).by_fold[0]
    assert summarise(trials)[Cell("ww", 1.0, 1.0)] == replace(few, share=1 / 3)


@pytest.mark.parametrize("first", [0.9, 1 / 3, 0.1, 0.0025, 3e-7])
def test_rungs_of_many_rows_rise_evenly_to_all_rows(first: float) -> None:
    shares = shares_from(first)
    assert (shares[0], shares[-1]) == (pytest.approx(first), 1.0)
    growth = np.array(shares[1:]) / shares[:-1]
    np.testing.assert_allclose(growth, growth[0])
    assert 1.0 < growth[0] <= 3.0 + 1e-9


def test_the_first_rung_of_a_time_budget_has_few_rows_but_enough() -> None:
    assert first_share(1_000_000, 3, 60.0) * 1_000_000 == pytest.approx(SEARCH.first_rows * 60.0**0.5)
    assert first_share(1_000_000, 500, 60.0) * 1_000_000 == pytest.approx(SEARCH.per_class * 500)  # of many classes
    assert first_share(50, 2, 1e9) == 1.0
    assert first_share(4000, 3, 60.0) > first_share(4000, 3, 30.0)


def test_every_machine_takes_part_in_every_rung_of_many_rows() -> None:
    """A time budget may end the search after any rung: machines that lead come first, others where one is best."""
    grid = Grid(("ww", "ova", "ovo"), Range(0, 9), Range(0, 8))
    steps = rising(0.01, led=True).steps(grid, 2, 0.0)
    results: dict[Cell, CellResult] = {}
    known: dict[Trial, FoldResult] = {}
    seen: list[tuple[float, set[str]]] = []
    trials = next(steps)
    while True:
        assert len({trial.share for trial in trials}) == 1
        seen.append((trials[0].share, {trial.cell.machine for trial in trials}))
        known |= {trial: fold_result(1.0 / (1.0 + abs(np.log2(trial.cell.C) - 4))) for trial in trials}
        results = summarise(known)
        try:
            trials = steps.send(results)
        except StopIteration:
            break
    shares = shares_from(0.01)
    assert [share for share, _ in seen] == [share for share in shares for _ in range(2)]
    assert [machines for _, machines in seen] == [{"ova", "ovo"}, {"ww"}] * len(shares)
    counts = [sum(trial.share == share for trial in known) for share in shares]
    expected = [2 * cells for _, cells in rungs_of_rising(grid, 0.01, is_led=True)]
    assert all(count <= most for count, most in zip(counts, expected, strict=True))  # two leaders may share a best cell
    assert best(results, "ovo").C == 16.0


def fold_result(accuracy: float) -> FoldResult:
    return FoldResult(accuracy, 0.1, 5, 10, Ending.CONVERGED, Certificate(1.0, 1.0, 0.0, 0.0))
