"""Two variables of a binary problem with exact bias per step, which keeps sum_i s_i alpha_i.

z = s g is the gradient along the signed variable beta = s alpha, s = +-1 the direction. The first variable is the most
violating that may rise, the second of largest gain (Fan, Chen & Lin 2005) or the most violating that may fall.
"""

import numpy as np

from solvers.jit import compiled
from solvers.jit.bound import movable, snapped
from solvers.jit.rounding import FLAT, HUGE
from solvers.jit.sequential.loop import BLOCK, LIMIT, MISSING, REACHED, STUCK, best_in, read_gradients, settle, shift


@compiled(relaxed=True)
def look_signed(awake, columns):
    """z into `gradient`; `score` is z where beta may rise; returns (max over rising, min over falling)."""
    gradient, alpha, upper, sign, score = awake.gradient, awake.alpha, awake.upper, awake.value, awake.score
    high, low = -HUGE, HUGE
    for block in range(awake.tops.size):
        first, last = block * BLOCK, min((block + 1) * BLOCK, gradient.size)
        read_gradients(awake, columns, first, last)
        top = -HUGE
        for b in range(first, last):
            z = sign[0, b] * gradient[b]
            gradient[b] = z
            rises, falls = movable(sign[0, b] > 0.0, alpha[b], upper[b])
            score[b] = z if rises else -HUGE
            top = max(top, score[b])
            low = min(low, z if falls else HUGE)
        awake.tops[block] = top
        high = max(high, top)
    return high, low


@compiled(relaxed=True)
def signed_gains(awake, kernel, high, q, second_order):
    """Into `gain`: the gain of each variable that may fall with the one at `high`, -1 where it may not."""
    gradient, alpha, upper, sign, gain = awake.gradient, awake.alpha, awake.upper, awake.value, awake.gain
    row, example, diagonal = awake.row, awake.example, awake.diagonal
    for block in range(awake.tops.size):
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
        awake.tops[block] = top


@compiled
def signed_step(awake, a, b):
    """The exact step by which beta_a rises and beta_b falls."""
    curvature = max(awake.diagonal[a] + awake.diagonal[b] - 2.0 * awake.row[b], FLAT)
    room_a = awake.upper[a] - awake.alpha[a] if awake.value[0, a] > 0.0 else awake.alpha[a]
    room_b = awake.alpha[b] if awake.value[0, b] > 0.0 else awake.upper[b] - awake.alpha[b]
    return min((awake.gradient[a] - awake.gradient[b]) / curvature, min(room_a, room_b))


@compiled
def move_signed(awake, moving, rows, a, b):
    """The exact step of the pair; returns the gain of the dual, 0 where nothing moves."""
    amount = signed_step(awake, a, b)
    sa, sb = awake.value[0, a], awake.value[0, b]
    new_a = snapped(awake.alpha[a], sa * amount, awake.upper[a])
    new_b = snapped(awake.alpha[b], -sb * amount, awake.upper[b])
    if new_a == awake.alpha[a] and new_b == awake.alpha[b]:
        return 0.0
    moving.change[0, 0] = sa * (new_a - awake.alpha[a])
    moving.change[1, 0] = sb * (new_b - awake.alpha[b])
    settle(awake, moving, a, new_a)
    settle(awake, moving, b, new_b)
    shift(moving, rows, np.int64(awake.example[a]), np.int64(awake.example[b]))
    curvature = awake.diagonal[a] + awake.diagonal[b] - 2.0 * awake.row[b]
    return amount * (awake.gradient[a] - awake.gradient[b] - 0.5 * max(curvature, 0.0) * amount)


@compiled
def run_pairs(awake, moving, rows, wanted, second_order, stop, limit):
    """As `run_box`, the violation being the largest difference between rising and falling."""
    steps = 0
    while True:
        high, low = look_signed(awake, moving.columns)
        if high - low <= stop:
            return REACHED, steps, 0
        if steps >= limit:
            return LIMIT, steps, 0
        a = best_in(awake.score, awake.tops)
        wanted[0] = awake.example[a]
        if rows.slot_of[wanted[0]] < 0:
            return MISSING, steps, 1
        signed_gains(awake, rows.store[rows.slot_of[wanted[0]]], high, awake.diagonal[a], second_order)
        b = best_in(awake.gain, awake.tops)
        wanted[1] = awake.example[b]
        if rows.slot_of[wanted[1]] < 0:
            return MISSING, steps, 2
        gain = move_signed(awake, moving, rows, a, b)
        if not gain > 0.0:
            wanted[0] = b
            return STUCK, steps, 1
        steps += 1


@compiled
def signed_violations(awake):
    """Into `score`: the violation of each variable with b at the middle of [low, high]."""
    high, low = -np.inf, np.inf
    rises = np.empty(awake.gradient.size, np.bool_)
    falls = np.empty(awake.gradient.size, np.bool_)
    for b in range(awake.gradient.size):
        rises[b], falls[b] = movable(awake.value[0, b] > 0.0, awake.alpha[b], awake.upper[b])
        high = max(high, awake.gradient[b]) if rises[b] else high
        low = min(low, awake.gradient[b]) if falls[b] else low
    middle = 0.5 * (high + low)
    for b in range(awake.gradient.size):
        z = awake.gradient[b] - middle
        awake.score[b] = max(z if rises[b] else 0.0, -z if falls[b] else 0.0)
