"""Qt model of thousands of runs: a permutation of its own sorts and filters them; only visible cells are formatted."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QMimeData, QModelIndex, QPersistentModelIndex, Qt, QTimer, Signal

from mcsvm_gui.core.base.i18n.terms import meaning
from mcsvm_gui.core.project.columns import RunColumn
from mcsvm_gui.core.project.records import RunRecord

Index = QModelIndex | QPersistentModelIndex
RECORD = Qt.ItemDataRole.UserRole
DISPLAY, EDIT = Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole
ALIGNMENT, TIP = Qt.ItemDataRole.TextAlignmentRole, Qt.ItemDataRole.ToolTipRole
ROLES = frozenset(map(int, (DISPLAY, EDIT, ALIGNMENT, TIP, RECORD)))
FLAG = Qt.ItemFlag
READABLE = FLAG.ItemIsEnabled | FLAG.ItemIsSelectable | FLAG.ItemIsDragEnabled | FLAG.ItemNeverHasChildren
WRITABLE = READABLE | FLAG.ItemIsEditable
DRAGGED = "application/x-mcsvm-runs"  # MIME type of dragged runs: their numbers, as JSON
NOWHERE = QModelIndex()
AHEAD = 100  # rows per call
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


def dragged_runs(dragged: QMimeData) -> list[int]:
    """Return the dragged runs; an empty list if something else is dragged."""
    try:
        found = json.loads(bytes(dragged.data(DRAGGED).data())) if dragged.hasFormat(DRAGGED) else []
    except ValueError:
        return []
    return [run for run in found if type(run) is int] if isinstance(found, list) else []


class RunModel(QAbstractTableModel):
    edited = Signal(int, str, str)  # run, column, text
    rearranging = Signal()  # every row may move

    def __init__(self, columns: Sequence[RunColumn]) -> None:
        super().__init__()
        self.columns = tuple(columns)
        self._records: dict[int, RunRecord] = {}
        self._order: list[int] = []
        self._rows: dict[int, int] | None = None  # the row of each shown run; computed on demand
        self._words: list[str] = []
        self._haystacks: dict[int, str] = {}
        self._keys: dict[int, dict[int, Any]] = {}  # by column that was sorted by: the sort key of each run
        self._fresh = True  # whether the order takes the newest records into account
        self._by: int | None = None  # the column sorted by; None sorts by run number
        self._falling = True
        self._idle = QTimer(self, interval=10)
        self._idle.timeout.connect(self._read_ahead)

    # -- records and rows -------------------------------------------------------------------------

    @property
    def total(self) -> int:
        return len(self._records)

    def shown(self) -> list[int]:
        """Return the runs in the order of the rows."""
        return self._order

    def run_at(self, row: int) -> int:
        return self._order[row]

    def record(self, run: int) -> RunRecord:
        return self._records[run]

    def row_of(self, run: int) -> int | None:
        if self._rows is None:
            self._rows = {number: row for row, number in enumerate(self._order)}
        return self._rows.get(run)

    def set_records(self, records: Iterable[RunRecord]) -> None:
        self.beginResetModel()
        self._records = {record.id: record for record in records}
        self._haystacks, self._keys = {}, {}
        self._set_order(self._arranged())
        self.endResetModel()
        self._idle.start()

    def put(self, record: RunRecord) -> None:
        """Add a run or update its record. An update moves no row, so that no row jumps while the user looks at it."""
        known = self._records.get(record.id)
        self._records[record.id] = record
        self._fresh = False
        for keys in self._keys.values():
            keys.pop(record.id, None)
        if known is None or not _reads_the_same(known, record):
            self._haystacks.pop(record.id, None)
        row = self.row_of(record.id)
        if row is not None:
            self.dataChanged.emit(self.index(row, 0), self.index(row, len(self.columns) - 1))
        elif known is None and self._fits(record.id):
            self._insert(record.id)

    def remove(self, run: int) -> None:
        row = self.row_of(run)
        if row is not None:
            self.beginRemoveRows(NOWHERE, row, row)
            self._set_order(self._order[:row] + self._order[row + 1 :])
            self.endRemoveRows()
        self._records.pop(run, None)
        self._haystacks.pop(run, None)
        for keys in self._keys.values():
            keys.pop(run, None)

    def _insert(self, run: int) -> None:
        """Insert a new run at its place in the order."""
        target = self._arranged()
        row = target.index(run) if len(target) == len(self._order) + 1 else len(self._order)
        self.beginInsertRows(NOWHERE, row, row)
        self._set_order([*self._order[:row], run, *self._order[row:]])
        self.endInsertRows()

    def _set_order(self, order: list[int]) -> None:
        self._order, self._rows = order, None

    # -- order and choice -------------------------------------------------------------------------

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by a column. An unchanged request does nothing, because Qt calls this twice for every click."""
        wanted = column if 0 <= column < len(self.columns) else None, order is Qt.SortOrder.DescendingOrder
        if not self._fresh or wanted != (self._by, self._falling):
            self._by, self._falling = wanted
            self._rearrange()

    def set_filter(self, text: str) -> None:
        """Show only the rows that contain every word."""
        self._words = text.casefold().split()
        self._rearrange()

    def arrange(self) -> None:
        """Move rows to the places that their updated records require."""
        if not self._fresh:
            self._rearrange()

    def _rearrange(self) -> None:
        """Sort and filter again; the selected rows follow their runs."""
        self.rearranging.emit()
        self.layoutAboutToBeChanged.emit()
        before = self.persistentIndexList()
        runs = [(self._order[index.row()], index.column()) for index in before]
        self._set_order(self._arranged())
        self._fresh = True
        after = [self._index_of(run, column) for run, column in runs]
        self.changePersistentIndexList(before, after)
        self.layoutChanged.emit()

    def _index_of(self, run: int, column: int) -> QModelIndex:
        row = self.row_of(run)
        return NOWHERE if row is None else self.index(row, column)

    def _arranged(self) -> list[int]:
        """Return the runs in order: the newest first among equals, and missing values last in either direction."""
        newest = sorted(filter(self._fits, self._records), reverse=True)
        if self._by is None:
            return newest
        keys = self._keys_of(self._by)
        numbers = [run for run in newest if not isinstance(keys[run], str | None)]
        words = [run for run in newest if isinstance(keys[run], str)]
        for known in (numbers, words):
            known.sort(key=keys.__getitem__, reverse=self._falling)
        kinds = (words, numbers) if self._falling else (numbers, words)
        return [*kinds[0], *kinds[1], *(run for run in newest if keys[run] is None)]

    def _keys_of(self, place: int) -> dict[int, Any]:
        keys = self._keys.setdefault(place, {})
        self._add_keys(place, self._records.keys() - keys.keys())
        return keys

    def _add_keys(self, place: int, runs: Iterable[int]) -> None:
        """Add sort keys; text is compared without regard to case."""
        keys, value = self._keys.setdefault(place, {}), self.columns[place].value
        for run in runs:
            found = value(self._records[run])
            keys[run] = found.casefold() if isinstance(found, str) else found

    def _fits(self, run: int) -> bool:
        if not self._words:
            return True
        haystack = self._haystacks.get(run)
        if haystack is None:
            haystack = self._haystacks[run] = _haystack(self._records[run], self.columns)
        return all(word in haystack for word in self._words)

    def _read_ahead(self) -> None:
        """Compute sort keys and search texts in small batches while idle, so that the first search is fast."""
        missing = list(islice((run for run in self._order if run not in self._haystacks), AHEAD))
        for run in missing:
            self._haystacks[run] = _haystack(self._records[run], self.columns)
        for place in range(len(self.columns)):
            self._add_keys(place, missing)
        if not missing:
            self._idle.stop()

    def differing(self) -> set[str]:
        """Return the names of the columns in which the shown rows differ."""
        shown = [self._records[run] for run in self._order]
        if len(shown) < 2:
            return {column.name for column in self.columns}
        return {column.name for column in self.columns if _differs(column, shown)}

    # -- for the view -----------------------------------------------------------------------------

    def rowCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._order)

    def columnCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(self.columns)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the value of a cell; fast, because Qt asks for a dozen roles of every cell that it paints."""
        if role not in ROLES or not index.isValid():
            return None
        column = self.columns[index.column()]
        if role == ALIGNMENT:
            return RIGHT if column.number else LEFT
        record = self._records[self._order[index.row()]]
        if role == RECORD:
            return record
        return _tip(record, column) if role == TIP else column.text(record)

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Emit the edit; the collection stores it and sends an updated record."""
        if role != Qt.ItemDataRole.EditRole or not index.isValid():
            return False
        self.edited.emit(self._order[index.row()], self.columns[index.column()].name, str(value))
        return True

    def flags(self, index: Index) -> Qt.ItemFlag:
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        if self._order[index.row()] < 0:  # a baseline, listed with the runs
            return FLAG.ItemIsEnabled | FLAG.ItemNeverHasChildren
        return WRITABLE if self.columns[index.column()].editable else READABLE

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation is not Qt.Orientation.Horizontal or not 0 <= section < len(self.columns):
            return None
        column = self.columns[section]
        if role == Qt.ItemDataRole.WhatsThisRole:
            return meaning(column.title) or column.tip
        answers = {DISPLAY: column.title, TIP: column.tip, ALIGNMENT: RIGHT if column.number else LEFT}
        return answers.get(Qt.ItemDataRole(role))

    # -- copying and dragging ---------------------------------------------------------------------

    def mimeTypes(self) -> list[str]:
        return [DRAGGED]

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        """Return the runs of dragged rows, which can be dropped on the button of another page."""
        dragged = QMimeData()
        runs = list(dict.fromkeys(self._order[index.row()] for index in indexes))
        dragged.setData(DRAGGED, json.dumps(runs).encode())
        return dragged

    def table(self, runs: Sequence[int]) -> tuple[list[str], list[list[object]]]:
        """Return the names of the columns and the values, not their formatted texts."""
        rows = [[_plain(column, self._records[run]) for column in self.columns] for run in runs]
        return [column.name for column in self.columns], rows


def _plain(column: RunColumn, record: RunRecord) -> object:
    value = column.value(record)
    if value is None:
        return ""
    return repr(value) if isinstance(value, float) else column.text(record) if isinstance(value, tuple) else value


def _differs(column: RunColumn, records: Sequence[RunRecord]) -> bool:
    first = column.value(records[0])
    return any(column.value(record) != first for record in records)


def _haystack(record: RunRecord, columns: Sequence[RunColumn]) -> str:
    """Return the text that the filter searches: all text columns, and parameters as in `C=4`."""
    words = [column.text(record) for column in columns if not column.number]
    parameters = [f"{c.name}={c.text(record)}" for c in columns if c.name in ("C", "gamma", "seed")]
    return "\n".join([*words, record.machine, *parameters]).casefold()


def _reads_the_same(known: RunRecord, record: RunRecord) -> bool:
    return known.state == record.state and known.name == record.name and known.note == record.note


def _tip(record: RunRecord, column: RunColumn) -> str | None:
    if column.name == "state":
        return record.error
    return record.note or None if column.name == "note" else None
