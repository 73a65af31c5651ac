"""A model as a game: players made of its columns, background rows, and checks of models that cannot be explained."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from mcsvm.solvers.arguments import row_weights
from mcsvm.solvers.errors import InputError, Sentence
from mcsvm.solvers.kernels.points import Points
from mcsvm.solvers.model import Model, pair_column

NO_COLUMNS = Sentence("a precomputed kernel has no columns that could be explained; train on the features themselves")


@dataclass(frozen=True, eq=False)
class Game:
    model: Model
    players: np.ndarray  # (features,) number of the player that each column belongs to
    count: int  # of players
    background: Any  # rows of positive weight; CSR if the support vectors are sparse, else dense
    weights: np.ndarray  # weights of these rows, with sum 1

    @property
    def base(self) -> np.ndarray:
        """The (outputs,) mean decision values of the background."""
        return np.asarray(self.weights @ self.model.decision(self.background))

    def rows(self, rows: Any) -> Any:
        """Return rows in the format of the support vectors, dense or CSR."""
        return _as_held(self.model, rows)


def game_of(model: Model, background: Any, groups: Sequence[Hashable] | None = None, weights: Any = None) -> Game:
    features = model.points.features
    players, count = players_of(groups, features)
    held = _as_held(model, background)
    if held.shape[0] == 0:
        raise InputError("the background has no row; Shapley values compare a row with at least one other")
    return Game(model, players, count, *_weighing(held, weights))


def _as_held(model: Model, rows: Any) -> Any:
    if model.kernel.name == "precomputed":
        raise InputError(NO_COLUMNS)
    if rows.shape[1] != model.points.features:
        raise InputError(
            "the rows to explain have {found} columns, the model {expected}",
            found=rows.shape[1],
            expected=model.points.features,
        )
    if model.points.sparse:
        return sp.csr_array(rows)
    return np.ascontiguousarray(rows.toarray() if sp.issparse(rows) else rows, dtype=np.float64)


def _weighing(rows: Any, weights: Any) -> tuple[Any, np.ndarray]:
    given = row_weights(weights, rows.shape[0])
    if (given < 0.0).any() or not given.any():
        raise InputError("background_weight must hold a number per background row, none negative and one positive")
    kept = np.flatnonzero(given)
    return (rows if kept.size == given.size else rows[kept]), given[kept] / given.sum()


def players_of(groups: Sequence[Hashable] | None, features: int) -> tuple[np.ndarray, int]:
    """Return the player of each column and the number of players; columns with the same label are one player.

    Players are numbered as they first appear.
    """
    if groups is None:
        return np.arange(features), features
    labels = list(groups)
    if len(labels) != features:
        raise InputError(
            "groups must name the player of each of the {features} columns, and names {found}",
            features=features,
            found=len(labels),
        )
    numbers: dict[Hashable, int] = {}
    players = np.array([numbers.setdefault(label, len(numbers)) for label in labels], dtype=np.int64)
    return players, len(numbers)


def sums_by_player(values: np.ndarray, game: Game) -> np.ndarray:
    """Return (players, ...) sums over the columns of each player."""
    if game.count == game.players.size:
        return values
    found = np.zeros((game.count, *values.shape[1:]))
    np.add.at(found, game.players, values)
    return found


def decision_of_few(model: Model, rows: np.ndarray) -> np.ndarray:
    """Compute `Model.decision` of a few dozen rows, up to rounding.

    For 55 pairs this takes a quarter of the time, because nothing is sorted by class.
    """
    if model.kernel.name == "linear" or not len(model.points):
        return model.decision(rows)
    values = model.kernel.block(Points(rows), model.points, np.empty((len(rows), len(model.points))))
    return np.asarray(values @ model.expansion + model.bias)


def between(model: Model, values: np.ndarray, first: int, second: int) -> np.ndarray:
    """Return f_first - f_second, or the pair function of the two, positive for `first`; `values` are (..., outputs)."""
    if model.machine.split != "pairs":
        return np.asarray(values[..., first] - values[..., second])
    of_pair = values[..., _column(model, first, second)]
    return np.asarray(of_pair if first < second else -of_pair)


def coefficients_between(model: Model, first: int, second: int) -> np.ndarray:
    """Return (n_support,) coefficients of the function that `between` returns."""
    if model.machine.split != "pairs":
        return model.column(first) - model.column(second)
    column = model.column(int(_column(model, first, second)))
    return column if first < second else -column


def error_between(model: Model, errors: np.ndarray, first: int, second: int) -> np.ndarray:
    """Return the standard error of `between` from those of the outputs; for a difference, an upper bound."""
    if model.machine.split != "pairs":
        return np.asarray(errors[..., first] + errors[..., second])
    return np.asarray(errors[..., _column(model, first, second)])


def _column(model: Model, first: int, second: int) -> np.ndarray:
    return pair_column(np.array(min(first, second)), np.array(max(first, second)), model.classes)
