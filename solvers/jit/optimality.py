"""One pass over all variables: how far from optimal, and what the losses cost."""

import numpy as np

from solvers.jit import compiled

FULL = 1.0 - 1e-12  # a sum above this share of its bound is at the bound: sums are rounded differently

ROUNDING = 1e-13  # a sum this close to its bound, as a share of it, is at the bound


@compiled
def read(f, i, index, value, y, p):
    """<direction[y, p], f_i> through the sparse reading rows."""
    total = 0.0
    for t in range(index.shape[2]):
        total += value[y, p, t] * f[i, index[y, p, t]]
    return total


@compiled
def examine_box(f, alpha, labels, upper, margin, index, value, real, violations):
    """Per-example largest violation into `violations`; returns (largest, loss, linear term of the dual)."""
    n, slots = alpha.shape
    largest, loss, linear = 0.0, 0.0, 0.0
    for i in range(n):
        y, bound = labels[i], upper[i]
        worst, hinge, plain = 0.0, 0.0, 0.0
        for p in range(slots):
            if not real[y, p]:
                continue
            m, a = margin[y, p], alpha[i, p]
            g = m - read(f, i, index, value, y, p)
            plain += m * a
            if g > 0.0:
                hinge += g
                if a < bound and g > worst:
                    worst = g
            elif a > 0.0 and -g > worst:
                worst = -g
        violations[i] = worst
        loss += bound * hinge
        linear += plain
        if worst > largest:
            largest = worst
    return largest, loss, linear


@compiled
def examine_simplex(f, alpha, labels, upper, margin, index, value, real, violations):
    """As `examine_box`, for sums in [0, U_i]; the slack of the sum is a variable of gradient 0."""
    n, slots = alpha.shape
    largest, loss, linear = 0.0, 0.0, 0.0
    for i in range(n):
        y, bound = labels[i], upper[i]
        top, bottom, total, plain = 0.0, np.inf, 0.0, 0.0
        for p in range(slots):
            if not real[y, p]:
                continue
            m, a = margin[y, p], alpha[i, p]
            g = m - read(f, i, index, value, y, p)
            plain += m * a
            total += a
            if g > top:
                top = g
            if a > 0.0 and g < bottom:
                bottom = g
        if total < bound * (1.0 - ROUNDING) and bottom > 0.0:
            bottom = 0.0
        violations[i] = top - bottom
        loss += bound * top
        linear += plain
        if violations[i] > largest:
            largest = violations[i]
    return largest, loss, linear


@compiled
def equality_violation(f, alpha, labels, upper, margin, direction):
    """Binary with exact bias: (max over I_up of s g, min over I_down of s g), s the sign of the direction."""
    high, low = -np.inf, np.inf
    for i in range(alpha.shape[0]):
        y = labels[i]
        s = direction[y, 0, 0]
        z = s * margin[y, 0] - f[i, 0]
        a, bound = alpha[i, 0], upper[i]
        if (s > 0.0 and a < bound) or (s < 0.0 and a > 0.0):
            high = max(high, z)
        if (s > 0.0 and a > 0.0) or (s < 0.0 and a < bound):
            low = min(low, z)
    return high, low


@compiled
def expand(alpha, labels, direction, weights):
    """weights[i] = sum_p alpha[i, p] direction[y_i, p]."""
    n, slots = alpha.shape
    for i in range(n):
        weights[i] = 0.0
        for p in range(slots):
            a = alpha[i, p]
            if a != 0.0:
                for c in range(weights.shape[1]):
                    weights[i, c] += a * direction[labels[i], p, c]


@compiled
def count_support(alpha, labels, upper, real, per_class):
    """Support vectors, bounded ones, and support vectors per class (into `per_class`)."""
    support, bounded = 0, 0
    for i in range(alpha.shape[0]):
        y = labels[i]
        used, full = False, False
        for p in range(alpha.shape[1]):
            used = used or (real[y, p] and alpha[i, p] > 0.0)
            full = full or (real[y, p] and alpha[i, p] >= upper[i])
        support += used
        bounded += full
        per_class[y] += used
    return support, bounded
