"""The best model: what a search over machines is asked for, and the trainings of what it chose.

The search sees none of the rows that the models are tested on, and chooses by cross-validation alone. The best cell of
every machine is trained, so that the test rows say how far they are apart; the best of all first, and with
probabilities where they were asked for: that is the model.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mcsvm_gui.core.machine.request import OPTIONS, Request
from mcsvm_gui.core.tune.options import RANGES, TuneRequest, range_of

if TYPE_CHECKING:
    from mcsvm_gui.core.data.dataset import Dataset
    from mcsvm_gui.core.tune.search import Tuned
    from solvers.selection.cell import Cell
    from solvers.selection.grid import Range

STEP = 2.0  # powers of two between neighbours: a fourth of the cells of the usual grid
WIDER = 4.0  # powers of two by which a range is extended where the best cell lay at its end
CALIBRATION = "temperature"  # changes no decision


@dataclass(frozen=True)
class Chosen:
    """What a search says of one machine."""

    cell: Cell
    mean: float
    edges: tuple[str, ...]
    cut: bool  # the search ended before it had tried all


def search_for_best(
    request: Request,
    dataset: Dataset,
    machines: tuple[str, ...],
    budget: float,
    edges: tuple[str, ...] = (),
) -> tuple[Request, TuneRequest]:
    """`edges`: of the ranges, beyond which is searched too, as Grid.edges names them."""
    from solvers.kernels import KERNELS

    parameters = KERNELS[request.kernel].parameters
    ranges = {name: _range(name, edges) for name in RANGES if not OPTIONS[name].of_kernel or name in parameters}
    wanted = TuneRequest(
        machines=machines,
        C=ranges["C"],
        gamma=ranges.get("gamma"),
        search=_strategy(dataset, 1.0 - (request.holdout or 0.0)),
        budget=budget,
        test_share=request.holdout,
    )
    return replace(request, holdout=None, test=None, test_digest=None, calibrate="none", costs=None), wanted


def _strategy(dataset: Dataset, share: float) -> str:
    """Halving where a part of the rows tells cells apart; where there are too few, fewer cells on all of them."""
    from solvers.budget import SEARCH
    from solvers.selection.search import least_share

    rows = max(int(dataset.rows * share * (1.0 - 1.0 / TuneRequest.folds)), 1)
    least = least_share(rows, len(dataset.classes))
    return "halving" if any(least <= part < 1.0 for part, _ in SEARCH.rungs) else "coarse-to-fine"


def _range(name: str, edges: tuple[str, ...]) -> Range:
    usual = range_of(RANGES[name].searched, STEP)
    low, high = (WIDER if f"{name} {side}" in edges else 0.0 for side in ("low", "high"))
    return replace(usual, low=usual.low - low, high=usual.high + high)


def chosen(tuned: Tuned) -> dict[str, Chosen]:
    """By machine, the best first, among equals that with fewer support vectors; without those not tried."""
    machines = tuned.tuning.grid.machines
    found = {machine: cell for machine in machines if (cell := tuned.best(machine)) is not None}
    cut = tuned.stopped or tuned.over_budget
    results = tuned.results
    ranked = sorted(found.items(), key=lambda entry: (-results[entry[1]].worth, results[entry[1]].n_support))
    return {name: Chosen(cell, results[cell].mean, tuned.edges(name), cut) for name, cell in ranked}


def trainings(request: Request, found: Mapping[str, Chosen]) -> list[Request]:
    """`request`: with the rows that are tested on. The best first, which alone is calibrated."""
    calibrate = CALIBRATION if request.calibrate == "none" else request.calibrate
    plain = replace(request, calibrate="none", costs=None, time_limit=None)  # of the search: a limit for each cell
    requests = [trained_as(plain, one.cell) for one in found.values()]
    return [replace(requests[0], calibrate=calibrate, costs=request.costs), *requests[1:]] if requests else []


def trained_as(request: Request, cell: Cell) -> Request:
    """A cell without gamma is of a kernel without, or of the linear one."""
    kernel = "linear" if cell.gamma is None and request.kernel == "rbf" else request.kernel
    gamma = request.gamma if cell.gamma is None else cell.gamma
    return replace(request, machine=cell.machine, kernel=kernel, C=cell.C, gamma=gamma)
