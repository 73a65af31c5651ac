"""Searches: generators that yield the trials to run next, in any order, and receive all results so far by `send`.

They are the full grid, coarse to fine, two-line (Kao et al. 2004), successive halving, and races. They do not depend on
how trials are run.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial

from mcsvm.solvers.budget import SEARCH
from mcsvm.solvers.machines import MACHINES
from mcsvm.solvers.selection.cell import Cell, CellResult, Trial
from mcsvm.solvers.selection.grid import Grid, best, preference

TIE = 1e-12  # difference of mean scores that counts as rounding, as in grid.py
Results = Mapping[Cell, CellResult]
Steps = Generator[list[Trial], Results, None]


@dataclass(frozen=True)
class SearchStrategy:
    """A named search. In `steps(grid, folds, least)`, machines are compared on at least this share of training rows."""

    name: str
    about: str
    steps: Callable[[Grid, int, float], Steps]
    tested: Mapping[float, float] = field(default_factory=dict)  # share of the training rows -> share of the test rows


def race(grid: Grid, folds: int, least: float) -> Steps:
    """Test every cell, fold after fold; drop a cell once perfect results on its other folds could not make it the best.

    The best cell of each machine is that of the full grid. If the score has no best possible value for each fold
    (`Score.ideal`), no cell is dropped.
    """
    cells = [cell for machine in grid.machines for cell in grid.cells(machine)]
    results = yield [Trial(cell, 0) for cell in cells]
    leaders = [found for machine in grid.machines if (found := best(results, machine)) is not None]
    if folds > 1 and leaders:
        results = yield [Trial(cell, fold) for cell in leaders for fold in range(1, folds)]
    for fold in range(1, folds):
        left = [cell for cell in cells if cell in results and cell not in leaders and _may_win(cell, results, folds)]
        if left:
            results = yield [Trial(cell, fold) for cell in left]


def _may_win(cell: Cell, results: Results, folds: int) -> bool:
    """Tell whether perfect other folds could lift the cell to the best finished cell of its machine, or to a tie."""
    mine = results[cell]
    whole = [other.worth for one, other in results.items() if one.machine == cell.machine and other.folds == folds]
    if mine.score.ideal is None or not whole:
        return True
    ideal, rest = mine.score.preferred(mine.score.ideal), folds - mine.folds
    return bool((mine.folds * mine.worth + rest * ideal) / folds >= max(whole) - TIE)


def on_all(cells: Iterable[Cell], folds: int) -> list[Trial]:
    return [Trial(cell, fold) for cell in cells for fold in range(folds)]


def only(trials: list[Trial]) -> Steps:
    """Run these trials and no others."""
    yield trials


def full(grid: Grid, folds: int, least: float) -> Steps:
    yield on_all((cell for machine in grid.machines for cell in grid.cells(machine)), folds)


def coarse_to_fine(grid: Grid, folds: int, least: float) -> Steps:
    """Test every fourth cell, then the neighbours of the best cell; halve the distance when it has no new ones."""
    apart = SEARCH.widest, SEARCH.widest
    coarse = [grid.at(machine, i, j) for machine in grid.machines for i, j in _coarse(grid, apart)]
    results = yield on_all(coarse, folds)
    distance = SEARCH.widest
    while distance:
        wanted = [cell for machine in grid.machines for cell in _new_neighbours(grid, results, machine, distance)]
        if wanted:
            results = yield on_all(wanted, folds)
        else:
            distance //= 2


def _coarse(grid: Grid, apart: tuple[int, int]) -> list[tuple[int, int]]:
    """Return indices spread evenly over the grid, about `apart` steps from each other, both ends included."""
    columns, rows = map(_spread, (len(grid.costs.values), len(grid.gamma_values)), apart)
    return [(i, j) for j in rows for i in columns]


def _spread(count: int, apart: int) -> list[int]:
    parts = max(1, round((count - 1) / apart))
    return sorted({round(part * (count - 1) / parts) for part in range(parts + 1)})


def _new_neighbours(grid: Grid, results: Results, machine: str, distance: int) -> list[Cell]:
    here = best(results, machine)
    return [] if here is None else [cell for cell in grid.around(here, distance) if cell not in results]


def two_line(grid: Grid, folds: int, least: float) -> Steps:
    """Search two lines, as Kao, Chung, Sun & Lin 2004, algorithm 1: first find the best C of the linear kernel, C~.

    Then test the rbf kernel on the line -1 - log2 gamma = log2 C - log2 C~ only, as far as it lies in the grid.
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


def halving(grid: Grid, folds: int, least: float) -> Steps:
    """Search by successive halving: coarse cells on few rows, then the best cells and their neighbours on more rows.

    Cells of a rung are also tested on a share of the test rows only (`SearchStrategy.tested`): kernel values of few
    training rows with all test rows would cost more than those of the training rows with each other.
    """
    (share, _), *later = rungs(grid, least)
    cells_of = {machine: _first(grid, machine, share) for machine in grid.machines}
    results = yield _on_share(cells_of, folds, share)
    for choose, (share, count) in zip((_better_and_around, _better), later, strict=False):
        cells_of = {machine: choose(grid, cells, results, count) for machine, cells in cells_of.items()}
        results = yield _on_share(cells_of, folds, share)


def rising(first: float, *, led: bool) -> SearchStrategy:
    """Return a search by successive halving for many rows and a time budget.

    The first rung has the share `first` of the rows, and each further rung at most three times the rows before. Every
    rung compares all machines, so the budget may end the search after any rung: the leaders come first, then the other
    machines in the cells where a leader is best.
    """
    shares = shares_from(first)
    tested = {share: min(SEARCH.rungs[1][1], SEARCH.apart_from * share) for share in shares[:-1]} | {1.0: 1.0}
    return replace(SEARCHES["halving"], steps=partial(_rising, shares, led), tested=tested)


def shares_from(first: float) -> tuple[float, ...]:
    """Return shares of the rows from `first` to 1, in geometric progression."""
    count = math.ceil(math.log(1.0 / first, SEARCH.apart_from) - TIE)
    return (*(first ** (1.0 - number / count) for number in range(count)), 1.0)


def first_share(rows: int, classes: int, budget: float) -> float:
    """Return the share of the training rows on the first rung of a search with a time budget."""
    return min(1.0, max(least_share(rows, classes), SEARCH.first_rows * math.sqrt(budget) / rows))


def is_rising(first: float) -> bool:
    """Tell whether there are too many rows for the rungs of `halving`."""
    return first < SEARCH.rungs[0][0]


def _rising(shares: tuple[float, ...], is_led: bool, grid: Grid, folds: int, least: float) -> Steps:
    leaders, followers = roles(grid.machines) if is_led else (grid.machines, ())
    cells_of = {machine: _first(grid, machine, shares[0]) for machine in leaders}
    results: Results = {}
    for number, share in enumerate(shares):
        if number:
            choose = _better_and_around if number == 1 else _better
            count = cells_of_rung(grid, number)
            cells_of = {machine: choose(grid, cells, results, count) for machine, cells in cells_of.items()}
        results = yield _on_share(cells_of, folds, share)
        tops = dict.fromkeys(top[1:] for top in _tops(leaders, results))
        if followers and tops:
            best_cells = {machine: [Cell(machine, *top) for top in tops] for machine in followers}
            results = yield _on_share(best_cells, folds, share)
    beside = [cell for top in _tops(leaders, results) for cell in grid.beside(top)] if is_led and halves(grid) else []
    if beside:
        yield on_all(beside, folds)


def cells_of_rung(grid: Grid, number: int) -> int:
    """Return the number of cells of a machine on this rung; rungs count from 0."""
    if number == 0:
        return len(_first(grid, grid.machines[0], 0.0))
    fraction, fewest = SEARCH.going_on[min(number, len(SEARCH.going_on)) - 1]
    return min(grid.size, max(fewest, round(fraction * grid.size)))


def rungs_of_rising(grid: Grid, first: float, *, is_led: bool) -> list[tuple[float, int]]:
    """Return (share of the training rows, number of cells of all machines) of each rung."""
    leaders, followers = roles(grid.machines) if is_led else (grid.machines, ())
    beside = len(followers) * len(leaders)
    return [(share, len(leaders) * cells_of_rung(grid, n) + beside) for n, share in enumerate(shares_from(first))]


def _on_share(cells_of: Mapping[str, list[Cell]], folds: int, share: float) -> list[Trial]:
    return [Trial(cell, fold, share) for cells in cells_of.values() for cell in cells for fold in range(folds)]


def rungs(grid: Grid, least: float) -> list[tuple[float, int]]:
    """Return (share of the training rows, number of cells of a machine) of each rung; the last has all rows."""
    shares = [share for share, _ in SEARCH.rungs if share == 1.0 or share >= least]
    later = [min(grid.size, max(fewest, round(kept * grid.size))) for kept, fewest in SEARCH.going_on]
    return list(zip(shares, [len(_first(grid, grid.machines[0], shares[0])), *later], strict=False))


def least_share(rows: int, classes: int) -> float:
    """Return the least share of the training rows that a rung of successive halving needs."""
    return max(SEARCH.per_class * classes, SEARCH.rows) / rows


def _first(grid: Grid, machine: str, share: float) -> list[Cell]:
    """Return the cells of the first rung: coarse ones, or every cell if it is already trained on all rows."""
    apart = (1, 1) if share == 1.0 else _apart(grid)
    return [grid.at(machine, i, j) for i, j in _coarse(grid, apart)]


def _apart(grid: Grid) -> tuple[int, int]:
    """Return the numbers of grid steps between coarse cells, in C and in gamma."""
    ranges = grid.costs, grid.gammas or grid.costs
    columns, rows = (max(1, round(SEARCH.coarse / values.step)) for values in ranges)
    return columns, rows


def _better_and_around(grid: Grid, cells: list[Cell], results: Results, count: int) -> list[Cell]:
    """Return the best tested cells, each with its neighbours, in the order of the grid."""
    reach = range(1, 1 + max(_apart(grid)) // 2)
    tried = _by_worth(cells, results)
    beside = ([cell, *(near for distance in reach for near in grid.around(cell, distance))] for cell in tried)
    chosen = list(dict.fromkeys(cell for group in beside for cell in group))[:count]
    return sorted(chosen, key=grid.place)


def _better(grid: Grid, cells: list[Cell], results: Results, count: int) -> list[Cell]:
    """Return the best tested cells in the order of the grid. The best `SEARCH.gammas` gammas come before all others."""
    tried = _by_worth(cells, results)
    gammas = list(dict.fromkeys(cell.gamma for cell in tried))[: SEARCH.gammas]
    chosen = sorted(tried, key=lambda cell: cell.gamma not in gammas)[:count]
    return sorted(chosen, key=grid.place)


def _by_worth(cells: list[Cell], results: Results) -> list[Cell]:
    return sorted((cell for cell in cells if cell in results), key=lambda cell: preference(cell, results[cell].worth))


def led(search: SearchStrategy) -> SearchStrategy:
    """Return the same search with machines of small problems as leaders; joint machines follow.

    If steps are wide, it also tests the cells half a step around the best cell of each leader. Joint machines, with one
    problem for all classes, come last, and only in the best cells of the leaders. On 13 sets whose whole grid is known,
    joint machines take 0.24 (dna) to 0.98 (glass) of the time of all six machines. Followers lose at most a standard
    error against their own best cell: 0.67 of 0.82 points (iris) and 0.93 of 1.96 (glass) are the largest losses.

    Machines of pairs come first, because their problems are the smallest: a time budget that is too short cuts the
    others. On abalone one training of ova (C = 4, gamma = 4, 28 classes) takes 54 s, all of ovo and dag 17 s. With the
    three side by side, 60 s ended before the half steps, and the choice lost 0.74 points, more than the allowed 0.53.
    """
    return replace(search, steps=partial(_led, search.steps))


def _led(steps: Callable[[Grid, int, float], Steps], grid: Grid, folds: int, least: float) -> Steps:
    leaders, followers = roles(grid.machines)
    results: Results = {}
    for machines in _in_turn(leaders):
        results = yield from _through(steps(replace(grid, machines=machines), folds, least))
        beside = [cell for top in _tops(machines, results) for cell in grid.beside(top)] if halves(grid) else []
        if beside:
            results = yield on_all(beside, folds)
    tops = _tops(leaders, results)
    cells = [top._replace(machine=machine) for machine in followers for top in tops]
    if cells:
        yield on_all(dict.fromkeys(cells), folds)


def _in_turn(machines: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Return two groups of machines: those of pairs, which share their trainings, and all others."""
    pairs = tuple(name for name in machines if MACHINES[name].split == "pairs")
    return [group for group in (pairs, tuple(name for name in machines if name not in pairs)) if group]


def _through(steps: Steps) -> Generator[list[Trial], Results, Results]:
    """Run the steps to their end and return the last results."""
    results, trials = None, next(steps, None)
    while trials is not None:
        results = yield trials
        try:
            trials = steps.send(results)
        except StopIteration:
            trials = None
    return results or {}


def halves(grid: Grid) -> bool:
    """Tell whether a peak may hide between cells: with steps of two powers of two, ovo loses 0.55 points on dna."""
    return max(grid.costs.step, grid.gammas.step if grid.gammas else 0.0) > 1.0


def _tops(machines: tuple[str, ...], results: Results) -> list[Cell]:
    return [found for machine in machines if (found := best(results, machine)) is not None]


def roles(machines: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the machines that lead a search and those that follow; joint machines lead if there are no others."""
    leaders = tuple(name for name in machines if MACHINES[name].split != "joint") or machines
    return leaders, tuple(name for name in machines if name not in leaders)


SEARCHES: dict[str, SearchStrategy] = {
    search.name: search
    for search in (
        SearchStrategy("grid", "every cell", full),
        SearchStrategy(
            "two-line", "the best C of the linear kernel, then one line of cells of the rbf kernel", two_line
        ),
        SearchStrategy("coarse-to-fine", "every fourth cell, then closer and closer around the best", coarse_to_fine),
        SearchStrategy(
            "halving",
            "coarse cells on a ninth of the rows, the best and the cells around them on a third, their best on all",
            halving,
            dict(SEARCH.rungs),
        ),
        SearchStrategy("race", "every cell, fold after fold, without those that cannot become the best any more", race),
        SearchStrategy("per-pair", "every cell, and for ovo and dag each pair's own best C and gamma", full),
    )
}
