"""Per-pair parameters for ovo and dag: each of the k (k - 1) / 2 pairs has its own C and gamma."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from mcsvm.solvers.machines import MACHINES
from mcsvm.solvers.model import decide
from mcsvm.solvers.run.ending import Ending
from mcsvm.solvers.selection.cell import Cell, CellResult, Pair
from mcsvm.solvers.selection.executor import Folds
from mcsvm.solvers.selection.grid import preference
from mcsvm.solvers.selection.settings import TrainingSettings
from mcsvm.solvers.selection.trials import binary
from mcsvm.solvers.selection.trials.shared import FoldRows
from mcsvm.solvers.selection.trials.task import matrices_of, moved_to_mean
from mcsvm.solvers.work import limited


@dataclass(frozen=True)
class PairChoice:
    pair: Pair
    C: float
    gamma: float | None
    mean: float  # accuracy of the pair function on test rows of its two classes, over all folds


@dataclass(frozen=True)
class Composite:
    """The machine composed of pairs with their own parameters."""

    choices: tuple[PairChoice, ...]
    fold_accuracy: tuple[float, ...]
    converged: bool


def choose(results: Mapping[Cell, CellResult], machine: str) -> tuple[PairChoice, ...]:
    """Return the best cell of each pair, in the order of the pairs; ties are resolved by `grid.preference`."""
    mine = {cell: result for cell, result in results.items() if cell.machine == machine}
    most = max((result.folds for result in mine.values()), default=0)
    scores: dict[Pair, dict[Cell, np.ndarray]] = {}
    for cell, result in mine.items():
        if result.folds == most:
            for fold in result.by_fold.values():
                for pair, score in fold.pairs.items():
                    of_pair = scores.setdefault(pair, {})
                    of_pair[cell] = of_pair.get(cell, 0) + np.array(score)
    return tuple(_best(pair, scores[pair]) for pair in sorted(scores))


def _best(pair: Pair, scores: Mapping[Cell, np.ndarray]) -> PairChoice:
    means = {cell: right / max(total, 1) for cell, (total, right) in scores.items()}
    cell = min(means, key=lambda cell: preference(cell, means[cell]))
    return PairChoice(pair, cell.C, cell.gamma, float(means[cell]))


def compose(
    machine: str,
    choices: tuple[PairChoice, ...],
    folds: Folds,
    settings: TrainingSettings,
    stopped: Callable[[], bool] = lambda: False,
) -> Composite | None:
    """Train and test every pair with its own parameters on every fold; return None after a stop."""
    with limited(settings.threads or 1):
        try:
            return _composed(machine, choices, folds, settings, stopped)
        finally:
            folds.forget_distances()


def _composed(
    machine: str, choices: tuple[PairChoice, ...], folds: Folds, settings: TrainingSettings, stopped: Callable[[], bool]
) -> Composite | None:
    accuracies, converged = [], True
    for number in range(len(folds)):
        with folds.used(number) as rows:
            values = _values(machine, choices, rows, settings, stopped)
        if values is None:
            return None
        accuracies.append(rows.accuracy(decide(MACHINES[machine], values[0].T, rows.classes)))
        converged &= values[1]
    return Composite(choices, tuple(accuracies), converged)


def _values(
    machine: str,
    choices: tuple[PairChoice, ...],
    rows: FoldRows,
    settings: TrainingSettings,
    stopped: Callable[[], bool],
) -> tuple[np.ndarray, bool] | None:
    """Return (decision values of all pairs, whether all converged), or None after a stop.

    Pairs with the same gamma share a kernel matrix.
    """
    code = {int(name): number for number, name in enumerate(rows.names)}
    present = {(code[a], code[b]): choice for choice in choices for a, b in [choice.pair] if {a, b} <= code.keys()}
    order = {pair: number for number, pair in enumerate(sorted(present))}
    values, converged = np.empty((len(order), len(rows.test))), True
    margin = settings.margin_of(MACHINES[machine], rows.classes)
    for gamma in sorted({choice.gamma for choice in present.values()}, key=lambda gamma: gamma or 0.0):
        kernel = settings.kernel.at(gamma)
        here, kernel = moved_to_mean(rows, kernel) or (rows, kernel)
        matrices = matrices_of(here, kernel, settings)
        for cost in sorted({choice.C for choice in present.values() if choice.gamma == gamma}):
            wanted = {pair for pair, choice in present.items() if (choice.C, choice.gamma) == (cost, gamma)}
            path = binary.CostPath(here, (cost,), margin, settings, stopped)
            solved = path.along(binary.pairs_of(here, kernel, matrices, wanted), len(wanted))
            if solved is None:
                return None
            values[[order[pair] for pair in sorted(wanted)]] = solved[0].values
            converged &= solved[0].ending is Ending.CONVERGED
    return values, converged
