"""Summaries over all rows: mean absolute contributions, the partner of a column, permutation importance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from mcsvm.solvers.interrupt import Stopped
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.data.spellings import in_training_spelling
from mcsvm_gui.core.evaluate.applied import labels_of
from mcsvm_gui.core.machine.trained import TrainedModel

REPEATS = 10  # permutations of each column
BINS = 10  # of a column; within a bin the contributions depend on other columns alone


def mean_absolute(values: np.ndarray) -> np.ndarray:
    """Return the (columns,) mean absolute values of (rows, columns)."""
    return np.abs(values).mean(axis=0) if len(values) else np.zeros(values.shape[1])


def partner(values: np.ndarray, numbers: np.ndarray, column: int) -> int | None:
    """Return the column that explains most of why equal values of `column` have different Shapley values.

    The rows are split into bins of equally many rows by `column`. Within a bin, the Shapley values of `column` are
    correlated with every other column; the largest mean of the squared correlation wins. `values` is (rows,) for the
    column, `numbers` is (rows, columns) of the file.
    """
    order = np.argsort(numbers[:, column], kind="stable")
    strength = np.zeros(numbers.shape[1])
    for rows in np.array_split(order, max(1, min(BINS, order.size // 5))):
        strength += _squared_correlations(values[rows], numbers[rows])
    strength[column] = 0.0
    return int(strength.argmax()) if strength.max() > 0.0 else None


def _squared_correlations(values: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """Return the squared correlations, each times the variance to be explained."""
    left, right = values - values.mean(), numbers - numbers.mean(axis=0)
    spread = np.square(right).sum(axis=0)
    return np.square(left @ right) / np.where(spread > 0.0, spread, 1.0)


@dataclass(frozen=True, eq=False)
class PermutationImportance:
    """By how much the accuracy falls if a column is shuffled."""

    columns: tuple[str, ...]
    falls: np.ndarray  # (columns, repeats)

    @property
    def means(self) -> np.ndarray:
        return self.falls.mean(axis=1)

    @property
    def intervals(self) -> np.ndarray:
        """The (columns, 2) middle 95 % of the repetitions."""
        return np.quantile(self.falls, [0.025, 0.975], axis=1).T


class _Deciding:
    """A trained model with the interface that scikit-learn's functions expect, on the raw table."""

    def __init__(self, trained: TrainedModel, dataset: Dataset, stopped: Callable[[], bool]) -> None:
        self.trained, self.dataset, self.stopped = trained, dataset, stopped
        self.classes_ = np.array(trained.class_names, dtype=object)

    def fit(self, X: Any, y: Any) -> _Deciding:
        return self

    def predict(self, X: pd.DataFrame) -> np.ndarray:
        if self.stopped():
            raise Stopped(self)
        return self.trained.decide(replace(self.dataset, table=X.reset_index(drop=True)))


def permuted(
    trained: TrainedModel, dataset: Dataset, stopped: Callable[[], bool] = lambda: False
) -> PermutationImportance | None:
    """Shuffle columns of the file (a category as a whole) and measure the loss of accuracy.

    Return None without a table, or after a stop.
    """
    from sklearn.inspection import permutation_importance  # loads all of scikit-learn's trees

    if dataset.table is None:
        return None
    labels = in_training_spelling(trained.class_names, labels_of(dataset))
    decided = trained.decide(dataset)
    known = np.flatnonzero(decided != None)  # noqa: E711 - element by element
    part = dataset.take(known)
    names = set(trained.preparation.sources)
    places = [place for place, column in enumerate(part.columns) if column.name in names]
    assert part.table is not None
    try:
        found = permutation_importance(
            _Deciding(trained, part, stopped),
            part.table,
            labels[known],
            scoring=_accuracy,
            n_repeats=REPEATS,
            random_state=trained.request.seed,
            sample_weight=part.weights,
        )
    except Stopped:
        return None
    return PermutationImportance(tuple(part.columns[place].name for place in places), found.importances[places])


def _accuracy(model: _Deciding, X: Any, y: np.ndarray, sample_weight: np.ndarray | None = None) -> float:
    return float(np.average(model.predict(X) == y, weights=sample_weight))
