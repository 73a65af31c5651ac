"""The linear programme of an exact bias, solved by HiGHS; for ww it is a circulation on the classes.

HiGHS cannot be interrupted with the same bits: a time limit depends on a clock, and after an iteration limit SciPy
returns no basis to restart from. So a call is one piece of work: at most 21 ms, with the 5000 variables that a chunk
may have.

Variables are in units of U. HiGHS satisfies the constraints to 1e-10; the basic variables then make them exact.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from mcsvm.solvers.dual.geometry import BOX
from mcsvm.solvers.jit.rounding import FEASIBLE, ROUNDING
from mcsvm.solvers.methods.frank_wolfe.chunk import Chunk

PRECISE = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}


def programme_vertex(
    chunk: Chunk, gradient: np.ndarray, low: np.ndarray, high: np.ndarray, face: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Return the best vertex with low <= s <= high, and the multipliers of the balance, which are b.

    The last row of the balance follows from the others if the directions sum to zero.
    """
    from scipy.optimize import linprog  # 93 modules, which most trainings never need

    open_ = np.flatnonzero(high > low)  # the variables of the programme; all others are fixed
    unit = chunk.upper[open_]
    centred = int(np.abs(chunk.balance.sum(axis=0)).max() < ROUNDING)
    rows = chunk.target.size - centred
    fixed = np.where(high > low, 0.0, low)
    if open_.size < 2:  # one variable alone cannot move
        return chunk.point.copy(), chunk.bias
    solution = linprog(
        -gradient[open_] * unit,
        A_eq=csr_array(chunk.balance[:rows, open_] * unit),
        b_eq=(chunk.target - chunk.balance @ fixed)[:rows],
        bounds=(0.0, 1.0),
        method="highs",
        options=PRECISE,
        **_sums(chunk, open_, face),
    )
    if solution.x is None:
        return chunk.point.copy(), chunk.bias
    fixed[open_] = solution.x * unit
    bias = np.append(-solution.eqlin.marginals, np.zeros(centred))
    return _exact(chunk, fixed, low, high), bias - bias.mean() * centred


def _sums(chunk: Chunk, variables: np.ndarray, face: bool) -> dict[str, object]:
    """Return the constraints of the examples' sums: at most U; in a face, sums that are U stay so (-sum <= -U)."""
    groups = chunk.groups
    if groups is None:
        return {}
    full = np.flatnonzero(groups.full(chunk.point)) if face else np.empty(0, dtype=np.int64)
    number, count = groups.number[variables], groups.starts.size
    held = np.flatnonzero(np.isin(number, full))
    sign = np.append(np.ones(number.size), -np.ones(held.size))
    row = np.append(number, count + np.searchsorted(full, number[held]))
    column = np.append(np.arange(number.size), held)
    rows = csr_array((sign, (row, column)), shape=(count + full.size, number.size))
    return {"A_ub": rows, "b_ub": np.append(np.ones(count), -np.ones(full.size))}


def _exact(chunk: Chunk, vertex: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    vertex = BOX.snapped(vertex, chunk.upper, FEASIBLE)
    basic = (vertex > low) & (vertex < high)
    rows, left = chunk.balance[:, basic], chunk.target - chunk.balance @ vertex
    if chunk.groups is not None:
        sums, limits = chunk.groups.sums(vertex), chunk.groups.limits
        held = np.unique(chunk.groups.number[basic])
        held = held[np.abs(sums - limits)[held] < FEASIBLE * limits[held]]
        rows = np.vstack([rows, chunk.groups.number[basic] == held[:, None]])
        left = np.append(left, (limits - sums)[held])
    if basic.any() and left.any():
        vertex[basic] += np.linalg.lstsq(rows, left, rcond=None)[0]
    vertex = np.clip(vertex, low, high)
    return vertex if chunk.groups is None else _capped(chunk, vertex)


def _capped(chunk: Chunk, vertex: np.ndarray) -> np.ndarray:
    assert chunk.groups is not None
    sums, limits = chunk.groups.sums(vertex), chunk.groups.limits
    share = np.where(sums > limits * (1.0 + ROUNDING), limits / np.maximum(sums, limits), 1.0)
    return vertex * chunk.groups.spread(share)
