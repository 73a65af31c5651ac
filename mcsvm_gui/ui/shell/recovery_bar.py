"""Shown only when there is something to recover: runs that the last end of the program cut short."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.kit.question_bar import Answer, QuestionBar


class RecoveryBar(QuestionBar):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("recovery", tr("Interrupted runs"), _answers(), parent)


def _answers() -> tuple[Answer, ...]:
    keep = tr("Make models of what was saved last, each with its certificate")
    return (
        Answer("recoverGoOnButton", "go on", tr("Go on"), tr("Train on from where each of them was saved last")),
        Answer("recoverKeepButton", "keep", tr("Keep"), keep),
        Answer("recoverDiscardButton", "discard", tr("Discard"), tr("Leave them in the table, without a model")),
        Answer("recoverLaterButton", "later", tr("Later"), tr("Decide at another start")),
    )
