"""Dual coordinate steps of a linear machine: W = X' weights is kept, so that a visit costs one row of features.

A visit reads all class functions of one example, solves for its variables, and adds to W (Hsieh et al. 2008; for
bounded sums Keerthi et al. 2008). Rows are dense where `indices` is empty. Epochs go through the examples awake in a
permuted order; who is at a bound and means to stay there by more than any violation of the last epoch sleeps.
"""

from typing import Any, NamedTuple

import numpy as np

from solvers.jit import compiled
from solvers.jit.sequential_whole import solve_example

AWAKE, LOT = range(2)  # places in `counts`
PASSES = 4  # over the variables of an example in one visit
GOOD_ENOUGH = 0.1  # share of an example's violation that is left for the next visit
FULL = 1.0 - 1e-12  # a sum above this share of its bound is at the bound


class Rows(NamedTuple):
    values: np.ndarray  # of all rows, one after another
    indices: np.ndarray  # (stored,) int32: the feature of each; empty where all are stored
    starts: np.ndarray  # (n + 1,) int64


class Task(NamedTuple):
    """What does not change while a part is solved."""

    rule: Any  # how a variable reads the class functions, see machines.form.Rule
    length: np.ndarray  # (classes, slots): of a direction, squared; 0 where there is no variable
    labels: np.ndarray
    upper: np.ndarray
    curvature: np.ndarray  # (n,) <x, x> with the offset
    offset: float
    own: float  # geometry of a bounded sum whose directions are all alike, 0 where they are not
    shared: float


@compiled(relaxed=True)
def read_all(rows, i, w, out):
    """out += W' x_i, W being (features, outputs)."""
    first, last = rows.starts[i], rows.starts[i + 1]
    for s in range(first, last):
        t = s - first if rows.indices.size == 0 else rows.indices[s]
        x = rows.values[s]
        for c in range(out.size):
            out[c] += x * w[t, c]


@compiled(relaxed=True)
def add_all(rows, i, w, change):
    first, last = rows.starts[i], rows.starts[i + 1]
    for s in range(first, last):
        t = s - first if rows.indices.size == 0 else rows.indices[s]
        x = rows.values[s]
        for c in range(change.size):
            w[t, c] += x * change[c]


@compiled
def gradient_of(rule, y, p, functions):
    if p == y:
        return rule.margin_own - rule.own * functions[p]
    return rule.margin_other - rule.before * functions[y] - rule.other * functions[p]


@compiled
def gradients_of(task, y, functions, gradient):
    for p in range(gradient.size):
        gradient[p] = gradient_of(task.rule, y, p, functions) if task.length[y, p] > 0.0 else 0.0


@compiled
def box_target(alpha, g, q, upper):
    """Where the optimum over one variable is."""
    if q <= 0.0:
        return upper if g > 0.0 else (0.0 if g < 0.0 else alpha)
    return min(max(alpha + g / q, 0.0), upper)


@compiled
def box_pull(alpha, g, upper):
    """The violation of one variable."""
    if g > 0.0:
        return g if alpha < upper else 0.0
    return -g if alpha > 0.0 else 0.0


@compiled
def stays(alpha, g, upper, threshold):
    """At a bound, and pulled into it by more than the threshold."""
    return (alpha <= 0.0 and g < -threshold) or (alpha >= upper and g > threshold)


@compiled
def add_direction(rule, y, p, amount, out):
    """out += amount times the direction of variable p."""
    if p == y:
        out[p] += amount * rule.own
    else:
        out[y] += amount * rule.before
        out[p] += amount * rule.other
    hidden = amount * (rule.constant_own if p == y else rule.constant_other)
    if hidden != 0.0:
        for c in range(out.size):
            out[c] += hidden


@compiled
def step_slot(task, i, y, p, amount, functions, change):
    """Variable p grows by `amount`: what that does to the weights and to the functions of its example."""
    add_direction(task.rule, y, p, amount, change)
    add_direction(task.rule, y, p, amount * task.curvature[i], functions)


@compiled
def solve_box(task, i, alpha, functions, change):
    """Passes over the variables of an example, each to its optimum."""
    y, upper, wanted = task.labels[i], task.upper[i], 0.0
    for turn in range(PASSES):
        worst = 0.0
        for p in range(alpha.shape[1]):
            if task.length[y, p] == 0.0:
                continue
            g = gradient_of(task.rule, y, p, functions)
            worst = max(worst, box_pull(alpha[i, p], g, upper))
            target = box_target(alpha[i, p], g, task.length[y, p] * task.curvature[i], upper)
            if target != alpha[i, p]:
                step_slot(task, i, y, p, target - alpha[i, p], functions, change)
                alpha[i, p] = target
        if turn == 0:
            wanted = GOOD_ENOUGH * worst
        if worst <= wanted:
            break


@compiled
def box_example(task, alpha, i, gradient, threshold):
    """(violation, may sleep)"""
    y, violation, sleeps = task.labels[i], 0.0, True
    for p in range(gradient.size):
        if task.length[y, p] > 0.0:
            violation = max(violation, box_pull(alpha[i, p], gradient[p], task.upper[i]))
            sleeps = sleeps and stays(alpha[i, p], gradient[p], task.upper[i], threshold)
    return violation, sleeps


@compiled
def ends_of(task, alpha, i, gradient):
    """(up, down, difference): which variable may grow best and which shrink, -1 being the slack."""
    y, total, up, down, top, bottom = task.labels[i], 0.0, -1, -1, 0.0, np.inf
    for p in range(gradient.size):
        total += alpha[i, p]
        if task.length[y, p] > 0.0 and alpha[i, p] > 0.0 and gradient[p] < bottom:
            down, bottom = p, gradient[p]
    if total < task.upper[i] * FULL and bottom > 0.0:
        down, bottom = -1, 0.0
    for p in range(gradient.size):
        if task.length[y, p] > 0.0 and gradient[p] > top:
            up, top = p, gradient[p]
    return up, down, top - bottom


@compiled
def sum_example(task, alpha, i, gradient, threshold):
    """As `box_example`, for a bounded sum: nothing used and nothing wanted, or all on one and that wanted most."""
    y, upper = task.labels[i], task.upper[i]
    violation = ends_of(task, alpha, i, gradient)[2]
    holder, used, best, other = -1, 0, -np.inf, 0.0
    for p in range(gradient.size):
        if task.length[y, p] > 0.0:
            best = max(best, gradient[p])
            if alpha[i, p] > 0.0:
                holder, used = p, used + 1
    if used == 0:
        return max(violation, 0.0), best < -threshold
    if used > 1 or alpha[i, holder] < upper * FULL:
        return max(violation, 0.0), False
    for p in range(gradient.size):
        if p != holder and task.length[y, p] > 0.0:
            other = max(other, gradient[p])
    return max(violation, 0.0), gradient[holder] > other + threshold


@compiled
def solve_sum_alike(task, i, alpha, functions, gradient, change):
    """The exact optimum, by a sort; the slot that is no variable stands last in it."""
    y, count = task.labels[i], 0
    inside, before = np.empty(gradient.size), np.empty(gradient.size)
    for p in range(gradient.size):
        if task.length[y, p] > 0.0:
            inside[count], before[count] = gradient[p], alpha[i, p]
            count += 1
    after = np.empty(count)
    solve_example(inside[:count], before[:count], task.upper[i], task.curvature[i], task.own, task.shared, after)
    count = 0
    for p in range(gradient.size):
        if task.length[y, p] > 0.0:
            if after[count] != alpha[i, p]:
                step_slot(task, i, y, p, after[count] - alpha[i, p], functions, change)
                alpha[i, p] = after[count]
            count += 1


@compiled
def solve_sum_pairs(task, i, alpha, functions, gradient, change):
    """Exchanges between two variables of the example, or one and the slack."""
    y, upper, wanted, between = task.labels[i], task.upper[i], np.inf, np.empty(functions.size)
    for turn in range(PASSES * gradient.size):
        up, down, difference = ends_of(task, alpha, i, gradient)
        if turn == 0:
            wanted = GOOD_ENOUGH * difference
        if difference <= 0.0 or (turn > 0 and difference <= wanted):
            break
        between[:] = 0.0
        if up >= 0:
            add_direction(task.rule, y, up, 1.0, between)
        if down >= 0:
            add_direction(task.rule, y, down, -1.0, between)
        q = (between * between).sum() * task.curvature[i]
        room = alpha[i, down] if down >= 0 else upper - alpha[i].sum()
        amount = room if q * room <= difference else difference / q
        if up >= 0:
            step_slot(task, i, y, up, amount, functions, change)
            alpha[i, up] = min(alpha[i, up] + amount, upper)
        if down >= 0:
            step_slot(task, i, y, down, -amount, functions, change)
            alpha[i, down] = 0.0 if amount >= room else alpha[i, down] - amount
        gradients_of(task, y, functions, gradient)


@compiled
def visit_all(rows, task, sums, w, constant, alpha, i, threshold, functions, gradient, change):
    """As `visit_one`, for several class functions."""
    for c in range(functions.size):
        functions[c], change[c] = constant[c], 0.0
    read_all(rows, i, w, functions)
    gradients_of(task, task.labels[i], functions, gradient)
    if sums:
        violation, sleeps = sum_example(task, alpha, i, gradient, threshold)
    else:
        violation, sleeps = box_example(task, alpha, i, gradient, threshold)
    if violation <= 0.0:
        return violation, sleeps
    if not sums:
        solve_box(task, i, alpha, functions, change)
    elif task.own > 0.0:
        solve_sum_alike(task, i, alpha, functions, gradient, change)
    else:
        solve_sum_pairs(task, i, alpha, functions, gradient, change)
    add_all(rows, i, w, change)
    for c in range(change.size):
        constant[c] += task.offset * change[c]
    return violation, False


@compiled
def shuffle(order, count, lot):
    """Fisher & Yates by a linear congruence (Knuth's MMIX); returns where the lots stand."""
    for last in range(count - 1, 0, -1):
        lot = lot * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
        other = np.int64((lot >> np.uint64(33)) % np.uint64(last + 1))
        order[last], order[other] = order[other], order[last]
    return lot


@compiled
def dense_product(x, w):
    """Four sums, so that they need not wait for each other."""
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    middle = x.size - x.size % 4
    for t in range(0, middle, 4):
        a += x[t] * w[t]
        b += x[t + 1] * w[t + 1]
        c += x[t + 2] * w[t + 2]
        d += x[t + 3] * w[t + 3]
    for t in range(middle, x.size):
        a += x[t] * w[t]
    return (a + b) + (c + d)


@compiled
def epoch_of_one(
    values, indices, starts, sign, margin, upper, curvature, offset, w, constant, alpha, order, awake, threshold
):
    """An epoch over order[:awake] of a binary machine: (the largest violation met, how many stay awake).

    All in one body: a call with a tuple of arrays would cost more than the visit.
    """
    worst, s, dense, b = 0.0, 0, indices.size == 0, constant[0]
    while s < awake:
        i = order[s]
        first, last = starts[i], starts[i + 1]
        f = b
        if dense:
            f += dense_product(values[first:last], w)
        else:
            for e in range(first, last):
                f += values[e] * w[indices[e]]
        a, bound = alpha[i], upper[i]
        g = margin[i] - sign[i] * f
        if (a <= 0.0 and g < -threshold) or (a >= bound and g > threshold):
            awake -= 1
            order[s], order[awake] = order[awake], i
            continue
        s += 1
        if (g > 0.0 and a < bound) or (g < 0.0 and a > 0.0):
            worst = max(worst, abs(g))
            target = box_target(a, g, curvature[i], bound)
            change = sign[i] * (target - a)
            alpha[i] = target
            b += offset * change
            if dense:
                for e in range(first, last):
                    w[e - first] += change * values[e]
            else:
                for e in range(first, last):
                    w[indices[e]] += change * values[e]
    constant[0] = b
    return worst, awake


@compiled
def epoch_of_all(rows, task, sums, w, constant, alpha, order, awake, threshold):
    """As `epoch_of_one`, for several class functions."""
    outputs, worst, s = w.shape[1], 0.0, 0
    functions, gradient, change = np.empty(outputs), np.empty(alpha.shape[1]), np.empty(outputs)
    while s < awake:
        i = order[s]
        violation, sleeps = visit_all(rows, task, sums, w, constant, alpha, i, threshold, functions, gradient, change)
        worst = max(worst, violation)
        if sleeps:
            awake -= 1
            order[s], order[awake] = order[awake], i
        else:
            s += 1
    return worst, awake


@compiled
def run_epochs(rows, task, sums, w, constant, alpha, order, counts, threshold, stop, visits):
    """Epochs until `visits` visits are done or none violates; returns (visits done, whether none does).

    order[: counts[AWAKE]] are awake; threshold[0] is above what an example must stay at its bounds by to sleep.
    """
    n, done = alpha.shape[0], 0
    single = w.shape[1] == 1
    w_one, alpha_one = w.reshape(w.size), alpha.reshape(alpha.size)
    sign, margin, curvature = np.empty(n), np.empty(n), np.empty(n)
    if single:
        for i in range(n):
            first = task.labels[i] == 0
            sign[i] = task.rule.own if first else task.rule.other
            margin[i] = task.rule.margin_own if first else task.rule.margin_other
            curvature[i] = task.length[task.labels[i], 0] * task.curvature[i]
    while done < visits:
        asked = counts[AWAKE]
        counts[LOT] = np.int64(shuffle(order, asked, np.uint64(counts[LOT])))
        if single:
            worst, awake = epoch_of_one(
                rows.values, rows.indices, rows.starts, sign, margin, task.upper, curvature, task.offset,
                w_one, constant, alpha_one, order, asked, threshold[0],
            )  # fmt: skip
        else:
            worst, awake = epoch_of_all(rows, task, sums, w, constant, alpha, order, asked, threshold[0])
        done += max(asked, 1)
        counts[AWAKE], threshold[0] = awake, worst if worst > 0.0 else np.inf
        if worst <= stop:
            counts[AWAKE], threshold[0] = n, np.inf
            if asked == n:
                return done, True
    return done, False
