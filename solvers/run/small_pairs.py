"""Small pairs: solve binary machines of ovo and dag on float64 kernel matrices, each in one compiled call.

If the kernel matrix of all examples fits into memory, the pairs share it. Otherwise each pair has its own matrix,
which is assembled from the kernel rows of its first class.

If a machine takes a millisecond, the Python code around it would take longer than its steps (vowel has 55 machines of
96 examples). jit/binary solves a machine, recomputes its functions from alpha with the float64 matrix, and computes
its certificate. If it cannot solve a machine, the method of the run solves it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mcsvm.solvers.budget import PAIRS, TWO_CLASS
from mcsvm.solvers.dual.certificate import Certificate, Proof
from mcsvm.solvers.dual.rounding import CoarseBound, rounding_of, widen
from mcsvm.solvers.interrupt import tick
from mcsvm.solvers.jit.binary import two_class
from mcsvm.solvers.jit.rounding import FEASIBLE
from mcsvm.solvers.kernels import Kernel, Points
from mcsvm.solvers.kernels.base import FeatureKernel, Magnitude
from mcsvm.solvers.methods.base import NO_LIMIT
from mcsvm.solvers.problem import Problem
from mcsvm.solvers.products import kernel_matrix
from mcsvm.solvers.run.limits import Limits
from mcsvm.solvers.run.parts import Finished
from mcsvm.solvers.work import SEARCH_STEPS_TIMES_ROWS, TILE


@dataclass
class SolvedPair:
    done: Finished
    steps: int


def applies(problem: Problem, limits: Limits) -> bool:
    """Tell whether the problem has small pairs and exact biases, and ends at the violation alone."""
    kernel, fits = problem.kernel, _one_matrix(problem) or _strips_fit(problem)
    plain = limits.gap_tolerance is None
    exact = problem.machine.split == "pairs" and problem.bias == "exact" and problem.form.outputs == 1
    return fits and plain and exact and kernel.semidefinite and not isinstance(kernel, FeatureKernel)


def _one_matrix(problem: Problem) -> bool:
    n = len(problem)
    return n <= PAIRS.most and 8.0 * n * n <= PAIRS.memory * problem.cache_mb * 2**20


def _strips_fit(problem: Problem) -> bool:
    """Tell whether all pairs are small, and the kernel rows of a class plus the matrices of all classes fit."""
    sizes = np.sort(np.bincount(problem.labels, minlength=problem.classes)).astype(np.float64)
    numbers = sizes[-1] * len(problem) + np.square(sizes).sum()
    return bool(sizes[-2:].sum() <= PAIRS.strip_most and 8.0 * numbers <= PAIRS.memory * problem.cache_mb * 2**20)


class WholeMatrix:
    """The kernel matrix of all examples, class after class."""

    def __init__(self, kernel: Kernel, points: Points, starts: np.ndarray) -> None:
        self.kernel, self.points, self.starts = kernel, points, starts
        self.values: np.ndarray | None = None

    def pair(self, a: int, b: int) -> tuple[np.ndarray, np.ndarray]:
        """Return (matrix, [start, stop of the first class, start, stop of the second class] in the matrix)."""
        if self.values is None:
            matrix = np.empty((len(self.points), len(self.points)))
            kernel_matrix(self.kernel, self.points, matrix)
            self.values = matrix
        return self.values, self.starts[[a, a + 1, b, b + 1]]

    def evaluations(self, a: int, b: int) -> int:
        """Count the kernel values computed for this pair: the first pair counts half the matrix and its diagonal."""
        n = len(self.points)
        return n * (n + 1) // 2 if (a, b) == (0, 1) else 0


class MatrixStrips:
    """The kernel rows of one class with all later classes, and the matrices of single classes."""

    def __init__(self, kernel: Kernel, points: Points, starts: np.ndarray) -> None:
        self.kernel, self.points, self.starts = kernel, points, starts
        self.first, self.strip = -1, np.empty((0, 0))
        self.alone: dict[int, np.ndarray] = {}

    def pair(self, a: int, b: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the matrix of the pair alone, with starts and stops as `WholeMatrix.pair` does."""
        if self.first != a:
            self.kernel.prepare(self.points, np.float64)
            begin, end = int(self.starts[a]), int(self.starts[-1])
            strip = np.empty((self._size(a), end - begin))
            for start in range(begin, end, TILE):
                stop = min(start + TILE, end)
                self._compute(a, slice(start, stop), strip[:, start - begin : stop - begin])
                tick()
            self.first, self.strip = a, strip
        split, n = self._size(a), self._size(a) + self._size(b)
        if b not in self.alone:
            square = np.empty((n - split, n - split))
            self.alone[b] = self._compute(b, slice(int(self.starts[b]), int(self.starts[b + 1])), square)
        matrix, cross = np.empty((n, n)), self.strip[:, self.starts[b] - self.starts[a] :][:, : n - split]
        matrix[:split, :split], matrix[split:, split:] = self.strip[:, :split], self.alone[b]
        matrix[:split, split:], matrix[split:, :split] = cross, cross.T
        return matrix, np.array([0, split, split, n])

    def _size(self, number: int) -> int:
        return int(self.starts[number + 1] - self.starts[number])

    def _compute(self, number: int, columns: slice, values: np.ndarray) -> np.ndarray:
        rows = slice(int(self.starts[number]), int(self.starts[number + 1]))
        return self.kernel.block(self.points.view(rows), self.points.view(columns), values)

    def evaluations(self, a: int, b: int) -> int:
        """Count the kernel values computed for this pair, if pairs are solved in their order."""
        strip = self._size(a) * int(self.starts[-1] - self.starts[a]) if b == a + 1 else 0
        return strip + (self._size(b) ** 2 if a == 0 else 0)


class SmallPairs:
    """The solver of pairs in their order; `places` holds the examples sorted by class."""

    def __init__(self, problem: Problem, limits: Limits) -> None:
        self.problem, self.tolerance = problem, limits.tolerance
        self.places = np.argsort(problem.labels, kind="stable")
        self.starts = np.searchsorted(problem.labels[self.places], np.arange(problem.classes + 1))
        self.source: WholeMatrix | MatrixStrips | None = None
        self.magnitude = Magnitude(np.empty(0), 0.0)
        self.coarse = CoarseBound(0.0, 0.0, 0.0, 0)

    def solve(self, number: int, start: np.ndarray | None = None, most: int = NO_LIMIT) -> SolvedPair | None:
        """Solve this pair, from alpha = 0 or from `start`.

        Return None if `most` or PAIRS.patience steps are too few.
        """
        if self.source is None:
            points = self.problem.points.take(self.places)
            kind = WholeMatrix if _one_matrix(self.problem) else MatrixStrips
            self.source = kind(self.problem.training_kernel, points, self.starts)
            self.magnitude = self.problem.training_kernel.magnitude(points)
            self.coarse = CoarseBound.of(self.magnitude, self.problem.form, self.problem.upper)
        a, b = self.problem.pairs[number]
        matrix, spans = self.source.pair(a, b)
        places = self._of_pair(self.places, a, b)
        n, first = places.size, spans[1] - spans[0]
        sign, upper = np.where(np.arange(n) < first, 1.0, -1.0), self.problem.upper[places]
        order = np.argsort(places)  # order of the rows of the part
        beta, functions, recent = np.zeros(n), np.zeros(n), np.zeros(n, dtype=np.bool_)
        if start is not None and start.any():
            beta[order] = start[:, 0]
            beta[:] = _balanced(np.clip(beta, 0.0, upper) * sign, sign)
            two_class.multiply(matrix, spans, beta, functions)
        steps, status, limit = 0, two_class.MOVING, max(100, SEARCH_STEPS_TIMES_ROWS // n)
        most = min(most, PAIRS.patience * n)
        while status == two_class.MOVING and steps < most:
            status, taken = two_class.advance(
                matrix, spans, sign, self.problem.margin, upper, beta, functions, self.tolerance,
                min(limit, most - steps), recent, TWO_CLASS,
            )  # fmt: skip
            steps += taken
            tick()
        imbalance, costs = abs(float(beta.sum())), float(upper.sum())
        if status != two_class.CONVERGED or steps > most or imbalance > FEASIBLE * costs:
            return None
        bias, primal, dual, violation = two_class.conclude(sign, self.problem.margin, upper, beta, functions)
        certificate = Certificate(float(primal), float(dual), float(violation), imbalance, costs)
        alpha = np.abs(beta)
        if not self.coarse.is_negligible(certificate, n, float(alpha.sum())):
            form = self.problem.form
            magnitude = Magnitude(self._of_pair(self.magnitude.size, a, b), self.magnitude.error)
            certificate = widen(certificate, rounding_of(magnitude, 0.0, form, beta[:, None]), form, upper)
        if certificate.violation > self.tolerance:
            return None
        proof = Proof(certificate, beta[order, None], functions[order, None], np.array([bias]))
        return SolvedPair(Finished(alpha[order, None], proof, stalled=False), int(steps))

    def _of_pair(self, numbers: np.ndarray, a: int, b: int) -> np.ndarray:
        """Select the entries of the examples of two classes from numbers that are sorted by class."""
        starts = self.starts
        return np.concatenate([numbers[starts[a] : starts[a + 1]], numbers[starts[b] : starts[b + 1]]])

    def evaluations(self, number: int) -> int:
        """Count the kernel values computed for the pair of this number."""
        return 0 if self.source is None else self.source.evaluations(*self.problem.pairs[number])


def _balanced(beta: np.ndarray, sign: np.ndarray) -> np.ndarray:
    """Return beta with the larger of its two sides scaled down, so that it sums to zero."""
    above, below = float(beta[sign > 0.0].sum()), -float(beta[sign < 0.0].sum())
    if above == 0.0 or below == 0.0:
        return np.zeros_like(beta)
    return beta * np.where(sign > 0.0, min(1.0, below / above), min(1.0, above / below))
