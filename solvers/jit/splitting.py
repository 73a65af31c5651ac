"""The example-wise step of ADMM (methods/auto/splitting.py).

For each example it minimises |z - target - u|^2 / 2 - m'alpha / rho over feasible alpha, where z is the weights of
alpha. If all variables read the function of the own class (`rule.cross`), a scalar equation couples them.
"""

import numpy as np

from mcsvm.solvers.jit import compiled
from mcsvm.solvers.jit.rounding import HUGE, SINGLE


@compiled
def boxed_level(point, upper):
    """Return the root of s = sum_p clip(point_p - s, 0, upper), by safeguarded Newton steps (the sum falls in s)."""
    low, high = 0.0, 0.0
    for p in range(point.size):
        high += min(max(point[p], 0.0), upper)
    s = 0.0
    while high - low > SINGLE * upper:
        total, moving = 0.0, 0.0
        for p in range(point.size):
            x = point[p] - s
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
def level_of(point, bound, slope):
    """Return the root of sum_p max(point_p - level, 0) = bound + slope * level, from below (Michelot 1986)."""
    level = -np.inf
    while True:
        total, count = -bound, slope
        for p in range(point.size):
            if point[p] > level:
                total += point[p]
                count += 1.0
        following = total / count
        if not following > level:
            return level
        level = following


@compiled
def sum_level(point, upper, shared):
    """Return the number to subtract from every entry: the coupling through the own function if `shared`, else 0.

    If the sum would then exceed U, return the number that makes it U.
    """
    level = max(level_of(point, 0.0, 1.0), 0.0) if shared else 0.0
    total = 0.0
    for p in range(point.size):
        total += max(point[p] - level, 0.0)
    return level if total <= upper else level_of(point, upper, 0.0)


@compiled
def example_steps(rule, sums, labels, upper, rho, target, z, u, alpha):
    """Take one ADMM step of every example: find alpha with weights z nearest to target + u, then add target - z to u.

    target, z, u are (n, outputs), alpha is (n, slots).
    """
    slots, outputs = alpha.shape[1], z.shape[1]
    point = np.empty(slots)
    shared = rule.cross != 0.0
    for i in range(labels.size):
        y = labels[i]
        own = np.float64(target[i, y] + u[i, y]) if y < outputs else 0.0
        for p in range(slots):
            if p != y:
                value = rule.other * (target[i, p] + u[i, p]) + rule.cross * own
                point[p] = value + rule.margin_other / rho
            else:
                point[p] = rule.own * own + rule.margin_own / rho if rule.own != 0.0 else -HUGE
        level, top = 0.0, upper[i]
        if sums:
            level, top = sum_level(point, upper[i], shared), np.inf
        elif shared:
            level = boxed_level(point, upper[i])
        total = 0.0
        for p in range(slots):
            alpha[i, p] = min(max(point[p] - level, 0.0), top)
            total += alpha[i, p]
        for c in range(outputs):
            weight = alpha[i, c] * (rule.own if c == y else rule.other)
            if shared and c == y:
                weight = total * rule.cross
            u[i, c] += target[i, c] - weight
            z[i, c] = weight
