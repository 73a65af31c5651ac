"""The file that holds the runs: reads it, replaces it by another project, copies it."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QObject, Signal

from mcsvm.solvers.errors import Sentence
from mcsvm_gui.core.base.i18n import tr
from mcsvm_gui.core.project.records import RunRecord
from mcsvm_gui.core.project.sqlite_errors import refuse
from mcsvm_gui.core.project.store import ProjectStore, replace_by_new
from mcsvm_gui.ui.threads.writer import Writer

Path = str | os.PathLike[str]
MOST_CHECKPOINTS = 2**30  # limit on the bytes of stopped runs' checkpoints in a project; the oldest are deleted first


class RunFile(QObject):
    """The project file. The writing thread does all its work, in the order of the requests."""

    read = Signal(list, dict)  # records and settings of the project
    opened = Signal(int)  # another project is open; the argument is its last run number; `read` follows
    moved = Signal(str)  # the path of the project file from now on
    saved_as = Signal(str, str)  # the paths before and after
    failed = Signal(str)  # why a project could not be opened or copied
    write_error = Signal(str)  # why nothing can be written; empty if it is possible again
    set_aside = Signal(str)  # data that can never be written as they are

    def __init__(self, writer: Writer, parent: QObject) -> None:
        super().__init__(parent)
        self._writer = writer
        self.opening = False  # whether another project was requested and is not open yet
        writer.write_error.connect(self.write_error)
        writer.set_aside.connect(self.set_aside)

    def load(self) -> None:
        self._writer.ask(self._read_all, lambda found: self.read.emit(*found), self._unreadable)
        self._writer.ask(self._purge, lambda nothing: None, self.write_error.emit)

    def open(self, path: Path) -> None:
        self.opening = True
        self._writer.ask(lambda here: self._leave(here, path), self._opened, self._not_opened)

    def save_as(self, path: Path) -> None:
        self._writer.ask(lambda here: self._copy(here, path), self._saved, self.failed.emit)

    # -- in the writing thread --------------------------------------------------------------------

    def _read_all(self, here: ProjectStore) -> tuple[list[RunRecord], dict[str, Any]]:
        """Read all records and settings. A file that can be read may also be written."""
        records, settings = here.records(), here.settings()
        self._writer.may_write = True
        dropped = here.trim_checkpoints(MOST_CHECKPOINTS)
        return [replace(record, resumable=False) if record.id in dropped else record for record in records], settings

    def _purge(self, here: ProjectStore) -> None:
        if here.trouble is not None:
            refuse(here.path, here.trouble)
        if self._writer.may_write:
            here.purge()

    def _leave(self, here: ProjectStore, path: Path) -> ProjectStore:
        if self._writer.backlog.results:
            refuse(here.path, Sentence("runs of this project are in memory alone: save it under another name first"))
        there = ProjectStore(path)
        self._writer.backlog.clear()
        self._writer.may_write = False
        self._writer.move_to(there)
        return there

    def _copy(self, here: ProjectStore, path: Path) -> tuple[str, bool]:
        """Copy the project, and return the path before and whether it was readable.

        If it was not readable, a new file takes the data in memory.
        """
        readable = self._writer.may_write
        if os.path.realpath(path) != str(here.path):
            here.copy_to(path) if readable else replace_by_new(path)
            self._writer.move_to(ProjectStore(path))
        return str(here.path), readable

    # -- in the window's thread -------------------------------------------------------------------

    def _not_opened(self, why: str) -> None:
        self.opening = False
        self.failed.emit(why)

    def _opened(self, there: ProjectStore) -> None:
        self.opening = False
        self.opened.emit(there.last_id)
        self.moved.emit(str(there.path))
        self.load()

    def _saved(self, answer: tuple[str, bool]) -> None:
        before, readable = answer
        self.saved_as.emit(before, str(self._writer.store.path))
        self.moved.emit(str(self._writer.store.path))
        if not readable:
            self.load()

    def _unreadable(self, sentence: str) -> None:
        """Report an unreadable file. It stays as it is; changes are in memory until the project is saved elsewhere."""
        self.failed.emit(sentence)
        self.write_error.emit(
            tr("{why}; new runs are kept in memory until it is saved under another name", why=sentence)
        )
