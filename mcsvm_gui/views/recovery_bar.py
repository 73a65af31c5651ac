"""Shown only when there is something to recover: runs that the last end of the program cut short."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QWidget

from mcsvm_gui.views.theme import UNIT
from mcsvm_gui.views.words import tr

MOST_NAMES = 6


class RecoveryBar(QFrame):
    decided = Signal(str)  # go on, keep, discard or later

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("recoveryBar")
        self.setAccessibleName(tr("Interrupted runs"))
        self.setAutoFillBackground(True)
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self._words = QLabel()
        self._words.setObjectName("recoveryLabel")
        self._words.setWordWrap(True)
        self._words.setTextFormat(Qt.TextFormat.PlainText)
        row = QHBoxLayout(self)
        row.setContentsMargins(2 * UNIT, UNIT, 2 * UNIT, UNIT)
        row.setSpacing(UNIT)
        row.addWidget(self._words, 1)
        for name, choice, text, tip in _choices():
            row.addWidget(self._button(name, choice, text, tip))
        self.hide()

    def _button(self, name: str, choice: str, text: str, tip: str) -> QPushButton:
        button = QPushButton(text)
        button.setObjectName(name)
        button.setAccessibleName(text)
        button.setToolTip(tip)
        button.clicked.connect(lambda: self.decided.emit(choice))
        return button

    def show_runs(self, words: str, names: Sequence[str]) -> None:
        """Hidden where there are none."""
        named = ", ".join(names[:MOST_NAMES]) + (", …" if len(names) > MOST_NAMES else "")
        self._words.setText(f"{words} ({named})" if names else "")
        self.setVisible(bool(names))


def _choices() -> tuple[tuple[str, str, str, str], ...]:
    return (
        ("recoverGoOnButton", "go on", tr("Go on"), tr("Train on from where each of them was saved last")),
        ("recoverKeepButton", "keep", tr("Keep"), tr("Make models of what was saved last, each with its certificate")),
        ("recoverDiscardButton", "discard", tr("Discard"), tr("Leave them in the table, without a model")),
        ("recoverLaterButton", "later", tr("Later"), tr("Decide at another start")),
    )
