"""The dense problem of a block: choice of its variables, Q from the kernel rows, and update of the functions.

alpha (slots, n) and functions (outputs, n) are stored class by class, so that loops over examples are contiguous.
"""

import numpy as np

from mcsvm.solvers.jit import compiled
from mcsvm.solvers.jit.bound import room_down, room_up, sum_has_room
from mcsvm.solvers.jit.linalg import add_scaled
from mcsvm.solvers.jit.rounding import HUGE

STRIP = 4096  # examples updated at once: 32 kB of functions per class, so that those of all classes stay in cache


@compiled
def variable_gradient(rule, functions, y, p, i):
    if p == y:
        return rule.margin_own - rule.own * functions[p, i]
    g = rule.margin_other - rule.other * functions[p, i]
    if rule.cross != 0.0:
        g -= rule.cross * functions[y, i]
    return g


@compiled
def steepest(rule, functions, labels, slots, top):
    """Set top[i] to the largest gradient of example i, or to NaN if one of them is NaN."""
    for i in range(labels.size):
        top[i] = -HUGE
        for p in range(slots):
            if (rule.own if p == labels[i] else rule.other) != 0.0:
                g = variable_gradient(rule, functions, labels[i], p, i)
                if g > top[i] or np.isnan(g):
                    top[i] = g


@compiled
def lowest_in_use(rule, functions, alpha, y, i, bound):
    """Return the smallest gradient among the nonzero variables of one example and its slack, whose gradient is 0."""
    low, total = HUGE, 0.0
    for p in range(alpha.shape[0]):
        a = alpha[p, i]
        if a > 0.0:
            total += a
            low = min(low, variable_gradient(rule, functions, y, p, i))
    return min(low, 0.0) if sum_has_room(total, bound) else low


@compiled
def pick_variables(rule, functions, alpha, labels, upper, examples, threshold, sums, member, slot, gradient, amount):
    """Choose the variables of these examples that are free or violate by more than `threshold`; return their number.

    Under bounded sums (`sums` is not None), choose the nonzero variables, and those whose gradient exceeds the smallest
    gradient of a nonzero variable or the slack, less `threshold`.
    """
    count = 0
    for t in range(examples.size):
        i = examples[t]
        y, bound = labels[i], upper[i]
        level = lowest_in_use(rule, functions, alpha, y, i, bound) - threshold if sums is not None else 0.0
        for p in range(alpha.shape[0]):
            if count == member.size:
                return count
            g, a = variable_gradient(rule, functions, y, p, i), alpha[p, i]
            if sums is not None:
                wanted = a > 0.0 or g > level
            else:
                up, down = room_up(a, bound), room_down(a)
                wanted = (up and down) or (g > threshold and up) or (g < -threshold and down)
            dead = rule.own == 0.0 if p == y else rule.other == 0.0
            if wanted and not dead:
                member[count], slot[count], gradient[count], amount[count] = t, p, g, a
                count += 1
    return count


@compiled
def cut_kernel(store, slots, examples, offset, out):
    """Set out[s, t] = K(x_s, x_t) + offset for the chosen examples."""
    for s in range(slots.size):
        row = store[slots[s]]
        for t in range(examples.size):
            out[s, t] = row[examples[t]] + offset


@compiled
def expand_row(row, member, out):
    for b in range(member.size):
        out[b] = row[member[b]]


@compiled(relaxed=True)
def couple_row(values, y, p, at_y, at_p, elsewhere, own, slot, first, second, out):
    """Set out[b] = <direction, reading_b> values[b]; a direction has one value at y, one at p, one at other classes."""
    for b in range(values.size):
        s, o = slot[b], own[b]
        left = at_p if s == p else (at_y if s == y else elsewhere)
        right = at_p if o == p else (at_y if o == y else elsewhere)
        out[b] = (second[b] * left + first[b] * right) * values[b]


@compiled
def couple(rule, kernel, member, own, slot, first, second, out):
    """Write Q[a, b] = <direction_a, direction_b> K(x_a, x_b) into `out`.

    Variable b reads first[b] * f_own + second[b] * f_slot.
    """
    values = np.empty(member.size, np.float32)
    for a in range(member.size):
        if a == 0 or member[a] != member[a - 1]:
            expand_row(kernel[member[a]], member, values)
        y, p = own[a], slot[a]
        if p == y:
            elsewhere = np.float32(rule.constant_own)
            at_y = np.float32(rule.own) + elsewhere
            couple_row(values, y, p, at_y, at_y, elsewhere, own, slot, first, second, out[a])
        else:
            elsewhere = np.float32(rule.constant_other)
            at_y = np.float32(rule.cross) + elsewhere
            at_p = np.float32(rule.other) + elsewhere
            couple_row(values, y, p, at_y, at_p, elsewhere, own, slot, first, second, out[a])


@compiled
def sparse_changes(rule, member, slot, labels, change, weights, common):
    """Compute the change of the weights of each example e: weights[e], plus common[e] on every output."""
    weights[:] = 0.0
    common[:] = 0.0
    for b in range(member.size):
        e, p, x = member[b], slot[b], change[b]
        if p == labels[b]:
            weights[e, p] += x * rule.own
            common[e] += x * rule.constant_own
        else:
            weights[e, p] += x * rule.other
            if rule.cross != 0.0:
                weights[e, labels[b]] += x * rule.cross
            common[e] += x * rule.constant_other


@compiled
def move_functions(store, slots, weights, common, functions, first, last):
    """Add sum_e (weights[e, c] + common[e]) K_e to functions[c] for columns first to last, STRIP columns at a time."""
    outputs = functions.shape[0]
    shared = np.zeros(STRIP)
    for start in range(first, last, STRIP):
        stop = min(start + STRIP, last)
        shared[:] = 0.0
        everywhere = False
        for e in range(slots.size):
            row = store[slots[e], start:stop]
            for c in range(outputs):
                if weights[e, c] != 0.0:
                    add_scaled(functions[c, start:stop], row, weights[e, c])
            if common[e] != 0.0:
                everywhere = True
                add_scaled(shared[: stop - start], row, common[e])
        if everywhere:
            for c in range(outputs):
                add_scaled(functions[c, start:stop], shared[: stop - start], 1.0)
