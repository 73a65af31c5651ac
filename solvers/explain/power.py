"""Shapley values of the polynomial kernel, exactly, from sums of powers over the players.

At a background row b and a support vector s, players add D_i = gamma <x - b, s>_i to v = gamma <b, s> + coef0, and the
kernel is the p-th power of the sum. Its multilinear extension, every player in with probability t, is

    E[(v + sum_l Z_l)^p] = p! [u^p] exp(u v) prod_l (1 + t (exp(u D_l) - 1)),

[u^p] being the coefficient of u^p. phi_i is the integral over t in [0, 1] of its derivative by player i (Owen 1972):

    phi_i = p! [u^p] integral g(u D_i; t) P(u; t) dt,    g(y; t) = (exp(y) - 1) / (1 + t (exp(y) - 1)),

P the product with all players, exp(u v) included. With g = sum_k g_k(t) y^k, phi_i is a polynomial in D_i whose p
coefficients are the same for all players. log P = u v + sum_k l_k(t) S_k u^k, S_k = sum_l D_l^k, and l_k are the
coefficients of log(1 + t (exp(y) - 1)). The integrand has degree p - 1 in t: ceil(p / 2) Gauss-Legendre nodes are
exact. Coefficients of g fall as pi^-k, coefficients of P as 1 / k!, so that results lose a factor p! / pi^p of their
precision: two digits at p = 10, eight at p = 20. `sum_error` shows it.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from math import factorial
from typing import Any

import numpy as np
from scipy.special import roots_legendre

from mcsvm.solvers.explain.game import Game
from mcsvm.solvers.explain.pieces import BackgroundChunk, blocks_of, chunks_of, differing, in_pieces, width_of
from mcsvm.solvers.work import PASS, PIECE


def values_of_powers(game: Game, row: Any, values: np.ndarray) -> Iterator[float]:
    """Add the Shapley values of a row to `values`; yield the finished share."""
    kernel: Any = game.model.kernel
    width = width_of(game)
    each = PASS * (2.0 * kernel.degree + 2.0) * width * differing(game)
    chunks = chunks_of(game, row, max(1, int(0.2 * PIECE // each)))

    def add(piece: tuple[BackgroundChunk, slice], part: np.ndarray) -> None:
        values[piece[0].numbers] += part

    pieces = [(chunk, block) for chunk in chunks for block in blocks_of(game, width)]
    return in_pieces(pieces, lambda piece: _piece(game, *piece), add, each * len(chunks[0].weights))


def _piece(game: Game, chunk: BackgroundChunk, block: slice) -> np.ndarray:
    """Return (players, outputs) contributions of the players of the chunk, by these support vectors."""
    kernel: Any = game.model.kernel
    columns, begins = chunk.products(game.model.points, block)
    total = np.zeros((chunk.numbers.size, columns.shape[1]))
    for number, weight in enumerate(chunk.weights.tolist()):
        changes = kernel.gamma * chunk.changes(columns, number)
        shares = _coefficients(changes, kernel.gamma * begins[number] + kernel.coef0, kernel.degree)
        total += weight * changes * _polynomial(shares, changes)
    return np.asarray(total @ game.model.expansion[block])


def _polynomial(shares: np.ndarray, changes: np.ndarray) -> np.ndarray:
    """Return sum_k shares[k] changes^k, by Horner's rule."""
    found = np.broadcast_to(shares[-1], changes.shape).copy()
    for share in shares[-2::-1]:
        found *= changes
        found += share
    return found


def _coefficients(changes: np.ndarray, value: np.ndarray, degree: int) -> np.ndarray:
    """Return (degree, width) coefficients of phi_i / D_i as a polynomial in D_i."""
    sums, power = [], np.ones_like(changes)
    for _ in range(degree - 1):
        power = power * changes
        sums.append(power.sum(axis=0))
    found = np.zeros((degree, changes.shape[1]))
    for weight, logarithm, slope in _series(degree):
        parts = [share * total for share, total in zip(logarithm, sums, strict=False)]
        product = _exponential([value + parts[0], *parts[1:]] if parts else [], np.ones_like(value))
        for k in range(degree):
            found[k] += (weight * slope[k]) * product[degree - 1 - k]
    return found


def _exponential(parts: list[np.ndarray], one: np.ndarray) -> list[np.ndarray]:
    """Return the coefficients E of exp(sum_k p_k u^k), p_k = parts[k - 1], by n E_n = sum_k k p_k E_(n - k)."""
    found = [one]
    for n in range(1, len(parts) + 1):
        found.append(sum((k * parts[k - 1] * found[n - k] for k in range(1, n + 1)), np.zeros_like(one)) / n)
    return found


@lru_cache(maxsize=8)
def _series(degree: int) -> list[tuple[float, np.ndarray, np.ndarray]]:
    """Return for each node t its weight times degree!, and the coefficients of two series in y, without constant terms.

    With F = 1 + t (exp(y) - 1), the series are log F and (exp(y) - 1) / F.
    """
    raised = np.array([1.0 / factorial(k) for k in range(1, degree + 1)])  # exp(y) - 1
    found = []
    for node, weight in zip(*roots_legendre((degree + 1) // 2), strict=True):
        t = 0.5 * (1.0 + node)
        slope, logarithm = raised.copy(), t * raised
        for n in range(degree):
            slope[n] -= t * sum(raised[n - 1 - k] * slope[k] for k in range(n))
            logarithm[n] -= t * sum((k + 1) * logarithm[k] * raised[n - 1 - k] for k in range(n)) / (n + 1)
        found.append((0.5 * weight * factorial(degree), logarithm, slope))
    return found
