"""Shapley values of the rbf kernel, a product of one factor per player: exact, by the quadrature of quadrature.py."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from mcsvm.solvers.budget import EXPLAIN
from mcsvm.solvers.explain.game import Game
from mcsvm.solvers.explain.pieces import BackgroundChunk, blocks_of, chunks_of, in_pieces
from mcsvm.solvers.explain.quadrature import quadratures
from mcsvm.solvers.jit.product_game import contributions
from mcsvm.solvers.kernels.points import Points
from mcsvm.solvers.work import FACTOR, PIECE


def values_of_products(game: Game, row: Any, values: np.ndarray) -> Iterator[float]:
    """Add the Shapley values of a row to `values`; yield the finished share."""
    lanes = _lanes(game)
    chunks = chunks_of(game, row, max(1, int(0.2 * PIECE // _operations(game, 1, lanes))))
    pieces = [(chunk, block) for chunk in chunks for block in blocks_of(game, lanes)]

    def add(piece: tuple[BackgroundChunk, slice], part: np.ndarray) -> None:
        values[piece[0].numbers] += part

    operations = _operations(game, len(chunks[0].weights), lanes)
    return in_pieces(pieces, lambda piece: _piece(game, *piece), add, operations)


def _piece(game: Game, chunk: BackgroundChunk, block: slice) -> np.ndarray:
    """Return (players, outputs) contributions of the players of the chunk, by these support vectors."""
    model, count = game.model, chunk.numbers.size
    points, rest = _near(model.points, chunk, block)
    room, total = np.empty((6, count + 1, rest.size)), np.zeros((count, rest.size))
    quadrature = quadratures(1 << count.bit_length())
    gamma = float(model.kernel.gamma)  # type: ignore[attr-defined]
    contributions(
        *(chunk.row, chunk.background, chunk.weights, points, rest, chunk.players, gamma, quadrature),
        *(room, np.empty(2 * count, dtype=np.int64), total),
    )
    return np.asarray(total @ model.expansion[block])


def _near(points: Points, chunk: BackgroundChunk, block: slice) -> tuple[np.ndarray, np.ndarray]:
    """Return (columns, width) features of the support vectors, and (width,) squared distances in all other columns."""
    near = points.rows[block]
    if chunk.outside is None:
        inside = near[:, chunk.columns].toarray()
        rest = np.maximum(points.squares[block] - np.square(inside).sum(axis=1), 0.0)
    else:
        inside = near[:, chunk.columns]
        rest = np.square(near[:, chunk.outside] - chunk.there).sum(axis=1)
    return np.ascontiguousarray(inside.T), rest


def _lanes(game: Game) -> int:
    return next(lanes for players, lanes in EXPLAIN.lanes if game.count <= players)


def _operations(game: Game, background: int, width: int) -> float:
    differing = min(float(game.count), 4.0 * game.model.points.stored + 1.0)  # approximate number of players
    return FACTOR * background * width * differing * (0.5 * differing + 1.0)
