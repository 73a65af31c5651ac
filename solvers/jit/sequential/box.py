"""One or two variables of a box problem per step: the loops of smo and s2do.

Dogan, Glasmachers & Igel 2011, sections 4.2 and 4.3 (choice) and appendix A (gain and step).
"""

import numpy as np

from mcsvm.solvers.jit import compiled
from mcsvm.solvers.jit.bound import snapped
from mcsvm.solvers.jit.box import pair_step, single_step
from mcsvm.solvers.jit.rounding import ROUNDING
from mcsvm.solvers.jit.sequential.loop import (
    BLOCK,
    LIMIT,
    MISSING,
    REACHED,
    STUCK,
    best_in,
    look,
    overlaps,
    set_variable,
    shift,
)


@compiled(relaxed=True)
def couple(active, coupling, kernel, offset, first, last):
    """Compute the row of Q of the first variable from the couplings of its direction and from its kernel row."""
    row, key, example = active.row, active.key, active.example
    for b in range(first, last):
        row[b] = coupling[key[b]] * (kernel[example[b]] + offset)


@compiled(relaxed=True)
def pair_gains(active, coupling, kernel, offset, g, q):
    """Compute twice the unconstrained gain of each violating variable with the first one, which has g and q = Q_aa.

    A singular Q_B counts as if its determinant were ROUNDING Q_aa Q_bb, so that its gain is large, as the true gain is.
    """
    gradient, score, diagonal, row, gain = active.gradient, active.score, active.diagonal, active.row, active.gain
    for block in range(active.tops.size):
        first, last = block * BLOCK, min((block + 1) * BLOCK, gradient.size)
        couple(active, coupling, kernel, offset, first, last)
        top = -1.0
        for b in range(first, last):
            whole = q * diagonal[b]
            determinant = max(whole - row[b] * row[b], ROUNDING * whole)
            twice = (g * g * diagonal[b] - 2.0 * g * gradient[b] * row[b] + gradient[b] * gradient[b] * q) / determinant
            gain[b] = twice if score[b] > 0.0 else -1.0
            top = max(top, gain[b])
        active.tops[block] = top


@compiled
def partner(active, rows, tables, coupling, a):
    """Return the violating variable of largest gain with `a`, or -1."""
    overlaps(tables, active.key[a], coupling)
    kernel = rows.store[rows.slot_of[active.example[a]]]
    kept, active.score[a] = active.score[a], 0.0  # paired with itself, Q_B is singular and the gain is noise
    pair_gains(active, coupling, kernel, rows.offset, active.gradient[a], active.diagonal[a])
    active.score[a] = kept
    b = best_in(active.gain, active.tops)
    return b if active.gain[b] > 0.0 else -1


@compiled
def move_one(active, moving, rows, tables, a):
    """Take the exact step of one variable; return the gain of the dual, which is 0 if nothing moves."""
    g, q, before = active.gradient[a], active.diagonal[a], active.alpha[a]
    after = snapped(before, single_step(before, g, q, active.upper[a]), active.upper[a])
    x = after - before
    if x == 0.0:
        return 0.0
    set_variable(active, moving, a, after)
    for c in range(moving.constant.size):
        moving.change[0, c], moving.change[1, c] = x * tables.direction[active.key[a], c], 0.0
    i = np.int64(active.example[a])
    shift(moving, rows, i, i)
    return x * (g - 0.5 * q * x)


@compiled
def move_two(active, moving, rows, tables, a, b):
    """Take the exact step of two variables; return the gain of the dual, which is 0 if nothing moves."""
    ga, gb, qa, qb, qab = active.gradient[a], active.gradient[b], active.diagonal[a], active.diagonal[b], active.row[b]
    old_a, old_b = active.alpha[a], active.alpha[b]
    x, z = pair_step(old_a, old_b, ga, gb, qa, qb, qab, active.upper[a], active.upper[b])
    new_a, new_b = snapped(old_a, x, active.upper[a]), snapped(old_b, z, active.upper[b])
    x, z = new_a - old_a, new_b - old_b
    gain = ga * x + gb * z - 0.5 * (qa * x * x + 2.0 * qab * x * z + qb * z * z)
    if not gain > 0.0:
        return 0.0
    set_variable(active, moving, a, new_a)
    set_variable(active, moving, b, new_b)
    for c in range(moving.constant.size):
        moving.change[0, c] = x * tables.direction[active.key[a], c]
        moving.change[1, c] = z * tables.direction[active.key[b], c]
    shift(moving, rows, np.int64(active.example[a]), np.int64(active.example[b]))
    return gain


@compiled
def run_box(active, moving, rows, tables, coupling, wanted, pairs, stop, limit):
    """Take steps until the violation is at most `stop`, `limit` is reached, or a kernel row is missing.

    Return (why, steps, count). MISSING: wanted[:count] are the examples whose kernel rows are needed. STUCK: wanted[0]
    is the variable that could not move.
    """
    steps = 0
    while True:
        if look(active, moving.columns) <= stop:
            return REACHED, steps, 0
        if steps >= limit:
            return LIMIT, steps, 0
        a = best_in(active.score, active.tops)
        wanted[0] = active.example[a]
        if rows.slot_of[wanted[0]] < 0:
            return MISSING, steps, 1
        b = partner(active, rows, tables, coupling, a) if pairs else -1
        gain = 0.0
        if b >= 0:
            wanted[1] = active.example[b]
            if rows.slot_of[wanted[1]] < 0:
                return MISSING, steps, 2
            gain = move_two(active, moving, rows, tables, a, b)
        if not gain > 0.0:
            gain = move_one(active, moving, rows, tables, a)
        if not gain > 0.0:
            wanted[0] = a
            return STUCK, steps, 1
        steps += 1
