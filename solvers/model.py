"""Model: support vectors, expansion, bias and kernel of a trained machine; decision values and labels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp

from mcsvm.solvers.jit.binary import pairs as compiled_pairs
from mcsvm.solvers.jit.rounding import ROUNDING
from mcsvm.solvers.kernels import Kernel, Points
from mcsvm.solvers.kernels.base import FeatureKernel
from mcsvm.solvers.kernels.precomputed import MatrixRows
from mcsvm.solvers.machines import MACHINES, Machine
from mcsvm.solvers.problem import Problem
from mcsvm.solvers.products import kernel_times
from mcsvm.solvers.work import EXACT_BLOCK_BYTES, PREDICTION_BYTES, PREDICTION_ROWS, VALUE, scratch, spread

TIE = ROUNDING  # difference up to which class functions tie: BLAS rounds equal rows differently by position


Expansion: TypeAlias = Any  # np.ndarray | sp.csc_array: SciPy has no types


@dataclass(frozen=True, eq=False)
class Model:
    """A trained machine.

    `expansion` is sparse, a column per pair, for the pairs of more than two classes: a pair has coefficients for the
    support vectors of its two classes alone. For all other machines it is a dense table.
    """

    machine: Machine
    kernel: Kernel
    classes: int
    support: np.ndarray  # indices into the training examples
    points: Points  # the support vectors
    owners: np.ndarray  # (n_support,) the class of each support vector
    expansion: Expansion  # (n_support, outputs)
    bias: np.ndarray  # (outputs,)

    @classmethod
    def of(cls, problem: Problem, weights: Sequence[np.ndarray], bias: Sequence[np.ndarray]) -> Model:
        """Build the model from the weights and the bias of each part.

        Parts at the end that have no weights did not start: their functions are constant.
        """
        support, expansion = _expansion_of(problem, weights)
        constant = np.concatenate(list(bias))
        if problem.origin is not None:
            constant = constant - expansion.T @ problem.heights[support]
        return cls(
            machine=problem.machine,
            kernel=problem.kernel,
            classes=problem.classes,
            support=support,
            points=support_points(problem.kernel, problem.points, support),
            owners=problem.labels[support],
            expansion=expansion,
            bias=constant,
        )

    def decision(self, features: Any) -> np.ndarray:
        """Return (n, outputs) the class functions, or the pair functions of ovo and dag (positive: the first class)."""
        points = features if isinstance(features, Points) else Points(features)
        values = np.empty((len(points), self.bias.size))
        for index in self.chunks(len(points)):
            values[index] = self._products(points.take(index)) + self.bias
        return values

    def column(self, output: int) -> np.ndarray:
        """Return (n_support,) coefficients of one class function or pair function."""
        if not sp.issparse(self.expansion):
            return np.asarray(self.expansion[:, output])
        column, starts = np.zeros(self.support.size), self.expansion.indptr
        entries = slice(starts[output], starts[output + 1])
        column[self.expansion.indices[entries]] = self.expansion.data[entries]
        return column

    def _products(self, points: Points) -> np.ndarray:
        if not sp.issparse(self.expansion):
            return kernel_times(self.kernel, points, self.points, self.expansion)
        return pair_products(self.kernel, points, self.points, self.expansion)

    def chunks(self, rows: int) -> Iterator[np.ndarray]:
        """Split rows into chunks whose decision values take a bounded amount of memory.

        The chunk size divides PREDICTION_ROWS, because BLAS rounds a row according to its position.
        """
        size = PREDICTION_ROWS
        while size > 1 and 8 * size * self.bias.size > PREDICTION_BYTES:
            size //= 2
        for start in range(0, rows, size):
            yield np.arange(start, min(start + size, rows))

    def __getstate__(self) -> dict[str, Any]:
        """Pickle the name of a registered machine in place of the machine, whose functions cannot be pickled."""
        return vars(self) | ({"machine": self.machine.name} if MACHINES.get(self.machine.name) is self.machine else {})

    def __setstate__(self, state: dict[str, Any]) -> None:
        machine = state["machine"]
        vars(self).update(state, machine=MACHINES[machine] if isinstance(machine, str) else machine)

    def predict(self, features: Any) -> np.ndarray:
        """Return (n,) the class of each row; the memory does not grow with the number of pairs times rows."""
        points = features if isinstance(features, Points) else Points(features)
        codes = np.empty(len(points), dtype=np.int64)
        for index in self.chunks(len(points)):
            codes[index] = decide(self.machine, self.decision(points.take(index)), self.classes)
        return codes


def _expansion_of(problem: Problem, weights: Sequence[np.ndarray]) -> tuple[np.ndarray, Expansion]:
    """Return (training rows with a coefficient, their coefficients)."""
    if problem.machine.split == "pairs" and problem.classes > 2:
        return _pair_expansion(problem, weights)
    whole = np.zeros((problem.labels.size, problem.outputs))
    if problem.machine.split == "joint":
        whole[...] = weights[0]
    else:
        for number, part in enumerate(weights):
            whole[problem.rows_of(number), number] = part[:, 0]
    support = np.flatnonzero(np.any(whole != 0.0, axis=1))
    return support, whole[support]


def _pair_expansion(problem: Problem, weights: Sequence[np.ndarray]) -> tuple[np.ndarray, Expansion]:
    starts = np.zeros(problem.part_count + 1, dtype=np.int64)
    rows, values = [np.empty(0, dtype=np.int64)], [np.empty(0)]
    for number, part in enumerate(weights):
        used = np.flatnonzero(part[:, 0])
        rows.append(np.asarray(problem.rows_of(number))[used])
        values.append(part[used, 0])
        starts[number + 1] = used.size
    return pair_expansion(problem.labels.size, np.cumsum(starts), np.concatenate(rows), np.concatenate(values))


def pair_expansion(
    examples: int, starts: np.ndarray, rows: np.ndarray, values: np.ndarray
) -> tuple[np.ndarray, Expansion]:
    """Return (examples with a coefficient, (n_support, pairs) their coefficients).

    The coefficients of pair p are `values[starts[p] : starts[p + 1]]`. The same slice of `rows`, in ascending order,
    holds their examples.
    """
    used = np.zeros(examples, dtype=bool)
    used[rows] = True
    support = np.flatnonzero(used)
    place = np.cumsum(used) - 1
    shape = support.size, starts.size - 1
    kind = np.int32 if max(values.size, *shape) <= np.iinfo(np.int32).max else np.int64
    return support, sp.csc_array((values, place[rows].astype(kind), starts.astype(kind)), shape=shape)


def pair_products(kernel: Kernel, left: Points, right: Points, expansion: Expansion) -> np.ndarray:
    """Compute K(left, right) @ expansion for a sparse expansion, in float64 and in blocks of bounded size."""
    if isinstance(kernel, FeatureKernel):
        return kernel.times(left, right, expansion)
    result = np.zeros((len(left), expansion.shape[1]))
    if len(right) == 0:
        return result
    kernel.prepare(right, np.float64)
    height = max(1, min(len(left), EXACT_BLOCK_BYTES // (8 * len(right))))

    def multiply(start: int) -> None:
        index = np.arange(start, min(start + height, len(left)))
        values = kernel.block(left.take(index), right, scratch((index.size, len(right))))
        transposed = np.ascontiguousarray(values.T)
        compiled_pairs.pair_values(expansion.indptr, expansion.indices, expansion.data, transposed, result[index[0] :])

    operations = 2.0 * height * (len(right) * (left.stored + VALUE) + expansion.nnz + expansion.shape[1])
    spread(multiply, range(0, len(left), height), operations)
    return result


def stored_expansion(machine: Machine, classes: int, table: np.ndarray) -> Expansion:
    """Return a dense coefficient table as a model stores it: sparse for the pairs of more than two classes."""
    return sp.csc_array(table) if machine.split == "pairs" and classes > 2 else table


def dense_expansion(expansion: Expansion) -> np.ndarray:
    """Return the coefficients as a dense table."""
    return expansion.toarray() if sp.issparse(expansion) else np.asarray(expansion)


def decide(machine: Machine, values: np.ndarray, classes: int) -> np.ndarray:
    """Return labels from decision values; ties within TIE go to the smaller index."""
    if machine.vote == "argmax":
        return (values >= values.max(axis=1, keepdims=True) - TIE).argmax(axis=1)
    return votes(values, classes).argmax(axis=1) if machine.vote == "votes" else walk(values, classes)


def votes(values: np.ndarray, classes: int) -> np.ndarray:
    """Return (n, classes) votes: pair (a, b) votes for a if its function is positive, else for b."""
    counts = np.zeros((len(values), classes), dtype=np.int64)
    compiled_pairs.count_votes(np.ascontiguousarray(values), counts)
    return counts


def pair_scores(values: np.ndarray, classes: int) -> np.ndarray:
    """Return (n, classes) scores from pair functions: votes + c / (3 (|c| + 1)).

    c is the sum of the signed pair functions of the class. This is scikit-learn's score, without libsvm's sign: c
    decides between classes with equally many votes.
    """
    clarity = np.zeros((values.shape[0], classes))
    compiled_pairs.add_signed(np.ascontiguousarray(values), clarity)
    return votes(values, classes) + clarity / (3.0 * (np.abs(clarity) + 1.0))


def with_winner(scores: np.ndarray, machine: Machine, values: np.ndarray) -> np.ndarray:
    """Raise the score of the predicted class above all others, to one more than the most votes."""
    classes = scores.shape[1]
    counts, rows, decided = votes(values, classes), np.arange(len(scores)), decide(machine, values, classes)
    scores[rows, decided] += 1.0 + counts.max(axis=1) - counts[rows, decided]
    return scores


def class_scores(machine: Machine, values: np.ndarray, classes: int) -> np.ndarray:
    """Return (n, classes) scores from pair functions; the largest is that of the predicted class."""
    return with_winner(pair_scores(values, classes), machine, values)


def walk(values: np.ndarray, classes: int) -> np.ndarray:
    """Return the classes that DAGSVM predicts: compare the first and the last class of the list and drop the loser.

    This repeats until one class is left.
    """
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
    """Return the column of pair (a, b), a < b, in the order (0, 1), (0, 2), ..."""
    return a * (2 * classes - a - 1) // 2 + b - a - 1


def support_points(kernel: Kernel, points: Points, support: np.ndarray) -> Points:
    """Return the support vectors as points, in float64; with a precomputed kernel, their columns without rows."""
    if kernel.name == "precomputed":
        assert isinstance(points, MatrixRows)
        return MatrixRows(np.empty((support.size, 0)), points.columns[support])
    return points.take(support).in_double()


def function_of_two(machine: Machine, values: np.ndarray) -> np.ndarray:
    """Return (n,) the decision function of two classes: positive for the second, +-1 at the margins, as SVC's."""
    return -values[:, 0] if values.shape[1] == 1 else machine.reading_of_two * (values[:, 1] - values[:, 0])
