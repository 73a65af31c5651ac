"""What is known and not yet written: the newest of every run, so that a full disk costs no memory that grows."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from mcsvm_gui.core.project.records import RunRecord
from mcsvm_gui.core.project.store import CellKey, Change

Part = Callable[[], bytes] | None  # encoded by the thread that writes; None drops what the file holds
CellPart = Callable[[], dict[str, Any]]  # the document of a cell, as it is when it is written
BATCH = 500  # runs of one transaction


@dataclass
class Pending:
    record: RunRecord
    deleted: bool = False
    parts: dict[str, Part] = field(default_factory=dict)

    def encoded(self) -> Change:
        parts = {kind: None if part is None else part() for kind, part in self.parts.items()}
        return Change(self.record, self.deleted, parts)


@dataclass
class Batch:
    runs: list[Pending]
    settings: dict[str, Any]
    cells: dict[CellKey, CellPart] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.runs or self.settings or self.cells)


class Backlog:
    """Put in by the window, taken out by the writer; what could not be written goes back under what is newer."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._runs: dict[int, Pending] = {}
        self._settings: dict[str, Any] = {}
        self._cells: dict[CellKey, CellPart] = {}
        self._taken: set[int] = set()

    def holds(self, run: int) -> bool:
        """Whether something of it is not on the disk yet."""
        with self._lock:
            return run in self._runs or run in self._taken

    def __len__(self) -> int:
        with self._lock:
            return len(self._runs) + len(self._settings) + len(self._cells)

    @property
    def results(self) -> int:
        """Runs and cells: what cost time."""
        with self._lock:
            return len(self._runs) + len(self._cells)

    def clear(self) -> None:
        with self._lock:
            self._runs, self._settings, self._cells = {}, {}, {}

    def put(self, record: RunRecord, deleted: bool = False, parts: Mapping[str, Part] | None = None) -> None:
        with self._lock:
            known = self._runs.get(record.id)
            older = {} if known is None else known.parts
            self._runs[record.id] = Pending(record, deleted, {**older, **(parts or {})})

    def set(self, key: str, value: Any) -> None:
        with self._lock:
            self._settings[key] = value

    def put_cells(self, cells: Mapping[CellKey, CellPart]) -> None:
        with self._lock:
            self._cells.update(cells)

    def take(self, most: int = BATCH) -> Batch:
        with self._lock:
            numbers = list(self._runs)[:most]
            self._taken = set(numbers)
            settings, self._settings = self._settings, {}
            cells, self._cells = self._cells, {}
            return Batch([self._runs.pop(number) for number in numbers], settings, cells)

    def settle(self) -> None:
        """What was taken is on the disk."""
        with self._lock:
            self._taken = set()

    def give_back(self, batch: Batch) -> None:
        """At the end, so that one that can never be written stands in nobody's way."""
        with self._lock:
            self._taken = set()
            self._settings = {**batch.settings, **self._settings}
            self._cells = {**batch.cells, **self._cells}
            for older in batch.runs:
                newer = self._runs.setdefault(older.record.id, older)
                newer.parts = {**older.parts, **newer.parts}
