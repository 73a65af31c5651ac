"""Step mode: solvers next to each other on one machine, by one step, ten steps, or to the end."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from mcsvm_gui.core.playground.drawing import Drawing
from mcsvm_gui.core.playground.fit_options import FitOptions

if TYPE_CHECKING:
    from mcsvm_gui.core.playground.pictures import Picture
    from mcsvm_gui.core.playground.steps import Walk
    from mcsvm_gui.ui.threads.tasks import Tasks

SLICE = 0.05  # seconds of each solver between two pictures on the way to the end
TO_THE_END = -1

Walks = tuple["Walk", ...]


class Stepping(QObject):
    """Runs one task at a time; requests that arrive meanwhile are queued, and a restart drops them.

    A task gets the walks and returns walks; which of them count is decided here, in the window's thread.
    """

    moved = Signal(object)  # a tuple of Pictures
    failed = Signal(str)

    def __init__(self, tasks: Tasks, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._tasks = tasks
        self._walks: Walks = ()
        self._waiting: list[Callable[[Walks], Walks]] = []
        self._working = self._going = False
        self._generation = 0
        self._side = 1

    @property
    def busy(self) -> bool:
        return self._working or bool(self._waiting)

    @property
    def going(self) -> bool:
        """Return whether the solvers are running to the end."""
        return self._going

    def restart(self, drawing: Drawing, setting: FitOptions, machine: str, side: int) -> None:
        self.drop()
        self._side = side
        self._queue(lambda walks: _opened(drawing, setting, machine))

    def drop(self) -> None:
        self._generation += 1
        self._waiting.clear()
        self._going, self._walks = False, ()

    def advance(self, steps: int) -> None:
        self._going = steps == TO_THE_END
        self._queue(partial(_advanced, steps))

    def pause(self) -> None:
        self._going = False

    def repaint(self, side: int) -> None:
        """Draw the same state for panels of another size."""
        self._side = side
        self._queue(lambda walks: walks)

    # -- queue ------------------------------------------------------------------------------------

    def _queue(self, work: Callable[[Walks], Walks]) -> None:
        self._waiting.append(work)
        self._next()

    def _next(self) -> None:
        if self._working or not self._waiting:
            return
        work, walks, side, generation = self._waiting.pop(0), self._walks, self._side, self._generation
        self._working = True
        self._tasks.start(
            lambda: _seen(work(walks), side),
            lambda answer: self._done(*answer, generation),
            lambda sentence: self._refused(sentence, generation),
        )

    def _done(self, walks: Walks, pictures: tuple[Picture, ...], generation: int) -> None:
        if generation == self._generation:
            self._walks = walks
            self._going = self._going and any(picture.running for picture in pictures)
            if self._going and not self._waiting:
                self._waiting.append(partial(_advanced, TO_THE_END))
            self.moved.emit(pictures)  # receivers may request more, which waits for the line below
        self._working = False
        self._next()

    def _refused(self, sentence: str, generation: int) -> None:
        self._working = False
        if generation == self._generation:
            self._going = False
            self.failed.emit(sentence)
        self._next()


# -- in a task ------------------------------------------------------------------------------------


def _opened(drawing: Drawing, setting: FitOptions, machine: str) -> Walks:
    from mcsvm_gui.core.playground.steps import SOLVERS, Walk

    return tuple(Walk(drawing, setting, machine, solver) for solver in SOLVERS)


def _advanced(steps: int, walks: Walks) -> Walks:
    for walk in walks:
        if steps == TO_THE_END:
            walk.go_on(SLICE)
        else:
            walk.advance(steps)
    return walks


def _seen(walks: Walks, side: int) -> tuple[Walks, tuple[Picture, ...]]:
    from mcsvm_gui.core.playground.pictures import of_walk

    return walks, tuple(of_walk(walk, side) for walk in walks)
