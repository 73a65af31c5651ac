"""Compute decision values from kernel and dual variables, independently of the prediction code and its arrays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mcsvm.solvers.dual.certificate import Proof
from mcsvm.solvers.kernels import Kernel, Points
from mcsvm.solvers.problem import Problem

SHARE = 2.0**-40  # share of the sum of absolute terms: rounding of a sum of up to 10^6 terms, in another order
DIGITS = 2.0**-48  # share of the squared length of a row: rounding of an inner product or of a squared distance
BLOCK = 4_000_000  # largest number of kernel values, and of decision values, in memory at once


@dataclass(frozen=True, eq=False)
class RowValues:
    """Decision values of consecutive training rows."""

    rows: np.ndarray
    values: np.ndarray  # (rows, outputs)
    reach: np.ndarray  # (rows, outputs) largest change of a value by rounding


def recompute_values(problem: Problem, proofs: Sequence[Proof]) -> Iterator[RowValues]:
    """Yield the decision values of all training rows, in chunks of bounded memory."""
    count, used = len(problem), _used_rows(problem, proofs)
    points = problem.training_points  # with training_kernel: the bias of the proofs is theirs
    support = points.take(used)
    functions = list(_functions(problem, proofs, used))
    error, bias = _kernel_error(problem), np.concatenate([proof.bias for proof in proofs])
    height = max(1, min(BLOCK // max(1, used.size), BLOCK // bias.size))
    with np.errstate(all="ignore"):
        for start in range(0, count, height):
            rows = np.arange(start, min(start + height, count))
            block = problem.training_kernel.block(points.take(rows), support, np.empty((rows.size, used.size)))
            values, reach = (np.empty((rows.size, bias.size)) for _ in range(2))
            for outputs, members, weights in functions:
                part, sizes = block[:, members], np.abs(weights)
                values[:, outputs] = part @ weights
                reach[:, outputs] = SHARE * (np.abs(part) @ sizes) + error * sizes.sum(axis=0)
            yield RowValues(rows, values + bias, reach + SHARE * np.abs(bias))


def _functions(problem: Problem, proofs: Sequence[Proof], used: np.ndarray) -> Iterator[tuple[slice, Any, np.ndarray]]:
    """Yield (outputs, the used rows with a weight, their weights), pair by pair, because each pair has its own rows."""
    if problem.machine.split != "pairs":
        yield slice(None), slice(None), np.hstack([proof.weights[used] for proof in proofs])
        return
    for number, proof in enumerate(proofs):
        weighted = np.flatnonzero(proof.weights[:, 0])
        rows = np.asarray(problem.rows_of(number))[weighted]
        yield slice(number, number + 1), np.searchsorted(used, rows), proof.weights[weighted]


def _used_rows(problem: Problem, proofs: Sequence[Proof]) -> np.ndarray:
    """Return the training rows that have a nonzero weight in any part."""
    used = np.zeros(len(problem), dtype=bool)
    for number, proof in enumerate(proofs):
        used[problem.rows_of(number)] |= proof.weights.any(axis=1)
    return np.flatnonzero(used)


def _kernel_error(problem: Problem) -> float:
    """Return the largest change of a kernel value of these rows by rounding."""
    points = problem.points
    moved = Points(points.rows - points.origin) if problem.kernel.name == "rbf" and not points.sparse else points
    return kernel_rounding(problem.kernel, moved.largest_square)


def kernel_rounding(kernel: Kernel, largest: float) -> float:
    """Return the largest change of a kernel value by rounding, for rows with squared length up to `largest`."""
    gamma, coef0 = getattr(kernel, "gamma", 1.0), getattr(kernel, "coef0", 0.0)
    if kernel.name == "rbf":
        return float(min(1.0, DIGITS * gamma * largest))
    length = gamma * largest + abs(coef0)
    degree = getattr(kernel, "degree", 1)
    return float(DIGITS * degree * length**degree)
