"""Sequential minimal optimisation under one equality (binary, exact bias).

maximise z'x - 1/2 x'Kx around beta, low <= beta + x <= high, sum x = 0; beta is alpha with its sign.
Second-order choice of the second variable: Fan, Chen & Lin 2005; first-order: the most violating pair.
"""

import numpy as np

from solvers.jit import compiled
from solvers.jit.box import SNAP, position

FLAT = 1e-12  # curvature below which a pair counts as linear (LIBSVM's tau)


@compiled(relaxed=True)
def highest(z, beta, high, out):
    top = -1e300
    for b in range(z.size):
        out[b] = z[b] if beta[b] < high[b] else -1e300
        top = max(top, out[b])
    return top


@compiled(relaxed=True)
def partner_gains(z, beta, low, row, diagonal, top, q, second_order, out):
    """Gain of each variable that may fall against one at `top`; returns (largest gain, lowest z)."""
    best, bottom = -1.0, 1e300
    for b in range(z.size):
        falls = beta[b] > low[b]
        difference = top - z[b]
        curvature = max(q + diagonal[b] - 2.0 * row[b], FLAT) if second_order else 1.0
        gain = difference * difference / curvature if difference > 0.0 else -1.0
        out[b] = gain if falls else -1.0
        best = max(best, out[b])
        bottom = min(bottom, z[b] if falls else 1e300)
    return best, bottom


@compiled(relaxed=True)
def transfer(z, row_i, row_j, amount):
    for b in range(z.size):
        z[b] -= amount * (row_i[b] - row_j[b])


@compiled
def solve_pairs(K, z, beta, low, high, tolerance, limit, second_order):
    """SMO until max z over those that may rise - min z over those that may fall <= tolerance."""
    n = z.size
    work, diagonal = np.empty(n), np.empty(n)
    for b in range(n):
        diagonal[b] = K[b, b]
    steps, violation = 0, np.inf
    while True:
        top = highest(z, beta, high, work)
        i = position(work, top)
        best, bottom = partner_gains(z, beta, low, K[i], diagonal, top, diagonal[i], second_order, work)
        violation = max(0.0, top - bottom)
        if violation <= tolerance or steps >= limit or best <= 0.0:
            break
        j = position(work, best)
        curvature = max(diagonal[i] + diagonal[j] - 2.0 * K[i, j], FLAT)
        amount = min((z[i] - z[j]) / curvature, high[i] - beta[i], beta[j] - low[j])
        beta[i] = reached(beta[i] + amount, low[i], high[i])
        beta[j] = reached(beta[j] - amount, low[j], high[j])
        transfer(z, K[i], K[j], amount)
        steps += 1
    return steps, violation


@compiled
def reached(x, low, high):
    """Within rounding of a bound, at the bound."""
    width = high - low
    if x - low < SNAP * width:
        return low
    if high - x < SNAP * width:
        return high
    return x
