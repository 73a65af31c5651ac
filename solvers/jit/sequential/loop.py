"""Code that the sequential methods share: the active variables, their gradients, and updates of the class functions.

The class functions are one array (outputs * n,), class after class, so that a step adds to long contiguous ranges.
Every step computes the gradients from them and never updates gradients, so that an interruption changes no bit.
"""

from typing import NamedTuple

import numpy as np

from mcsvm.solvers.jit import compiled
from mcsvm.solvers.jit.bound import pull

LIMIT, REACHED, MISSING, STUCK = 0, 1, 2, 3  # why a loop returned: step limit, tolerance, missing row, no movement
BLOCK = 256  # variables per stored maximum (`tops`): the best of all is then searched in one block only


class ActiveVariables(NamedTuple):
    """The active variables, which are not shrunk; entry b of every array belongs to the same variable."""

    example: np.ndarray
    slot: np.ndarray
    key: np.ndarray  # class * slots + slot, an index into Tables
    place: np.ndarray  # (width, count): indices into the columns that the gradient reads
    value: np.ndarray  # (width, count): their coefficients
    margin: np.ndarray
    upper: np.ndarray
    diagonal: np.ndarray
    weight: np.ndarray  # factor on the violation in the choice of the first variable
    alpha: np.ndarray
    gradient: np.ndarray
    score: np.ndarray  # weighted violation
    row: np.ndarray  # row of Q of the first chosen variable
    gain: np.ndarray
    tops: np.ndarray  # (blocks,) the largest score or gain of each block


class Tables(NamedTuple):
    """The variables of the machine by key = class * slots + slot."""

    direction: np.ndarray  # (keys, outputs)
    margin: np.ndarray
    length: np.ndarray
    output: np.ndarray  # (keys, width): the class functions that a gradient reads
    value: np.ndarray  # (keys, width): their coefficients in the gradient


class Moving(NamedTuple):
    """The arrays that a step changes."""

    columns: np.ndarray  # (outputs * n,)
    alpha: np.ndarray  # (n, slots)
    constant: np.ndarray  # (outputs,)
    touched: np.ndarray  # (n,) bool: examples whose kernel rows were used since the last request for rows
    change: np.ndarray  # (2, outputs) work space


class KernelRows(NamedTuple):
    """Kernel rows: the row of example i is store[slot_of[i]], or missing if slot_of[i] is negative."""

    store: np.ndarray
    slot_of: np.ndarray
    offset: float  # added to every value


@compiled
def list_variables(mask, by_slot, example, slot):
    """List the True entries of `mask` (n, slots), slot after slot or example after example."""
    n, slots = mask.shape
    count = 0
    for outer in range(slots if by_slot else n):
        for inner in range(n if by_slot else slots):
            i, p = (inner, outer) if by_slot else (outer, inner)
            if mask[i, p]:
                example[count], slot[count] = i, p
                count += 1


@compiled
def describe(active, tables, labels, upper, curvature, alpha):
    """Fill in the fields that follow from example and slot."""
    n, slots = alpha.shape
    for b in range(active.example.size):
        i, p = active.example[b], active.slot[b]
        key = labels[i] * slots + p
        active.key[b] = key
        for t in range(active.place.shape[0]):
            active.place[t, b] = tables.output[key, t] * n + i
            active.value[t, b] = tables.value[key, t]
        active.margin[b], active.upper[b] = tables.margin[key], upper[i]
        active.diagonal[b] = tables.length[key] * curvature[i]
        active.alpha[b] = alpha[i, p]


@compiled(relaxed=True)
def read_gradients(active, columns, first, last):
    gradient, margin = active.gradient, active.margin
    place, value = active.place, active.value
    if place.shape[0] == 1:
        for b in range(first, last):
            gradient[b] = margin[b] - value[0, b] * columns[place[0, b]]
        return
    for b in range(first, last):
        gradient[b] = margin[b] - value[0, b] * columns[place[0, b]] - value[1, b] * columns[place[1, b]]
    for t in range(2, place.shape[0]):
        for b in range(first, last):
            gradient[b] -= value[t, b] * columns[place[t, b]]


@compiled(relaxed=True)
def look(active, columns):
    """Compute gradients and scores of all active variables under box bounds; return the largest violation."""
    gradient, alpha, upper, weight, score = active.gradient, active.alpha, active.upper, active.weight, active.score
    largest = 0.0
    for block in range(active.tops.size):
        first, last = block * BLOCK, min((block + 1) * BLOCK, gradient.size)
        read_gradients(active, columns, first, last)
        top = 0.0
        for b in range(first, last):
            violation = pull(gradient[b], alpha[b], upper[b])
            largest = max(largest, violation)
            score[b] = violation * weight[b]
            top = max(top, score[b])
        active.tops[block] = top
    return largest


@compiled
def best_in(values, tops):
    """Return the first variable with the largest value; `tops` contains the largest value of each block."""
    block = np.argmax(tops)
    for b in range(block * BLOCK, min((block + 1) * BLOCK, values.size)):
        if values[b] >= tops[block]:
            return b
    return block * BLOCK  # values are NaN, and every comparison with NaN is False


@compiled
def overlaps(tables, key, out):
    """Set out[other] = <direction[other], direction[key]>."""
    direction = tables.direction[key]
    for other in range(out.size):
        total = 0.0
        for t in range(tables.output.shape[1]):
            total += tables.value[other, t] * direction[tables.output[other, t]]
        out[other] = total


@compiled(relaxed=True)
def add_row(column, x, row, offset):
    for i in range(column.size):
        column[i] += x * (row[i] + offset)


@compiled(relaxed=True)
def add_rows(column, x, row_x, z, row_z, offset):
    for i in range(column.size):
        column[i] += x * (row_x[i] + offset) + z * (row_z[i] + offset)


@compiled
def shift(moving, rows, i, j):
    """Update the class functions after a change of the weights of example i by change[0] and of j by change[1]."""
    n = moving.alpha.shape[0]
    row_i, row_j = rows.store[rows.slot_of[i]], rows.store[rows.slot_of[j]]
    for c in range(moving.constant.size):
        x, z = moving.change[0, c], moving.change[1, c]
        column = moving.columns[c * n : (c + 1) * n]
        if x != 0.0 and z != 0.0:
            add_rows(column, x, row_i, z, row_j, rows.offset)
        elif x != 0.0:
            add_row(column, x, row_i, rows.offset)
        elif z != 0.0:
            add_row(column, z, row_j, rows.offset)
        moving.constant[c] += rows.offset * (x + z)
    moving.touched[i] = moving.touched[j] = True


@compiled
def set_variable(active, moving, b, amount):
    """Set variable b to `amount`, in both arrays of variables."""
    active.alpha[b] = amount
    moving.alpha[active.example[b], active.slot[b]] = amount


@compiled
def worst_of(example, score, out):
    """Raise out[i] to the largest score among the variables of example i."""
    for b in range(example.size):
        if score[b] > out[example[b]]:
            out[example[b]] = score[b]
