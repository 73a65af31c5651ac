"""Proximal steps: alpha = projection(anchor + sigma gradient), and its Jacobian R' P R per example.

R has a row <d_p, .> for every free variable p of the example. P is the identity or, if the sum is at its bound, the
identity minus the mean of the free variables. R' P R couples the class functions. Most examples have no free variable,
so only nonzero entries are stored.
"""

import numpy as np

from mcsvm.solvers.jit import compiled
from mcsvm.solvers.jit.rounding import ROUNDING
from mcsvm.solvers.jit.sequential.whole import threshold


@compiled(relaxed=True)
def respond(rule, real, sums, labels, upper, functions, anchor, sigma, alpha, full):
    """Set alpha = projection(anchor + sigma gradient), and `full` to whether each bounded sum is at its bound."""
    falling = np.empty(alpha.shape[1])
    for i in range(labels.size):
        y, base, total = labels[i], rule.margin_other, 0.0
        if rule.cross != 0.0:
            base -= rule.cross * functions[i, y]
        for p in range(alpha.shape[1]):
            alpha[i, p] = max(anchor[i, p] + sigma * (base - rule.other * functions[i, p]), 0.0)
        if y < alpha.shape[1]:
            own = anchor[i, y] + sigma * (rule.margin_own - rule.own * functions[i, y])
            alpha[i, y] = max(own, 0.0) if real[y, y] else 0.0
        for p in range(alpha.shape[1]):
            if not sums:
                alpha[i, p] = min(alpha[i, p], upper[i])
            total += alpha[i, p]
        full[i] = sums and total > upper[i]
        if full[i]:
            project_sum(alpha[i], upper[i], falling)


@compiled
def project_sum(point, upper, falling):
    """Project a non-negative point whose sum exceeds `upper` onto non-negative points of sum `upper`."""
    top, count, total = point.max(), 0, 0.0
    for p in range(point.size):
        if point[p] > top - upper:  # the other entries become zero
            s = count
            while s > 0 and falling[s - 1] < point[p]:
                falling[s] = falling[s - 1]
                s -= 1
            falling[s] = point[p]
            count += 1
    shift, _ = threshold(falling, count, 0.0, upper)
    for p in range(point.size):
        point[p] = max(point[p] - shift, 0.0)
        total += point[p]
    for p in range(point.size):  # restore the sum, as shifting a point far outside loses its last digits
        point[p] *= upper / total


@compiled
def reading_of(rule, y, p):
    """Return (coefficient of f_y, coefficient of f_p) in <d_p, f>."""
    return (rule.own, 0.0) if p == y else (rule.cross, rule.other)


@compiled
def couple_example(rule, y, free, full, touched, entries):
    """Compute R' P R of one example on the outputs `touched`, of which y is the first; return their number."""
    count, size, total = 0, 1, 0.0
    touched[0], entries[0, 0] = y, 0.0
    for p in range(free.size):
        if free[p]:
            at_y, at_p = reading_of(rule, y, p)
            count, total = count + 1, total + at_y
            entries[0, 0] += at_y * at_y
            if at_p != 0.0:
                touched[size] = p
                for s in range(size):
                    entries[size, s] = 0.0
                entries[size, 0], entries[size, size] = at_y * at_p, at_p * at_p
                size += 1
    if full:
        entries[0, 0] -= total * total / count
        for s in range(1, size):
            entries[s, 0] -= rule.other * total / count
            for t in range(1, s + 1):
                entries[s, t] -= rule.other * rule.other / count
    return size


@compiled
def pair_of(a, b):
    """Return the index of an unordered pair of outputs."""
    return a * (a + 1) // 2 + b if a >= b else b * (b + 1) // 2 + a


@compiled
def couplings(rule, outputs, labels, free, full):
    """Return (starts, examples, values) of R' P R; entries starts[pair] to starts[pair + 1] are those of a pair.

    A pair consists of two outputs, see `pair_of`.
    """
    touched, entries = np.empty(outputs + 2, dtype=np.int64), np.empty((outputs + 2, outputs + 2))
    starts = np.zeros(outputs * (outputs + 1) // 2 + 2, dtype=np.int64)
    examples, values = np.empty(0, dtype=np.int64), np.empty(0)
    for filling in range(2):
        for i in range(labels.size):
            some = False
            for p in range(free.shape[1]):
                some = some or free[i, p]
            if not some:
                continue
            size = couple_example(rule, labels[i], free[i], full[i], touched, entries)
            for s in range(size):
                for t in range(s + 1):
                    if abs(entries[s, t]) > ROUNDING:
                        pair = pair_of(touched[s], touched[t])
                        if filling:
                            examples[starts[pair + 1]], values[starts[pair + 1]] = i, entries[s, t]
                            starts[pair + 1] += 1
                        else:
                            starts[pair + 2] += 1
        if not filling:
            for pair in range(starts.size - 1):
                starts[pair + 1] += starts[pair]
            examples, values = np.empty(starts[-1], dtype=np.int64), np.empty(starts[-1])
    return starts[:-1], examples, values


@compiled
def couple_functions(starts, places, values, functions, out):
    """Add R_i' P_i R_i functions[i] to out[i]; entry t belongs to example i = places[t]."""
    for a in range(functions.shape[1]):
        for b in range(a + 1):
            pair = pair_of(a, b)
            for t in range(starts[pair], starts[pair + 1]):
                i = places[t]
                out[i, a] += values[t] * functions[i, b]
                if a != b:
                    out[i, b] += values[t] * functions[i, a]


@compiled
def add_squares(stored, columns, begins, examples, values, out, a, b):
    """Add sum_t values[t] x x' to out[a, :, b, :], where x is the sparse row of examples[t]."""
    for t in range(examples.size):
        first, last = begins[examples[t]], begins[examples[t] + 1]
        for e in range(first, last):
            amount = values[t] * stored[e]
            for g in range(first, last):
                out[a, columns[e], b, columns[g]] += amount * stored[g]
