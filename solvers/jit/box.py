"""Sequential two-dimensional optimisation of a dense box problem (Dogan, Glasmachers & Igel 2011).

maximise g'x - 1/2 x'Qx around the current point, 0 <= alpha + x <= upper.
"""

import numpy as np

from solvers.jit import compiled

SINGULAR = 1e-12  # relative determinant below which Q_B counts as rank one
SNAP = 1e-12  # within this share of U of a bound, a variable is at it


@compiled
def clip(x, low, high):
    return min(max(x, low), high)


@compiled
def snapped(x, bound):
    if x < SNAP * bound:
        return 0.0
    if x > bound * (1.0 - SNAP):
        return bound
    return x


@compiled
def single_step(alpha, gradient, curvature, bound):
    """The exact one-dimensional step, landing on a bound where the curvature vanishes."""
    if curvature > 0.0:
        return clip(gradient / curvature, -alpha, bound - alpha)
    return bound - alpha if gradient > 0.0 else -alpha


@compiled
def pair_step(a, b, ga, gb, qaa, qbb, qab, ua, ub):
    """The exact solution of the two-dimensional box problem (appendix A.2): inside, or the best edge."""
    low_a, high_a, low_b, high_b = -a, ua - a, -b, ub - b
    determinant = qaa * qbb - qab * qab
    if determinant > SINGULAR * qaa * qbb:
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
    """out = |gradient| where the variable may move along it, else 0; returns the largest."""
    largest = 0.0
    for b in range(gradient.size):
        up = gradient[b] if alpha[b] < upper[b] else 0.0
        down = -gradient[b] if alpha[b] > 0.0 else 0.0
        out[b] = max(up, down)
        largest = max(largest, out[b])
    return largest


@compiled(relaxed=True)
def pair_gains(gradient, violation, row, diagonal, g, q, out):
    """Twice the unconstrained gain of each variable with the first one (appendix A.1); -1 where it may not move.

    Where Q_B is singular the gain is that of the nearest regular pair: large, as the true one is.
    """
    largest = -1.0
    for b in range(gradient.size):
        determinant = max(q * diagonal[b] - row[b] * row[b], SINGULAR * q * diagonal[b])
        gain = (g * g * diagonal[b] - 2.0 * g * gradient[b] * row[b] + gradient[b] * gradient[b] * q) / determinant
        out[b] = gain if violation[b] > 0.0 else -1.0
        largest = max(largest, out[b])
    return largest


@compiled
def position(values, value):
    for b in range(values.size):
        if values[b] >= value:
            return b
    return -1


@compiled
def best_partner(gradient, violation, row, diagonal, first, gains):
    """The variable of largest gain with `first`, or -1."""
    largest = pair_gains(gradient, violation, row, diagonal, gradient[first], diagonal[first], gains)
    second = position(gains, largest)
    if second != first:
        return second if largest > 0.0 else -1
    gains[first] = -1.0
    second = np.argmax(gains)
    return second if gains[second] > 0.0 else -1


@compiled(relaxed=True)
def descend(gradient, row_a, row_b, x, z):
    for b in range(gradient.size):
        gradient[b] -= x * row_a[b] + z * row_b[b]


@compiled
def solve_box(Q, gradient, alpha, upper, tolerance, limit):
    """S2DO until no variable violates by more than `tolerance`; returns (steps, violation)."""
    q = gradient.size
    violation, gains, diagonal = np.empty(q), np.empty(q), np.empty(q)
    for b in range(q):
        diagonal[b] = Q[b, b]
    steps = 0
    largest = movable(gradient, alpha, upper, violation)
    while largest > tolerance and steps < limit:
        i = position(violation, largest)
        j = best_partner(gradient, violation, Q[i], diagonal, i, gains)
        if j < 0:
            x = single_step(alpha[i], gradient[i], diagonal[i], upper[i])
            x = snapped(alpha[i] + x, upper[i]) - alpha[i]
            alpha[i] += x
            descend(gradient, Q[i], Q[i], x, 0.0)
        else:
            x, z = pair_step(alpha[i], alpha[j], gradient[i], gradient[j], diagonal[i], diagonal[j], Q[i, j], upper[i], upper[j])
            new_i, new_j = snapped(alpha[i] + x, upper[i]), snapped(alpha[j] + z, upper[j])
            x, z = new_i - alpha[i], new_j - alpha[j]
            alpha[i], alpha[j] = new_i, new_j
            descend(gradient, Q[i], Q[j], x, z)
        steps += 1
        largest = movable(gradient, alpha, upper, violation)
    return steps, largest
