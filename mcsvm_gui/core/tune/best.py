"""The best model: the search over machines, and the trainings of the combinations that it chose.

The search sees none of the rows that the models are tested on, and chooses by cross-validation alone. The best cell of
every machine is trained, so that the test rows show how far the machines differ. The best one is trained first, with
probabilities if they were requested; it is the model.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.tune.form import EXTENDED_BY, GREATEST, LEAST
from mcsvm_gui.core.tune.options import RANGES, TuneRequest, range_of

if TYPE_CHECKING:
    from mcsvm.solvers.selection.cell import Cell, CellResult
    from mcsvm.solvers.selection.grid import Range
    from mcsvm_gui.core.data.dataset import Dataset
    from mcsvm_gui.core.tune.search import Tuned

STEP = 2.0  # step of the exponent: a fourth of the cells of the usual grid
CALIBRATION = "temperature"  # changes no prediction


@dataclass(frozen=True)
class Chosen:
    """The result of a search for one machine."""

    cell: Cell
    mean: float
    edges: tuple[str, ...]  # of the ranges, beyond which better cells may lie; as Grid.edges names them
    cut: bool  # the search ended before it had tried all cells
    ranges: tuple[str, ...]  # for a search that continues beyond these edges: "C=2^-2:2^12"
    share: float  # share of the training rows that it was validated on; less than 1 after a stop
    measure: str = "accuracy"  # the measure of `mean`, which ranks the machines


def search_for_best(
    request: Request,
    dataset: Dataset,
    machines: tuple[str, ...],
    budget: float,
    ranges: Sequence[str] = (),
    score: str = "accuracy",
) -> tuple[Request, TuneRequest]:
    """Return the requests of a search; `ranges` are those of an earlier search as in `Chosen`, others are the usual
    ones."""
    from mcsvm.solvers.kernels import KERNELS

    parameters, share = KERNELS[request.kernel].parameters, 1.0 - (request.holdout or 0.0)
    given = {name: text for name, _, text in (one.partition("=") for one in ranges)}
    taken = {
        name: range_of(given.get(name, option.searched), STEP)
        for name, option in RANGES.items()
        if not option.of_kernel or name in parameters
    }
    wanted = TuneRequest(
        machines=machines,
        C=taken["C"],
        gamma=taken.get("gamma"),
        score=score,
        search="halving",  # if too few rows remain for a part of them: every cell of the leading machines
        folds=_folds(dataset, share),
        led=True,
        budget=budget,
        test_share=request.holdout,
    )
    return replace(request, holdout=None, test=None, test_digest=None, calibrate="none", costs=None), wanted


def _folds(dataset: Dataset, share: float) -> int:
    """Return the number of folds, smaller if the largest class has fewer rows."""
    return max(2, min(TuneRequest.folds, int(share * max(dataset.class_counts, default=0))))


def best_of_each(tuned: Tuned) -> dict[str, Chosen]:
    """Return the best cell of each machine that was tried, best machines first."""
    machines, results = tuned.tuning.grid.machines, tuned.results
    found = {machine: cell for machine in machines if (cell := tuned.best(machine)) is not None}
    ranked = sorted(found.items(), key=lambda entry: rank(results[entry[1]]))
    return {name: _chosen(tuned, cell) for name, cell in ranked}


def rank(result: CellResult) -> tuple[float, ...]:
    """Return a sort key for the best cells of machines, smaller for better ones.

    After a stop some cells are tested on fewer folds.
    """
    return -result.folds, -round(result.worth, 12), result.n_support


def _chosen(tuned: Tuned, cell: Cell) -> Chosen:
    edges = tuple(edge for edge in tuned.edges(cell.machine) if _is_steep(tuned, cell, edge))
    grid = tuned.tuning.grid
    searched = {"C": grid.costs, "gamma": grid.gammas}
    ranges = tuple(_further(name, one, edges) for name, one in searched.items() if one is not None)
    mine = tuned.results[cell]
    return Chosen(cell, mine.mean, edges, tuned.stopped or tuned.over_budget, ranges, mine.share, mine.score.name)


def _is_steep(tuned: Tuned, cell: Cell, edge: str) -> bool:
    """Return whether no cell away from that edge is as good; a plateau at the edge promises nothing beyond it."""
    name, grid, mine = edge.split()[0], tuned.tuning.grid, tuned.results[cell]
    end = abs(np.log2(getattr(cell, name)))
    if end >= GREATEST:
        return False
    rivals = (one for one, result in tuned.results.items() if one.machine == cell.machine and _is_level(result, mine))
    return all(edge in grid.edges(one) for one in rivals)


def _is_level(result: CellResult, best: CellResult) -> bool:
    return (result.share, result.folds) == (best.share, best.folds) and rank(result)[1] <= rank(best)[1]


def _further(name: str, searched: Range, edges: Collection[str]) -> str:
    low, high = (EXTENDED_BY if f"{name} {side}" in edges else 0.0 for side in ("low", "high"))
    low, high = max(searched.low - low, LEAST), min(searched.high + high, GREATEST)
    return f"{name}=2^{low:.12g}:2^{high:.12g}"


def trainings(request: Request, tuned: Tuned, found: Mapping[str, Chosen]) -> list[Request]:
    """Return the trainings, the best first; only the first is calibrated. `request` includes the test rows."""
    plain = replace(request, calibrate="none", costs=None, time_limit=None)  # of the search: a limit for each cell
    requests = [trained_as(plain, one.cell) for one in found.values()]
    return [_calibrated(requests[0], request, tuned), *requests[1:]] if requests else []


def _calibrated(plain: Request, request: Request, tuned: Tuned) -> Request:
    """Return the calibrated request, with fewer folds if a class has fewer rows.

    A class of one row cannot be calibrated: then the model is not calibrated.
    """
    folds = min(request.calibration_folds, least_rows(tuned))
    if folds < 2:
        return plain
    calibrate = CALIBRATION if request.calibrate == "none" else request.calibrate
    return replace(plain, calibrate=calibrate, calibration_folds=folds, costs=request.costs)


def least_rows(tuned: Tuned) -> int:
    """Return the size of the smallest class in the rows for the choice and the training."""
    return int(np.bincount(tuned.tuning.codes).min())


def trained_as(request: Request, cell: Cell) -> Request:
    """Return the request of a cell; a cell without gamma has a kernel without it, or the linear one."""
    kernel = "linear" if cell.gamma is None and request.kernel == "rbf" else request.kernel
    gamma = request.gamma if cell.gamma is None else cell.gamma
    return replace(request, machine=cell.machine, kernel=kernel, C=cell.C, gamma=gamma)
