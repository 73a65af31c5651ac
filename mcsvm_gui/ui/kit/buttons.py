"""Buttons with all that each needs: a name, a text that is also read aloud, an icon that follows the theme."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QLineEdit, QPushButton, QToolButton

from mcsvm_gui.ui.kit import icons
from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.kit.theme import UNIT


class CollapsingButton(QPushButton):
    """Its text gives way where there is no room; its icon, name and tip stay."""

    def __init__(self, words: str) -> None:
        super().__init__(words)
        self._words, self._shown = words, True

    def say(self, words: str) -> None:
        self._words = words
        self.setText(words if self._shown else "")

    def show_texts(self, shown: bool) -> None:
        self._shown = shown
        self.say(self._words)


def labelled(name: str, words: str, tip: str, icon: str) -> CollapsingButton:
    """Its tip is also what it is called aloud."""
    button = CollapsingButton(words)
    icons.put(button, icon)
    button.setObjectName(name)
    button.setAccessibleName(tip)
    button.setToolTip(tip)
    return button


def push_button(name: str, text: str, icon: str = "", tip: str = "") -> QPushButton:
    """Its text is also what it is called aloud."""
    button = QPushButton(text)
    button.setObjectName(name)
    button.setAccessibleName(text)
    button.setToolTip(tip)
    if icon:
        icons.put(button, icon)
    return button


def python_button(name: str, tip: str) -> QToolButton:
    """Beside a button that copies a command."""
    button = copy_button(name, tip)
    icons.put(button, "code")  # another one than for a command: its word goes where there is little room
    button.setText("Python")
    button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
    return button


def copy_button(name: str, tip: str) -> QToolButton:
    button = QToolButton()
    button.setObjectName(name)
    icons.put(button, "copy")
    button.setIconSize(QSize(2 * UNIT, 2 * UNIT))
    button.setAutoRaise(True)
    button.setAccessibleName(tip)
    button.setToolTip(tip)
    return button


def clearable(field: QLineEdit) -> None:
    """With a button that empties it; Qt gives this no name."""
    field.setClearButtonEnabled(True)
    for button in field.findChildren(QToolButton):
        button.setAccessibleName(tr("Clear"))
