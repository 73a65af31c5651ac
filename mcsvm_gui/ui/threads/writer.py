"""The single thread that writes the project, in the order of the changes."""

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

RETRY = 2.0  # seconds until a failed write is tried again

Errand = Callable[[ProjectStore], Any]
Answer = Callable[[Any], object]


class Writer(Thread):
    """`put` and `set` keep their arguments until they are on the disk, however long that takes.

    Nothing is written before `may_write`: a project that cannot be read must not be changed.
    """

    set_aside = Signal(str)  # an entry that cannot be written, and why; it is not tried again
    written = Signal(list)  # numbers of runs whose state, as of the write, is now in the file
    write_error = Signal(str)  # why nothing can be written at the moment; empty when it works again
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
        """Run `errand` in the thread, after all earlier writes; the answer is given in the window's thread."""
        self._errands.append((errand, done, failed))
        self._call()

    def move_to(self, store: ProjectStore) -> None:
        """Continue in another file; only errands call this."""
        self._store.close()
        self._store = store

    def finish(self, milliseconds: int = 5000) -> bool:
        """Try to write a last time, and close the store; return whether nothing is left."""
        with self._wake:
            self._closing = True
            self._wake.notify()
        ended = self.wait(milliseconds) if self.isRunning() else True
        if ended:
            self._store.close()
        return ended and not self.backlog

    @Slot(object, object)
    def _give(self, answer: Answer, value: object) -> None:
        if not self._closing:  # after the end there is no receiver
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
        """Write all pending changes; after an error one by one, to write the valid ones and find the invalid one."""
        while self.may_write and (batch := self.backlog.take(1 if self._sentence or self._one_by_one else BATCH)):
            try:
                self._write(batch)
            except (InputError, OSError, MemoryError) as error:  # errors of the file or the computer, which may pass
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
        """Set aside an entry that no project can hold; of several entries, first find out which one it is."""
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
