"""Steps of all variables of one example (Crammer & Singer 2001; Hsu & Lin 2002, section IV).

If <d_p, d_q> = own [p = q] + shared within an example, its problem is to maximise h'a - K/2 (own |a|^2
+ shared (sum a)^2) over a >= 0, sum a <= U. The optimum is a = [u - theta]+ with u = h / (K own) and a scalar theta,
which one sort finds.
"""

import numpy as np

from mcsvm.solvers.jit import compiled
from mcsvm.solvers.jit.rounding import LAST_DIGITS
from mcsvm.solvers.jit.sequential.loop import LIMIT, MISSING, REACHED, STUCK, set_variable, shift
from mcsvm.solvers.jit.sequential.sums import look_groups, slack_of


@compiled
def threshold(u, size, ratio, bound):
    """Return (theta, whether the sum is at its bound), for u[:size] sorted in descending order.

    theta = ratio * sum(a) or, if that sum exceeds `bound`, the theta with sum(a) = bound.
    """
    count, total, theta = 0, 0.0, 0.0
    while count < size and u[count] > theta:
        total += u[count]
        count += 1
        theta = ratio * total / (1.0 + ratio * count)
    if total - count * theta <= bound:
        return theta, False
    count, total, theta = 0, 0.0, -np.inf
    while count < size and u[count] > theta:
        total += u[count]
        count += 1
        theta = (total - bound) / count
    return theta, True


@compiled
def best_vertex(gradient, alpha, bound, curvature, own, shared, out):
    """Find the best vertex if curvature <= 0: it has U at one variable, or is zero."""
    best, chosen = 0.0, -2
    for corner in range(-1, alpha.size):
        linear, square, total = 0.0, 0.0, 0.0
        for p in range(alpha.size):
            change = (bound if p == corner else 0.0) - alpha[p]
            linear += gradient[p] * change
            square += change * change
            total += change
        gain = linear - 0.5 * curvature * (own * square + shared * total * total)
        if gain > best:
            best, chosen = gain, corner
    for p in range(alpha.size):
        out[p] = alpha[p] if chosen == -2 else (bound if p == chosen else 0.0)


@compiled
def solve_example(gradient, alpha, bound, curvature, own, shared, out):
    """Compute the exact optimum over the variables of one example, from the gradient at `alpha`."""
    if curvature <= 0.0:
        best_vertex(gradient, alpha, bound, curvature, own, shared, out)
        return
    u = gradient / (curvature * own) + alpha + shared / own * alpha.sum()
    theta, full = threshold(np.sort(u)[::-1], u.size, shared / own, bound)
    for p in range(alpha.size):
        amount = u[p] - theta
        out[p] = min(amount, bound) if amount > LAST_DIGITS * abs(u[p]) else 0.0
    if full and out.sum() > 0.0:  # with tiny curvatures, rounding changes the sum: restore it
        out *= bound / out.sum()
    elif full:
        out[np.argmax(u)] = bound


@compiled
def move_example(active, moving, groups, rows, tables, e, own, shared):
    """Solve for all variables of one example; return the gain of the dual, which is 0 if nothing moves."""
    first, last = groups.starts[e], groups.starts[e + 1]
    gradient, before = active.gradient[first:last], active.alpha[first:last].copy()
    after = np.empty(before.size)
    solve_example(gradient, before, groups.upper[e], groups.curvature[e], own, shared, after)
    change = after - before
    total = change.sum()
    curved = groups.curvature[e] * (own * (change * change).sum() + shared * total * total)
    gain = (gradient * change).sum() - 0.5 * curved
    if not gain > 0.0:
        return 0.0
    moving.change[:] = 0.0
    for b in range(first, last):
        set_variable(active, moving, b, after[b - first])
        for c in range(moving.constant.size):
            moving.change[0, c] += change[b - first] * tables.direction[active.key[b], c]
    groups.slack[e] = slack_of(moving.alpha, groups.upper[e], groups.member[e])
    shift(moving, rows, groups.member[e], groups.member[e])
    return gain


@compiled
def run_examples(active, moving, groups, rows, tables, wanted, own, shared, stop, limit):
    """Take steps like `run_within`, each of all variables of the most violating example; all of them are active."""
    steps = 0
    while True:
        if look_groups(active, groups, moving.columns) <= stop:
            return REACHED, steps, 0
        if steps >= limit:
            return LIMIT, steps, 0
        e = np.argmax(groups.violation)
        wanted[0] = groups.member[e]
        if rows.slot_of[wanted[0]] < 0:
            return MISSING, steps, 1
        gain = move_example(active, moving, groups, rows, tables, e, own, shared)
        if not gain > 0.0:
            return STUCK, steps, 1
        steps += 1
