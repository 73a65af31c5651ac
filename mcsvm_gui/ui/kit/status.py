"""The status bar: the last event, and the work in the background."""

from __future__ import annotations

import re

from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QStatusBar, QWidget

from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.kit.theme import UNIT

_SPACES = re.compile(r"[ \t\r\n\f\v]+")


class ElidedLabel(QLabel):
    """A line that may be narrower than its text; the tooltip has all of it. If `short` is false, the text may wrap."""

    short = True

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setTextFormat(Qt.TextFormat.PlainText)

    def say(self, text: str) -> None:
        self.setText(_on_one_line(text))
        self.setToolTip(self.text())

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        line = _on_one_line(self.text())
        if not self.short or (line == self.text() and self.fontMetrics().horizontalAdvance(line) <= self.width()):
            super().paintEvent(event)  # this shows selected text
            return
        painter = QPainter(self)
        shown = self.fontMetrics().elidedText(line, Qt.TextElideMode.ElideRight, self.width())
        painter.setPen(self.palette().windowText().color())
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, shown)
        painter.end()


def _on_one_line(text: str) -> str:
    """Join the lines of a text; the narrow spaces inside numbers stay."""
    return " ".join(_SPACES.split(text.strip(" \t\r\n\f\v")))


class StatusBar(QStatusBar):
    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._message, self._note = ElidedLabel("statusLabel"), QLabel()
        self._message.setAccessibleName(tr("Status"))
        self._note.setObjectName("noteLabel")
        self._note.setAccessibleName(tr("Work in the background"))
        self._note.setProperty("role", "muted")
        self._note.setTextFormat(Qt.TextFormat.PlainText)
        self.setContentsMargins(UNIT, 0, 0, 0)
        self.addWidget(self._message, 1)
        self.addPermanentWidget(self._note)

    _lasting = _fresh = False

    def say(self, text: str, *, lasting: bool = False) -> None:
        """Show a message; a `lasting` one stays on all pages until the next message."""
        self._message.say(text)
        self._lasting, self._fresh = lasting, True
        QTimer.singleShot(0, self, self._age)

    def _age(self) -> None:
        self._fresh = False

    def turn_page(self) -> None:
        """Clear the message of the previous page; a message of the same turn of the event loop stays."""
        if not (self._lasting or self._fresh):
            self._message.say("")

    def note(self, text: str) -> None:
        self._note.setText(text)
