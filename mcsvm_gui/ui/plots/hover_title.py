"""A plot whose title also names the item under the pointer, and never needs more room than there is."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, Signal

from mcsvm_gui.ui.plots.base import Plot


class HoverTitlePlot(Plot):
    pointed_at = Signal(str)  # full text for the item under the pointer; empty if there is none

    def __init__(self, name: str, title: str) -> None:
        self._heading, self._brief = title, ""
        self._under_pointer: str | None = None
        super().__init__(name, title)
        self.scene().sigMouseMoved.connect(self._pointed)

    def named_at(self, where: QPointF) -> str | None:
        """Return the words for the item at this place of the scene, or None; subclasses implement it."""
        raise NotImplementedError

    def set_heading(self, words: str, brief: str = "") -> None:
        """Set the title; `brief` is shown if the words do not fit."""
        self._heading, self._brief, self._under_pointer = words, brief, None
        self.write_heading()

    @property
    def heading(self) -> str:
        if self._under_pointer is not None:
            return self._under_pointer
        return self._brief if self._brief and not self.fits(self._heading) else self._heading

    def _pointed(self, where: QPointF) -> None:
        words = self.named_at(where)
        if words != self._under_pointer:
            self._under_pointer = words
            self.write_heading()
            self.pointed_at.emit(words or "")

    def leaveEvent(self, event: QEvent) -> None:
        self._under_pointer = None
        self.write_heading()
        self.pointed_at.emit("")
        super().leaveEvent(event)

    def fit_words(self) -> None:
        self.fit()

    def fit(self) -> None:
        """Fit the title to a new size."""
        self.write_heading()
