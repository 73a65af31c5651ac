"""Learning from rows in portions: all binary machines of ova, ovo or dag learn each row once, on one pool.

Rows that no machine keeps are forgotten, so memory grows with the support vectors, not with the rows seen.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import scipy.sparse as sp

from mcsvm.solvers.budget import LASVM
from mcsvm.solvers.kernels import Kernel, Points
from mcsvm.solvers.methods.lasvm.choice import CHOICES, class_margins, draw, pair_margins
from mcsvm.solvers.methods.lasvm.machine import OnlineMachine
from mcsvm.solvers.methods.lasvm.pool import Pool


@dataclass(frozen=True)
class OnlineSettings:
    """Settings of a pass over the rows: costs, margin, tolerance, and the choice of examples and partners."""

    upper: np.ndarray  # (classes,) the cost of an example of weight 1, by class
    margin: float
    tolerance: float
    choice: str = "random"
    second_order: bool = True
    seed: int = 0


@dataclass(frozen=True)
class Expansion:
    """The functions learnt so far, as an expansion in the examples of nonzero weight, in the order of their arrival."""

    points: Points
    numbers: np.ndarray  # row number of each example, counted through all portions
    labels: np.ndarray
    upper: np.ndarray  # the cost of each example
    weights: np.ndarray  # (examples, machines)
    bias: np.ndarray  # (machines,)


class Stream:
    """All binary machines of a model: `learn` takes a portion, `expansion` gives the functions at any time."""

    def __init__(self, kernel: Kernel, split: str, settings: OnlineSettings, cache_mb: float) -> None:
        assert split != "joint", "a joint machine has no binary parts"
        self.kernel, self.settings = kernel, settings
        classes = settings.upper.size
        self.sides = list(combinations(range(classes), 2)) if split == "pairs" else [(c, -1) for c in range(classes)]
        self._of_classes = split != "pairs"
        self.pool = Pool(kernel, Points(np.empty((0, 0))), cache_mb)
        self.machines = [
            OnlineMachine(self.pool, settings.margin, second_order=settings.second_order) for _ in self.sides
        ]
        self.labels = self.numbers = np.empty(0, dtype=np.int64)  # of the examples held
        self.upper = np.empty(0)
        self.seen = self.steps = 0

    # -- learning ---------------------------------------------------------------------------------

    def learn(
        self, points: Points, labels: np.ndarray, weights: np.ndarray | None = None, patience: int = LASVM.finishing
    ) -> None:
        """Process every row once, then take `patience` steps per row among the kept examples.

        The steps end earlier if no pair violates. Rows of weight 0 are only counted in row numbers.
        """
        upper = self.settings.upper[labels] * (1.0 if weights is None else weights)
        numbers, portion = np.flatnonzero(upper > 0.0), labels.size
        if numbers.size < portion:
            points, labels, upper = points.take(numbers), labels[numbers], upper[numbers]
        if numbers.size:
            self._learn(points, labels, self.seen + numbers, upper, patience)
        self.seen += portion

    def _learn(self, points: Points, labels: np.ndarray, numbers: np.ndarray, upper: np.ndarray, patience: int) -> None:
        first = self._join(points, labels, numbers, upper)
        diagonal = self.kernel.diagonal(self.pool.points)
        queue = first + np.random.default_rng([self.settings.seed, self.seen]).permutation(labels.size)
        for position in range(queue.size):
            self._choose(queue, position)
            self._learn_one(int(queue[position]), float(diagonal[queue[position]]))
        for machine in self.machines:
            self.steps += machine.reprocess(self.settings.tolerance, patience * labels.size)[1]
        self._forget()

    def _learn_one(self, example: int, diagonal: float) -> None:
        row, label, slot = self.pool.row(example), int(self.labels[example]), -1
        concerned = [number for number, (a, b) in enumerate(self.sides) if b < 0 or label in (a, b)]
        upper, tolerance = float(self.upper[example]), self.settings.tolerance
        for number in concerned:
            positive = self.sides[number][0] == label
            slot = self.machines[number].process(example, row, diagonal, upper, tolerance, slot, positive=positive)
        for number in concerned:  # after the loop above: a machine's steps may free the slot
            self.steps += 1 + self.machines[number].reprocess(tolerance, 1)[1]

    def _choose(self, queue: np.ndarray, position: int) -> None:
        """Swap the most useful candidate to this position of the queue.

        `gradient` takes the candidate with the largest error in any of its machines. `active` may not read the labels
        of candidates, and takes the candidate with the smallest margin between the two best classes.
        """
        worth = CHOICES[self.settings.choice]
        if worth is None or not self.labels.size or not any(map(len, self.machines)):
            return
        places = draw(queue, position, [self.settings.seed, self.seen, position])
        rows = self.pool.block(queue[places])
        functions = np.column_stack(
            [rows[:, machine.slot] @ machine.beta + machine.bias() for machine in self.machines]
        )
        if self.settings.choice == "active":
            classes = self.settings.upper.size
            margins = class_margins(functions) if self._of_classes else pair_margins(functions, classes)
            place = places[np.argmin(margins)]
        else:
            labels, best = self.labels[queue[places]], np.full(places.size, -np.inf)
            for (a, b), values in zip(self.sides, functions.T, strict=True):
                value = worth(values, np.where(labels == a, 1.0, -1.0))
                np.maximum(best, value, out=best, where=(labels == a) | (labels == b) | (b < 0))
            place = places[np.argmax(best)]
        queue[[position, place]] = queue[[place, position]]

    # -- the examples held -----------------------------------------------------------------------------

    def _join(self, points: Points, labels: np.ndarray, numbers: np.ndarray, upper: np.ndarray) -> int:
        """Append new examples to the held examples; return the index of the first new one."""
        held = self.pool.slots.example[self.pool.held]
        both = _stacked(self.pool.points.take(held), points) if held.size else points
        self.pool.renumber(both, np.arange(held.size))
        self.labels = np.concatenate([self.labels[held], labels])
        self.numbers = np.concatenate([self.numbers[held], numbers])
        self.upper = np.concatenate([self.upper[held], upper])
        return held.size

    def _forget(self) -> None:
        held = self.pool.slots.example[self.pool.held]
        self.labels, self.numbers, self.upper = self.labels[held], self.numbers[held], self.upper[held]
        self.pool.renumber(self.pool.points.take(held), np.arange(held.size))

    def adopt(self, found: Expansion, seen: int) -> None:
        """Start from functions of a trained model, after `seen` rows."""
        self._join(found.points, found.labels, found.numbers, found.upper)
        slots = np.array([self.pool.insert(e, self.pool.row(e)) for e in range(found.labels.size)], dtype=np.int64)
        values = self.pool.block(np.arange(found.labels.size))[:, slots] @ found.weights
        for column, (machine, (first, _)) in enumerate(zip(self.machines, self.sides, strict=True)):
            for example in np.flatnonzero(found.weights[:, column]):
                positive = bool(found.labels[example] == first)
                z = (machine.margin if positive else -machine.margin) - float(values[example, column])
                machine.admit(int(slots[example]), z, float(found.upper[example]), positive=positive)
                machine.beta[-1] = found.weights[example, column]
        self.seen = seen

    # -- the learnt functions ---------------------------------------------------------------------

    @property
    def evaluations(self) -> int:
        return self.pool.evaluations

    def expansion(self) -> Expansion:
        weights = np.zeros((self.pool.width, len(self.machines)))
        for column, machine in enumerate(self.machines):
            weights[machine.slot, column] = machine.beta
        slots = np.flatnonzero(np.any(weights != 0.0, axis=1))
        slots = slots[np.argsort(self.numbers[self.pool.slots.example[slots]])]
        examples = self.pool.slots.example[slots]
        bias = np.array([machine.bias() for machine in self.machines])
        return Expansion(
            self.pool.points.take(examples),
            self.numbers[examples],
            self.labels[examples],
            self.upper[examples],
            weights[slots],
            bias,
        )


def _stacked(one: Points, other: Points) -> Points:
    if one.sparse or other.sparse:
        return Points(sp.csr_array(sp.vstack([sp.csr_array(one.rows), sp.csr_array(other.rows)])))
    return Points(np.vstack([one.rows, other.rows]))
