"""Pending writes: only the newest state of every run, so that a full disk does not let memory grow."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from mcsvm_gui.core.base import figures
from mcsvm_gui.core.project.records import RunRecord
from mcsvm_gui.core.project.store import CellKey, Change

Part = Callable[[], bytes] | None  # encoded by the writing thread; None drops the stored part
CellPart = Callable[[], dict[str, Any]]  # the document of a cell at the time of writing
BATCH = 500  # runs, settings and cells of one transaction


@dataclass
class PendingRun:
    record: RunRecord
    deleted: bool = False
    parts: dict[str, Part] = field(default_factory=dict)

    def encoded(self) -> Change:
        parts = {kind: None if part is None else part() for kind, part in self.parts.items()}
        return Change(self.record, self.deleted, parts)


@dataclass
class WriteBatch:
    runs: dict[int, PendingRun] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)
    cells: dict[CellKey, CellPart] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.runs) + len(self.settings) + len(self.cells)

    @property
    def title(self) -> str:
        """The names of the contents, for a sentence."""
        runs = [pending.record.name for pending in self.runs.values()]
        cells = [f"C = {figures.parameter(cost)} of {machine}" for _, machine, cost, _ in self.cells]
        return ", ".join([*runs, *self.settings, *cells])


class PendingWrites:
    """Filled by the window, emptied by the writer; failed writes return, unless newer values have replaced them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting, self._aside = WriteBatch(), WriteBatch()
        self._taken: set[int] = set()

    def holds(self, run: int) -> bool:
        """Return whether part of a run is not on the disk yet."""
        with self._lock:
            return run in self._waiting.runs or run in self._taken or run in self._aside.runs

    def __len__(self) -> int:
        """Return the number of entries that are in memory only."""
        with self._lock:
            return len(self._waiting) + len(self._aside)

    @property
    def waiting(self) -> bool:
        """Whether anything is waiting to be written."""
        with self._lock:
            return bool(self._waiting)

    @property
    def results(self) -> int:
        """The number of waiting runs and cells: results that took time."""
        with self._lock:
            return len(self._waiting.runs) + len(self._waiting.cells)

    def clear(self) -> None:
        with self._lock:
            self._waiting, self._aside = WriteBatch(), WriteBatch()

    def put(self, record: RunRecord, deleted: bool = False, parts: Mapping[str, Part] | None = None) -> None:
        with self._lock:
            known = self._waiting.runs.get(record.id) or self._aside.runs.pop(record.id, None)
            older = {} if known is None else known.parts
            self._waiting.runs[record.id] = PendingRun(record, deleted, {**older, **(parts or {})})

    def set(self, key: str, value: Any) -> None:
        with self._lock:
            self._aside.settings.pop(key, None)
            self._waiting.settings[key] = value

    def put_cells(self, cells: Mapping[CellKey, CellPart]) -> None:
        with self._lock:
            for key in cells:
                self._aside.cells.pop(key, None)
            self._waiting.cells.update(cells)

    def take(self, most: int = BATCH) -> WriteBatch:
        """Return the first waiting entries; runs come first."""
        with self._lock:
            batch = WriteBatch()
            for wanted, found in zip(_kinds(self._waiting), _kinds(batch), strict=True):
                for key in list(wanted)[: most - len(batch)]:
                    found[key] = wanted.pop(key)
            self._taken = set(batch.runs)
            return batch

    def settle(self) -> None:
        """Record that the taken entries are on the disk."""
        with self._lock:
            self._taken = set()

    def give_back(self, batch: WriteBatch) -> None:
        """Put a batch back at the end, so that a failed write does not delay others."""
        with self._lock:
            self._return(batch, self._waiting)

    def set_aside(self, batch: WriteBatch) -> None:
        """Set a batch aside that can never be written as it is, until newer values replace it."""
        with self._lock:
            self._return(batch, self._aside)

    def _return(self, batch: WriteBatch, place: WriteBatch) -> None:
        self._taken = set()
        for number, older in batch.runs.items():
            newer = self._waiting.runs.get(number) or place.runs.setdefault(number, older)
            newer.parts = {**older.parts, **newer.parts}
        for key, value in batch.settings.items():
            if key not in self._waiting.settings:
                place.settings[key] = value
        for cell, document in batch.cells.items():
            if cell not in self._waiting.cells:
                place.cells[cell] = document


def _kinds(batch: WriteBatch) -> tuple[dict[Any, Any], ...]:
    return batch.runs, batch.settings, batch.cells
