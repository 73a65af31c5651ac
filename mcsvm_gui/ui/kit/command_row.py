"""A command line with the same effect as the form above it, with a button that copies it."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFontDatabase, QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QWidget

from mcsvm_gui.ui.kit.buttons import copy_button, python_button
from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.kit.labels import wrapped
from mcsvm_gui.ui.kit.theme import UNIT

LONGEST = 500  # number of letters shown: costs of many classes would fill the page


class CommandRow(QWidget):
    python_asked = Signal()
    message = Signal(str)

    def __init__(self, label_name: str, button_name: str, tip: str, python_name: str) -> None:
        super().__init__()
        self._command = ""
        self.label = wrapped(label_name)
        self.label.setAccessibleName(tr("The same from the command line"))
        self.label.setToolTip(tip)
        self.label.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        flags = Qt.TextInteractionFlag
        self.label.setTextInteractionFlags(flags.TextSelectableByMouse | flags.TextSelectableByKeyboard)
        self.button = copy_button(button_name, tr("Copy the command"))
        self.button.clicked.connect(lambda: self.copy(self._command))
        self.python = python_button(python_name, tr("Copy as a Python script that gives the same numbers"))
        self.python.clicked.connect(self.python_asked)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(UNIT)
        row.addWidget(self.label, 1)
        for button in (self.button, self.python):
            row.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)

    def show_command(self, command: str) -> None:
        self._command = command
        cut = len(command) > LONGEST
        self.label.setText(tr("{start} … the button copies all of it", start=command[:LONGEST]) if cut else command)
        for button in (self.button, self.python):
            button.setEnabled(bool(command))

    def copy(self, command: str) -> None:
        QGuiApplication.clipboard().setText(command)
        self.message.emit(tr("The command is on the clipboard."))
