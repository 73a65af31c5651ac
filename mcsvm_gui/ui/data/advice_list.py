"""Warnings and remarks, each with what can be done about it at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QScrollArea, QVBoxLayout, QWidget

from mcsvm_gui.ui.kit import icons, theme
from mcsvm_gui.ui.kit.labels import selectable
from mcsvm_gui.ui.kit.theme import UNIT

if TYPE_CHECKING:
    from mcsvm_gui.core.data.advice import Action, Advice

_HIGHEST = 13 * UNIT


class Sign(QWidget):
    """A warning or a remark, by shape and colour."""

    def __init__(self, warns: bool) -> None:
        super().__init__()
        self.warns = warns
        self.setFixedSize(QSize(2 * UNIT, 2 * UNIT))
        theme.notifier().changed.connect(self.update)

    def paintEvent(self, event: QPaintEvent) -> None:
        now, painter = theme.current(), QPainter(self)
        name, colour = ("warning", now.warning) if self.warns else ("info", now.muted)
        icons.paint(painter, name, QRectF(self.rect()), colour)
        painter.end()


class AdviceList(QScrollArea):
    acted = Signal(str, object)  # an option, and the value that it should take or None to be shown

    def __init__(self) -> None:
        super().__init__()
        self._lines: list[AdviceLine] = []
        self.setObjectName("adviceList")
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.hide()

    def show_advice(self, advice: Sequence[Advice]) -> None:
        self._lines = [AdviceLine(one) for one in advice]
        held = QWidget()
        column = QVBoxLayout(held)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(UNIT)
        for line in self._lines:
            line.acted.connect(self.acted)
            column.addWidget(line)
        column.addStretch()
        before = self.takeWidget()
        if before is not None:
            before.deleteLater()  # not at once: its button may have been the one that was pressed
        self.setWidget(held)
        self.setVisible(bool(advice))
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """As high as it needs, up to a bound; the rest is scrolled to."""
        heights = [line.fit(self.width() - 2 * UNIT) for line in self._lines]
        needed = sum(heights) + UNIT * max(0, len(heights) - 1)
        self.setFixedHeight(max(2 * UNIT, min(_HIGHEST, needed)))


class AdviceLine(QWidget):
    """A sign, a sentence, and buttons right behind it."""

    acted = Signal(str, object)

    def __init__(self, one: Advice) -> None:
        super().__init__()
        self.words = selectable("", "" if one.warns else "muted", one.sentence)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(UNIT)
        row.addWidget(Sign(one.warns))
        row.addWidget(self.words)
        self._buttons = [self._button(action) for action in one.actions]
        for button in self._buttons:
            row.addWidget(button)
        row.addStretch()

    def _button(self, action: Action) -> QPushButton:
        button = QPushButton(action.text)
        button.setObjectName(f"{action.option}Advice")
        button.setAccessibleName(action.text)
        button.clicked.connect(lambda: self.acted.emit(action.option, action.value))
        return button

    def fit(self, room: int) -> int:
        """Gives the sentence what it needs of this width, and returns the height that is needed then."""
        buttons = sum(button.sizeHint().width() + UNIT for button in self._buttons)
        whole = self.words.fontMetrics().horizontalAdvance(self.words.text()) + UNIT
        width = max(8 * UNIT, min(whole, room - buttons - 3 * UNIT))
        self.words.setFixedWidth(width)
        height = max([self.words.heightForWidth(width), 2 * UNIT, *(b.sizeHint().height() for b in self._buttons)])
        self.setFixedHeight(height)
        return height
