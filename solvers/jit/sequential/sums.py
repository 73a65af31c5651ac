"""Pair steps within one example, for machines with a bounded sum per example (cs).

The slack U_i - sum_p alpha_ip is a variable of gradient 0 and direction 0; it comes last in `Groups.gap`.
Variables are ordered by example; those of group e have the indices starts[e] to starts[e + 1].
"""

from typing import NamedTuple

import numpy as np

from mcsvm.solvers.jit import compiled
from mcsvm.solvers.jit.bound import given, slack_within
from mcsvm.solvers.jit.sequential.loop import BLOCK, LIMIT, MISSING, REACHED, STUCK, read_gradients, set_variable, shift

SLACK = -1  # index of the slack in place of a variable


class Groups(NamedTuple):
    """Examples with active variables; entry e of every array belongs to the same example."""

    starts: np.ndarray  # (groups + 1,)
    member: np.ndarray  # the example
    label: np.ndarray
    upper: np.ndarray
    curvature: np.ndarray  # K(x, x)
    slack: np.ndarray
    bottom: np.ndarray  # the smallest gradient among the slack and variables that may shrink
    violation: np.ndarray
    gap: np.ndarray  # (classes, slots + 1, slots + 1): squared distance of two directions, of which the last is 0
    least: np.ndarray  # (classes,) the smallest distance in `gap` of two different directions


@compiled
def slack_of(alpha, upper, i):
    """Return U_i - sum_p alpha_ip, or zero within rounding, from alpha alone: restarts thus give the same bits."""
    total = 0.0
    for p in range(alpha.shape[1]):
        total += alpha[i, p]
    return slack_within(upper - total, upper)


@compiled
def group(active, groups, labels, upper, curvature, alpha):
    """Fill in the groups; `active` is sorted by example."""
    count = -1
    for b in range(active.example.size):
        i = np.int64(active.example[b])
        if count < 0 or groups.member[count] != i:
            count += 1
            groups.starts[count], groups.member[count] = b, i
            groups.label[count], groups.upper[count], groups.curvature[count] = labels[i], upper[i], curvature[i]
            groups.slack[count] = slack_of(alpha, upper[i], i)
    groups.starts[count + 1] = active.example.size


@compiled
def extremes(active, groups, e):
    """Return the variable to grow and the one to shrink in group e, and their gradients."""
    up, down = SLACK, SLACK
    top, bottom = 0.0, 0.0 if groups.slack[e] > 0.0 else np.inf
    for b in range(groups.starts[e], groups.starts[e + 1]):
        g = active.gradient[b]
        if g > top:
            up, top = b, g
        if g < bottom and active.alpha[b] > 0.0:
            down, bottom = b, g
    return up, down, top, bottom


@compiled
def look_groups(active, groups, columns):
    """Compute the gradients of all variables and the violations of the groups; return the largest violation."""
    for block in range(active.tops.size):
        read_gradients(active, columns, block * BLOCK, min((block + 1) * BLOCK, active.gradient.size))
    largest = 0.0
    for e in range(groups.member.size):
        top, bottom = 0.0, 0.0 if groups.slack[e] > 0.0 else np.inf
        for b in range(groups.starts[e], groups.starts[e + 1]):
            g = active.gradient[b]
            top = max(top, g)
            bottom = min(bottom, g) if active.alpha[b] > 0.0 else bottom
        groups.bottom[e] = bottom
        groups.violation[e] = top - bottom
        largest = max(largest, top - bottom)
    return largest


@compiled
def gap_of(active, groups, e, up, down):
    last = groups.gap.shape[1] - 1
    return groups.gap[groups.label[e], active.slot[up] if up >= 0 else last, active.slot[down] if down >= 0 else last]


@compiled
def choose_group(active, groups, second_order):
    """Choose the group whose extreme pair has the largest gain (second order) or violation (first order)."""
    best, chosen = 0.0, 0
    for e in range(groups.member.size):
        score = groups.violation[e]
        if second_order:
            square = score * score if score > 0.0 else 0.0
            score = square / max(groups.curvature[e] * groups.least[groups.label[e]], 1e-300)
            if score > best:  # an upper bound of the gain: compute the gain itself
                up, down, _, _ = extremes(active, groups, e)
                score = square / max(groups.curvature[e] * gap_of(active, groups, e, up, down), 1e-300)
        if score > best:
            best, chosen = score, e
    return chosen


@compiled
def choose_pair(active, groups, e, second_order):
    """Choose the variable to grow by its gradient, and the one to shrink by the gain or by its gradient."""
    up, down, top, _ = extremes(active, groups, e)
    if not second_order:
        return up, down
    best = -1.0
    for b in range(groups.starts[e] - 1, groups.starts[e + 1]):
        other = b if b >= groups.starts[e] else SLACK
        usable = active.alpha[other] > 0.0 if other >= 0 else groups.slack[e] > 0.0
        difference = top - (active.gradient[other] if other >= 0 else 0.0)
        if usable and difference > 0.0:
            gain = difference * difference / max(groups.curvature[e] * gap_of(active, groups, e, up, other), 1e-300)
            if gain > best:
                best, down = gain, other
    return up, down


@compiled
def fill_up(active, moving, bound, up):
    """Set the variable that grew to U minus the others, so that rounding errors of a full sum do not accumulate."""
    i, others = active.example[up], 0.0
    for p in range(moving.alpha.shape[1]):
        others += moving.alpha[i, p] if p != active.slot[up] else 0.0
    set_variable(active, moving, up, max(bound - others, 0.0))


@compiled
def move_within(active, moving, groups, rows, tables, e, up, down):
    """Take the exact step from `down` to `up`, either of which may be the slack; return the gain of the dual."""
    g = (active.gradient[up] if up >= 0 else 0.0) - (active.gradient[down] if down >= 0 else 0.0)
    curvature = groups.curvature[e] * gap_of(active, groups, e, up, down)
    available = active.alpha[down] if down >= 0 else groups.slack[e]
    amount = available if curvature * available <= g else g / curvature
    amount = given(available, amount, available if down >= 0 else groups.upper[e])
    if up >= 0 and active.alpha[up] + amount == active.alpha[up]:
        return 0.0
    moving.change[:] = 0.0
    if up >= 0:
        set_variable(active, moving, up, min(active.alpha[up] + amount, groups.upper[e]))
        for c in range(moving.constant.size):
            moving.change[0, c] += amount * tables.direction[active.key[up], c]
    if down >= 0:
        set_variable(active, moving, down, available - amount)
        for c in range(moving.constant.size):
            moving.change[0, c] -= amount * tables.direction[active.key[down], c]
    groups.slack[e] = slack_of(moving.alpha, groups.upper[e], groups.member[e])
    if groups.slack[e] == 0.0 and up >= 0:
        fill_up(active, moving, groups.upper[e], up)
    shift(moving, rows, groups.member[e], groups.member[e])
    return amount * (g - 0.5 * max(curvature, 0.0) * amount)


@compiled
def run_within(active, moving, groups, rows, tables, wanted, second_order, stop, limit):
    """Take steps like `run_box`. STUCK: wanted[0] is the example whose pair could not move."""
    steps = 0
    while True:
        if look_groups(active, groups, moving.columns) <= stop:
            return REACHED, steps, 0
        if steps >= limit:
            return LIMIT, steps, 0
        e = choose_group(active, groups, second_order)
        wanted[0] = groups.member[e]
        if rows.slot_of[wanted[0]] < 0:
            return MISSING, steps, 1
        up, down = choose_pair(active, groups, e, second_order)
        gain = move_within(active, moving, groups, rows, tables, e, up, down)
        if not gain > 0.0:
            return STUCK, steps, 1
        steps += 1
