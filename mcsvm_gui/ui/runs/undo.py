"""Edits of runs that can be undone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from PySide6.QtGui import QUndoCommand

from mcsvm_gui.core.base.i18n import tr
from mcsvm_gui.core.project.records import RunRecord


class Editable(Protocol):
    def edit(self, run: int, **values: str) -> None: ...
    def remove(self, runs: Sequence[int]) -> list[RunRecord]: ...
    def restore(self, records: Sequence[RunRecord]) -> None: ...


class Name(QUndoCommand):
    def __init__(self, collection: Editable, run: int, before: str, after: str) -> None:
        super().__init__(tr("Rename {name}", name=before))
        self._collection, self._run, self._before, self._after = collection, run, before, after

    def redo(self) -> None:
        self._collection.edit(self._run, name=self._after)

    def undo(self) -> None:
        self._collection.edit(self._run, name=self._before)


class Annotation(QUndoCommand):
    def __init__(self, collection: Editable, run: int, before: str, after: str) -> None:
        super().__init__(tr("Edit note"))
        self._collection, self._run, self._before, self._after = collection, run, before, after

    def redo(self) -> None:
        self._collection.edit(self._run, note=self._after)

    def undo(self) -> None:
        self._collection.edit(self._run, note=self._before)


class Deletion(QUndoCommand):
    """Deletes runs. It alone owns their records, which are lost when the deletion can no longer be undone."""

    def __init__(self, collection: Editable, runs: Sequence[int]) -> None:
        super().__init__(tr("Delete {count} run", "Delete {count} runs", count=len(runs)))
        self._collection, self._runs = collection, tuple(runs)
        self._records: list[RunRecord] = []

    def redo(self) -> None:
        self._records = self._collection.remove(self._runs)

    def undo(self) -> None:
        self._collection.restore(self._records)
