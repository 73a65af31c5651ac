"""Shown only when there is something to recover: runs and searches that the last end of the program cut short."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.shell.question_bar import Answer, QuestionBar


class RecoveryBar(QuestionBar):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("recovery", tr("Interrupted jobs"), _answers(), parent)


def _answers() -> tuple[Answer, ...]:
    keep = tr("Make models of what was saved last, each with its certificate; keep the cells of searches")
    return (
        Answer(
            "recoverGoOnButton", "go on", tr("Go on"), tr("Train and search on from where each of them was saved last")
        ),
        Answer("recoverKeepButton", "keep", tr("Keep"), keep),
        Answer(
            "recoverDiscardButton",
            "discard",
            tr("Discard"),
            tr("Leave runs in the table without a model, and end searches; their cells stay"),
        ),
        Answer("recoverLaterButton", "later", tr("Later"), tr("Decide at another start")),
    )
