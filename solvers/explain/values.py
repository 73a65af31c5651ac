"""Exact interventional Shapley values of decision functions, by kernel, in pieces.

For a row x, a background row b and a set S of players the game is f(x in S, b elsewhere), averaged over the background.
The values of all players sum to f(x) minus the mean of f over the background: `sum_error` is by how much they miss it.

* rbf, a product of one factor per player: an integral over t, by a quadrature that is exact (jit/product_game.py).
* linear: w_i (x_i - mean b_i).
* polynomial and sigmoid kernels are no such products: refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from solvers.errors import InputError
from solvers.explain.game import Game, joined
from solvers.explain.quadrature import quadratures
from solvers.jit.product_game import contributions
from solvers.kernels.points import Points
from solvers.work import PIECE, spread

BATCH = 64  # pieces whose results are kept until they are added, in their order
STEP = 8.0  # operations for a factor at a node
LANES = (
    128,
    32,
    16,
)  # support vectors beside each other, of few, some, many players: 20 columns take 0.20 s, 0.30 with 32
FEW, SOME = 32, 128  # players: work space of 200 kB, as much, then 600 kB for 784 columns


Callback = Callable[[float], bool | None]
Way = Callable[[Game, Any, np.ndarray], Iterator[float]]  # adds the values of a row, and yields its share done


@dataclass(frozen=True, eq=False)
class Explained:
    values: np.ndarray  # (rows, players, outputs)
    base: np.ndarray  # (outputs,) the mean over the background
    decision: np.ndarray  # (rows, outputs)

    @property
    def sum_errors(self) -> np.ndarray:
        """(rows, outputs): by how much a row's values and the base miss its decision value."""
        return np.abs(self.values.sum(axis=1) + self.base - self.decision)

    def of_two(self) -> Explained:
        """Of two classes the one function, positive for the second."""
        parts = self.values, self.base, self.decision
        return Explained(*(-part if part.shape[-1] == 1 else part[..., 1:] - part[..., :1] for part in parts))


def explained(game: Game, rows: Any, callback: Callback | None = None) -> Explained:
    """`callback` hears the share that is done between any two pieces; where it returns True, the rows done so far are
    the answer."""
    way = WAYS.get(game.model.kernel.name)
    if way is None:
        raise InputError(
            "exact Shapley values need a kernel that is a product (rbf) or a sum (linear) of columns, not {kernel}",
            kernel=game.model.kernel.name,
        )
    rows = game.rows(rows)
    values = np.zeros((rows.shape[0], game.count, game.model.bias.size))
    for done in _filling(way, game, rows, values):
        if callback is not None and callback(done / rows.shape[0]):
            rows, values = rows[: int(done)], values[: int(done)]
            break
    return Explained(values, game.base, game.model.decision(rows))


def _filling(way: Way, game: Game, rows: Any, values: np.ndarray) -> Iterator[float]:
    """Row by row; yields how many are done, with the share of the one under way."""
    for number in range(rows.shape[0]):
        for share in way(game, rows[number : number + 1], values[number]):
            yield number + share


# -- linear ---------------------------------------------------------------------------------------


def _linear(game: Game, row: Any, values: np.ndarray) -> Iterator[float]:
    mean = np.asarray(game.weights @ game.background).ravel()
    change = np.asarray(row.toarray() if sp.issparse(row) else row).ravel() - mean
    slopes = np.asarray(game.model.points.rows.T @ game.model.expansion)
    values += joined(slopes * change[:, None], game)
    yield 1.0


# -- rbf ------------------------------------------------------------------------------------------


def _rbf(game: Game, row: Any, values: np.ndarray) -> Iterator[float]:
    lots, blocks = [_lot(game, row, some) for some in _backgrounds(game)], _blocks(game)
    pieces = [(lot, block) for lot in lots for block in blocks]
    for start in range(0, len(pieces), BATCH):
        batch = pieces[start : start + BATCH]
        found: list[np.ndarray | None] = [None] * len(batch)

        def compute(number: int, batch: Any = batch, found: Any = found) -> None:
            found[number] = _piece(game, *batch[number])

        for _ in spread(compute, range(len(batch)), _operations(game, len(batch[0][0].weights), _lanes(game))):
            yield (start + sum(one is not None for one in found)) / len(pieces)
        for (lot, _), part in zip(batch, found, strict=True):
            values[lot.numbers] += part
        yield (start + len(batch)) / len(pieces)


@dataclass(frozen=True, eq=False)
class _Lot:
    """A row and background rows that it is compared with, in the columns in which any of them differ."""

    columns: np.ndarray
    row: np.ndarray  # (columns,)
    background: np.ndarray  # (some, columns)
    weights: np.ndarray
    numbers: np.ndarray  # of the players that have these columns
    players: np.ndarray  # (columns,) the place of each column's player in `numbers`
    outside: np.ndarray | None  # columns in which all rows are equal, and not zero
    there: np.ndarray | None  # what the row holds in these


def _lot(game: Game, row: Any, some: slice) -> _Lot:
    """Of sparse rows only the columns in which one of them is not zero."""
    if game.model.points.sparse:
        stacked = sp.vstack([row, game.background[some]], format="csr")
        columns = np.unique(stacked.indices)
        held, outside, there = stacked[:, columns].toarray(), None, None
    else:
        whole = np.vstack([row, game.background[some]])
        differ = (whole != whole[0]).any(axis=0)
        columns, outside = np.flatnonzero(differ), np.flatnonzero(~differ)
        held, there = whole[:, columns], whole[0, outside]
    numbers, players = np.unique(game.players[columns], return_inverse=True)
    weights = game.weights[some].copy()
    return _Lot(columns, held[0].copy(), held[1:].copy(), weights, numbers, players, outside, there)


def _piece(game: Game, lot: _Lot, block: slice) -> np.ndarray:
    """(players, outputs): what these support vectors give the players of the lot."""
    model, count = game.model, lot.numbers.size
    points, rest = _near(model.points, lot, block)
    room, total = np.empty((6, count + 1, rest.size)), np.zeros((count, rest.size))
    quadrature = quadratures(1 << count.bit_length())
    gamma = float(model.kernel.gamma)  # type: ignore[attr-defined]
    contributions(
        *(lot.row, lot.background, lot.weights, points, rest, lot.players, gamma, quadrature),
        *(room, np.empty(2 * count, dtype=np.int64), total),
    )
    return np.asarray(total @ model.expansion[block])


def _near(points: Points, lot: _Lot, block: slice) -> tuple[np.ndarray, np.ndarray]:
    """(columns, width) of the support vectors; (width,) squared distances from the rows in all other columns."""
    near = points.rows[block]
    if lot.outside is None:
        inside = near[:, lot.columns].toarray()
        rest = np.maximum(points.squares[block] - np.square(inside).sum(axis=1), 0.0)
    else:
        inside = near[:, lot.columns]
        rest = np.square(near[:, lot.outside] - lot.there).sum(axis=1)
    return np.ascontiguousarray(inside.T), rest


def _lanes(game: Game) -> int:
    return LANES[0] if game.count <= FEW else LANES[1] if game.count <= SOME else LANES[2]


def _blocks(game: Game) -> list[slice]:
    total, lanes = len(game.model.points), _lanes(game)
    return [slice(start, min(start + lanes, total)) for start in range(0, total, lanes)]


def _backgrounds(game: Game) -> list[slice]:
    """Cuts of the background, so that a piece stays a fraction of a tenth of a second."""
    total = game.weights.size
    step = max(1, int(0.2 * PIECE // _operations(game, 1, _lanes(game))))
    return [slice(start, min(start + step, total)) for start in range(0, total, step)]


def _operations(game: Game, background: int, width: int) -> float:
    differing = min(float(game.count), 4.0 * game.model.points.stored + 1.0)  # players, about
    return STEP * background * width * differing * (0.5 * differing + 1.0)


WAYS: dict[str, Way] = {"rbf": _rbf, "linear": _linear}
