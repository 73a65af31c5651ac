"""Pair steps within one example of a dense problem with bounded sums (cs), and projections onto given sums.

The slack U_i - sum_p alpha_ip counts as a variable of gradient 0 and curvature 0.
"""

import numpy as np

from mcsvm.solvers.jit import compiled
from mcsvm.solvers.jit.bound import given, slack_within
from mcsvm.solvers.jit.linalg import add_scaled

SLACK = -1  # index of the slack in place of a variable


@compiled
def extremes(gradient, alpha, slack, first, last, bound):
    """Return (variable to grow, variable to shrink, violation) of one example, by its largest and smallest gradient."""
    up, down = SLACK, SLACK
    top, bottom = 0.0, 0.0 if slack_within(slack, bound) > 0.0 else np.inf
    for b in range(first, last):
        if gradient[b] > top:
            up, top = b, gradient[b]
        if alpha[b] > 0.0 and gradient[b] < bottom:
            down, bottom = b, gradient[b]
    return up, down, top - bottom


@compiled
def move_pair(Q, gradient, alpha, slack, group, up, down, bound):
    """Take the exact step from `down` to `up`, either of which may be the slack."""
    g = (gradient[up] if up >= 0 else 0.0) - (gradient[down] if down >= 0 else 0.0)
    curvature = (Q[up, up] if up >= 0 else 0.0) + (Q[down, down] if down >= 0 else 0.0)
    if up >= 0 and down >= 0:
        curvature -= 2.0 * Q[up, down]
    available = alpha[down] if down >= 0 else slack[group]
    amount = available if curvature * available <= g else g / curvature
    amount = given(available, amount, available if down >= 0 else bound)
    if up >= 0:
        alpha[up] += amount
        add_scaled(gradient, Q[up], -amount)
    else:
        slack[group] += amount
    if down >= 0:
        alpha[down] = available - amount
        add_scaled(gradient, Q[down], amount)
    else:
        slack[group] = available - amount


@compiled
def solve_simplex(Q, gradient, alpha, slack, starts, upper, tolerance, limit, share):
    """Sweep over the examples with pair steps within each; return (steps, violation).

    starts[e] to starts[e + 1] are the variables of example e, upper[e] and slack[e] its bound and slack. A sweep steps
    in every example that violates by more than `share` of the worst violation of the sweep before: looking at an
    example costs next to nothing compared with a step.
    """
    steps, wanted = 0, np.inf
    while True:
        worst = 0.0
        for e in range(starts.size - 1):
            first, last = starts[e], starts[e + 1]
            up, down, difference = extremes(gradient, alpha, slack[e], first, last, upper[e])
            worst = max(worst, difference)
            for _ in range(last - first):
                if difference <= max(tolerance, min(share * wanted, 0.5 * worst)) or steps >= limit:
                    break
                move_pair(Q, gradient, alpha, slack, e, up, down, upper[e])
                steps += 1
                up, down, difference = extremes(gradient, alpha, slack[e], first, last, upper[e])
        wanted = worst
        if worst <= tolerance or steps >= limit:
            return steps, worst


@compiled
def project_sums(value, group, bound):
    """Return the nearest point with non-negative entries and group sums equal to `bound` (Michelot 1986)."""
    groups = group.max() + 1
    shift, sums, counts, target = np.full(groups, -np.inf), np.zeros(groups), np.zeros(groups), np.zeros(groups)
    for b in range(value.size):
        target[group[b]] = bound[b]
    for _ in range(value.size):
        before = shift.copy()
        sums[:], counts[:] = 0.0, 0.0
        for b in range(value.size):
            if value[b] > shift[group[b]]:
                sums[group[b]] += value[b]
                counts[group[b]] += 1.0
        for e in range(groups):
            shift[e] = (sums[e] - target[e]) / counts[e]
        if np.all(shift == before):
            break
    out = np.empty(value.size)
    sums[:] = 0.0
    for b in range(value.size):
        out[b] = max(0.0, value[b] - shift[group[b]])
        sums[group[b]] += out[b]
    for b in range(value.size):  # restore the sums, as shifting a value far outside loses its last digits
        if sums[group[b]] > 0.0:
            out[b] *= target[group[b]] / sums[group[b]]
    return out


@compiled
def project_box_sum(value, low, high, total):
    """Return the nearest point within bounds whose sum is `total`, by bisection on the common shift."""
    left, right = (value - high).min(), (value - low).max()
    out = np.empty(value.size)
    for _ in range(200):
        shift = 0.5 * (left + right)
        reached = 0.0
        for b in range(value.size):
            out[b] = min(max(value[b] - shift, low[b]), high[b])
            reached += out[b]
        if reached == total or shift in (left, right):
            break
        left, right = (shift, right) if reached > total else (left, shift)
    for _ in range(3):  # restore the sum by free values, as shifting values far outside loses their last digits
        lacking, free = total, 0.0
        for b in range(value.size):
            lacking -= out[b]
            free += 1.0 if low[b] < out[b] < high[b] else 0.0
        if free == 0.0 or lacking == 0.0:
            break
        for b in range(value.size):
            if low[b] < out[b] < high[b]:
                out[b] = min(max(out[b] + lacking / free, low[b]), high[b])
    return out
