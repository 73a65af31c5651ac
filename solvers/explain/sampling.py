"""Shapley values of the sigmoid kernel, sampled: orders of the players and their reverse, and a standard error.

The value of a player is its contribution at its place in an order, averaged over all orders. The same number of pairs
of orders is drawn for each background row: a random order and its reverse, whose errors partly cancel (Mitchell et al.
2022). The contributions of all players sum to f(x) - f(b) in every order, so only their shares are sampled. The pairs
are independent, so the variance of a value is that within background rows: sum_b w_b^2 s_b^2 / pairs.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from mcsvm.solvers.budget import EXPLAIN
from mcsvm.solvers.explain.game import Game
from mcsvm.solvers.explain.pieces import BackgroundChunk, blocks_of, chunks_of, differing, in_pieces
from mcsvm.solvers.model import dense_expansion
from mcsvm.solvers.work import PIECE, SQUASH


def sampled_values(game: Game, row: Any, values: np.ndarray, errors: np.ndarray, permutations: int) -> Iterator[float]:
    """Add the Shapley values of a row to `values` and their standard errors to `errors`; yield the finished share."""
    pairs = max(EXPLAIN.fewest_pairs, -(-permutations // (2 * game.weights.size)))
    each = SQUASH * 2.0 * pairs * differing(game)
    width = max(1, min(EXPLAIN.numbers // differing(game), int(0.2 * PIECE // each)))
    blocks = blocks_of(game, width)
    pieces = [(number, chunk, block) for number, chunk in enumerate(chunks_of(game, row, 1)) for block in blocks]
    added = np.zeros(0)
    variances = np.zeros_like(errors)

    def add(piece: tuple[int, BackgroundChunk, slice], part: np.ndarray) -> None:
        """Sum the parts of all blocks of support vectors first: the variance is that of their sum."""
        nonlocal added
        _, chunk, block = piece
        added = part if block.start == 0 else added + part
        if block is blocks[-1]:
            values[chunk.numbers] += chunk.weights[0] * added.mean(axis=0)
            variances[chunk.numbers] += chunk.weights[0] ** 2 * added.var(axis=0, ddof=1) / pairs

    yield from in_pieces(pieces, lambda piece: _piece(game, *piece, pairs), add, each * width)
    errors += np.sqrt(variances)


def _piece(game: Game, number: int, chunk: BackgroundChunk, block: slice, pairs: int) -> np.ndarray:
    """Return (pairs, players, outputs) contributions by these support vectors: means of an order and its reverse.

    The number of a background row is the seed of its orders, so that values do not depend on other rows.
    """
    kernel: Any = game.model.kernel
    columns, begins = chunk.products(game.model.points, block)
    changes = kernel.gamma * chunk.changes(columns, 0)
    begin = kernel.gamma * begins[0] + kernel.coef0
    weights = dense_expansion(game.model.expansion[block])
    random = np.random.default_rng(number)
    found = np.empty((pairs, chunk.numbers.size, weights.shape[1]))
    for pair in found:
        order = random.permutation(chunk.numbers.size)
        for way in (order, order[::-1]):
            arguments = np.vstack([begin[None], changes[way]])
            reached = np.tanh(np.cumsum(arguments, axis=0, out=arguments), out=arguments) @ weights
            pair[way] = np.diff(reached, axis=0) if way is order else 0.5 * (pair[way] + np.diff(reached, axis=0))
    return found
