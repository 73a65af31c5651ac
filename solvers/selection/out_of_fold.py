"""Decision values of rows by machines that were not trained on them: one training per fold, as in a search."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from mcsvm.solvers.errors import InputError
from mcsvm.solvers.kernels import Points
from mcsvm.solvers.selection.folds import Fold
from mcsvm.solvers.selection.settings import TrainingSettings
from mcsvm.solvers.selection.trials.shared import FoldRows
from mcsvm.solvers.selection.trials.task import Task, perform


def check_folds(codes: np.ndarray, names: Sequence[Any], folds: int) -> None:
    """Check that every class can be in the training and the test part of every fold; raise InputError if not."""
    counts = np.bincount(codes, minlength=len(names))
    if counts.min() < folds:
        raise InputError(
            "Calibration in {folds} folds needs {folds} rows of each class, but class {name!r} has {rows}; take fewer"
            " folds, or leave the class out.",
            folds=folds,
            name=names[int(counts.argmin())],
            rows=int(counts.min()),
        )


def fold_rows_of(points: Points, codes: np.ndarray, weights: np.ndarray) -> Callable[[Fold], FoldRows]:
    """Return the function that prepares folds of rows which need no preprocessing."""

    def rows_of(fold: Fold) -> FoldRows:
        train, test = fold.train, fold.test
        sides = points.take(train), codes[train], points.take(test), codes[test]
        return FoldRows.of(*sides, weights[train], weights[test])

    return rows_of


def out_of_fold(
    prepare: Callable[[Fold], FoldRows],
    parts: Sequence[Fold],
    task: tuple[str, float, float | None],
    settings: TrainingSettings,
    stopped: Callable[[], bool] = lambda: False,
    report: Callable[[int], object] = lambda done: None,
) -> np.ndarray | None:
    """Return (n, outputs) decision values, each of the fold that tests the row; None after a stop.

    `task` is machine, C and gamma. Rows without a fold get NaN. Every class is in every training part (`check_folds`),
    so that class numbers are those of all rows. `report` is called with the number of finished folds.
    """
    machine, cost, gamma = task
    values: np.ndarray | None = None
    for number, part in enumerate(parts):
        if stopped():
            return None
        found = list(perform(Task(number, gamma, {machine: (cost,)}), prepare(part), settings, stopped))
        if not found or stopped():
            return None
        result = found[0][1].values
        assert result is not None
        if values is None:
            values = np.full((part.train.size + part.test.size, result.shape[1]), np.nan)
        values[part.test] = result
        report(number + 1)
    return values
