"""Model: support vectors, expansion, bias and kernel of a trained machine; decision values and labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import combinations
from typing import Any

import numpy as np

from solvers.jit.rounding import ROUNDING
from solvers.kernels import Kernel, Points
from solvers.kernels.precomputed import MatrixRows
from solvers.machines import MACHINES, Machine
from solvers.problem import Problem
from solvers.products import kernel_times
from solvers.work import PREDICTION_ROWS

TIE = ROUNDING  # difference up to which class functions tie: BLAS rounds equal rows differently by position


@dataclass(frozen=True, eq=False)
class Model:
    machine: Machine
    kernel: Kernel
    classes: int
    support: np.ndarray  # indices into the training examples
    points: Points  # the support vectors
    owners: np.ndarray  # (n_support,) the class of each
    expansion: np.ndarray  # (n_support, outputs)
    bias: np.ndarray  # (outputs,)

    @classmethod
    def of(cls, problem: Problem, weights: Sequence[np.ndarray], bias: Sequence[np.ndarray]) -> Model:
        offsets = np.concatenate(list(bias))
        whole = np.zeros((problem.labels.size, offsets.size))
        if problem.machine.split == "joint":
            whole[...] = weights[0]
        else:
            for number, part in enumerate(weights):
                whole[problem.rows_of(number), number] = part[:, 0]
        support = np.flatnonzero(np.any(whole != 0.0, axis=1))
        return cls(
            machine=problem.machine,
            kernel=problem.kernel,
            classes=problem.classes,
            support=support,
            points=support_points(problem.kernel, problem.points, support),
            owners=problem.labels[support],
            expansion=whole[support],
            bias=offsets,
        )

    def decision(self, features: Any) -> np.ndarray:
        """(n, outputs): class functions, or pair functions of ovo and dag (positive: the first class)."""
        points = features if isinstance(features, Points) else Points(features)
        values = np.empty((len(points), self.bias.size))
        for start in range(0, len(points), PREDICTION_ROWS):
            index = np.arange(start, min(start + PREDICTION_ROWS, len(points)))
            values[index] = self._products(points.take(index)) + self.bias
        return values

    def _products(self, points: Points) -> np.ndarray:
        if self.machine.split != "pairs" or self.classes == 2:
            return kernel_times(self.kernel, points, self.points, self.expansion)
        values = np.zeros((len(points), self.bias.size))
        for members, columns in self._blocks:  # a pair function has support vectors of its two classes only
            values[:, columns] += kernel_times(
                self.kernel, points, self.points.take(members), self.expansion[np.ix_(members, columns)]
            )
        return values

    @cached_property
    def _blocks(self) -> list[tuple[np.ndarray, np.ndarray]]:
        pairs = np.array(list(combinations(range(self.classes), 2)))
        return [
            (np.flatnonzero(self.owners == number), np.flatnonzero((pairs == number).any(axis=1)))
            for number in range(self.classes)
        ]

    def __getstate__(self) -> dict[str, Any]:
        """Pickle the name of a registered machine in place of the machine, whose functions cannot be pickled."""
        state = {name: value for name, value in vars(self).items() if name != "_blocks"}
        return state | ({"machine": self.machine.name} if MACHINES.get(self.machine.name) is self.machine else {})

    def __setstate__(self, state: dict[str, Any]) -> None:
        machine = state["machine"]
        vars(self).update(state, machine=MACHINES[machine] if isinstance(machine, str) else machine)

    def predict(self, features: Any) -> np.ndarray:
        return decide(self.machine, self.decision(features), self.classes)


def decide(machine: Machine, values: np.ndarray, classes: int) -> np.ndarray:
    """Labels from decision values; ties within TIE go to the smaller index."""
    if machine.vote == "argmax":
        return (values >= values.max(axis=1, keepdims=True) - TIE).argmax(axis=1)
    return votes(values, classes).argmax(axis=1) if machine.vote == "votes" else walk(values, classes)


def votes(values: np.ndarray, classes: int) -> np.ndarray:
    """(n, classes): pair (a, b) votes a where its function is positive, else b."""
    given = (values > 0.0).astype(np.float32) @ _sides(classes)  # whole numbers, which float32 holds
    return given.astype(np.int64) + np.arange(classes)  # class b is the second of b pairs


@cache
def _sides(classes: int) -> np.ndarray:
    """(pairs, classes): 1 for the first class of a pair, -1 for the second."""
    pairs = np.array(list(combinations(range(classes), 2))).reshape(-1, 2)
    sides = np.zeros((len(pairs), classes), dtype=np.float32)
    sides[np.arange(len(pairs)), pairs[:, 0]] = 1.0
    sides[np.arange(len(pairs)), pairs[:, 1]] = -1.0
    return sides


def pair_scores(values: np.ndarray, classes: int) -> np.ndarray:
    """(n, classes) from pair functions: votes + c / (3 (|c| + 1)), c the sum of the signed pair functions of the class.

    scikit-learn's score, without libsvm's sign: c decides between classes of equally many votes.
    """
    clarity = np.zeros((values.shape[0], classes))
    for column, (a, b) in enumerate(combinations(range(classes), 2)):
        clarity[:, a] += values[:, column]
        clarity[:, b] -= values[:, column]
    return votes(values, classes) + clarity / (3.0 * (np.abs(clarity) + 1.0))


def with_winner(scores: np.ndarray, machine: Machine, values: np.ndarray) -> np.ndarray:
    """Raise the score of the class that the machine decides for above all others, to one more than the most votes."""
    classes = scores.shape[1]
    counts, rows, decided = votes(values, classes), np.arange(len(scores)), decide(machine, values, classes)
    scores[rows, decided] += 1.0 + counts.max(axis=1) - counts[rows, decided]
    return scores


def class_scores(machine: Machine, values: np.ndarray, classes: int) -> np.ndarray:
    """(n, classes) from pair functions; the largest is the class that the machine decides for."""
    return with_winner(pair_scores(values, classes), machine, values)


def walk(values: np.ndarray, classes: int) -> np.ndarray:
    """DAGSVM: compare the first and the last class of the list, drop the loser, until one is left."""
    first = np.zeros(values.shape[0], dtype=np.int64)
    last = np.full(values.shape[0], classes - 1, dtype=np.int64)
    rows = np.arange(values.shape[0])
    for _ in range(classes - 1):
        column = pair_column(first, last, classes)
        keep_first = values[rows, column] > 0.0
        last = np.where(keep_first, last - 1, last)
        first = np.where(keep_first, first, first + 1)
    return first


def pair_column(a: np.ndarray, b: np.ndarray, classes: int) -> np.ndarray:
    """The column of pair (a, b), a < b, in the order (0, 1), (0, 2), ..."""
    return a * (2 * classes - a - 1) // 2 + b - a - 1


def support_points(kernel: Kernel, points: Points, support: np.ndarray) -> Points:
    """The support vectors as points, in float64; of a precomputed kernel their columns, without rows."""
    if kernel.name == "precomputed":
        assert isinstance(points, MatrixRows)
        return MatrixRows(np.empty((support.size, 0)), points.columns[support])
    return points.take(support).in_double()


def second_over_first(values: np.ndarray) -> np.ndarray:
    """(n,) the one function of two classes, positive for the second."""
    return -values[:, 0] if values.shape[1] == 1 else values[:, 1] - values[:, 0]
