"""Questions above the pages, with a button for each answer; hidden if there is no question."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QWidget

from mcsvm_gui.ui.kit.i18n import tr
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
        """Build the bar; its object name is `{name}Bar`, that of its text `{name}Label`."""
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
        """Show the question with the names it is about; hide the bar if there are none."""
        named = ", ".join(names[:MOST_NAMES]) + (", …" if len(names) > MOST_NAMES else "")
        self._words.setText(f"{words} ({named})" if names else "")
        self.setVisible(bool(names))


class RecoveryBar(QuestionBar):
    """Asks what to do with runs and searches that were still running when the program ended."""

    def __init__(self, parent: QWidget | None = None) -> None:
        go_on = tr("Continue each training and search from the point that was saved last")
        keep = tr("Make a model of each saved training, with its certificate; keep the finished cells of searches")
        discard = tr("Delete runs without a model and end searches. Finished cells are kept.")
        answers = (
            Answer("recoverGoOnButton", "go on", tr("Continue"), go_on),
            Answer("recoverKeepButton", "keep", tr("Keep"), keep),
            Answer("recoverDiscardButton", "discard", tr("Discard"), discard),
            Answer("recoverLaterButton", "later", tr("Later"), tr("Ask again at the next start")),
        )
        super().__init__("recovery", tr("Interrupted jobs"), answers, parent)


class NoticeBar(QuestionBar):
    """Shows a sentence until the user dismisses it: the failure of a project, or the question of an example."""

    def __init__(self, parent: QWidget | None = None) -> None:
        answers = (Answer("noticeOkButton", "ok", tr("OK"), tr("Hide this notice")),)
        super().__init__("notice", tr("Notice"), answers, parent)
        self.decided.connect(lambda choice: self.say(""))

    def say(self, words: str) -> None:
        """Show a sentence, or hide the bar if it is empty."""
        self._words.setText(words)
        self.setVisible(bool(words))


class FirstTourBar(QuestionBar):
    """The three steps of the tour, at the first start or from Help > Tour."""

    def __init__(self, parent: QWidget | None = None) -> None:
        answers = (
            Answer("tourNextButton", "next", tr("Next"), tr("Go to the next step")),
            Answer("tourLeaveButton", "leave", tr("Leave the tour"), tr("Help > Tour begins it again")),
        )
        super().__init__("tour", tr("Tour"), answers, parent)

    def show_step(self, words: str, *, last: bool) -> None:
        """Show a step, or hide the bar if `words` is empty; the last step has no Next button."""
        self._words.setText(words)
        self.setVisible(bool(words))
        button = self.findChild(QPushButton, "tourNextButton")
        assert button is not None
        button.setVisible(not last)


class TrustBar(QuestionBar):
    """Asks whether to read files outside of the project's folder that the project names."""

    def __init__(self, parent: QWidget | None = None) -> None:
        read = tr("Open the data, and do not ask for this project again")
        later = tr("Leave them unread until the project is opened again")
        answers = (
            Answer("trustReadButton", "read", tr("Read them"), read),
            Answer("trustLaterButton", "later", tr("Not now"), later),
        )
        super().__init__("trust", tr("Files outside of the project's folder"), answers, parent)
