"""The dense problem on a block of variables, cut out of the whole."""

import numpy as np

from solvers.jit import compiled
from solvers.jit.optimality import read


@compiled
def pick_variables(functions, alpha, labels, upper, margin, index, value, real, examples, threshold, whole, member, slot, gradient, amount):
    """Variables of these examples that are free or violate by more than `threshold`; returns how many.

    With `whole`, every variable that may grow by more than -threshold or is used: what a sum constraint needs.
    """
    count = 0
    for t in range(examples.size):
        i = examples[t]
        y, bound = labels[i], upper[i]
        for p in range(alpha.shape[1]):
            if not real[y, p] or count == member.size:
                continue
            g = margin[y, p] - read(functions, i, index, value, y, p)
            a = alpha[i, p]
            if whole:
                wanted = a > 0.0 or g > -threshold
            else:
                wanted = (a > 0.0 and a < bound) or (g > threshold and a < bound) or (g < -threshold and a > 0.0)
            if wanted:
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


@compiled
def couple(kernel, member, directions, index, value, out):
    """out[a, b] = <direction_a, direction_b> K(x_a, x_b), the second direction read through its sparse row."""
    width = index.shape[1]
    for a in range(member.size):
        row, direction = kernel[member[a]], directions[a]
        if width == 1:
            for b in range(member.size):
                out[a, b] = value[b, 0] * direction[index[b, 0]] * row[member[b]]
        else:
            for b in range(member.size):
                overlap = value[b, 0] * direction[index[b, 0]] + value[b, 1] * direction[index[b, 1]]
                for t in range(2, width):
                    overlap += value[b, t] * direction[index[b, t]]
                out[a, b] = overlap * row[member[b]]


@compiled
def gather_changes(member, before, after, directions, weights):
    """weights[member] += (after - before) direction; returns nothing, zero rows are examples that did not move."""
    weights[:] = 0.0
    for a in range(member.size):
        change = after[a] - before[a]
        if change != 0.0:
            for c in range(weights.shape[1]):
                weights[member[a], c] += change * directions[a, c]
