"""Linear oracles, one per feasible set: the vertex s of largest <gradient, s>, in the whole set or in a face.

The away vertex is the worst vertex of the smallest face that contains the point (Guelat & Marcotte 1986); with it
no list of active vertices is needed (Garber & Meshi 2016; Bashiri & Zhang 2017).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mcsvm.solvers.dual.geometry import BOX, LINE, SUMS, Geometry
from mcsvm.solvers.methods.frank_wolfe.chunk import Chunk
from mcsvm.solvers.methods.frank_wolfe.programme import programme_vertex

# Returns the vertex of largest <gradient, s>, and the multipliers of the balance if the chunk has one. With `face`, it
# chooses among the vertices of the smallest face around the chunk's point.
Oracle = Callable[[Chunk, np.ndarray, bool], tuple[np.ndarray, np.ndarray]]


def oracle_of(chunk: Chunk) -> Oracle:
    if chunk.balanced and chunk.geometry != LINE:
        return balanced_vertex
    return ORACLES[chunk.geometry]


def bounds(chunk: Chunk, face: bool) -> tuple[np.ndarray, np.ndarray]:
    if not face:
        return np.zeros_like(chunk.upper), chunk.upper
    free = chunk.free()
    return np.where(free, 0.0, chunk.point), np.where(free, chunk.upper, chunk.point)


def box_vertex(chunk: Chunk, gradient: np.ndarray, face: bool) -> tuple[np.ndarray, np.ndarray]:
    low, high = bounds(chunk, face)
    return np.where(gradient > 0.0, high, low), chunk.bias


def simplex_vertex(chunk: Chunk, gradient: np.ndarray, face: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return the vertex that has U on the variable of largest gradient of each example, if that is positive, else 0.

    In a face, a sum that is at its bound stays there, whatever the gradient.
    """
    groups = chunk.groups
    assert groups is not None
    score = np.where(chunk.point > 0.0, gradient, -np.inf) if face else gradient
    top = groups.largest(score)
    worth = (top > 0.0) | groups.full(chunk.point) if face else top > 0.0
    best = np.flatnonzero(score == groups.spread(top))
    first = best[np.unique(groups.number[best], return_index=True)[1]]
    vertex = np.zeros_like(score)
    vertex[first] = np.where(worth & np.isfinite(top), groups.limits, 0.0)
    return vertex, chunk.bias


def line_vertex(chunk: Chunk, gradient: np.ndarray, face: bool) -> tuple[np.ndarray, np.ndarray]:
    """Fill the signed variables in falling order of their gradients, under one equality with entries +1 and -1."""
    low, high = bounds(chunk, face)
    sign = chunk.balance[0]
    bottom, top = np.minimum(sign * low, sign * high), np.maximum(sign * low, sign * high)
    order = np.argsort(-sign * gradient, kind="stable")
    width = (top - bottom)[order]
    wanted = chunk.target[0] - bottom.sum()
    amount = np.clip(wanted - np.concatenate([[0.0], np.cumsum(width)[:-1]]), 0.0, width)
    signed = bottom.copy()
    signed[order] += amount
    last = order[np.flatnonzero(amount > 0.0)[-1] if amount.any() else 0]
    signed[last] += chunk.target[0] - signed.sum()  # the rounding of the cumulated sums
    return sign * np.clip(signed, bottom, top), (sign * gradient)[last : last + 1]


def balanced_vertex(chunk: Chunk, gradient: np.ndarray, face: bool) -> tuple[np.ndarray, np.ndarray]:
    return programme_vertex(chunk, gradient, *bounds(chunk, face), face)


ORACLES: dict[Geometry, Oracle] = {BOX: box_vertex, SUMS: simplex_vertex, LINE: line_vertex}
