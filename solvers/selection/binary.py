"""Binary machines of ovo, dag and ova along rising C, straight on a shared kernel matrix.

One compiled call solves one machine at one C from where the C before ended; no Problem, no Run, and no kernel
value is computed. Certificates are by functions made anew from beta, in float64.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations

import numpy as np

from solvers.certificate import Certificate
from solvers.ending import Ending
from solvers.jit import two_class
from solvers.kernels import Kernel
from solvers.selection.cell import Pair
from solvers.selection.settings import Settings
from solvers.selection.shared import FoldRows, Matrices

WARM = threading.Lock()
SLICE = 20_000_000  # steps x examples of a call: a fraction of a second, so that a wish to stop is heard
ENDINGS = {two_class.CONVERGED: Ending.CONVERGED, two_class.STALLED: Ending.STALLED}


@dataclass(frozen=True, eq=False)
class Binary:
    """One binary machine: which rows of which matrices, and the sign of each."""

    matrices: Matrices
    spans: np.ndarray  # two runs of matrix rows
    places: np.ndarray  # of these rows in the training part
    sign: np.ndarray


@dataclass(eq=False)
class Solved:
    """All binary machines of one fold at one C."""

    values: np.ndarray  # (machines, test rows)
    support: np.ndarray  # (training rows,) whether a support vector of any machine
    certificate: Certificate = field(default_factory=lambda: Certificate(0.0, 0.0, 0.0, 0.0))
    ending: Ending = Ending.CONVERGED
    seconds: float = 0.0
    steps: int = 0


def pairs_of(
    rows: FoldRows, kernel: Kernel, whole: Matrices | None, wanted: Collection[Pair] | None = None
) -> Iterator[Binary]:
    """One machine per pair of classes (or per wanted pair), on the whole matrix or on one of its own."""
    for a, b in combinations(range(rows.classes), 2):
        if wanted is not None and (a, b) not in wanted:
            continue
        spans = np.array([rows.starts[a], rows.starts[a + 1], rows.starts[b], rows.starts[b + 1]])
        places = np.concatenate([np.arange(*spans[:2]), np.arange(*spans[2:])])
        sign = np.where(np.arange(places.size) < spans[1] - spans[0], 1.0, -1.0)
        if whole is None:
            yield Binary(part_of(rows, kernel, places), np.array([0, places.size, 0, 0]), places, sign)
        else:
            yield Binary(whole, spans, places, sign)


def part_of(rows: FoldRows, kernel: Kernel, places: np.ndarray) -> Matrices:
    some = FoldRows(rows.train.take(places), rows.labels[places], rows.test, rows.test_labels, rows.names)
    return Matrices.filled(some, kernel.block)


def rests_of(rows: FoldRows, whole: Matrices) -> Iterator[Binary]:
    """One machine per class, against all other rows."""
    everything = np.arange(len(rows.train))
    for c in range(rows.classes):
        yield Binary(whole, np.array([0, everything.size, 0, 0]), everything, np.where(rows.labels == c, 1.0, -1.0))


class Path:
    """Binary machines of one fold along rising costs."""

    def __init__(
        self, rows: FoldRows, costs: Sequence[float], margin: float, settings: Settings, stopped: Callable[[], bool]
    ) -> None:
        self.rows, self.costs, self.margin, self.stopped = rows, costs, margin, stopped
        self.limits = settings.limits
        self.upper = settings.weights(rows)[rows.labels]  # at C = 1
        self.solved: list[Solved] = []

    def along(self, machines: Iterator[Binary], count: int) -> list[Solved] | None:
        """Every machine at every cost, or None where a stop came in between."""
        with WARM:
            warm_up()
        n, tests = len(self.rows.train), len(self.rows.test)
        self.solved = [Solved(np.empty((count, tests)), np.zeros(n, dtype=bool)) for _ in self.costs]
        for number, machine in enumerate(machines):
            if not self._follow(number, machine):
                return None
        return self.solved

    def _follow(self, number: int, machine: Binary) -> bool:
        n, before = machine.sign.size, 0.0
        beta, functions, recent = np.zeros(n), np.zeros(n), np.zeros(n, dtype=np.bool_)
        upper = self.upper[machine.places]
        for cost, solved in zip(self.costs, self.solved, strict=True):
            if self.stopped():
                return False
            began = time.perf_counter()
            if before:
                two_class.grow(machine.sign, self.margin, cost * upper, cost / before, beta, functions)
            ending = self._solve(machine, cost * upper, beta, functions, recent, solved)
            solved.seconds += time.perf_counter() - began
            if ending is None:
                return False
            self._conclude(number, machine, cost * upper, beta, functions, solved, ending)
            before = cost
        return True

    def _solve(
        self,
        machine: Binary,
        upper: np.ndarray,
        beta: np.ndarray,
        functions: np.ndarray,
        recent: np.ndarray,
        solved: Solved,
    ) -> Ending | None:
        """Until converged, stalled or out of time; None where a stop came first."""
        began, slice_steps = time.perf_counter(), max(100, SLICE // beta.size)
        while True:
            status, steps = two_class.advance(
                machine.matrices.train, machine.spans, machine.sign, self.margin, upper, beta, functions,
                self.limits.tolerance, slice_steps, recent,
            )  # fmt: skip
            solved.steps += steps
            if status != two_class.MOVING:
                return ENDINGS[status]
            if self.stopped():
                return None
            if self.limits.seconds is not None and solved.seconds + time.perf_counter() - began > self.limits.seconds:
                two_class.multiply(machine.matrices.train, machine.spans, beta, functions)
                return Ending.TIME_LIMIT

    def _conclude(
        self,
        number: int,
        machine: Binary,
        upper: np.ndarray,
        beta: np.ndarray,
        functions: np.ndarray,
        solved: Solved,
        ending: Ending,
    ) -> None:
        offset, primal, dual, violation = two_class.conclude(machine.sign, self.margin, upper, beta, functions)
        infeasible = max(abs(float(beta.sum())), 0.0)
        solved.certificate = solved.certificate + Certificate(primal, dual, violation, infeasible)
        if ending is not Ending.CONVERGED and solved.ending is Ending.CONVERGED:
            solved.ending = ending
        solved.support[machine.places[beta != 0.0]] = True
        two_class.decide(machine.matrices.test, machine.spans, beta, offset, solved.values[number])


@cache
def warm_up() -> None:
    """Compiled before any clock starts, once per process, on a problem that no pair step finishes."""
    X = np.sin(np.outer(np.arange(12), [1.0, 2.0]))
    K, sign, upper = X @ X.T + 1e-3 * np.eye(12), np.where(np.arange(12) < 6, 1.0, -1.0), np.full(12, 1e3)
    spans, beta, functions = np.array([0, 6, 6, 12]), np.zeros(12), np.zeros(12)
    two_class.advance(K, spans, sign, 1.0, upper, beta, functions, 1e-9, 200, np.zeros(12, dtype=np.bool_))
    two_class.grow(sign, 1.0, 2.0 * upper, 2.0, beta, functions)
    two_class.multiply(K, spans, beta, functions)
    offset, *_ = two_class.conclude(sign, 1.0, upper, beta, functions)
    two_class.decide(K, spans, beta, offset, np.empty(12))
