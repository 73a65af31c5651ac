"""Sequential minimal optimisation under one equality (binary, exact bias).

maximise z'x - 1/2 x'Kx, low <= beta + x <= high, sum x = 0, where beta_i = s_i alpha_i and s_i = +-1 is the class.
The second variable is chosen by second order (Fan, Chen & Lin 2005) or by first order (the most violating pair).
"""

import numpy as np

from mcsvm.solvers.jit import compiled
from mcsvm.solvers.jit.bound import reached
from mcsvm.solvers.jit.box import position
from mcsvm.solvers.jit.rounding import FLAT


@compiled(relaxed=True)
def rising(z, beta, high, out):
    """Write z into `out` if beta may rise, else -3e38; single precision suffices, as the values only rank."""
    for b in range(z.size):
        out[b] = np.float32(z[b]) if beta[b] < high[b] else np.float32(-3e38)


@compiled
def order_bits(bits):
    """Map the bit patterns of floats to integers of the same order, in place; applied twice, this restores them."""
    for b in range(bits.size):
        x = bits[b]
        bits[b] = x ^ ((x >> np.int32(31)) & np.int32(0x7FFFFFFF))


@compiled
def highest_bits(bits):
    top = np.int32(-0x7FFFFFFF)
    for b in range(bits.size):
        x = bits[b]
        top = x if x > top else top
    return top


@compiled(relaxed=True)
def falling(z, beta, low, row, diagonal, top, q, flat, difference, gain):
    """Compute difference = top - z of variables that may fall, and gain = difference^2 / curvature (1 if `flat`)."""
    for b in range(z.size):
        d = np.float32(top - z[b])
        d = d if d > np.float32(0.0) else np.float32(0.0)
        d = d if beta[b] > low[b] else np.float32(0.0)
        curvature = q + diagonal[b] - row[b] - row[b]
        curvature = curvature if curvature > np.float32(FLAT) else np.float32(FLAT)
        difference[b] = d
        gain[b] = d * d / (curvature if flat == 0 else np.float32(1.0))


@compiled(relaxed=True)
def transfer(z, row_i, row_j, amount):
    for b in range(z.size):
        z[b] -= amount * (row_i[b] - row_j[b])


@compiled
def solve_pairs(K, z, beta, low, high, tolerance, limit, flat):
    """Run SMO until max z of variables that may rise - min z of variables that may fall <= tolerance.

    flat = 0: second-order choice; flat = 1: the most violating pair. Return (steps, violation).
    """
    n = z.size
    work, gain, diagonal = np.empty(n, np.float32), np.empty(n, np.float32), np.empty(n, np.float32)
    for b in range(n):
        diagonal[b] = K[b, b]
    steps = 0
    while True:
        rising(z, beta, high, work)
        bits = work.view(np.int32)
        order_bits(bits)
        i = position(bits, highest_bits(bits))
        falling(z, beta, low, K[i], diagonal, z[i], diagonal[i], flat, work, gain)
        violation = work[position(bits, highest_bits(bits))]
        best = highest_bits(gain.view(np.int32))
        if i < 0 or beta[i] >= high[i] or violation <= tolerance or best <= 0 or steps >= limit:
            return steps, float(violation)
        j = position(gain.view(np.int32), best)
        curvature = max(float(diagonal[i]) + float(diagonal[j]) - 2.0 * float(K[i, j]), FLAT)
        amount = min((z[i] - z[j]) / curvature, high[i] - beta[i], beta[j] - low[j])
        beta[i] = reached(beta[i], amount, low[i], high[i])
        beta[j] = reached(beta[j], -amount, low[j], high[j])
        transfer(z, K[i], K[j], amount)
        steps += 1
