"""Dual coordinate steps of a linear machine: W = X' weights is kept, so that a visit costs one row of features.

A visit reads all class functions of one example, solves for its variables, and adds to W (Hsieh et al. 2008; for
bounded sums Keerthi et al. 2008). Rows are dense where `indices` is empty. Epochs go through the examples awake in a
permuted order; who is at a bound and means to stay there by more than any violation of the last epoch sleeps.
"""

from typing import Any, NamedTuple

import numpy as np

from solvers.jit import compiled
from solvers.jit.linear.example import (
    add_row,
    box_example,
    box_target,
    gradient_of,
    read_row,
    solve_box,
    solve_sum_pairs,
    sum_example,
)
from solvers.jit.linear.sum import FALL, all_members, epoch_of_sums

AWAKE, LOT = range(2)  # places in `counts`


class Rows(NamedTuple):
    values: np.ndarray  # of all rows, one after another
    indices: np.ndarray  # (stored,) int32: the feature of each; empty where all are stored
    starts: np.ndarray  # (n + 1,) int64


class Task(NamedTuple):
    """What does not change while a part is solved."""

    rule: Any  # how a variable reads the class functions, see machines/rule.py
    length: np.ndarray  # (classes, slots): of a direction, squared; 0 where there is no variable
    labels: np.ndarray
    upper: np.ndarray
    curvature: np.ndarray  # (n,) <x, x> with the offset
    offset: float
    sums: bool
    own: float  # geometry of bounded sums whose directions are all alike, 0 where they are not
    shared: float


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
    values, indices, starts, sign, margin, upper, curvature, offset, w, constant, alpha, order, awake, bar
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
        if (a <= 0.0 and g < -bar) or (a >= bound and g > bar):
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
def epoch_of_all(
    values, indices, starts, rule, lengths, labels, uppers, curvatures, offset, sums, w, constant, alphas,
    order, awake, bar,
):  # fmt: skip
    """As `epoch_of_one`, for several class functions; an example's variables are copied out and back."""
    outputs, slots, worst, s = w.shape[1], alphas.shape[1], 0.0, 0
    functions, change, between = np.empty(outputs), np.empty(outputs), np.empty(outputs)
    gradient, alpha, length = np.empty(slots), np.empty(slots), np.empty(slots)
    real = np.empty(slots, dtype=np.bool_)
    while s < awake:
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
            violation, sleeps = sum_example(real, alpha, gradient, upper, bar)
        else:
            violation, sleeps = box_example(real, alpha, gradient, upper, bar)
        if sleeps:
            awake -= 1
            order[s], order[awake] = order[awake], i
            continue
        s += 1
        if violation <= 0.0:
            continue
        worst = max(worst, violation)
        if not sums:
            solve_box(rule, y, real, length, alpha, upper, curvature, functions, change)
        else:
            solve_sum_pairs(rule, y, real, alpha, upper, curvature, functions, gradient, change, between)
        add_row(values, indices, first, last, w, change)
        for c in range(outputs):
            constant[c] += offset * change[c]
        for p in range(slots):
            alphas[i, p] = alpha[p]
    return worst, awake


@compiled
def run_epochs(rows, task, w, constant, alpha, order, counts, bar, stop, visits):
    """Epochs until `visits` visits are done or none violates; returns (visits done, whether none does).

    order[: counts[AWAKE]] are awake; bar[0] is above what an example must stay at its bounds by to sleep.
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
                w_one, constant, alpha_one, order, asked, bar[0],
            )  # fmt: skip
        else:
            worst, awake = epoch_of_all(
                rows.values, rows.indices, rows.starts, task.rule, task.length, task.labels, task.upper, task.curvature,
                task.offset, task.sums, w, constant, alpha, order, asked, bar[0],
            )  # fmt: skip
        done += max(asked, 1)
        counts[AWAKE], bar[0] = awake, worst if worst > 0.0 else np.inf
        if worst <= stop:
            counts[AWAKE], bar[0] = n, np.inf
            if asked == n:
                return done, True
    return done, False


@compiled
def run_epochs_of_sums(rows, task, w, constant, alpha, order, counts, aim, stop, visits):
    """As `run_epochs`; aim[0] is the violation at which all wake."""
    n, done = alpha.shape[0], 0
    members, sizes = np.empty(alpha.shape, dtype=np.int32), np.empty(n, dtype=np.int64)
    all_members(task.length, task.labels, members, sizes)
    claimed = False
    while done < visits and not claimed:
        asked = counts[AWAKE]
        counts[LOT] = np.int64(shuffle(order, asked, np.uint64(counts[LOT])))
        worst, awake = epoch_of_sums(
            rows.values, rows.indices, rows.starts, task.rule, task.labels, task.upper, task.curvature, task.offset,
            task.own, task.shared, w, constant, alpha, order, asked, members, sizes,
        )  # fmt: skip
        done += max(asked, 1)
        counts[AWAKE], aim[0] = awake, max(min(aim[0], worst), stop)
        if worst <= aim[0]:
            claimed = asked == n and worst <= stop
            counts[AWAKE], aim[0] = n, max(FALL * aim[0], stop)
            all_members(task.length, task.labels, members, sizes)
    return done, claimed
