"""Sequential two-dimensional optimisation of a dense box problem (Dogan, Glasmachers & Igel 2011).

maximise g'x - 1/2 x'Qx around the current point, 0 <= alpha + x <= upper.
"""

import numpy as np

from mcsvm.solvers.jit import compiled
from mcsvm.solvers.jit.bound import room_down, room_up, snapped
from mcsvm.solvers.jit.rounding import ROUNDING


@compiled
def clip(x, low, high):
    return min(max(x, low), high)


@compiled
def single_step(alpha, gradient, curvature, bound):
    """Return the exact step of one variable, which goes to a bound if the curvature vanishes."""
    if curvature > 0.0:
        return clip(gradient / curvature, -alpha, bound - alpha)
    return bound - alpha if gradient > 0.0 else -alpha


@compiled
def pair_step(a, b, ga, gb, qaa, qbb, qab, ua, ub):
    """Return the exact solution of the two-dimensional box problem (appendix A.2): inside, or on the best edge."""
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


@compiled
def mark_room(alpha, upper, up, down, b):
    """Set up[b] to 1 if variable b may rise, and down[b] to -1 if it may fall, else to 0."""
    up[b] = np.float32(1.0) if room_up(alpha[b], upper[b]) else np.float32(0.0)
    down[b] = np.float32(-1.0) if room_down(alpha[b]) else np.float32(0.0)


@compiled(relaxed=True)
def pair_gains(single, violation, row, diagonal, g, q, out):
    """Compute twice the unconstrained gain of each variable paired with the first one (appendix A.1).

    A variable that does not violate has gain 0. Single precision suffices, as gains only rank. A singular Q_B counts as
    if its determinant were 1e-6 Q_aa Q_bb, so that its gain is large, as the true gain is.
    """
    floor = np.float32(1e-6) * q
    square, double = g * g, g + g
    for b in range(single.size):
        gb, r, d = single[b], row[b], diagonal[b]
        determinant, least = q * d - r * r, floor * d
        determinant = determinant if determinant > least else least
        gain = square * d - double * gb * r + gb * gb * q
        gain = gain if violation[b] > np.float32(0.0) else np.float32(0.0)
        out[b] = gain / determinant


@compiled
def largest_bits(bits):
    """Return the maximum of non-negative floats, given as their bit patterns: comparing integers vectorises."""
    top = np.int32(0)
    for b in range(bits.size):
        x = bits[b]
        top = x if x > top else top
    return top


@compiled
def position(bits, value):
    """Return the first index of `value`, or -1; the search goes by chunks of 32, which vectorise."""
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


@compiled(relaxed=True)
def descend(gradient, row_a, row_b, x, z, up, down, single, violation):
    """Update the gradient after steps x and z, also in single precision, and the violation.

    The violation is |gradient| if the variable may move along it, else 0.
    """
    for b in range(gradient.size):
        g = gradient[b] - (x * row_a[b] + z * row_b[b])
        gradient[b] = g
        short = np.float32(g)
        single[b] = short
        rise, fall = short * up[b], short * down[b]
        violation[b] = rise if rise > fall else fall


@compiled
def solve_box(Q, gradient, alpha, upper, tolerance, limit):
    """Run S2DO until the violation is at most `tolerance`, or for `limit` steps; return (steps, violation)."""
    table = np.empty((6, gradient.size), np.float32)
    diagonal, up, down, single, violation, gains = table[0], table[1], table[2], table[3], table[4], table[5]
    for b in range(gradient.size):
        diagonal[b] = Q[b, b]
        mark_room(alpha, upper, up, down, b)
    descend(gradient, diagonal, diagonal, 0.0, 0.0, up, down, single, violation)
    steps = 0
    while True:
        top = largest_bits(violation.view(np.int32))
        i = position(violation.view(np.int32), top)
        if top == 0 or violation[i] <= tolerance or steps >= limit:
            return steps, float(violation[i]) if top > 0 else 0.0
        pair_gains(single, violation, Q[i], diagonal, single[i], diagonal[i], gains)
        gains[i] = np.float32(0.0)
        best = largest_bits(gains.view(np.int32))
        j = position(gains.view(np.int32), best) if best > 0 else i
        x, z = move(Q, gradient, alpha, upper, i, j)
        mark_room(alpha, upper, up, down, i)
        mark_room(alpha, upper, up, down, j)
        descend(gradient, Q[i], Q[j], x, z, up, down, single, violation)
        steps += 1


@compiled
def move(Q, gradient, alpha, upper, i, j):
    """Take the exact step of variables i and j, or of i alone if j = i; return their changes."""
    if i == j:
        x = single_step(alpha[i], gradient[i], Q[i, i], upper[i])
        new = snapped(alpha[i], x, upper[i])
        x, alpha[i] = new - alpha[i], new
        return x, 0.0
    x, z = pair_step(alpha[i], alpha[j], gradient[i], gradient[j], Q[i, i], Q[j, j], Q[i, j], upper[i], upper[j])
    new_i, new_j = snapped(alpha[i], x, upper[i]), snapped(alpha[j], z, upper[j])
    x, z = new_i - alpha[i], new_j - alpha[j]
    alpha[i], alpha[j] = new_i, new_j
    return x, z
