"""Edits of the playground's points that can be taken back: each keeps the drawing before and after."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QUndoCommand

from mcsvm_gui.core.playground.drawing import Drawing


class Edit(QUndoCommand):
    def __init__(self, words: str, before: Drawing, after: Drawing, show: Callable[[Drawing], None]) -> None:
        super().__init__(words)
        self._before, self._after, self._show = before, after, show

    def redo(self) -> None:
        self._show(self._after)

    def undo(self) -> None:
        self._show(self._before)
