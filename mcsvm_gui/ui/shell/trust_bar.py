"""Shown only where a project names files outside of its folder that may not be read yet."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.shell.question_bar import Answer, QuestionBar


class TrustBar(QuestionBar):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("trust", tr("Files outside of the project's folder"), _answers(), parent)


def _answers() -> tuple[Answer, ...]:
    later = tr("Leave them unread until the project is opened again")
    return (
        Answer("trustReadButton", "read", tr("Read them"), tr("Open the data, and do not ask for this project again")),
        Answer("trustLaterButton", "later", tr("Not now"), later),
    )
