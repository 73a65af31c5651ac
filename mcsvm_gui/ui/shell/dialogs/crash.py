"""The crash log, to read and to copy into a report."""

from __future__ import annotations

from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from mcsvm_gui.ui.kit.dialog import Dialog
from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.kit.labels import selectable
from mcsvm_gui.ui.kit.theme import UNIT


class CrashDialog(Dialog):
    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, "crashDialog", tr("Crash log"), 96 * UNIT, 64 * UNIT)
        self._intro, self._text = selectable("crashIntro"), log_text("crashText", tr("Crash log"))
        self._place = selectable("crashPlace", "muted")
        self.body.addWidget(self._intro)
        self.body.addWidget(self._text, 1)
        self.body.addWidget(self._place)
        self._copy = self.add_copy_button()

    def set_log(self, text: str, folder: str) -> None:
        self._text.setPlainText(text)
        self._text.moveCursor(self._text.textCursor().MoveOperation.End)
        self._copy.setEnabled(bool(text))
        self._place.setText(tr("Kept in {folder}", folder=folder))
        if text:
            said = tr("Unexpected errors, the latest one last. Your project is safe. Copy this text into a bug report.")
        else:
            said = tr("No errors have been logged.")
        self._intro.setText(said)

    def plain_text(self) -> str:
        return self._text.toPlainText()


def log_text(name: str, title: str) -> QPlainTextEdit:
    text = QPlainTextEdit()
    text.setObjectName(name)
    text.setAccessibleName(title)
    text.setReadOnly(True)
    text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
    text.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
    return text
