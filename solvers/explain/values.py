"""Interventional Shapley values of decision functions, by kernel, row by row.

For a row x, a background row b and a set S of players the game is f(x in S, b elsewhere), averaged over the background.
The values of all players sum to f(x) minus the mean of f over the background; `sum_errors` are the deviations from it.

* rbf, a product of one factor per player: an integral over t, by an exact quadrature (product.py).
* linear: w_i (x_i - mean b_i).
* polynomial: exact, by sums of powers over the players (power.py).
* sigmoid: sampled, with standard errors (sampling.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from mcsvm.solvers.budget import EXPLAIN
from mcsvm.solvers.explain.game import Game, sums_by_player
from mcsvm.solvers.explain.power import values_of_powers
from mcsvm.solvers.explain.product import values_of_products
from mcsvm.solvers.explain.sampling import sampled_values
from mcsvm.solvers.kernels.points import transposed_times
from mcsvm.solvers.machines import Machine

Callback = Callable[[float], bool | None]
Way = Callable[[Game, Any, np.ndarray], Iterator[float]]  # adds the values of a row; yields the finished share


@dataclass(frozen=True, eq=False)
class Explained:
    values: np.ndarray  # (rows, players, outputs)
    base: np.ndarray  # (outputs,) the mean over the background
    decision: np.ndarray  # (rows, outputs)
    standard_errors: np.ndarray | None = None  # (rows, players, outputs) of sampled values; None: they are exact

    @property
    def sum_errors(self) -> np.ndarray:
        """The (rows, outputs) deviations of the sum of a row's values and the base from its decision value."""
        return np.abs(self.values.sum(axis=1) + self.base - self.decision)

    def of_two(self, machine: Machine) -> Explained:
        """Return the values of the one decision function of two classes, which is positive for the second."""
        errors = self.standard_errors
        if self.base.size == 1:
            return Explained(-self.values, -self.base, -self.decision, errors)
        factor, parts = machine.reading_of_two, (self.values, self.base, self.decision)
        values, base, decision = (factor * (part[..., 1:] - part[..., :1]) for part in parts)
        return Explained(
            values, base, decision, None if errors is None else factor * errors.sum(axis=-1, keepdims=True)
        )


def explained(
    game: Game, rows: Any, callback: Callback | None = None, permutations: int = EXPLAIN.permutations
) -> Explained:
    """Compute the Shapley values of rows; `permutations` is the number of orders per row for sampled values.

    `callback` receives the finished share between any two pieces. If it returns True, only finished rows are returned.
    """
    rows = game.rows(rows)
    values = np.zeros((rows.shape[0], game.count, game.model.bias.size))
    errors = None if game.model.kernel.name in EXACT else np.zeros_like(values)
    for done in _filling(game, rows, values, errors, permutations):
        if callback is not None and callback(done / rows.shape[0]):
            rows, values = rows[: int(done)], values[: int(done)]
            errors = None if errors is None else errors[: int(done)]
            break
    return Explained(values, game.base, game.model.decision(rows), errors)


def _filling(
    game: Game, rows: Any, values: np.ndarray, errors: np.ndarray | None, permutations: int
) -> Iterator[float]:
    """Compute the values row by row; yield the number of finished rows plus the finished share of the current row."""
    for number in range(rows.shape[0]):
        row = rows[number : number + 1]
        if errors is None:
            shares = EXACT[game.model.kernel.name](game, row, values[number])
        else:
            shares = sampled_values(game, row, values[number], errors[number], permutations)
        for share in shares:
            yield number + share


def _linear(game: Game, row: Any, values: np.ndarray) -> Iterator[float]:
    mean = np.asarray(game.weights @ game.background).ravel()
    change = np.asarray(row.toarray() if sp.issparse(row) else row).ravel() - mean
    slopes = transposed_times(game.model.points.rows, game.model.expansion)
    values += sums_by_player(slopes * change[:, None], game)
    yield 1.0


EXACT: dict[str, Way] = {"rbf": values_of_products, "linear": _linear, "polynomial": values_of_powers}
