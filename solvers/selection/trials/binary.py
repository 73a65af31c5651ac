"""Binary machines of ovo, dag and ova along rising C, on a shared kernel matrix, without Problem or Run.

One compiled call (jit/binary) solves one machine at one C, warm-started from the C before; no kernel value is
computed. Certificates use functions recomputed from beta in float64.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np

from mcsvm.solvers import clock
from mcsvm.solvers.budget import TWO_CLASS
from mcsvm.solvers.dual.certificate import Certificate
from mcsvm.solvers.jit.binary import two_class
from mcsvm.solvers.kernels import Kernel
from mcsvm.solvers.run.ending import Ending
from mcsvm.solvers.selection.cell import Pair
from mcsvm.solvers.selection.settings import TrainingSettings
from mcsvm.solvers.selection.trials.shared import FoldRows, Matrices
from mcsvm.solvers.work import SEARCH_STEPS_TIMES_ROWS

ENDINGS = {two_class.CONVERGED: Ending.CONVERGED, two_class.STALLED: Ending.STALLED}


@dataclass(frozen=True, eq=False)
class Binary:
    """One binary machine: its rows of shared matrices, and their signs."""

    matrices: Matrices
    spans: np.ndarray  # (start, stop, start, stop) of two ranges of matrix rows
    places: np.ndarray  # indices of these rows in the training part
    sign: np.ndarray


@dataclass(eq=False)
class Solved:
    """All binary machines of one fold at one C."""

    values: np.ndarray  # (machines, test rows)
    support: np.ndarray  # (training rows,) whether the row is a support vector of any machine
    certificate: Certificate = field(default_factory=lambda: Certificate(0.0, 0.0, 0.0, 0.0))
    ending: Ending = Ending.CONVERGED
    seconds: float = 0.0
    steps: int = 0


def pairs_of(
    rows: FoldRows, kernel: Kernel, whole: Matrices | None, wanted: Collection[Pair] | None = None
) -> Iterator[Binary]:
    """Yield one machine per pair of classes (or per wanted pair), on the whole matrix, or on a matrix of the pair."""
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
    some = replace(rows, train=rows.train.take(places), labels=rows.labels[places], weights=rows.weights[places])
    return Matrices.filled(some, kernel.block)


def rests_of(rows: FoldRows, whole: Matrices) -> Iterator[Binary]:
    """Yield one machine per class, against all other classes."""
    everything = np.arange(len(rows.train))
    for c in range(rows.classes):
        yield Binary(whole, np.array([0, everything.size, 0, 0]), everything, np.where(rows.labels == c, 1.0, -1.0))


class CostPath:
    """Solves the binary machines of one fold along rising costs."""

    def __init__(
        self,
        rows: FoldRows,
        costs: Sequence[float],
        margin: float,
        settings: TrainingSettings,
        stopped: Callable[[], bool],
    ) -> None:
        self.rows, self.costs, self.margin, self.stopped = rows, costs, margin, stopped
        self.limits = settings.limits
        self.upper = settings.weights(rows)[rows.labels] * rows.weights  # at C = 1
        self.solved: list[Solved] = []

    def along(self, machines: Iterator[Binary], count: int) -> list[Solved] | None:
        """Return the results at every cost, or None after a stop."""
        n, tests = len(self.rows.train), len(self.rows.test)
        self.solved = [Solved(np.empty((count, tests)), np.zeros(n, dtype=bool)) for _ in self.costs]
        for number, machine in enumerate(machines):
            if not self._follow(number, machine):
                return None
        return self.solved

    def _follow(self, number: int, machine: Binary) -> bool:
        run, before = BinarySolver(machine, self.margin), 0.0
        upper = self.upper[machine.places]
        for cost, solved in zip(self.costs, self.solved, strict=True):
            ending = self._solve(run, cost * upper, cost / before if before else 1.0, solved, solved.values[number])
            if ending is None:
                return False
            primal, dual, violation, infeasible = run.sums.tolist()
            scale = cost * float(upper.sum())
            solved.certificate = solved.certificate + Certificate(primal, dual, violation, infeasible, scale)
            if ending is not Ending.CONVERGED and solved.ending is Ending.CONVERGED:
                solved.ending = ending
            solved.support[machine.places[run.support]] = True
            before = cost
        return True

    def _solve(
        self, run: BinarySolver, upper: np.ndarray, more: float, solved: Solved, values: np.ndarray
    ) -> Ending | None:
        """Solve until the machine has converged, stalled or used up its time; return None after a stop."""
        run.support[:] = False
        while not self.stopped():
            began = clock.seconds()
            status, steps = run.solve(upper, more, self.limits.tolerance, values)
            solved.seconds += clock.seconds() - began
            solved.steps += steps
            more = 1.0
            if status != two_class.MOVING:
                return ENDINGS[status]
            if self.limits.seconds is not None and solved.seconds > self.limits.seconds:
                run.give_up(upper, values)
                return Ending.TIME_LIMIT
        return None


class BinarySolver:
    """The state of one binary machine: beta and its functions, carried from cost to cost."""

    def __init__(self, machine: Binary, margin: float) -> None:
        n = machine.sign.size
        self.machine, self.margin, self.sums = machine, margin, np.zeros(4)
        self.beta, self.functions = np.zeros(n), np.zeros(n)
        self.recent, self.support = np.zeros(n, dtype=np.bool_), np.zeros(n, dtype=np.bool_)
        self.steps = max(100, SEARCH_STEPS_TIMES_ROWS // n)

    def solve(self, upper: np.ndarray, more: float, tolerance: float, values: np.ndarray) -> tuple[int, int]:
        machine = self.machine
        K, T = machine.matrices.train, machine.matrices.test
        return two_class.solve(
            K, T, machine.spans, machine.sign, self.margin, upper, more, self.beta, self.functions, tolerance,
            self.steps, self.recent, values, self.support, self.sums, TWO_CLASS,
        )  # fmt: skip

    def give_up(self, upper: np.ndarray, values: np.ndarray) -> None:
        """End at a time limit, with the current beta and recomputed functions."""
        machine = self.machine
        two_class.multiply(machine.matrices.train, machine.spans, self.beta, self.functions)
        two_class.finish(
            machine.matrices.test, machine.spans, machine.sign, self.margin, upper, self.beta, self.functions, values,
            self.support, self.sums,
        )  # fmt: skip


def rehearse() -> None:
    """Compile all of jit/binary/two_class.py, on a problem that pair steps alone do not solve."""
    X = np.sin(np.outer(np.arange(12), [1.0, 2.0]))
    K, sign, upper = X @ X.T + 1e-3 * np.eye(12), np.where(np.arange(12) < 6, 1.0, -1.0), np.full(12, 1e3)
    solver = BinarySolver(Binary(Matrices(K, K), np.array([0, 6, 6, 12]), np.arange(12), sign), 1.0)
    solver.solve(upper, 1.0, 1e-3, np.empty(12))
    solver.give_up(upper, np.empty(12))
