"""Sequential two-dimensional optimisation of a dense box problem (Dogan, Glasmachers & Igel 2011).

maximise g'x - 1/2 x'Qx around the current point, 0 <= alpha + x <= upper.
"""

import numpy as np

from solvers.jit import compiled
from solvers.jit.bound import pull, snapped
from solvers.jit.rounding import ROUNDING


@compiled
def clip(x, low, high):
    return min(max(x, low), high)


@compiled
def single_step(alpha, gradient, curvature, bound):
    """The exact step of one variable; to a bound where the curvature vanishes."""
    if curvature > 0.0:
        return clip(gradient / curvature, -alpha, bound - alpha)
    return bound - alpha if gradient > 0.0 else -alpha


@compiled
def pair_step(a, b, ga, gb, qaa, qbb, qab, ua, ub):
    """The exact solution of the two-dimensional box problem (appendix A.2): inside, or the best edge."""
    low_a, high_a, low_b, high_b = -a, ua - a, -b, ub - b
    determinant = qaa * qbb - qab * qab
    if determinant > ROUNDING * qaa * qbb:
        x = (qbb * ga - qab * gb) / determinant
        z = (qaa * gb - qab * ga) / determinant
        if low_a <= x <= high_a and low_b <= z <= high_b:
            return x, z
    best, best_x, best_z = 0.0, 0.0, 0.0
    for edge in range(4):
        if edge < 2:
            x = low_a if edge == 0 else high_a
            z = single_step(b, gb - qab * x, qbb, ub)
        else:
            z = low_b if edge == 2 else high_b
            x = single_step(a, ga - qab * z, qaa, ua)
        gain = ga * x + gb * z - 0.5 * (qaa * x * x + 2.0 * qab * x * z + qbb * z * z)
        if gain > best:
            best, best_x, best_z = gain, x, z
    return best_x, best_z


@compiled(relaxed=True)
def movable(gradient, alpha, upper, out):
    """out = |gradient| where the variable may move along it, else 0."""
    for b in range(gradient.size):
        out[b] = pull(gradient[b], alpha[b], upper[b])


@compiled(relaxed=True)
def pair_gains(gradient, violation, row, diagonal, g, q, out):
    """Twice the unconstrained gain of each variable with the first one (appendix A.1); 0 where it may not move.

    In single precision, as gains only rank. A singular Q_B counts as one of determinant 1e-6 Q_aa Q_bb, so that its
    gain is large, as the true one is.
    """
    floor = np.float32(1e-6) * q
    square, double = g * g, g + g
    for b in range(gradient.size):
        gb, r, d = np.float32(gradient[b]), np.float32(row[b]), diagonal[b]
        determinant, least = q * d - r * r, floor * d
        determinant = determinant if determinant > least else least
        gain = square * d - double * gb * r + gb * gb * q
        gain = gain if violation[b] > np.float32(0.0) else np.float32(0.0)
        out[b] = gain / determinant


@compiled
def largest_bits(bits):
    """The maximum of non-negative floats, given as their bit patterns: comparing integers vectorises."""
    top = np.int32(0)
    for b in range(bits.size):
        x = bits[b]
        top = x if x > top else top
    return top


@compiled
def position(bits, value):
    """The first index of `value`, or -1; in chunks of 32, which vectorise."""
    n = bits.size
    for start in range(0, n, 32):
        stop = min(start + 32, n)
        hit = np.int32(0)
        for b in range(start, stop):
            hit |= np.int32(bits[b] == value)
        if hit:
            for b in range(start, stop):
                if bits[b] == value:
                    return b
    return -1


@compiled
def best_partner(gradient, violation, row, diagonal, first, gains):
    """The variable of largest gain with `first`, or -1."""
    pair_gains(gradient, violation, row, diagonal, np.float32(gradient[first]), diagonal[first], gains)
    gains[first] = np.float32(0.0)
    bits = gains.view(np.int32)
    best = largest_bits(bits)
    return position(bits, best) if best > 0 else -1


@compiled(relaxed=True)
def descend(gradient, row_a, row_b, x, z):
    for b in range(gradient.size):
        gradient[b] -= x * row_a[b] + z * row_b[b]


@compiled
def solve_box(Q, gradient, alpha, upper, tolerance, limit):
    """S2DO until the violation is at most `tolerance`, or for `limit` steps; returns (steps, violation)."""
    q = gradient.size
    violation, gains, diagonal = np.empty(q, np.float32), np.empty(q, np.float32), np.empty(q, np.float32)
    bits = violation.view(np.int32)
    for b in range(q):
        diagonal[b] = Q[b, b]
    steps = 0
    while True:
        movable(gradient, alpha, upper, violation)
        top = largest_bits(bits)
        i = position(bits, top)
        if top == 0 or violation[i] <= tolerance or steps >= limit:
            return steps, float(violation[i]) if top > 0 else 0.0
        j = best_partner(gradient, violation, Q[i], diagonal, i, gains)
        if j < 0:
            move_one(Q, gradient, alpha, upper, i)
        else:
            move_two(Q, gradient, alpha, upper, i, j)
        steps += 1


@compiled
def move_one(Q, gradient, alpha, upper, i):
    x = single_step(alpha[i], gradient[i], Q[i, i], upper[i])
    x = snapped(alpha[i], x, upper[i]) - alpha[i]
    alpha[i] += x
    descend(gradient, Q[i], Q[i], x, 0.0)


@compiled
def move_two(Q, gradient, alpha, upper, i, j):
    x, z = pair_step(alpha[i], alpha[j], gradient[i], gradient[j], Q[i, i], Q[j, j], Q[i, j], upper[i], upper[j])
    new_i, new_j = snapped(alpha[i], x, upper[i]), snapped(alpha[j], z, upper[j])
    x, z = new_i - alpha[i], new_j - alpha[j]
    alpha[i], alpha[j] = new_i, new_j
    descend(gradient, Q[i], Q[j], x, z)
