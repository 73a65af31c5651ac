"""A plot whose title also names what is under the pointer, and never needs more room than there is."""

from __future__ import annotations

import html

from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QFont, QFontMetrics, QResizeEvent

from mcsvm_gui.ui.kit import theme
from mcsvm_gui.ui.kit.theme import UNIT
from mcsvm_gui.ui.plots.base import Plot

POINTS = 10  # of the title


class HoverTitlePlot(Plot):
    def __init__(self, name: str, title: str) -> None:
        self._heading = title
        self._under_pointer: str | None = None
        super().__init__(name, title)
        self.scene().sigMouseMoved.connect(self._pointed)

    def named_at(self, where: QPointF) -> str | None:
        """What is at this place of the scene, in words; to be said by those who derive from this."""
        raise NotImplementedError

    def title_room(self) -> int:
        """Pixels."""
        return max(8 * UNIT, self.width() - int(self.getAxis("left").width()) - self.room_beside() - 3 * UNIT)

    def room_beside(self) -> int:
        """Pixels at the right that the title must not reach into."""
        return 0

    def set_heading(self, words: str) -> None:
        self._heading, self._under_pointer = words, None
        self._write_heading()

    @property
    def heading(self) -> str:
        return self._heading if self._under_pointer is None else self._under_pointer

    def retheme(self) -> None:
        super().retheme()
        self._write_heading()

    def _write_heading(self) -> None:
        """A title that is too long would push the plot out of its widget."""
        font = QFont(self.font())
        font.setPointSize(POINTS)
        words = QFontMetrics(font).elidedText(self.heading, Qt.TextElideMode.ElideRight, self.title_room())
        self.setTitle(html.escape(words), color=theme.current().text, size=f"{POINTS}pt")

    def _pointed(self, where: QPointF) -> None:
        words = self.named_at(where)
        if words != self._under_pointer:
            self._under_pointer = words
            self._write_heading()

    def leaveEvent(self, event: QEvent) -> None:
        self._under_pointer = None
        self._write_heading()
        super().leaveEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Comes also while pyqtgraph builds this up and takes it down."""
        super().resizeEvent(event)
        if hasattr(self, "titled") and self.plotItem is not None:
            self.fit()

    def fit(self) -> None:
        """To a new size."""
        self._write_heading()
