"""Short work behind the window: reading, exporting, predicting. Its answer comes back into the window's thread."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from PySide6.QtCore import QObject, Signal

from mcsvm.solvers.errors import InputError
from mcsvm_gui.core.base.i18n import worded
from mcsvm_gui.ui.threads.error_log import error_of
from mcsvm_gui.ui.threads.thread import Thread

T = TypeVar("T")


class Ticket:
    """A piece of work under way; after `cancel` its answer is dropped, though a thread cannot be torn down."""

    def __init__(self) -> None:
        self.wanted = True

    def cancel(self) -> None:
        self.wanted = False


class _Task(Thread):
    """One function in a thread of its own; the object lives in the window's thread, where its answer is delivered.

    Nothing that it refers to refers back to it: what the function holds, such as a data set, goes when it has ended.
    """

    answered = Signal(object)
    failed = Signal(object)  # InputError

    def __init__(
        self,
        function: Callable[[], object],
        done: Callable[[Any], None],
        failed: Callable[[str], None] | None,
        refused: Callable[[InputError], None] | None,
    ) -> None:
        super().__init__()
        self.ticket = Ticket()
        self._function, self._done, self._failed, self._refused = function, done, failed, refused
        self.answered.connect(self._deliver)
        self.failed.connect(self._refuse)

    def run(self) -> None:
        try:
            answer = self._function()
        except BaseException as error:  # nothing may leave a thread
            self.failed.emit(error_of(error, f"task {getattr(self._function, '__name__', '')}"))
        else:
            self.answered.emit(answer)

    def _deliver(self, answer: object) -> None:
        if self.ticket.wanted:
            self._done(answer)

    def _refuse(self, error: InputError) -> None:
        if self.ticket.wanted and self._refused is not None:
            self._refused(error)
        if self.ticket.wanted and self._failed is not None:
            self._failed(worded(error))


class Tasks(QObject):
    """Starts work, and knows what is still under way. After `shut_down` nothing begins any more."""

    changed = Signal()  # `busy` may have changed

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._under_way: set[_Task] = set()
        self._open = True

    @property
    def busy(self) -> bool:
        return bool(self._under_way)

    def start(
        self,
        function: Callable[[], T],
        done: Callable[[T], None],
        failed: Callable[[str], None] | None = None,
        *,
        refused: Callable[[InputError], None] | None = None,
    ) -> Ticket:
        """`done`, or `failed` with a sentence and `refused` with the error, are called in the thread of this object,
        unless the ticket is cancelled."""
        task = _Task(function, done, failed, refused)
        if not self._open:
            task.ticket.cancel()
            return task.ticket
        task.finished.connect(self._forget)
        self._under_way.add(task)
        task.start()
        self.changed.emit()
        return task.ticket

    def _forget(self) -> None:
        task = self.sender()
        assert isinstance(task, _Task)
        self._under_way.discard(task)
        self.changed.emit()

    def shut_down(self, milliseconds: int) -> bool:
        """Waits for what is under way, whose answers nobody wants any more; whether all ended in time."""
        self._open = False
        for task in self._under_way:
            task.ticket.cancel()
        ended = [task.wait(milliseconds) for task in list(self._under_way)]
        return all(ended)
