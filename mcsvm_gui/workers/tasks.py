"""Short work behind the window: reading, exporting, predicting. Its answer comes back into the window's thread."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from PySide6.QtCore import QObject, Signal

from mcsvm_gui.workers.threads import Thread
from mcsvm_gui.workers.trouble import sentence_of

T = TypeVar("T")


class _Worker(Thread):
    """One function, in a thread of its own."""

    answered = Signal(object)
    failed = Signal(str)

    def __init__(self, function: Callable[[], object]) -> None:
        super().__init__()
        self._function = function

    def run(self) -> None:
        try:
            answer = self._function()
        except BaseException as error:  # nothing may leave a thread
            self.failed.emit(sentence_of(error, f"task {getattr(self._function, '__name__', '')}"))
        else:
            self.answered.emit(answer)


class Ticket:
    """A piece of work under way; after `cancel` its answer is dropped, though a thread cannot be torn down."""

    def __init__(self) -> None:
        self.wanted = True

    def cancel(self) -> None:
        self.wanted = False


class Tasks(QObject):
    """Starts work, and knows what is still under way. After `shut_down` nothing begins any more."""

    changed = Signal()  # `busy` may have changed

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._workers: dict[_Worker, Ticket] = {}
        self._open = True

    @property
    def busy(self) -> bool:
        return bool(self._workers)

    def start(
        self, function: Callable[[], T], done: Callable[[T], None], failed: Callable[[str], None] | None = None
    ) -> Ticket:
        """`done` and `failed` are called in the thread of this object, unless the ticket is cancelled."""
        ticket = Ticket()
        if not self._open:
            ticket.cancel()
            return ticket
        worker = _Worker(function)
        answers = _Answers(ticket, done, failed, worker)
        worker.answered.connect(answers.done)
        worker.failed.connect(answers.failed)
        worker.finished.connect(answers.finished)
        answers.ended.connect(self._forget)
        self._workers[worker] = ticket
        worker.start()
        self.changed.emit()
        return ticket

    def _forget(self, worker: _Worker) -> None:
        self._workers.pop(worker, None)
        self.changed.emit()

    def shut_down(self, milliseconds: int) -> bool:
        """Waits for what is under way, whose answers nobody wants any more; whether all ended in time."""
        self._open = False
        for ticket in self._workers.values():
            ticket.cancel()
        ended = [worker.wait(milliseconds) for worker in list(self._workers)]
        return all(ended)


class _Answers(QObject):
    """Lives in the window's thread, so that signals of the worker are delivered there."""

    ended = Signal(object)

    def __init__(
        self, ticket: Ticket, done: Callable[[Any], None], failed: Callable[[str], None] | None, worker: _Worker
    ) -> None:
        super().__init__(worker)
        self._ticket, self._done, self._failed, self._worker = ticket, done, failed, worker

    def done(self, answer: object) -> None:
        if self._ticket.wanted:
            self._done(answer)

    def failed(self, sentence: str) -> None:
        if self._ticket.wanted and self._failed is not None:
            self._failed(sentence)

    def finished(self) -> None:
        self.ended.emit(self._worker)
