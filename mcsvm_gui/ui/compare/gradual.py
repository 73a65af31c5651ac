"""Fills the parts of a page one by one between other events, so that the window does not block."""

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
        """Fill parts later. For a part that is still waiting, the newest filler replaces the older one."""
        self._left |= dict(fillers)
        self._idle.start()

    @property
    def done(self) -> bool:
        return not self._left

    def fill(self, part: QWidget) -> None:
        """Fill a part and everything inside it now."""
        for inside in [one for one in self._left if one is part or part.isAncestorOf(one)]:
            self._left.pop(inside)()

    def _next(self) -> None:
        if self._left:
            self.fill(next(iter(self._left)))
            self._idle.start()
        else:
            self.finished.emit()
