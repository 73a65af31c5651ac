"""A search of C and gamma behind the window: results come by the handful, and a stop keeps what is done."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from mcsvm_gui.ui.threads.error_log import sentence_of
from mcsvm_gui.ui.threads.thread import Thread

if TYPE_CHECKING:
    from mcsvm_gui.core.data.dataset import Dataset
    from mcsvm_gui.core.machine.request import Request
    from mcsvm_gui.core.tune.search import TuneRequest
    from solvers.selection.cell import FoldResult, Trial
    from solvers.selection.task import Done

HANDED_OVER_EVERY = 100  # milliseconds: a signal for each of thousands of trials would keep the window busy


class SearchThread(Thread):
    """Leaves what is done in `came`; `stop` is heard between two trials."""

    begun = Signal(object)  # Tuning, once the data are checked and split
    ended = Signal(object)  # Tuned
    failed = Signal(str)

    def __init__(
        self,
        request: Request,
        wanted: TuneRequest,
        dataset: Dataset,
        done: Mapping[Trial, FoldResult],
    ) -> None:
        super().__init__()
        self.came: deque[Done] = deque()
        self.nested = 0  # trials of nested searches, which tell of the choice and not of cells
        self._request, self._wanted, self._dataset, self._done = request, wanted, dataset, dict(done)
        self._stopping = False

    def stop(self) -> None:
        self._stopping = True

    def _count(self, done: Done) -> None:
        self.nested += 1

    def run(self) -> None:
        try:
            from mcsvm_gui.core.tune.search import Tuning

            tuning = Tuning(self._request, self._wanted, self._dataset, self._done)
            self.begun.emit(tuning)
            tuned = tuning.run(self.came.append, lambda: self._stopping, self._count)
        except BaseException as error:  # nothing may leave a thread
            self.failed.emit(sentence_of(error, "search"))
        else:
            self.ended.emit(tuned)


class Searches(QObject):
    """One search at a time. After `shut_down` none begins any more."""

    begun = Signal(object)  # Tuning
    progressed = Signal(list)  # trials and their results, ten times a second at most
    ended = Signal(object)  # Tuned
    failed = Signal(str)  # in a sentence

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._thread: SearchThread | None = None
        self._open = True
        self._told = 0  # of nested
        self._ticks = QTimer(self, interval=HANDED_OVER_EVERY)
        self._ticks.timeout.connect(self._hand_over)

    @property
    def running(self) -> bool:
        return self._thread is not None

    @property
    def nested(self) -> int:
        """Trials done of nested searches."""
        return 0 if self._thread is None else self._thread.nested

    def start(self, request: Request, wanted: TuneRequest, dataset: Dataset, done: Mapping[Trial, FoldResult]) -> None:
        """`done`: trials of before, which are not done again."""
        if not self._open:
            return
        assert self._thread is None, "there is a search already"
        self._told = 0
        thread = self._thread = SearchThread(request, wanted, dataset, done)
        thread.begun.connect(self.begun)
        thread.ended.connect(self._end)
        thread.failed.connect(self._fail)
        self._ticks.start()
        thread.start()

    def stop(self) -> None:
        if self._thread is not None:
            self._thread.stop()

    def shut_down(self, milliseconds: int) -> bool:
        """What is done is handed over still; whether the thread ended in time."""
        self._open = False
        if self._thread is None:
            return True
        self._thread.stop()
        ended = self._thread.wait(milliseconds)
        self._hand_over()
        return ended

    def _hand_over(self) -> None:
        if self._thread is not None and (self._thread.came or self._thread.nested != self._told):
            came, self._told = self._thread.came, self._thread.nested
            self.progressed.emit([came.popleft() for _ in range(len(came))])

    def _end(self, tuned: object) -> None:
        self._rest()
        self.ended.emit(tuned)

    def _fail(self, sentence: str) -> None:
        self._rest()
        self.failed.emit(sentence)

    def _rest(self) -> None:
        """Signals of a thread come one after the other: all that was done is in its hands by now."""
        assert self._thread is not None
        self._ticks.stop()
        self._hand_over()
        thread, self._thread = self._thread, None
        thread.wait()
