"""The one thread that writes the project, in the order in which things happened."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

from PySide6.QtCore import Signal, Slot

from mcsvm.solvers.errors import InputError
from mcsvm_gui.core.base.i18n import tr
from mcsvm_gui.core.project.pending import BATCH, CellPart, Part, PendingWrites, WriteBatch
from mcsvm_gui.core.project.records import RunRecord
from mcsvm_gui.core.project.store import CellKey, ProjectStore
from mcsvm_gui.ui.threads.error_log import sentence_of
from mcsvm_gui.ui.threads.thread import Thread

RETRY = 2.0  # seconds until a write that failed is tried again

Errand = Callable[[ProjectStore], Any]
Answer = Callable[[Any], object]


class Writer(Thread):
    """`put` and `set` keep what they are given until it is on the disk, however long that takes.

    Nothing is written before `may_write`: a project that cannot be read must not be changed.
    """

    set_aside = Signal(str)  # what cannot be written as it is, and why; it is not tried again
    written = Signal(list)  # numbers of runs of which the file now holds what was known when it was written
    write_error = Signal(str)  # why nothing can be written at the moment; empty when it can again
    _answered = Signal(object, object)

    def __init__(self, store: ProjectStore) -> None:
        super().__init__()
        self.backlog = PendingWrites()
        self.may_write = False
        self._store = store
        self._errands: deque[tuple[Errand, Answer, Answer]] = deque()
        self._wake = threading.Condition()
        self._closing = self._one_by_one = False
        self._sentence = ""
        self._answered.connect(self._give)

    @property
    def store(self) -> ProjectStore:
        return self._store

    # -- from the window --------------------------------------------------------------------------

    def put(self, record: RunRecord, deleted: bool = False, parts: Mapping[str, Part] | None = None) -> None:
        self.backlog.put(record, deleted, parts)
        self._call()

    def set(self, key: str, value: Any) -> None:
        self.backlog.set(key, value)
        self._call()

    def put_cells(self, cells: Mapping[CellKey, CellPart]) -> None:
        self.backlog.put_cells(cells)
        self._call()

    def ask(self, errand: Errand, done: Answer, failed: Answer) -> None:
        """Run `errand` in the thread, after what was put before; the answer is given in the window's thread."""
        self._errands.append((errand, done, failed))
        self._call()

    def move_to(self, store: ProjectStore) -> None:
        """Go on in another file. Called by errands only."""
        self._store.close()
        self._store = store

    def finish(self, milliseconds: int = 5000) -> bool:
        """A last attempt to write; True if nothing is left. The store is closed."""
        with self._wake:
            self._closing = True
            self._wake.notify()
        ended = self.wait(milliseconds) if self.isRunning() else True
        if ended:
            self._store.close()
        return ended and not self.backlog

    @Slot(object, object)
    def _give(self, answer: Answer, value: object) -> None:
        if not self._closing:  # after the end nobody is there to hear it
            answer(value)

    def _call(self) -> None:
        with self._wake:
            self._wake.notify()

    # -- in the thread ----------------------------------------------------------------------------

    def run(self) -> None:
        while not self._closing:
            self._work()
            with self._wake:
                idle = not (self._errands or (self.backlog.waiting and self.may_write))
                if not self._closing and (idle or self._sentence):
                    self._wake.wait(RETRY if self._sentence else None)
        self._work()

    def _work(self) -> None:
        self._write_all()
        while self._errands:
            self._go(*self._errands.popleft())
            self._write_all()

    def _write_all(self) -> None:
        """After an error one by one, so that what fits is written, and what can never be written is found."""
        while self.may_write and (batch := self.backlog.take(1 if self._sentence or self._one_by_one else BATCH)):
            try:
                self._write(batch)
            except (InputError, OSError, MemoryError) as error:  # of the file or the machine: later it may work
                self.backlog.give_back(batch)
                self._say(sentence_of(error, "writing the project"))
                return
            except Exception as error:
                self._refuse(batch, error)
        self._one_by_one = False

    def _write(self, batch: WriteBatch) -> None:
        cells = {key: document() for key, document in batch.cells.items()}
        self._store.write([pending.encoded() for pending in batch.runs.values()], batch.settings, cells)
        self.backlog.settle()
        self._say("")
        self.written.emit(list(batch.runs))

    def _refuse(self, batch: WriteBatch, error: Exception) -> None:
        """Of several it is not known yet which one no project can hold."""
        if len(batch) > 1:
            self._one_by_one = True
            self.backlog.give_back(batch)
            return
        self.backlog.set_aside(batch)
        why = sentence_of(error, f"writing {batch.title} to the project")
        self.set_aside.emit(tr("{what} cannot be kept in the project: {why}", what=batch.title, why=why))

    def _say(self, sentence: str) -> None:
        if sentence != self._sentence:
            self._sentence = sentence
            self.write_error.emit(sentence)

    def _go(self, errand: Errand, done: Answer, failed: Answer) -> None:
        try:
            answer = errand(self._store)
        except Exception as error:
            self._answered.emit(failed, sentence_of(error, "reading the project"))
        else:
            self._answered.emit(done, answer)
