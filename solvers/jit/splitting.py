"""The example-wise step of ADMM (methods/auto/splitting.py): z = what feasible variables make nearest to wanted + u.

Per example: minimise |z - wanted - u|^2 / 2 - m'alpha / rho over feasible alpha, z = the weights of alpha. Where all
variables share the own class function (`rule.cross`), a scalar equation couples them.
"""

import numpy as np

from solvers.jit import compiled
from solvers.jit.rounding import HUGE, SINGLE


@compiled
def boxed_level(wish, upper):
    """The root s of s = sum_p clip(wish_p - s, 0, upper): safeguarded Newton steps, as the right side falls in s."""
    low, high = 0.0, 0.0
    for p in range(wish.size):
        high += min(max(wish[p], 0.0), upper)
    s = 0.0
    while high - low > SINGLE * upper:
        total, moving = 0.0, 0.0
        for p in range(wish.size):
            x = wish[p] - s
            if x > 0.0:
                total += min(x, upper)
                moving += 1.0 if x < upper else 0.0
        if total > s:
            low = s
        else:
            high = s
        s += (total - s) / (1.0 + moving)
        if not low < s < high:
            s = 0.5 * (low + high)
    return s


@compiled
def level_of(wish, bound, slope):
    """The root of sum_p max(wish_p - level, 0) = bound + slope * level, approached from below (Michelot 1986)."""
    level = -np.inf
    while True:
        total, count = -bound, slope
        for p in range(wish.size):
            if wish[p] > level:
                total += wish[p]
                count += 1.0
        following = total / count
        if not following > level:
            return level
        level = following


@compiled
def sum_level(wish, upper, shared):
    """What is subtracted from every wish: the coupling through the own function, or the excess of the sum over U."""
    level = max(level_of(wish, 0.0, 1.0), 0.0) if shared else 0.0
    total = 0.0
    for p in range(wish.size):
        total += max(wish[p] - level, 0.0)
    return level if total <= upper else level_of(wish, upper, 0.0)


@compiled
def settle(rule, sums, labels, upper, rho, wanted, z, u, alpha):
    """One ADMM step of every example: alpha and z = its weights, nearest to wanted + u; then u += wanted - z.

    wanted, z, u are (n, outputs), alpha is (n, slots).
    """
    slots, outputs = alpha.shape[1], z.shape[1]
    wish = np.empty(slots)
    shared = rule.cross != 0.0
    for i in range(labels.size):
        y = labels[i]
        own = np.float64(wanted[i, y] + u[i, y]) if y < outputs else 0.0
        for p in range(slots):
            if p != y:
                drawn = rule.other * (wanted[i, p] + u[i, p]) + rule.cross * own
                wish[p] = drawn + rule.margin_other / rho
            else:
                wish[p] = rule.own * own + rule.margin_own / rho if rule.own != 0.0 else -HUGE
        level, top = 0.0, upper[i]
        if sums:
            level, top = sum_level(wish, upper[i], shared), np.inf
        elif shared:
            level = boxed_level(wish, upper[i])
        total = 0.0
        for p in range(slots):
            alpha[i, p] = min(max(wish[p] - level, 0.0), top)
            total += alpha[i, p]
        for c in range(outputs):
            made = alpha[i, c] * (rule.own if c == y else rule.other)
            if shared and c == y:
                made = total * rule.cross
            u[i, c] += wanted[i, c] - made
            z[i, c] = made
