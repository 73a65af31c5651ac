"""Gauss-Legendre quadratures on [0, 1], and the number of nodes that is enough for products of linear factors.

n nodes are exact for 2n factors. A product of factors 1 + s_l x, 0 <= s_l <= 1, on [-1, 1] is at most exp(S |x|), with
S the sum of all s_l. On the ellipse of rho, |x| <= (rho + 1 / rho) / 2, so the error of n nodes is at most
(Trefethen, Approximation Theory and Approximation Practice, theorem 19.3)

    32/15 exp(S (rho + 1 / rho) / 2) rho^(-2 (n - 1)) / (1 - rho^-2),

relative to the product at x = 0, for every rho > 1. So a spread S up to `reach` needs no more than n nodes. Pictures of
784 pixels under a kernel of their scale need 10 to 20 nodes instead of 392.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy.special import roots_legendre

from mcsvm.solvers.budget import EXPLAIN
from mcsvm.solvers.jit.rounding import LAST_DIGITS

Quadrature = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]


@lru_cache(maxsize=8)
def quadratures(players: int) -> Quadrature:
    """Return sizes, reaches and starts of quadratures, their nodes and weights; the largest is exact for `players`."""
    most = max(1, (players + 1) // 2)
    sizes = list(range(1, min(EXPLAIN.densely, most) + 1))
    while sizes[-1] < most:
        sizes.append(min(most, int(np.ceil(EXPLAIN.growth * sizes[-1]))))
    parts = [roots_legendre(size) for size in sizes]
    nodes = np.concatenate([0.5 * (1.0 + at) for at, _ in parts])
    weights = np.concatenate([0.5 * share for _, share in parts])
    begins = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    return np.array(sizes), np.array([reach_of(size) for size in sizes]), begins, nodes, weights


def reach_of(size: int) -> float:
    """Return the largest spread for which the bound of `size` nodes is below LAST_DIGITS, or a negative number."""
    rho = 1.0 + np.geomspace(1e-2, 1e3, 400)
    room = np.log(LAST_DIGITS * 15.0 / 32.0 * (1.0 - rho**-2)) + 2.0 * (size - 1) * np.log(rho)
    return float((2.0 * room / (rho + 1.0 / rho)).max())
