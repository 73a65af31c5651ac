"""The dense problem on a block of variables: cut out of the whole, and its result put back.

alpha and functions come class by class, (slots, n) and (outputs, n), so that scans run along examples.
"""

import numpy as np

from solvers.jit import compiled
from solvers.jit.optimality import FULL

STRIP = 4096  # columns of the functions updated at once: a strip of all classes stays in cache


@compiled
def variable_gradient(rule, functions, y, p, i):
    if p == y:
        return rule.margin_own - rule.own * functions[p, i]
    g = rule.margin_other - rule.other * functions[p, i]
    if rule.before != 0.0:
        g -= rule.before * functions[y, i]
    return g


@compiled
def own_functions(functions, labels, out):
    for i in range(labels.size):
        out[i] = functions[labels[i], i]


@compiled(relaxed=True)
def scan_slot(rule, p, function, own, alpha, labels, upper, worst):
    """Raise `worst` to |gradient| of this slot's variables where they may move along it."""
    for i in range(labels.size):
        mine = labels[i] == p
        g = rule.margin_own - rule.own * function[i] if mine else rule.margin_other - rule.before * own[i] - rule.other * function[i]
        a = alpha[i]
        up = g if a < upper[i] else 0.0
        down = -g if a > 0.0 else 0.0
        v = up if up > down else down
        worst[i] = v if v > worst[i] else worst[i]


@compiled(relaxed=True)
def scan_sum_slot(rule, p, function, own, alpha, labels, top, bottom, total):
    """As `scan_slot` for sums: the largest gradient, the smallest one in use, and the sum."""
    for i in range(labels.size):
        mine = labels[i] == p
        g = rule.margin_own - rule.own * function[i] if mine else rule.margin_other - rule.before * own[i] - rule.other * function[i]
        a = alpha[i]
        low = g if a > 0.0 else 1e300
        top[i] = g if g > top[i] else top[i]
        bottom[i] = low if low < bottom[i] else bottom[i]
        total[i] += a


@compiled(relaxed=True)
def close_sums(top, bottom, total, upper, worst):
    for i in range(top.size):
        low = 0.0 if total[i] < upper[i] * FULL and bottom[i] > 0.0 else bottom[i]
        worst[i] = top[i] - low


@compiled
def largest(values):
    top = 0.0
    for i in range(values.size):
        top = values[i] if values[i] > top else top
    return top


@compiled
def scan_box(rule, functions, alpha, labels, upper, own, worst):
    """Every example's largest violation; returns the largest of all."""
    if rule.before != 0.0:
        own_functions(functions, labels, own)
    worst[:] = 0.0
    for p in range(alpha.shape[0]):
        scan_slot(rule, p, functions[p], own, alpha[p], labels, upper, worst)
    return largest(worst)


@compiled
def scan_simplex(rule, functions, alpha, labels, upper, own, worst):
    n = labels.size
    if rule.before != 0.0:
        own_functions(functions, labels, own)
    top, bottom, total = np.zeros(n), np.full(n, 1e300), np.zeros(n)
    for p in range(alpha.shape[0]):
        scan_sum_slot(rule, p, functions[p], own, alpha[p], labels, top, bottom, total)
    close_sums(top, bottom, total, upper, worst)
    return largest(worst)


@compiled
def pick_variables(rule, functions, alpha, labels, upper, examples, threshold, sums, member, slot, gradient, amount):
    """Variables of these examples that are free or violate by more than `threshold`; returns how many.

    Under sums, those in use or close to wanting to be: what a sum constraint trades between.
    """
    count = 0
    for t in range(examples.size):
        i = examples[t]
        y, bound = labels[i], upper[i]
        for p in range(alpha.shape[0]):
            if count == member.size:
                return count
            g, a = variable_gradient(rule, functions, y, p, i), alpha[p, i]
            if sums:
                wanted = a > 0.0 or g > -threshold
            else:
                wanted = (a > 0.0 and a < bound) or (g > threshold and a < bound) or (g < -threshold and a > 0.0)
            dead = rule.own == 0.0 if p == y else rule.other == 0.0
            if wanted and not dead:
                member[count], slot[count], gradient[count], amount[count] = t, p, g, a
                count += 1
    return count


@compiled
def cut_kernel(store, slots, examples, offset, out):
    """out[s, t] = K(x_s, x_t) + offset for the chosen examples."""
    for s in range(slots.size):
        row = store[slots[s]]
        for t in range(examples.size):
            out[s, t] = row[examples[t]] + offset


@compiled(relaxed=True)
def couple_row(row, direction, member, first, second, slot, own, out):
    for b in range(member.size):
        out[b] = (second[b] * direction[slot[b]] + first[b] * direction[own[b]]) * row[member[b]]


@compiled
def couple(kernel, member, slot, own, directions, first, second, out):
    """out[a, b] = <direction_a, direction_b> K(x_a, x_b); b is read as first * f_own + second * f_slot."""
    for a in range(member.size):
        couple_row(kernel[member[a]], directions[a], member, first, second, slot, own, out[a])


@compiled
def sparse_changes(rule, member, slot, labels, change, weights, common):
    """The change of every example's weights as weights[e] + common[e] on all outputs."""
    weights[:] = 0.0
    common[:] = 0.0
    for b in range(member.size):
        e, p, x = member[b], slot[b], change[b]
        if p == labels[b]:
            weights[e, p] += x * rule.own
            common[e] += x * rule.constant_own
        else:
            weights[e, p] += x * rule.other
            if rule.before != 0.0:
                weights[e, labels[b]] += x * rule.before
            common[e] += x * rule.constant_other


@compiled(relaxed=True)
def add_scaled(target, row, factor):
    for i in range(target.size):
        target[i] += factor * row[i]


@compiled
def move_functions(store, slots, weights, common, functions):
    """functions[c] += sum_e (weights[e, c] + common[e]) K_e, a strip of columns at a time."""
    outputs, n = functions.shape
    shared = np.zeros(n)
    everywhere = False
    for start in range(0, n, STRIP):
        stop = min(start + STRIP, n)
        for e in range(slots.size):
            row = store[slots[e], start:stop]
            for c in range(outputs):
                if weights[e, c] != 0.0:
                    add_scaled(functions[c, start:stop], row, weights[e, c])
            if common[e] != 0.0:
                everywhere = True
                add_scaled(shared[start:stop], row, common[e])
    if everywhere:
        for c in range(outputs):
            add_scaled(functions[c], shared, 1.0)
