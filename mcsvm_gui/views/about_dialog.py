"""What this is, who made what it stands on, under which licences."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from mcsvm_gui.views import icons
from mcsvm_gui.views.crash_dialog import log_text
from mcsvm_gui.views.dialog import Dialog, words
from mcsvm_gui.views.theme import UNIT
from mcsvm_gui.views.words import tr


class AboutDialog(Dialog):
    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, "aboutDialog", tr("About mcsvm"), 72 * UNIT, 64 * UNIT)
        self._version = words("", "muted", "aboutVersion")
        self._text = log_text("aboutText", tr("Versions, licence, sources"))
        self._text.setLineWrapMode(self._text.LineWrapMode.WidgetWidth)
        self.body.addLayout(self._head())
        self.body.addWidget(self._text, 1)
        self.add_copy_button()

    def _head(self) -> QHBoxLayout:
        picture, title = QLabel(), words("mcsvm", "title")
        picture.setPixmap(icons.application_icon().pixmap(8 * UNIT, 8 * UNIT))
        beside = QVBoxLayout()
        beside.setSpacing(UNIT // 2)
        for label in (title, words(tr("Multi-class support vector machines, each trained to a certified optimum"))):
            beside.addWidget(label)
        beside.addWidget(self._version)
        row = QHBoxLayout()
        row.setSpacing(2 * UNIT)
        row.addWidget(picture, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(beside, 1)
        return row

    def set_facts(self, version: str, text: str) -> None:
        self._version.setText(tr("Version {version}", version=version))
        self._text.setPlainText(text)

    def plain_text(self) -> str:
        return f"mcsvm, {self._version.text()}\n\n{self._text.toPlainText()}\n"
