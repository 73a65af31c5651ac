"""Pairs within one example, for machines whose sum over an example is bounded (cs).

The slack U_i - sum_p alpha_ip is a variable of gradient 0 and no curvature.
"""

import numpy as np

from solvers.jit import compiled
from solvers.jit.box import SNAP

SLACK = -1


@compiled
def extremes(gradient, alpha, slack, first, last, bound):
    """The variable to grow and the one to shrink of one example, and their difference of gradients."""
    up, down = SLACK, SLACK
    top, bottom = 0.0, 0.0 if slack > 0.0 else np.inf
    for b in range(first, last):
        if gradient[b] > top:
            up, top = b, gradient[b]
        if alpha[b] > 0.0 and gradient[b] < bottom:
            down, bottom = b, gradient[b]
    return up, down, top - bottom


@compiled
def move_pair(Q, gradient, alpha, slack, group, up, down, bound):
    """Take from `down`, give to `up` (either may be the slack) by the exact step."""
    g = (gradient[up] if up >= 0 else 0.0) - (gradient[down] if down >= 0 else 0.0)
    curvature = (Q[up, up] if up >= 0 else 0.0) + (Q[down, down] if down >= 0 else 0.0)
    if up >= 0 and down >= 0:
        curvature -= 2.0 * Q[up, down]
    available = alpha[down] if down >= 0 else slack[group]
    amount = available if curvature * available <= g else g / curvature
    if available - amount < SNAP * bound:
        amount = available
    if up >= 0:
        alpha[up] += amount
        for b in range(gradient.size):
            gradient[b] -= amount * Q[up, b]
    else:
        slack[group] += amount
    if down >= 0:
        alpha[down] = available - amount
        for b in range(gradient.size):
            gradient[b] += amount * Q[down, b]
    else:
        slack[group] = available - amount


@compiled
def solve_simplex(Q, gradient, alpha, slack, starts, upper, tolerance, limit):
    """Pair steps in the most violating example; returns (steps, violation).

    starts[e] .. starts[e+1] are the variables of example e, upper[e] and slack[e] its bound and slack.
    """
    steps = 0
    while True:
        worst, group, up, down = 0.0, -1, SLACK, SLACK
        for e in range(starts.size - 1):
            u, d, difference = extremes(gradient, alpha, slack[e], starts[e], starts[e + 1], upper[e])
            if difference > worst:
                worst, group, up, down = difference, e, u, d
        if worst <= tolerance or steps >= limit:
            return steps, worst
        move_pair(Q, gradient, alpha, slack, group, up, down, upper[group])
        steps += 1
