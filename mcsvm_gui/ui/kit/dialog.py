"""The base of our dialogs: they never block, have an accessible name, and their text can be copied."""

from __future__ import annotations

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from mcsvm_gui.ui.kit import icons
from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.kit.nesting import nest
from mcsvm_gui.ui.kit.theme import UNIT


class Dialog(QDialog):
    """A title, a `body` that a subclass fills, and buttons below; Escape closes it."""

    def __init__(self, parent: QWidget, name: str, title: str, width: int = 70 * UNIT, height: int = 60 * UNIT) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setAccessibleName(title)
        self.setWindowTitle(title)
        self.resize(width, height)
        self.body = QVBoxLayout()
        self.body.setSpacing(UNIT)
        self.buttons = QHBoxLayout()
        self.buttons.setSpacing(UNIT)
        self.buttons.addStretch()
        self.close_button = self.add_button("closeButton", tr("Close"))
        self.close_button.clicked.connect(self.close)
        column = QVBoxLayout(self)
        column.setContentsMargins(3 * UNIT, 3 * UNIT, 3 * UNIT, 2 * UNIT)
        column.setSpacing(2 * UNIT)
        nest(column, self.body, 1)
        nest(column, self.buttons)

    def add_button(self, name: str, text: str, icon: str = "") -> QPushButton:
        """Add a button to the left of the present ones."""
        button = QPushButton(text)
        button.setObjectName(name)
        button.setAccessibleName(text)
        button.setAutoDefault(False)
        if icon:
            icons.put(button, icon)
        self.buttons.insertWidget(1, button)
        return button

    def add_copy_button(self) -> QPushButton:
        button = self.add_button("copyButton", tr("Copy"), "copy")
        button.clicked.connect(lambda: QGuiApplication.clipboard().setText(self.plain_text()))
        return button

    def plain_text(self) -> str:
        """Return the text that the copy button copies."""
        return ""

    def appear(self) -> None:
        self.show()
        self.raise_()
        self.activateWindow()
