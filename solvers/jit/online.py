"""Steps of LASVM (Bordes, Ertekin, Weston & Bottou 2005; second-order choice: Glasmachers & Igel 2008).

A binary machine with exact bias stores only the examples that it keeps. beta = s alpha, where s = +-1 is the class;
low <= beta <= high, and one of these bounds is 0; z = s * margin - f without b. A pair violates if z of an example
whose beta may rise exceeds z of one whose beta may fall.
"""

from typing import NamedTuple

import numpy as np

from mcsvm.solvers.jit import compiled
from mcsvm.solvers.jit.bound import reached
from mcsvm.solvers.jit.rounding import FLAT

LIMIT, REACHED, MISSING, STUCK = 0, 1, 2, 3  # why `reprocess` returned: limit, tolerance, missing row, no movement


class Kept(NamedTuple):
    """The examples that a machine keeps: the first length[0] entries."""

    slot: np.ndarray  # int64: index of the example in the pool
    z: np.ndarray
    beta: np.ndarray
    low: np.ndarray
    high: np.ndarray
    length: np.ndarray  # (1,) int64
    dropped: np.ndarray  # int64: slots of examples dropped by the last call
    drops: np.ndarray  # (1,) int64: number of these slots


class CachedRows(NamedTuple):
    """Kernel rows by slot: the row of slot p is store[row_of[p]], or missing if row_of[p] is negative."""

    store: np.ndarray
    row_of: np.ndarray
    diagonal: np.ndarray
    used: np.ndarray  # by row: the clock at its last use
    clock: np.ndarray  # (1,)


@compiled
def expansion_at(kept, row):
    """Return f of an example, without b, from its kernel values by slot."""
    total = 0.0
    for b in range(kept.length[0]):
        if kept.beta[b] != 0.0:
            total += kept.beta[b] * row[kept.slot[b]]
    return total


@compiled
def extremes(kept):
    """Return entry and z of the largest z that may rise, then of the smallest that may fall; the entry may be -1."""
    i, j, high, low = -1, -1, -np.inf, np.inf
    for b in range(kept.length[0]):
        if kept.beta[b] < kept.high[b] and kept.z[b] > high:
            i, high = b, kept.z[b]
        if kept.beta[b] > kept.low[b] and kept.z[b] < low:
            j, low = b, kept.z[b]
    return i, high, j, low


@compiled
def partner_of(kept, row, diagonal, z, q, rises, second_order):
    """Return the entry of largest gain with an example at z that rises or falls, or -1 if no pair violates."""
    best, best_gain = -1, 0.0
    for b in range(kept.length[0]):
        movable = kept.beta[b] > kept.low[b] if rises else kept.beta[b] < kept.high[b]
        difference = z - kept.z[b] if rises else kept.z[b] - z
        if movable and difference > 0.0:
            p = kept.slot[b]
            curvature = max(q + diagonal[p] - 2.0 * row[p], FLAT) if second_order else 1.0
            gain = difference * difference / curvature
            if gain > best_gain:
                best, best_gain = b, gain
    return best


@compiled
def consider(kept, row, diagonal, z, q, positive, second_order, tau):
    """Choose the partner of a new example (beta = 0) for PROCESS; -1 if no pair with it violates by more than tau."""
    _, high, _, low = extremes(kept)
    violation = z - low if positive else high - z
    return partner_of(kept, row, diagonal, z, q, positive, second_order) if violation > tau else -1


@compiled
def append(kept, slot, z, low, high):
    b = kept.length[0]
    kept.slot[b], kept.z[b], kept.beta[b], kept.low[b], kept.high[b] = slot, z, 0.0, low, high
    kept.length[0] = b + 1


@compiled
def move(kept, rows, a, b):
    """Take the exact step of the pair, with entry a rising and b falling; return whether anything moved."""
    p, q = kept.slot[a], kept.slot[b]
    row_a, row_b = rows.store[rows.row_of[p]], rows.store[rows.row_of[q]]
    rows.used[rows.row_of[p]] = rows.used[rows.row_of[q]] = rows.clock[0]
    rows.clock[0] += 1
    curvature = max(rows.diagonal[p] + rows.diagonal[q] - 2.0 * row_a[q], FLAT)
    amount = min((kept.z[a] - kept.z[b]) / curvature, min(kept.high[a] - kept.beta[a], kept.beta[b] - kept.low[b]))
    new_a = reached(kept.beta[a], amount, kept.low[a], kept.high[a])
    new_b = reached(kept.beta[b], -amount, kept.low[b], kept.high[b])
    if new_a == kept.beta[a] and new_b == kept.beta[b]:
        return False
    up, down = new_a - kept.beta[a], new_b - kept.beta[b]
    kept.beta[a], kept.beta[b] = new_a, new_b
    for s in range(kept.length[0]):
        kept.z[s] -= up * row_a[kept.slot[s]] + down * row_b[kept.slot[s]]
    return True


@compiled
def drop_idle(kept):
    """Drop examples with beta = 0 that violate with no other example; their slots go to `dropped`.

    Return the result of `extremes` from before, with the new entries: examples that violate are kept.
    """
    i, high, j, low = extremes(kept)
    count, top, bottom = 0, i, j
    for b in range(kept.length[0]):
        positive = kept.high[b] > 0.0
        idle = j >= 0 and kept.z[b] <= low if positive else i >= 0 and kept.z[b] >= high
        if kept.beta[b] == 0.0 and idle:
            kept.dropped[kept.drops[0]] = kept.slot[b]
            kept.drops[0] += 1
            continue
        if count < b:
            kept.slot[count], kept.z[count], kept.beta[count] = kept.slot[b], kept.z[b], kept.beta[b]
            kept.low[count], kept.high[count] = kept.low[b], kept.high[b]
            top = count if b == i else top
            bottom = count if b == j else bottom
        count += 1
    kept.length[0] = count
    return top, high, bottom, low


@compiled
def reprocess(kept, rows, second_order, tau, limit, wanted):
    """Take up to `limit` steps of the most violating kept example and its partner (REPROCESS); return (why, steps).

    MISSING: wanted[1] is the slot whose kernel row is missing, wanted[0] the slot whose row the step needs as well.
    """
    steps = 0
    i, high, j, low = extremes(kept)
    while True:
        if i < 0 or j < 0 or high - low <= tau:
            return REACHED, steps
        if steps >= limit:
            return LIMIT, steps
        p = kept.slot[i]
        wanted[0] = wanted[1] = p
        if rows.row_of[p] < 0:
            return MISSING, steps
        row = rows.store[rows.row_of[p]]
        j = partner_of(kept, row, rows.diagonal, high, rows.diagonal[p], True, second_order)
        wanted[1] = kept.slot[j]
        if rows.row_of[wanted[1]] < 0:
            return MISSING, steps
        if not move(kept, rows, i, j):
            return STUCK, steps
        steps += 1
        i, high, j, low = drop_idle(kept)
