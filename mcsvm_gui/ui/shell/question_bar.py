"""A question above the pages, with a button for each answer; hidden where there is none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QWidget

from mcsvm_gui.ui.kit.labels import wrapped
from mcsvm_gui.ui.kit.theme import UNIT

MOST_NAMES = 6


class Answer(NamedTuple):
    object_name: str
    choice: str
    text: str
    tip: str


class QuestionBar(QFrame):
    decided = Signal(str)  # the choice of an answer

    def __init__(self, name: str, title: str, answers: Sequence[Answer], parent: QWidget | None = None) -> None:
        """The bar is called `{name}Bar`, the words in it `{name}Label`."""
        super().__init__(parent)
        self.setObjectName(f"{name}Bar")
        self.setAccessibleName(title)
        self.setAutoFillBackground(True)
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self._words = wrapped(f"{name}Label")
        row = QHBoxLayout(self)
        row.setContentsMargins(2 * UNIT, UNIT, 2 * UNIT, UNIT)
        row.setSpacing(UNIT)
        row.addWidget(self._words, 1)
        for answer in answers:
            row.addWidget(self._button(answer))
        self.hide()

    def _button(self, answer: Answer) -> QPushButton:
        button = QPushButton(answer.text)
        button.setObjectName(answer.object_name)
        button.setAccessibleName(answer.text)
        button.setToolTip(answer.tip)
        button.clicked.connect(lambda: self.decided.emit(answer.choice))
        return button

    def show_names(self, words: str, names: Sequence[str]) -> None:
        """What the question is about; hidden where nothing is."""
        named = ", ".join(names[:MOST_NAMES]) + (", …" if len(names) > MOST_NAMES else "")
        self._words.setText(f"{words} ({named})" if names else "")
        self.setVisible(bool(names))
