"""Fits the newest state in the background: never two fits at once, and outdated states are skipped."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from mcsvm_gui.core.playground.drawing import Drawing
from mcsvm_gui.core.playground.fit_options import FitOptions

if TYPE_CHECKING:
    from mcsvm_gui.core.playground.fitting import Fitted
    from mcsvm_gui.core.playground.pictures import Picture
    from mcsvm_gui.ui.threads.tasks import Tasks, Ticket

State = tuple[Drawing, FitOptions, int]  # points, fit settings, pixels along a panel
Answer = tuple[dict[str, "Fitted"], tuple["Picture", ...]]

# seconds of a quick fit above which regions get coarser, and below which they get finer; coarsest grain
SLOW, FAST, COARSEST = 0.07, 0.025, 3


class Refitting(QObject):
    """Fits quickly first, possibly not to the optimum, with coarser regions if the computer is slow or busy. If that
    was not complete and no newer state waits, a patient fit follows. Each fit starts from the last one.
    """

    fitted = Signal(object)  # a tuple of Pictures
    failed = Signal(str)

    def __init__(self, tasks: Tasks, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._tasks = tasks
        self._newest: State | None = None
        self._before: dict[str, Fitted] = {}
        self._working = False
        self._dropped = 0
        self._ticket: Ticket | None = None
        self._grain = 1  # screen pixels along one region of a quick fit

    @property
    def busy(self) -> bool:
        return self._working or self._newest is not None

    @property
    def last(self) -> dict[str, Fitted]:
        """Return the last fits, by machine."""
        return self._before

    def ask(self, state: State) -> None:
        self._newest = state
        if not self._working:
            self._begin()

    def drop(self) -> None:
        """Drop the waiting state and the last fits."""
        self._newest = None
        self._before = {}
        self._dropped += 1  # a patient fit checks this between slices

    def _begin(self) -> None:
        state, self._newest = self._newest, None
        if state is not None:
            before, grain, began = self._before, self._grain, time.perf_counter()

            def done(answer: Answer) -> None:
                self._pace(time.perf_counter() - began)
                self._quickly(state, answer, grain)

            self._start(lambda: _quick(state, before, grain), done)

    def _pace(self, seconds: float) -> None:
        if seconds > SLOW:
            self._grain = min(self._grain + 1, COARSEST)
        elif seconds < FAST:
            self._grain = max(self._grain - 1, 1)

    def _start(self, work: Callable[[], Answer], done: Callable[[Answer], None]) -> None:
        self._working = True
        self._ticket = self._tasks.start(work, done, self._refused)

    def _quickly(self, state: State, answer: Answer, grain: int) -> None:
        dropped = self._dropped
        self._show(answer)
        finished = grain == 1 and not any(picture.running for picture in answer[1])
        if self._newest is None and not finished and dropped == self._dropped:
            before, wanted = self._before, self._while_newest()
            self._start(lambda: _patient(state, before, wanted), self._patiently)
        else:
            self._begin()

    def _while_newest(self) -> Callable[[], bool]:
        dropped = self._dropped

        def wanted() -> bool:
            closing = self._ticket is not None and not self._ticket.wanted
            return self._newest is None and self._dropped == dropped and not closing

        return wanted

    def _patiently(self, answer: Answer) -> None:
        self._show(answer)
        self._begin()

    def _show(self, answer: Answer) -> None:
        self._before, pictures = answer
        self.fitted.emit(pictures)  # receivers may request another fit, which waits for the line below
        self._working = False

    def _refused(self, sentence: str) -> None:
        self._working, self._before = False, {}
        self.failed.emit(sentence)
        self._begin()


def _quick(state: State, before: dict[str, Fitted], grain: int) -> Answer:
    from mcsvm_gui.core.playground.fitting import IN_MOTION
    from mcsvm_gui.core.playground.pictures import refit

    drawing, setting, side = state
    return refit(drawing, setting, max(1, side // grain), before, IN_MOTION)


def _patient(state: State, before: dict[str, Fitted], wanted: Callable[[], bool]) -> Answer:
    from mcsvm_gui.core.playground.fitting import AT_REST
    from mcsvm_gui.core.playground.pictures import refit

    return refit(*state, before, AT_REST, wanted)
