"""Samples of a run, and the thinned series of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import astuple, dataclass, fields

import numpy as np


@dataclass(frozen=True)
class Sample:
    """Where a run stands: plain numbers, nothing live."""

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
        return self.gap / max(1.0, abs(self.primal))


COLUMNS = tuple(field.name for field in fields(Sample))


class Trace:
    """At most `limit` samples of a run of any length: when full, every second one is dropped.

    The last sample is always kept, and so is the first.
    """

    def __init__(self, limit: int = 2000) -> None:
        self.limit = limit
        self._kept: list[Sample] = []
        self._stride = 1
        self._seen = 0

    def append(self, sample: Sample) -> None:
        if self._kept and (self._seen - 1) % self._stride:
            self._kept.pop()  # it was held only for being the last
        self._kept.append(sample)
        self._seen += 1
        if len(self._kept) > self.limit:
            self._thin()

    def _thin(self) -> None:
        last = self._kept[-1]
        self._kept = self._kept[::2]
        self._stride *= 2
        if self._kept[-1] is not last:
            self._kept.append(last)

    def __len__(self) -> int:
        return len(self._kept)

    def __iter__(self) -> Iterator[Sample]:
        return iter(self._kept)

    def __getitem__(self, column: str) -> np.ndarray:
        return self.table()[column]

    @property
    def last(self) -> Sample:
        return self._kept[-1]

    def table(self) -> dict[str, np.ndarray]:
        """One array per column: iteration, seconds, dual, primal, violation, support, bounded."""
        rows = np.array([astuple(sample) for sample in self._kept], dtype=float).reshape(-1, len(COLUMNS))
        return {name: rows[:, column] for column, name in enumerate(COLUMNS)}

    def pack(self) -> np.ndarray:
        """Everything needed to go on: one row per sample, and a first row of counters."""
        head = np.zeros((1, len(COLUMNS)))
        head[0, :3] = self.limit, self._stride, self._seen
        return np.vstack([head, *(np.array([astuple(sample)]) for sample in self._kept)])

    @classmethod
    def unpack(cls, rows: np.ndarray) -> Trace:
        trace = cls(int(rows[0, 0]))
        trace._stride, trace._seen = int(rows[0, 1]), int(rows[0, 2])
        for it, seconds, dual, primal, violation, support, bounded in rows[1:].tolist():
            trace._kept.append(Sample(int(it), seconds, dual, primal, violation, int(support), int(bounded)))
        return trace
