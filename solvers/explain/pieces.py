"""A row beside rows of the background, and the pieces in which support vectors are gone through.

Decision functions are sums over support vectors, so values are too: a piece is some background rows and some support
vectors. Its parts are added in the order of the pieces, whatever thread was first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import scipy.sparse as sp

from mcsvm.solvers.budget import EXPLAIN
from mcsvm.solvers.explain.game import Game
from mcsvm.solvers.kernels.points import Points
from mcsvm.solvers.work import spread, together

Piece = TypeVar("Piece")
Part = TypeVar("Part")


@dataclass(frozen=True, eq=False)
class BackgroundChunk:
    """A row and background rows that it is compared with, in the columns in which any of them differ."""

    columns: np.ndarray
    row: np.ndarray  # (columns,)
    background: np.ndarray  # (some, columns)
    weights: np.ndarray
    numbers: np.ndarray  # of the players that have these columns
    players: np.ndarray  # (columns,) the place of each column's player in `numbers`
    outside: np.ndarray | None  # columns in which all rows are equal, and not zero
    there: np.ndarray | None  # what the row holds in these

    def products(self, points: Points, block: slice) -> tuple[np.ndarray, np.ndarray]:
        """(columns, width) of the support vectors; (background, width) their products with whole background rows."""
        near = points.rows[block]
        inside = near[:, self.columns]
        columns = np.ascontiguousarray((inside.toarray() if self.outside is None else inside).T)
        begins = self.background @ columns
        return columns, begins if self.outside is None else begins + near[:, self.outside] @ self.there

    def changes(self, columns: np.ndarray, background: int) -> np.ndarray:
        """(players, width) <x - b, s> over the columns of each player; columns: (columns, width) of support vectors."""
        found = np.zeros((self.numbers.size, columns.shape[1]))
        if self.numbers.size == self.columns.size:
            found[self.players] = columns
            found[self.players] *= (self.row - self.background[background])[:, None]
            return found
        np.add.at(found, self.players, columns * (self.row - self.background[background])[:, None])
        return found


def chunk_of(game: Game, row: Any, some: slice) -> BackgroundChunk:
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
    return BackgroundChunk(columns, held[0].copy(), held[1:].copy(), weights, numbers, players, outside, there)


def blocks_of(game: Game, width: int) -> list[slice]:
    """Of support vectors, so many at once."""
    total = len(game.model.points)
    return [slice(start, min(start + width, total)) for start in range(0, total, width)]


def chunks_of(game: Game, row: Any, most: int) -> list[BackgroundChunk]:
    """Of so many background rows, at most."""
    total = game.weights.size
    return [chunk_of(game, row, slice(start, min(start + most, total))) for start in range(0, total, most)]


def differing(game: Game) -> int:
    """Columns in which a row and a few others differ, about."""
    return min(game.players.size, int(4.0 * game.model.points.stored) + 1)


def width_of(game: Game) -> int:
    """Support vectors whose columns stay in cache."""
    return max(1, EXPLAIN.numbers // differing(game))


def in_pieces(
    pieces: Sequence[Piece],
    compute: Callable[[Piece], Part],
    add: Callable[[Piece, Part], object],
    operations_each: float,
) -> Iterator[float]:
    """Compute on the threads of `limited`, add in order, and yield the share that is done."""
    for start in range(0, len(pieces), EXPLAIN.batch):
        batch = pieces[start : start + EXPLAIN.batch]
        found: dict[int, Part] = {}

        def one(number: int, batch: Sequence[Piece] = batch, found: dict[int, Part] = found) -> None:
            found[number] = compute(batch[number])

        step = together(operations_each)
        for first in range(0, len(batch), step):
            if first:
                yield (start + first) / len(pieces)
            spread(one, range(first, min(first + step, len(batch))), operations_each)
        for number, piece in enumerate(batch):
            add(piece, found[number])
        yield (start + len(batch)) / len(pieces)
