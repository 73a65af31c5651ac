"""Decision values from kernel and dual variables, without the code and the arrays that the model predicts with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from solvers.dual.certificate import Proof
from solvers.kernels import Kernel, Points
from solvers.problem import Problem

SHARE = 2.0**-40  # of the sum of the sizes of all terms: rounding of a sum of up to 10^6 terms, in another order
DIGITS = 2.0**-48  # of the squared length of a row: rounding of an inner product or of a squared distance
BLOCK = 4_000_000  # kernel values, and decision values, at once


@dataclass(frozen=True, eq=False)
class Recomputed:
    """Of consecutive training rows."""

    rows: np.ndarray
    values: np.ndarray  # (rows, outputs)
    reach: np.ndarray  # (rows, outputs) how far rounding may move a value


def recomputed(problem: Problem, proofs: Sequence[Proof]) -> Iterator[Recomputed]:
    """The decision values of all training rows, in chunks of bounded memory."""
    count, used = len(problem), _used(problem, proofs)
    support = problem.points.take(used)
    error, bias = _kernel_error(problem), np.concatenate([proof.bias for proof in proofs])
    height = max(1, min(BLOCK // max(1, used.size), BLOCK // bias.size))
    with np.errstate(all="ignore"):
        for start in range(0, count, height):
            rows = np.arange(start, min(start + height, count))
            block = problem.kernel.block(problem.points.take(rows), support, np.empty((rows.size, used.size)))
            values, reach = _products(problem, proofs, used, block, error)
            yield Recomputed(rows, values + bias, reach + SHARE * np.abs(bias))


def _used(problem: Problem, proofs: Sequence[Proof]) -> np.ndarray:
    """The training rows of nonzero weight, of all parts together."""
    used = np.zeros(len(problem), dtype=bool)
    for number, proof in enumerate(proofs):
        used[problem.rows_of(number)] |= proof.weights.any(axis=1)
    return np.flatnonzero(used)


def _products(
    problem: Problem, proofs: Sequence[Proof], used: np.ndarray, block: np.ndarray, error: float
) -> tuple[np.ndarray, np.ndarray]:
    """K W of a block of rows, and how far rounding may move it; of pairs part by part, as each has its own rows."""
    if problem.machine.split != "pairs":
        weights = np.hstack([proof.weights[used] for proof in proofs])
        return block @ weights, _reach(block, weights, error)
    values = np.empty((len(block), len(proofs)))
    reach = np.empty_like(values)
    for number, proof in enumerate(proofs):
        rows = np.arange(len(problem))[problem.rows_of(number)]
        mine = np.flatnonzero(proof.weights[:, 0])
        part = block[:, np.searchsorted(used, rows[mine])]
        values[:, number] = part @ proof.weights[mine, 0]
        reach[:, number] = _reach(part, proof.weights[mine, 0], error)
    return values, reach


def _reach(block: np.ndarray, weights: np.ndarray, error: float) -> np.ndarray:
    sizes = np.abs(weights)
    found: np.ndarray = SHARE * (np.abs(block) @ sizes) + error * sizes.sum(axis=0)
    return found


def _kernel_error(problem: Problem) -> float:
    """How far rounding may move one kernel value of these rows."""
    points = problem.points
    moved = Points(points.rows - points.origin) if problem.kernel.name == "rbf" and not points.sparse else points
    return kernel_rounding(problem.kernel, moved.largest_square)


def kernel_rounding(kernel: Kernel, largest: float) -> float:
    """How far rounding may move one kernel value of rows whose squared length is at most `largest`."""
    gamma, coef0 = getattr(kernel, "gamma", 1.0), getattr(kernel, "coef0", 0.0)
    if kernel.name == "rbf":
        return float(min(1.0, DIGITS * gamma * largest))
    length = gamma * largest + abs(coef0)
    degree = getattr(kernel, "degree", 1)
    return float(DIGITS * degree * length**degree)
