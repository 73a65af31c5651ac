"""Readings of a running training, in addition to its samples: accuracies, and support vectors per class.

A reading uses a few hundred rows drawn once, and is so rare that it hardly slows the training down.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from mcsvm.solvers.kernels import Points
from mcsvm.solvers.model import Model
from mcsvm.solvers.run.loop import Run
from mcsvm.solvers.run.trace import Series
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.data.spellings import in_training_spelling
from mcsvm_gui.core.machine.posing import Posed
from mcsvm_gui.core.machine.trained import accuracy

ROWS = 500  # of each kind; their accuracy is within two per cent of that of all rows
SHARE = 0.05  # largest share of the time for readings
SOONEST = 0.1  # shortest time between two readings, in seconds


@dataclass(frozen=True)
class Reading:
    """Accuracies of the drawn rows; NaN if there are no such rows."""

    iteration: int
    seconds: float
    train_accuracy: float
    test_accuracy: float
    support_per_class: tuple[int, ...]
    examples: float = float("nan")  # number of examples that an online method has used so far


class Readings(Series):
    """The readings of a run."""

    FIXED = "iteration", "seconds", "train_accuracy", "test_accuracy"

    def __init__(self, classes: int, limit: int = 1000) -> None:
        super().__init__(len(self.FIXED) + classes + 1, limit)

    def append(self, reading: Reading) -> None:
        self.add(
            (
                *(reading.iteration, reading.seconds, reading.train_accuracy, reading.test_accuracy),
                *reading.support_per_class,
                reading.examples,
            )
        )

    def table(self) -> dict[str, np.ndarray]:
        """Return one array per column, and `support_per_class` with one row per reading."""
        rows = self.rows.copy()
        named = {name: rows[:, column] for column, name in enumerate(self.FIXED)}
        return {**named, "support_per_class": rows[:, len(self.FIXED) : -1], "examples": rows[:, -1]}

    def pack(self) -> np.ndarray:
        """Return the packed rows; a mark in the first line, of counters, says that the last column counts examples.

        Earlier projects lack that column.
        """
        packed = super().pack()
        packed[0, len(self.FIXED) - 1] = 1.0
        return packed

    @classmethod
    def unpack(cls, packed: np.ndarray) -> Readings:
        if packed[0, len(cls.FIXED) - 1] == 0.0:
            packed = np.hstack([packed, np.full((len(packed), 1), np.nan)])
            packed[0, -1] = 0.0
        readings = cls(packed.shape[1] - len(cls.FIXED) - 1)
        readings.restore(packed)
        return readings


@dataclass(frozen=True, eq=False)
class _LiveRows:
    """Prepared rows and the numbers of their classes; -1 for a class unknown to the training."""

    points: Points
    codes: np.ndarray
    weights: np.ndarray | None

    def accuracy(self, model: Model) -> float:
        if self.codes.size == 0:
            return float("nan")
        right = model.predict(self.points) == self.codes
        return accuracy(right, self.weights)


class Watch:
    """Takes readings of a run when they are due."""

    def __init__(self, posed: Posed, test: Dataset | None) -> None:
        problem = posed.problem
        self._labels, self._classes = problem.labels, problem.classes
        chosen = _drawn(len(problem))
        weights = posed.train.weights
        each = None if weights is None else weights[chosen]
        self._train = _LiveRows(problem.points.take(chosen), problem.labels[chosen], each)
        self._test = _labelled(posed, test)
        self._last, self._cost = time.perf_counter(), 0.0

    def due(self) -> bool:
        return time.perf_counter() - self._last >= max(SOONEST, self._cost / SHARE)

    def read(self, run: Run) -> Reading:
        began = time.perf_counter()
        model, used = run.running_model(), run.supporting()[0]
        reading = Reading(
            run.iterations,
            run.seconds,
            self._train.accuracy(model),
            float("nan") if self._test is None else self._test.accuracy(model),
            tuple(np.bincount(self._labels[used], minlength=self._classes).tolist()),
            float("nan") if run.examples_seen is None else float(run.examples_seen),
        )
        self._last = time.perf_counter()
        self._cost = self._last - began
        return reading


def _drawn(count: int) -> np.ndarray:
    """Draw rows; every machine on the same data gets the same rows."""
    return np.sort(np.random.default_rng(0).permutation(count)[:ROWS])


def _labelled(posed: Posed, test: Dataset | None) -> _LiveRows | None:
    if test is None or test.labels is None or test.rows == 0:
        return None
    some = test.take(_drawn(test.rows))
    assert some.labels is not None
    prepared = posed.preparation.apply(some)
    numbers = {name: code for code, name in enumerate(posed.class_names)}
    true = in_training_spelling(posed.class_names, some.labels[prepared.kept])
    codes = np.array([numbers.get(label, -1) for label in true.tolist()], dtype=np.int64)
    weights = None if some.weights is None else some.weights[prepared.kept]
    return _LiveRows(Points(prepared.rows), codes, weights)
