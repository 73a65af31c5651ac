"""Chunks of background rows with the row to explain, and the pieces of a computation on several threads.

Decision functions are sums over support vectors, so values are too. A piece is a chunk of background rows with a block
of support vectors. Results are added in the order of the pieces, whichever thread finishes first.
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
    """A row and the background rows that it is compared with, in the columns in which any of them differ."""

    columns: np.ndarray
    row: np.ndarray  # (columns,)
    background: np.ndarray  # (background rows, columns)
    weights: np.ndarray
    numbers: np.ndarray  # numbers of the players that have these columns
    players: np.ndarray  # (columns,) the place of each column's player in `numbers`
    outside: np.ndarray | None  # dense rows: the columns in which all rows are equal
    there: np.ndarray | None  # values of the row in these columns

    def products(self, points: Points, block: slice) -> tuple[np.ndarray, np.ndarray]:
        """Return (columns, width) features of support vectors, (background, width) products with background rows."""
        near = points.rows[block]
        inside = near[:, self.columns]
        columns = np.ascontiguousarray((inside.toarray() if self.outside is None else inside).T)
        begins = self.background @ columns
        return columns, begins if self.outside is None else begins + near[:, self.outside] @ self.there

    def changes(self, columns: np.ndarray, background: int) -> np.ndarray:
        """Return (players, width) <x - b, s> over the columns of each player; `columns` are those of `products`."""
        found = np.zeros((self.numbers.size, columns.shape[1]))
        if self.numbers.size == self.columns.size:
            found[self.players] = columns
            found[self.players] *= (self.row - self.background[background])[:, None]
            return found
        np.add.at(found, self.players, columns * (self.row - self.background[background])[:, None])
        return found


def chunk_of(game: Game, row: Any, some: slice) -> BackgroundChunk:
    """Build a chunk; of sparse rows it has the columns in which at least one row is not zero."""
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
    """Split the support vectors into blocks of `width`."""
    total = len(game.model.points)
    return [slice(start, min(start + width, total)) for start in range(0, total, width)]


def chunks_of(game: Game, row: Any, most: int) -> list[BackgroundChunk]:
    """Split the background into chunks of at most `most` rows."""
    total = game.weights.size
    return [chunk_of(game, row, slice(start, min(start + most, total))) for start in range(0, total, most)]


def differing(game: Game) -> int:
    """Estimate the number of columns in which a row and a few others differ."""
    return min(game.players.size, int(4.0 * game.model.points.stored) + 1)


def width_of(game: Game) -> int:
    """Return the number of support vectors whose columns stay in the processor's cache."""
    return max(1, EXPLAIN.numbers // differing(game))


def in_pieces(
    pieces: Sequence[Piece],
    compute: Callable[[Piece], Part],
    add: Callable[[Piece, Part], object],
    operations_each: float,
) -> Iterator[float]:
    """Compute the pieces on the threads of `limited`, add the results in order, and yield the finished share."""
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
