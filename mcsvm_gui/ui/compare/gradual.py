"""Parts of a page filled one by one between other events, so that nothing waits for all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QWidget

Filler = tuple[QWidget, Callable[[], object]]


class Gradual(QObject):
    finished = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._left: dict[QWidget, Callable[[], object]] = {}
        self._idle = QTimer(self, interval=0, singleShot=True)
        self._idle.timeout.connect(self._next)

    def begin(self, fillers: Iterable[Filler]) -> None:
        """Of a part that is still to be filled only the newest filling counts."""
        self._left |= dict(fillers)
        self._idle.start()

    @property
    def done(self) -> bool:
        return not self._left

    def fill(self, part: QWidget) -> None:
        """Now, with all that is in it."""
        for inside in [one for one in self._left if one is part or part.isAncestorOf(one)]:
            self._left.pop(inside)()

    def _next(self) -> None:
        if self._left:
            self.fill(next(iter(self._left)))
            self._idle.start()
        else:
            self.finished.emit()
