"""Steps of two variables of a binary problem with exact bias, which preserve sum_i s_i alpha_i.

z = s g is the gradient along the signed variable beta = s alpha, where s = +-1 is the direction. The first variable has
the largest z among those that may rise. The second may fall, and has the largest gain (Fan, Chen & Lin 2005) or the
smallest z.
"""

import numpy as np

from mcsvm.solvers.jit import compiled
from mcsvm.solvers.jit.bound import movable, snapped
from mcsvm.solvers.jit.rounding import FLAT, HUGE
from mcsvm.solvers.jit.sequential.loop import (
    BLOCK,
    LIMIT,
    MISSING,
    REACHED,
    STUCK,
    best_in,
    read_gradients,
    set_variable,
    shift,
)


@compiled(relaxed=True)
def look_signed(active, columns):
    """Write z into `gradient`, and into `score` if beta may rise; return (max z of rising, min z of falling)."""
    gradient, alpha, upper, sign, score = active.gradient, active.alpha, active.upper, active.value, active.score
    high, low = -HUGE, HUGE
    for block in range(active.tops.size):
        first, last = block * BLOCK, min((block + 1) * BLOCK, gradient.size)
        read_gradients(active, columns, first, last)
        top = -HUGE
        for b in range(first, last):
            z = sign[0, b] * gradient[b]
            gradient[b] = z
            rises, falls = movable(sign[0, b] > 0.0, alpha[b], upper[b])
            score[b] = z if rises else -HUGE
            top = max(top, score[b])
            low = min(low, z if falls else HUGE)
        active.tops[block] = top
        high = max(high, top)
    return high, low


@compiled(relaxed=True)
def signed_gains(active, kernel, high, q, second_order):
    """Write into `gain` the gain of each variable that may fall with the one of z = `high`, and -1 for all others."""
    gradient, alpha, upper, sign, gain = active.gradient, active.alpha, active.upper, active.value, active.gain
    row, example, diagonal = active.row, active.example, active.diagonal
    for block in range(active.tops.size):
        first, last = block * BLOCK, min((block + 1) * BLOCK, gradient.size)
        for b in range(first, last):
            row[b] = kernel[example[b]]
        top = -1.0
        for b in range(first, last):
            _, falls = movable(sign[0, b] > 0.0, alpha[b], upper[b])
            difference = max(high - gradient[b], 0.0)
            curvature = max(q + diagonal[b] - 2.0 * row[b], FLAT) if second_order else 1.0
            gain[b] = difference * difference / curvature if falls else -1.0
            top = max(top, gain[b])
        active.tops[block] = top


@compiled
def signed_step(active, a, b):
    """Return the exact step by which beta_a rises and beta_b falls."""
    curvature = max(active.diagonal[a] + active.diagonal[b] - 2.0 * active.row[b], FLAT)
    room_a = active.upper[a] - active.alpha[a] if active.value[0, a] > 0.0 else active.alpha[a]
    room_b = active.alpha[b] if active.value[0, b] > 0.0 else active.upper[b] - active.alpha[b]
    return min((active.gradient[a] - active.gradient[b]) / curvature, min(room_a, room_b))


@compiled
def move_signed(active, moving, rows, a, b):
    """Take the exact step of the pair; return the gain of the dual, which is 0 if nothing moves."""
    amount = signed_step(active, a, b)
    sa, sb = active.value[0, a], active.value[0, b]
    new_a = snapped(active.alpha[a], sa * amount, active.upper[a])
    new_b = snapped(active.alpha[b], -sb * amount, active.upper[b])
    if new_a == active.alpha[a] and new_b == active.alpha[b]:
        return 0.0
    moving.change[0, 0] = sa * (new_a - active.alpha[a])
    moving.change[1, 0] = sb * (new_b - active.alpha[b])
    set_variable(active, moving, a, new_a)
    set_variable(active, moving, b, new_b)
    shift(moving, rows, np.int64(active.example[a]), np.int64(active.example[b]))
    curvature = active.diagonal[a] + active.diagonal[b] - 2.0 * active.row[b]
    return amount * (active.gradient[a] - active.gradient[b] - 0.5 * max(curvature, 0.0) * amount)


@compiled
def run_pairs(active, moving, rows, wanted, second_order, stop, limit):
    """Take steps like `run_box`; the violation is the largest z of rising minus the smallest z of falling variables."""
    steps = 0
    while True:
        high, low = look_signed(active, moving.columns)
        if high - low <= stop:
            return REACHED, steps, 0
        if steps >= limit:
            return LIMIT, steps, 0
        a = best_in(active.score, active.tops)
        wanted[0] = active.example[a]
        if rows.slot_of[wanted[0]] < 0:
            return MISSING, steps, 1
        signed_gains(active, rows.store[rows.slot_of[wanted[0]]], high, active.diagonal[a], second_order)
        b = best_in(active.gain, active.tops)
        wanted[1] = active.example[b]
        if rows.slot_of[wanted[1]] < 0:
            return MISSING, steps, 2
        gain = move_signed(active, moving, rows, a, b)
        if not gain > 0.0:
            wanted[0] = b
            return STUCK, steps, 1
        steps += 1


@compiled
def signed_violations(active):
    """Write into `score` the violation of each variable if b is the middle of [low, high]."""
    high, low = -np.inf, np.inf
    rises = np.empty(active.gradient.size, np.bool_)
    falls = np.empty(active.gradient.size, np.bool_)
    for b in range(active.gradient.size):
        rises[b], falls[b] = movable(active.value[0, b] > 0.0, active.alpha[b], active.upper[b])
        high = max(high, active.gradient[b]) if rises[b] else high
        low = min(low, active.gradient[b]) if falls[b] else low
    middle = 0.5 * (high + low)
    for b in range(active.gradient.size):
        z = active.gradient[b] - middle
        active.score[b] = max(z if rises[b] else 0.0, -z if falls[b] else 0.0)
