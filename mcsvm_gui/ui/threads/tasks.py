"""Short work in worker threads: reading, exporting, predicting. The answer is delivered in the window's thread."""

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
    """A task that is running; after `cancel` its answer is dropped, although its thread cannot be interrupted."""

    def __init__(self) -> None:
        self.wanted = True

    def cancel(self) -> None:
        self.wanted = False


class _Task(Thread):
    """One function in a thread of its own; the object lives in the window's thread, where its answer is delivered.

    Its referents have no reference back to it, so that objects of the function, such as a data set, are freed at its
    end.
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
        except BaseException as error:  # no exception may leave a thread
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
    """Starts tasks, and knows which are still running. After `shut_down` no task starts."""

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
        """Run `function` in a thread; then call `done`, or `failed` with a sentence and `refused` with the error.

        These are called in the thread of this object, unless the ticket is cancelled.
        """
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
        """Cancel all tasks and wait for their threads; return whether all ended in time."""
        self._open = False
        for task in self._under_way:
            task.ticket.cancel()
        ended = [task.wait(milliseconds) for task in list(self._under_way)]
        return all(ended)
