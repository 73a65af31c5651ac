"""Sample: the progress of a run at one step; Trace: the samples of a run, thinned to a bounded number."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from operator import attrgetter

import numpy as np

from mcsvm.solvers.dual.gap import relative_gap


@dataclass(frozen=True)
class Sample:
    """The progress of a run at one step, as plain numbers. Objectives and violation are not verified."""

    iteration: int
    seconds: float
    dual: float
    primal: float
    violation: float
    support: int
    bounded: int

    @property
    def gap(self) -> float:
        return self.primal - self.dual

    @property
    def relative_gap(self) -> float:
        return relative_gap(self.primal, self.dual)


COLUMNS = tuple(field.name for field in fields(Sample))
_values = attrgetter(*COLUMNS)  # `astuple` copies every value deeply: 6 us a sample


class Series:
    """A series of any length in at most `limit` rows: when full, it drops every second row and keeps the stride.

    It always contains the first and the last row. `rows` is a view, so that reading it costs nothing.
    """

    def __init__(self, width: int, limit: int = 2000) -> None:
        self.limit = limit
        self._kept = np.empty((min(limit, 62) + 2, width))
        self._size = 0
        self._stride = 1
        self._seen = 0

    @property
    def rows(self) -> np.ndarray:
        return self._kept[: self._size]

    def add(self, row: tuple[float, ...]) -> None:
        if self._size and (self._seen - 1) % self._stride:
            self._size -= 1  # replace the last row, which is between two strides
        elif self._size == len(self._kept):
            self._grow()
        self._kept[self._size] = row
        self._size += 1
        self._seen += 1
        if self._size > self.limit:
            self._thin()

    def _grow(self) -> None:
        larger = np.empty((min(2 * self._size + 64, self.limit + 2), self._kept.shape[1]))
        larger[: self._size] = self.rows
        self._kept = larger

    def _thin(self) -> None:
        ends_odd = self._size % 2
        last = self._kept[self._size - 1].copy()
        half = self.rows[::2].copy()
        self._size = len(half)
        self._kept[: self._size] = half
        self._stride *= 2
        if not ends_odd:
            self._kept[self._size] = last
            self._size += 1

    def __len__(self) -> int:
        return self._size

    def pack(self) -> np.ndarray:
        """Return the rows, after a first one with the counters: everything that `restore` needs."""
        head = np.zeros((1, self._kept.shape[1]))
        head[0, :3] = self.limit, self._stride, self._seen
        return np.vstack([head, self.rows])

    def restore(self, packed: np.ndarray) -> None:
        self.limit, self._stride, self._seen = (int(value) for value in packed[0, :3])
        self._kept, self._size = packed[1:].copy(), len(packed) - 1


class Trace(Series):
    """The samples of a run."""

    def __init__(self, limit: int = 2000) -> None:
        super().__init__(len(COLUMNS), limit)

    def append(self, sample: Sample) -> None:
        self.add(_values(sample))

    def __iter__(self) -> Iterator[Sample]:
        return (_sample(row) for row in self.rows)

    def __getitem__(self, column: str) -> np.ndarray:
        return self.table()[column]

    @property
    def last(self) -> Sample:
        return _sample(self.rows[-1])

    def table(self) -> dict[str, np.ndarray]:
        """Return one array per column: iteration, seconds, dual, primal, violation, support, bounded."""
        rows = self.rows.copy()
        return {name: rows[:, column] for column, name in enumerate(COLUMNS)}

    @classmethod
    def unpack(cls, packed: np.ndarray) -> Trace:
        trace = cls()
        trace.restore(packed)
        return trace


def _sample(row: np.ndarray) -> Sample:
    it, seconds, dual, primal, violation, support, bounded = row.tolist()
    return Sample(int(it), seconds, dual, primal, violation, int(support), int(bounded))
