"""Dual coordinate steps of a linear machine: W = X' weights is stored, so that a visit costs one row of features.

A visit reads all class functions of one example, solves for its variables, and adds to W (Hsieh et al. 2008; for
bounded sums Keerthi et al. 2008). Rows are dense if `indices` is empty. An epoch visits the active examples in a
permuted order. Shrinking: an example leaves the active set if its variables are at bounds, with gradients into these
larger than the largest violation of the epoch before. An epoch may be interrupted after any visit: `counts` and `marks`
store its position.
"""

from typing import Any, NamedTuple

import numpy as np

from mcsvm.solvers.jit import compiled
from mcsvm.solvers.jit.linear.example import (
    add_row,
    box_example,
    box_target,
    gradient_of,
    read_row,
    solve_box,
    solve_sum_pairs,
    sum_example,
)
from mcsvm.solvers.jit.linear.sum import all_members, epoch_of_sums

# Indices into `counts`: number of active examples, which are order[: counts[ACTIVE]]; state of the random numbers;
# position of the epoch in the order; number of active examples when the epoch began, or -1 between two epochs.
ACTIVE, RANDOM, POSITION, BEGUN = range(4)
# Indices into `marks`: the gradient above which an example is shrunk (bounded sums: the violation below which all
# examples become active again); the largest violation seen in this epoch.
THRESHOLD, WORST = range(2)


class FeatureRows(NamedTuple):
    values: np.ndarray  # of all rows, one after another
    indices: np.ndarray  # (stored,) int32: the feature of each value; empty if all values are stored
    starts: np.ndarray  # (n + 1,) int64


class LinearProblem(NamedTuple):
    """The data of a part that stay constant while it is solved."""

    rule: Any  # how a variable reads the class functions, see machines/rule.py
    length: np.ndarray  # (classes, slots): squared length of a direction; 0 for slots without a variable
    labels: np.ndarray
    upper: np.ndarray
    curvature: np.ndarray  # (n,) <x, x> with the offset
    offset: float
    sums: bool
    own: float  # <d_p, d_q> = own [p = q] + shared within an example of a bounded sum; 0 if this does not hold
    shared: float
    # (n,) for a single class function, else empty: direction, margin and diagonal of Q
    sign: np.ndarray
    margin: np.ndarray
    diagonal: np.ndarray
    rules: Any  # tunable numbers: budget.VisitsBudget


@compiled
def shuffle(order, count, state):
    """Shuffle (Fisher-Yates) by a linear congruential generator (Knuth's MMIX); return the generator's state."""
    for last in range(count - 1, 0, -1):
        state = state * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
        other = np.int64((state >> np.uint64(33)) % np.uint64(last + 1))
        order[last], order[other] = order[other], order[last]
    return state


@compiled
def dense_product(x, w):
    """Return x'w, by four independent sums, which the processor overlaps."""
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
    values, indices, starts, sign, margin, upper, curvature, offset, w, constant, alpha, order, active, bar, s, visits
):
    """Run an epoch over order[:active] for one class function, from position s on, for at most `visits` visits.

    Return (largest violation seen, examples still active, position reached, visits). The body has no calls that pass a
    tuple of arrays, as one would cost more than the visit.
    """
    worst, dense, b = 0.0, indices.size == 0, constant[0]
    left = active - s  # falls by one in every visit
    last_left = max(left - visits, 0)
    while active - s > last_left:
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
        if (a <= 0.0 and g < -bar) or (a >= bound and g > bar):
            active -= 1
            order[s], order[active] = order[active], i
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
    return worst, active, s, left - (active - s)


@compiled
def epoch_of_all(
    values, indices, starts, rule, lengths, labels, uppers, curvatures, offset, sums, w, constant, alphas,
    order, active, bar, s, visits, passes, share,
):  # fmt: skip
    """Run an epoch like `epoch_of_one`, for several class functions, on a copy of the variables of each example."""
    outputs, slots, worst = w.shape[1], alphas.shape[1], 0.0
    left = active - s  # falls by one in every visit
    last_left = max(left - visits, 0)
    functions, change, between = np.empty(outputs), np.empty(outputs), np.empty(outputs)
    gradient, alpha, length = np.empty(slots), np.empty(slots), np.empty(slots)
    real = np.empty(slots, dtype=np.bool_)
    while active - s > last_left:
        i = order[s]
        first, last, y, upper, curvature = starts[i], starts[i + 1], labels[i], uppers[i], curvatures[i]
        for c in range(outputs):
            functions[c], change[c] = constant[c], 0.0
        read_row(values, indices, first, last, w, functions)
        for p in range(slots):
            alpha[p], length[p] = alphas[i, p], lengths[y, p]
            real[p] = length[p] > 0.0
            gradient[p] = gradient_of(rule, y, p, functions) if real[p] else 0.0
        if sums:
            violation, shrinks = sum_example(real, alpha, gradient, upper, bar)
        else:
            violation, shrinks = box_example(real, alpha, gradient, upper, bar)
        if shrinks:
            active -= 1
            order[s], order[active] = order[active], i
            continue
        s += 1
        if violation <= 0.0:
            continue
        worst = max(worst, violation)
        if not sums:
            solve_box(rule, y, real, length, alpha, upper, curvature, functions, change, passes, share)
        else:
            solve_sum_pairs(rule, y, real, alpha, upper, curvature, functions, gradient, change, between, passes, share)
        add_row(values, indices, first, last, w, change)
        for c in range(outputs):
            constant[c] += offset * change[c]
        for p in range(slots):
            alphas[i, p] = alpha[p]
    return worst, active, s, left - (active - s)


@compiled
def begin_epoch(order, counts, marks):
    """Permute the active examples, unless an interrupted epoch continues."""
    if counts[BEGUN] < 0:
        counts[RANDOM] = np.int64(shuffle(order, counts[ACTIVE], np.uint64(counts[RANDOM])))
        counts[BEGUN], counts[POSITION], marks[WORST] = counts[ACTIVE], 0, 0.0


@compiled
def end_epoch(worst, active, position, counts, marks):
    """Store the position of the epoch; return (number of examples it began with, -1 if it is not over; violation)."""
    marks[WORST] = max(marks[WORST], worst)
    counts[ACTIVE], counts[POSITION] = active, position
    if position < active:
        return -1, marks[WORST]
    begun, counts[BEGUN] = counts[BEGUN], -1
    return begun, marks[WORST]


@compiled
def run_epochs(rows, task, w, constant, alpha, order, counts, marks, stop, visits, left):
    """Run epochs until the violation is at most `stop`; return (visits, whether this was reached).

    Return early after `visits` visits, and at the end of the first epoch by which `left` visits are done.
    """
    n, done = alpha.shape[0], 0
    w_one, alpha_one = w.reshape(w.size), alpha.reshape(alpha.size)
    while True:
        begin_epoch(order, counts, marks)
        if w.shape[1] == 1:
            worst, active, position, some = epoch_of_one(
                rows.values, rows.indices, rows.starts, task.sign, task.margin, task.upper, task.diagonal, task.offset,
                w_one, constant, alpha_one, order, counts[ACTIVE], marks[THRESHOLD], counts[POSITION], visits - done,
            )  # fmt: skip
        else:
            worst, active, position, some = epoch_of_all(
                rows.values, rows.indices, rows.starts, task.rule, task.length, task.labels, task.upper, task.curvature,
                task.offset, task.sums, w, constant, alpha, order, counts[ACTIVE], marks[THRESHOLD], counts[POSITION],
                visits - done, task.rules.passes, task.rules.share,
            )  # fmt: skip
        done += max(some, 1)
        begun, worst = end_epoch(worst, active, position, counts, marks)
        if begun < 0:
            return done, False
        marks[THRESHOLD] = worst if worst > 0.0 else np.inf
        if worst <= stop:
            counts[ACTIVE], marks[THRESHOLD] = n, np.inf
            if begun == n:
                return done, True
        if done >= visits or done >= left:
            return done, False


@compiled
def run_epochs_of_sums(rows, task, w, constant, alpha, order, counts, marks, members, sizes, stop, visits, left):
    """Run epochs like `run_epochs`, for bounded sums; `members` and `sizes` list the active variables (sum.py)."""
    n, done = alpha.shape[0], 0
    while True:
        begin_epoch(order, counts, marks)
        worst, active, position, some = epoch_of_sums(
            rows.values, rows.indices, rows.starts, task.rule, task.labels, task.upper, task.curvature, task.offset,
            task.own, task.shared, w, constant, alpha, order, counts[ACTIVE], members, sizes, counts[POSITION],
            visits - done, task.rules.narrow,
        )  # fmt: skip
        done += max(some, 1)
        begun, worst = end_epoch(worst, active, position, counts, marks)
        if begun < 0:
            return done, False
        marks[THRESHOLD] = max(min(marks[THRESHOLD], worst), stop)
        if worst <= marks[THRESHOLD]:
            counts[ACTIVE], marks[THRESHOLD] = n, max(task.rules.fall * marks[THRESHOLD], stop)
            all_members(task.length, task.labels, members, sizes)
            if begun == n and worst <= stop:
                return done, True
        if done >= visits or done >= left:
            return done, False
