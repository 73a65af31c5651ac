"""Linear oracles, one per feasible set: the vertex that a gradient likes best, or least in the face of a point.

The away vertex is the worst one of the smallest face that contains the point (Guelat & Marcotte 1986); with it
no list of active vertices is needed (Garber & Meshi 2016; Bashiri & Zhang 2017).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_array, vstack

from solvers.methods.frank_wolfe.chunk import SNAP, Chunk

# The vertex of largest <gradient, s>, and the multipliers of the balance (zero where there is none). With
# `face`, only vertices of the smallest face around the chunk's point.
Oracle = Callable[[Chunk, np.ndarray, bool], tuple[np.ndarray, np.ndarray]]
PRECISE = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}


def oracle_of(chunk: Chunk) -> Oracle:
    if chunk.target is None:
        return box_vertex if chunk.starts is None else simplex_vertex
    return line_vertex if chunk.target.size == 1 else programme_vertex


def bounds(chunk: Chunk, face: bool) -> tuple[np.ndarray, np.ndarray]:
    if not face:
        return np.zeros_like(chunk.upper), chunk.upper
    free = chunk.free()
    return np.where(free, 0.0, chunk.point), np.where(free, chunk.upper, chunk.point)


def box_vertex(chunk: Chunk, gradient: np.ndarray, face: bool) -> tuple[np.ndarray, np.ndarray]:
    low, high = bounds(chunk, face)
    return np.where(gradient > 0.0, high, low), chunk.bias


def simplex_vertex(chunk: Chunk, gradient: np.ndarray, face: bool) -> tuple[np.ndarray, np.ndarray]:
    """All on the best variable of an example, or nothing where none is worth it."""
    score = np.where(chunk.point > 0.0, gradient, -np.inf) if face else gradient
    top = np.maximum.reduceat(score, chunk.starts)
    worth = top > 0.0
    if face:
        worth = (worth | chunk.full()) & np.isfinite(top)
    sizes = np.diff(np.append(chunk.starts, score.size))
    best = np.flatnonzero(score == np.repeat(top, sizes))
    group, first = np.unique(np.repeat(np.arange(sizes.size), sizes)[best], return_index=True)
    vertex = np.zeros_like(score)
    vertex[best[first]] = np.where(worth, chunk.limits, 0.0)
    return vertex, chunk.bias


def line_vertex(chunk: Chunk, gradient: np.ndarray, face: bool) -> tuple[np.ndarray, np.ndarray]:
    """One equality, every entry +1 or -1: fill the signed variables in falling order of their gradients."""
    low, high = bounds(chunk, face)
    sign = chunk.balance[0]
    bottom, top = np.minimum(sign * low, sign * high), np.maximum(sign * low, sign * high)
    price = sign * gradient
    order = np.argsort(-price, kind="stable")
    before = np.concatenate([[0.0], np.cumsum((top - bottom)[order])])
    amount = np.clip(chunk.target[0] - bottom.sum() - before[:-1], 0.0, (top - bottom)[order])
    signed = bottom.copy()
    signed[order] += amount
    movable = np.flatnonzero((top > bottom)[order] & (amount > 0.0))
    last = order[movable[-1]] if movable.size else order[0]
    signed[last] += chunk.target[0] - signed.sum()
    return sign * np.clip(signed, bottom, top), np.array([price[last]])


def programme_vertex(chunk: Chunk, gradient: np.ndarray, face: bool) -> tuple[np.ndarray, np.ndarray]:
    """The linear programme by HiGHS: for ww a circulation on the classes. Variables in units of U.

    The last row of the balance follows from the others where the directions sum to zero.
    """
    low, high = bounds(chunk, face)
    unit = chunk.upper
    centred = np.abs(chunk.balance.sum(axis=0)).max() < 1e-12
    rows = chunk.target.size - centred
    equal, right = csr_array(chunk.balance[:rows] * unit), chunk.target[:rows]
    above, sums = None, None
    if chunk.starts is not None:
        equal, right, above, sums = _with_sums(chunk, equal, right, face)
    solution = linprog(
        -gradient * unit, A_ub=above, b_ub=sums, A_eq=equal, b_eq=right,
        bounds=np.column_stack([low, high]) / unit[:, None], method="highs", options=PRECISE,
    )  # fmt: skip
    if solution.x is None:
        return chunk.point.copy(), chunk.bias
    bias = np.append(-solution.eqlin.marginals[:rows], np.zeros(int(centred)))
    return _exact(chunk, solution.x * unit, low, high), bias - bias.mean() * centred


def _with_sums(chunk: Chunk, equal, right, face: bool):
    """One row per example: its sum is at most U, and exactly U in a face where it is."""
    count, size = chunk.starts.size, chunk.point.size
    group = np.repeat(np.arange(count), np.diff(np.append(chunk.starts, size)))
    sums = csr_array((np.ones(size), (group, np.arange(size))), shape=(count, size))
    if not face:
        return equal, right, sums, np.ones(count)
    full = chunk.full()
    above = sums[~full] if not full.all() else None
    equal = vstack([equal, sums[full]], format="csr") if full.any() else equal
    return equal, np.append(right, np.ones(int(full.sum()))), above, np.ones(int((~full).sum())) if above is not None else None


def _exact(chunk: Chunk, vertex: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """HiGHS keeps constraints to 1e-10: put bounds exactly, and the balance through the basic variables."""
    vertex = np.where(vertex < low + 1e-9 * chunk.upper, low, vertex)
    vertex = np.where(vertex > high - 1e-9 * chunk.upper, high, vertex)
    basic = (vertex > low) & (vertex < high)
    if chunk.starts is not None:
        return _exact_sums(chunk, vertex, basic)
    left = chunk.target - chunk.balance @ vertex
    if basic.any() and np.abs(left).max() > 0.0:
        vertex[basic] += np.linalg.lstsq(chunk.balance[:, basic], left, rcond=None)[0]
    return np.clip(vertex, low, high)


def _exact_sums(chunk: Chunk, vertex: np.ndarray, basic: np.ndarray) -> np.ndarray:
    sizes = np.diff(np.append(chunk.starts, vertex.size))
    group = np.repeat(np.arange(sizes.size), sizes)
    total = np.add.reduceat(vertex, chunk.starts)
    full = total >= chunk.limits * (1.0 - 1e-9)
    touched = np.unique(group[basic])
    touched = touched[full[touched]]
    rows = np.vstack([chunk.balance[:, basic], group[basic] == touched[:, None]])
    left = np.append(chunk.target - chunk.balance @ vertex, (chunk.limits - total)[touched])
    if basic.any() and np.abs(left).max() > 0.0:
        vertex[basic] += np.linalg.lstsq(rows, left, rcond=None)[0]
    vertex = np.maximum(vertex, 0.0)
    over = np.add.reduceat(vertex, chunk.starts) > chunk.limits * (1.0 + SNAP)
    return np.where(np.repeat(over, sizes), vertex * np.repeat(chunk.limits / np.maximum(total, 1e-300), sizes), vertex)
