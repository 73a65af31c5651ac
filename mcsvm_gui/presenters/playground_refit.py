"""The newest state fitted behind the window: never two at once, and what was overtaken is not begun."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from mcsvm_gui.core.playground.drawing import Drawing
from mcsvm_gui.core.playground.setting import Setting

if TYPE_CHECKING:
    from mcsvm_gui.core.playground.fitting import Fitted
    from mcsvm_gui.core.playground.pictures import Picture
    from mcsvm_gui.workers.tasks import Tasks

State = tuple[Drawing, Setting, int]  # points, what is fitted to them, pixels along a panel
Answer = tuple[dict[str, "Fitted"], tuple["Picture", ...]]


class Refitting(QObject):
    """A quick fit first, which may end before the optimum; a patient one where that was not enough and nothing newer
    is waiting. Each begins where the last one stood."""

    fitted = Signal(object)  # a tuple of Pictures
    failed = Signal(str)

    def __init__(self, tasks: Tasks, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._tasks = tasks
        self._newest: State | None = None
        self._before: dict[str, Fitted] = {}
        self._working = False
        self._dropped = 0

    @property
    def busy(self) -> bool:
        return self._working or self._newest is not None

    @property
    def last(self) -> dict[str, Fitted]:
        """What was fitted last, by machine."""
        return self._before

    def ask(self, state: State) -> None:
        self._newest = state
        if not self._working:
            self._begin()

    def drop(self) -> None:
        """Nothing is wanted any more."""
        self._newest = None
        self._before = {}
        self._dropped += 1  # a patient fit looks at this between slices

    def _begin(self) -> None:
        state, self._newest = self._newest, None
        if state is not None:
            before = self._before
            self._start(lambda: _quick(state, before), lambda answer: self._quickly(state, answer))

    def _start(self, work: Callable[[], Answer], done: Callable[[Answer], None]) -> None:
        self._working = True
        self._tasks.start(work, done, self._refused)

    def _quickly(self, state: State, answer: Answer) -> None:
        self._show(answer)
        if self._newest is None and not _finished(answer[1]):
            before = self._before
            wanted = self._while_newest()
            self._start(lambda: _patient(state, before, wanted), self._patiently)
        else:
            self._begin()

    def _while_newest(self) -> Callable[[], bool]:
        dropped = self._dropped
        return lambda: self._newest is None and self._dropped == dropped

    def _patiently(self, answer: Answer) -> None:
        self._show(answer)
        self._begin()

    def _show(self, answer: Answer) -> None:
        self._before, pictures = answer
        self.fitted.emit(pictures)  # who hears it may ask again: that waits for the line below
        self._working = False

    def _refused(self, sentence: str) -> None:
        self._working, self._before = False, {}
        self.failed.emit(sentence)
        self._begin()


def _finished(pictures: Sequence[Picture]) -> bool:
    return not any(picture.running for picture in pictures)


def _quick(state: State, before: dict[str, Fitted]) -> Answer:
    from mcsvm_gui.core.playground.fitting import IN_MOTION
    from mcsvm_gui.core.playground.pictures import refit

    return refit(*state, before, IN_MOTION)


def _patient(state: State, before: dict[str, Fitted], wanted: Callable[[], bool]) -> Answer:
    from mcsvm_gui.core.playground.fitting import AT_REST
    from mcsvm_gui.core.playground.pictures import refit

    return refit(*state, before, AT_REST, wanted)
