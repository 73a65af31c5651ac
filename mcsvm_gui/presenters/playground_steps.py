"""Step mode: solvers side by side on one machine, at one step, at ten, or to the end."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from mcsvm_gui.core.playground.drawing import Drawing
from mcsvm_gui.core.playground.setting import Setting

if TYPE_CHECKING:
    from mcsvm_gui.core.playground.pictures import Picture
    from mcsvm_gui.core.playground.steps import Walk
    from mcsvm_gui.workers.tasks import Tasks

SLICE = 0.05  # seconds of each solver between two pictures on the way to the end
TO_THE_END = -1


class Stepping(QObject):
    """One piece of work at a time; presses that come meanwhile are kept, and a restart drops them."""

    moved = Signal(object)  # a tuple of Pictures
    failed = Signal(str)

    def __init__(self, tasks: Tasks, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._tasks = tasks
        self._walks: tuple[Walk, ...] = ()
        self._waiting: list[Callable[[], tuple[Picture, ...]]] = []
        self._working = self._going = False
        self._generation = 0
        self._side = 1

    @property
    def busy(self) -> bool:
        return self._working or bool(self._waiting)

    @property
    def going(self) -> bool:
        """On the way to the end."""
        return self._going

    def restart(self, drawing: Drawing, setting: Setting, machine: str, side: int) -> None:
        self.drop()
        self._side = side
        self._queue(lambda: self._opened(drawing, setting, machine))

    def drop(self) -> None:
        self._generation += 1
        self._waiting.clear()
        self._going, self._walks = False, ()

    def advance(self, steps: int) -> None:
        self._going = steps == TO_THE_END
        self._queue(lambda: self._taken(steps))

    def pause(self) -> None:
        self._going = False

    def repaint(self, side: int) -> None:
        """The same for panels of another size."""
        self._side = side
        self._queue(self._seen)

    # -- work behind the window -------------------------------------------------------------------

    def _opened(self, drawing: Drawing, setting: Setting, machine: str) -> tuple[Picture, ...]:
        from mcsvm_gui.core.playground.steps import SOLVERS, Walk

        self._walks = tuple(Walk(drawing, setting, machine, solver) for solver in SOLVERS)
        return self._seen()

    def _taken(self, steps: int) -> tuple[Picture, ...]:
        for walk in self._walks:
            if steps == TO_THE_END:
                walk.go_on(SLICE)
            else:
                walk.advance(steps)
        return self._seen()

    def _seen(self) -> tuple[Picture, ...]:
        from mcsvm_gui.core.playground.pictures import of_walk

        return tuple(of_walk(walk, self._side) for walk in self._walks)

    # -- one after the other ----------------------------------------------------------------------

    def _queue(self, work: Callable[[], tuple[Picture, ...]]) -> None:
        self._waiting.append(work)
        self._next()

    def _next(self) -> None:
        if self._working or not self._waiting:
            return
        work, generation = self._waiting.pop(0), self._generation
        self._working = True
        self._tasks.start(work, lambda pictures: self._done(pictures, generation), self._refused)

    def _done(self, pictures: tuple[Picture, ...], generation: int) -> None:
        if generation == self._generation:
            on_the_way = any(picture.running for picture in pictures)
            self._going = self._going and on_the_way
            if self._going and not self._waiting:
                self._waiting.append(lambda: self._taken(TO_THE_END))
            self.moved.emit(pictures)  # who hears it may ask for more: that waits for the line below
        self._working = False
        self._next()

    def _refused(self, sentence: str) -> None:
        self._working = self._going = False
        self.failed.emit(sentence)
        self._next()
