"""Buttons with everything each needs: a name, a text for screen readers, an icon that follows the theme."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QLineEdit, QPushButton, QToolButton

from mcsvm_gui.ui.kit import icons
from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.kit.theme import UNIT


class CollapsingButton(QPushButton):
    """A button that hides its text if there is no room; its icon, name and tip remain."""

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
    """Return a collapsing button; screen readers read its tip."""
    button = CollapsingButton(words)
    icons.put(button, icon)
    button.setObjectName(name)
    button.setAccessibleName(tip)
    button.setToolTip(tip)
    return button


def push_button(name: str, text: str, icon: str = "", tip: str = "") -> QPushButton:
    """Return a button; screen readers read its text."""
    button = QPushButton(text)
    button.setObjectName(name)
    button.setAccessibleName(text)
    button.setToolTip(tip)
    if icon:
        icons.put(button, icon)
    return button


def python_button(name: str, tip: str) -> QToolButton:
    """Return a button that copies a Python script; it is placed next to a button that copies a command."""
    button = copy_button(name, tip)
    icons.put(button, "code")  # differs from the command's icon: the text is hidden if there is little room
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
    """Give the field a button that empties it, with the accessible name that Qt omits."""
    field.setClearButtonEnabled(True)
    for button in field.findChildren(QToolButton):
        button.setAccessibleName(tr("Clear"))
