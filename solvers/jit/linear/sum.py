"""Epochs of dual coordinate steps for bounded sums (cs, adm), with shrinking of variables (Keerthi et al. 2008).

This is for machines with <d_p, d_q> = own [p = q] + shared within an example and no variable of the own class. Most
examples end with one variable at U or all at zero. Variables and examples are shrunk as soon as their gradients keep
them there. All become active again when the violation of the active ones falls below a threshold, which also falls. The
cost of a visit depends only on the active variables: those of example i are members[i, :sizes[i]].
"""

import numpy as np

from mcsvm.solvers.jit import compiled
from mcsvm.solvers.jit.bound import sum_has_room
from mcsvm.solvers.jit.linear.example import read_row
from mcsvm.solvers.jit.rounding import LAST_DIGITS
from mcsvm.solvers.jit.sequential.whole import threshold


@compiled
def all_members(lengths, labels, members, sizes):
    """Make all variables of every example active."""
    for i in range(labels.size):
        sizes[i] = 0
        for p in range(members.shape[1]):
            if lengths[labels[i], p] > 0.0:
                members[i, sizes[i]] = p
                sizes[i] += 1


@compiled
def product(values, indices, first, last, w, c):
    """Return <x, w_c> of a row of features; dense rows use four independent sums, which the processor overlaps."""
    a, b, d, e = 0.0, 0.0, 0.0, 0.0
    if indices.size:
        for t in range(first, last):
            a += values[t] * w[indices[t], c]
        return a
    middle = last - (last - first) % 4
    for t in range(first, middle, 4):
        a += values[t] * w[t - first, c]
        b += values[t + 1] * w[t + 1 - first, c]
        d += values[t + 2] * w[t + 2 - first, c]
        e += values[t + 3] * w[t + 3 - first, c]
    for t in range(middle, last):
        a += values[t] * w[t - first, c]
    return (a + b) + (d + e)


@compiled
def add_multiple(values, indices, first, last, amount, w, c):
    if indices.size:
        for t in range(first, last):
            w[indices[t], c] += amount * values[t]
    else:
        for t in range(first, last):
            w[t - first, c] += amount * values[t]


@compiled
def solve_members(i, alphas, gradient, members, size, upper, curvature, ratio, total, top, falling):
    """Replace the gradients of the active variables by their steps to the optimum (jit/sequential/whole.py)."""
    if curvature <= 0.0:  # a row of zeros: the variable of the largest gradient takes all of U
        left = upper
        for t in range(size):
            p = members[i, t]
            target = left if gradient[p] == top else 0.0
            left -= target
            gradient[p] = target - alphas[i, p]
        return
    for t in range(size):
        p = members[i, t]
        u, s = gradient[p] / curvature + alphas[i, p] + ratio * total, t
        while s > 0 and falling[s - 1] < u:
            falling[s] = falling[s - 1]
            s -= 1
        falling[s], gradient[p] = u, u
    theta, full = threshold(falling, size, ratio, upper)
    best, reached = members[i, 0], 0.0
    for t in range(size):
        p = members[i, t]
        best = p if gradient[p] == falling[0] else best
        amount = gradient[p] - theta
        gradient[p] = min(amount, upper) if amount > LAST_DIGITS * abs(gradient[p]) else 0.0
        reached += gradient[p]
    if full and reached <= 0.0:
        gradient[best], reached = upper, upper
    scale = upper / reached if full else 1.0  # with tiny curvatures, rounding changes the sum: restore it
    for t in range(size):
        p = members[i, t]
        gradient[p] = scale * gradient[p] - alphas[i, p]


@compiled
def shrink_variables(i, alphas, gradient, bottom, members, size):
    """Shrink variables at zero with a gradient below `bottom`, moving them to the end; return how many stay active."""
    t = 0
    while t < size:
        p = members[i, t]
        if alphas[i, p] <= 0.0 and gradient[p] < bottom:
            size -= 1
            members[i, t], members[i, size] = members[i, size], p
        else:
            t += 1
    return size


@compiled
def shift_all(values, indices, first, last, offset, amount, w, constant):
    """Add a multiple of the row to every class function, for directions with a constant on all outputs."""
    for c in range(w.shape[1]):
        add_multiple(values, indices, first, last, amount, w, c)
        constant[c] += offset * amount


@compiled
def epoch_of_sums(
    values, indices, starts, rule, labels, uppers, curvatures, offset, own, shared, w, constant, alphas,
    order, active, members, sizes, s, visits, narrow,
):  # fmt: skip
    """Run an epoch over order[:active], like `epoch_of_one`, for bounded sums."""
    gradient, falling, functions = np.empty(alphas.shape[1]), np.empty(alphas.shape[1]), np.empty(w.shape[1])
    worst, ratio, left, last_left = 0.0, shared / own, active - s, max(active - s - visits, 0)
    while active - s > last_left:
        i = order[s]
        first, last, upper, y, size = starts[i], starts[i + 1], uppers[i], labels[i], sizes[i]
        base, total, used, top, bottom, wide = rule.margin_other, 0.0, 0, 0.0, np.inf, size > narrow
        if wide:
            functions[:] = constant
            read_row(values, indices, first, last, w, functions)
        if rule.cross != 0.0:
            f = functions[y] if wide else constant[y] + product(values, indices, first, last, w, y)
            base -= rule.cross * f
        for t in range(size):
            p = members[i, t]
            f = functions[p] if wide else constant[p] + product(values, indices, first, last, w, p)
            gradient[p] = base - rule.other * f
            top = max(top, gradient[p])
            if alphas[i, p] > 0.0:
                total, used, bottom = total + alphas[i, p], used + 1, min(bottom, gradient[p])
        slack = sum_has_room(total, upper)
        if slack:
            bottom = min(bottom, 0.0)
        sizes[i] = size = shrink_variables(i, alphas, gradient, bottom, members, size)
        if size == 0 or (size == used == 1 and not slack and bottom > 0.0):
            order[s], order[active - 1], active = order[active - 1], i, active - 1
            continue
        s += 1
        if top > bottom:
            worst, moved = max(worst, top - bottom), 0.0
            solve_members(i, alphas, gradient, members, size, upper, own * curvatures[i], ratio, total, top, falling)
            for t in range(size):
                p, change = members[i, t], gradient[members[i, t]]
                if change != 0.0:
                    moved, alphas[i, p] = moved + change, alphas[i, p] + change
                    constant[p] += offset * change * rule.other
                    add_multiple(values, indices, first, last, change * rule.other, w, p)
            if rule.cross != 0.0:
                constant[y] += offset * moved * rule.cross
                add_multiple(values, indices, first, last, moved * rule.cross, w, y)
            if rule.constant_other != 0.0:
                shift_all(values, indices, first, last, offset, moved * rule.constant_other, w, constant)
    return worst, active, s, left - (active - s)
