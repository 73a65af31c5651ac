"""Small pairs: binary machines of ovo and dag on one kernel matrix of all examples, each by one compiled call.

Where a machine takes a millisecond, what Python does for each takes longer than its steps: vowel has 55 machines of 96
examples. jit/binary solves one, recomputes its functions from alpha by the float64 matrix, and concludes its
certificate. A machine that it does not solve is left to the method.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from solvers.budget import PAIRS, TWO_CLASS
from solvers.decision import SMALL_PAIRS, Decision
from solvers.dual.certificate import Certificate, Proof
from solvers.dual.rounding import rounding_of, widened
from solvers.jit.binary import two_class
from solvers.jit.rounding import FEASIBLE
from solvers.kernels.base import FeatureKernel, Magnitude
from solvers.problem import Problem
from solvers.products import kernel_matrix
from solvers.run.limits import Limits
from solvers.run.parts import Finished
from solvers.work import SEARCH_STEPS_TIMES_ROWS, Work

PHASE = "matrix"


@dataclass
class SolvedPair:
    done: Finished
    steps: int
    seconds: float
    decision: Decision


def applies(problem: Problem, limits: Limits) -> bool:
    """Few examples in all, exact biases, and the violation alone to decide."""
    n, kernel = len(problem), problem.kernel
    fits = n <= PAIRS.most and 8.0 * n * n <= PAIRS.memory * problem.cache_mb * 2**20
    plain = limits.gap_tolerance is None and limits.steps is None and limits.seconds is None
    exact = problem.machine.split == "pairs" and problem.bias == "exact" and problem.form.outputs == 1
    return fits and plain and exact and kernel.semidefinite and not isinstance(kernel, FeatureKernel)


class SmallPairs:
    """The matrix has the examples class after class; `places` are their numbers in the problem."""

    def __init__(self, problem: Problem, limits: Limits) -> None:
        self.problem, self.tolerance = problem, limits.tolerance
        self.places = np.argsort(problem.labels, kind="stable")
        self.starts = np.searchsorted(problem.labels[self.places], np.arange(problem.classes + 1))
        self.matrix: np.ndarray | None = None

    def solve(self, number: int) -> Work[SolvedPair | None]:
        """The pair of this number, or None where two_class.py does not solve it in PAIRS.patience steps each."""
        began = time.perf_counter()
        if self.matrix is None:
            points = yield from self.problem.points.taking(self.places)
            matrix = np.empty((len(points), len(points)))
            yield from kernel_matrix(self.problem.kernel, points, matrix)
            self.matrix, self.magnitude = matrix, self.problem.kernel.magnitude(points)
        spans = self._spans(number)
        places = np.concatenate([self.places[spans[0] : spans[1]], self.places[spans[2] : spans[3]]])
        n, first = places.size, spans[1] - spans[0]
        sign, upper = np.where(np.arange(n) < first, 1.0, -1.0), self.problem.upper[places]
        beta, functions, recent = np.zeros(n), np.zeros(n), np.zeros(n, dtype=np.bool_)
        steps, status, limit = 0, two_class.MOVING, max(100, SEARCH_STEPS_TIMES_ROWS // n)
        while status == two_class.MOVING and steps < PAIRS.patience * n:
            status, taken = two_class.advance(
                self.matrix, spans, sign, self.problem.margin, upper, beta, functions, self.tolerance,
                min(limit, PAIRS.patience * n - steps), recent, TWO_CLASS,
            )  # fmt: skip
            steps += taken
            yield
        if status != two_class.CONVERGED or abs(beta.sum()) > FEASIBLE * upper.sum():
            return None
        b, primal, dual, violation = two_class.conclude(sign, self.problem.margin, upper, beta, functions)
        certificate = Certificate(
            float(primal), float(dual), float(violation), float(abs(beta.sum())), float(upper.sum())
        )
        inside = np.r_[spans[0] : spans[1], spans[2] : spans[3]]
        magnitude = Magnitude(self.magnitude.size[inside], self.magnitude.error)
        rounding = rounding_of(magnitude, 0.0, self.problem.form, beta[:, None])
        certificate = widened(certificate, rounding, self.problem.form, upper)
        if certificate.violation > self.tolerance:
            return None
        order = np.argsort(places)  # of the rows of the part
        weights, products = beta[order, None], functions[order, None]
        proof = Proof(certificate, weights, products, np.array([b]))
        decision = Decision(0, PHASE, SMALL_PAIRS, {}, number)
        done = Finished(np.abs(weights), proof, stalled=False)
        return SolvedPair(done, int(steps), time.perf_counter() - began, decision)

    def _spans(self, number: int) -> np.ndarray:
        a, b = self.problem.pairs[number]
        return np.array([self.starts[a], self.starts[a + 1], self.starts[b], self.starts[b + 1]])

    @property
    def evaluations(self) -> int:
        """Of kernel values: half of the matrix and its diagonal are computed."""
        n = len(self.problem)
        return n * (n + 1) // 2
