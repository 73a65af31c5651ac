"""A button whose words give way where there is no room; its icon, name and tip stay."""

from __future__ import annotations

from PySide6.QtWidgets import QPushButton

from mcsvm_gui.ui.kit import icons


class GivingButton(QPushButton):
    def __init__(self, words: str) -> None:
        super().__init__(words)
        self._words, self._shown = words, True

    def say(self, words: str) -> None:
        self._words = words
        self.setText(words if self._shown else "")

    def show_words(self, shown: bool) -> None:
        self._shown = shown
        self.say(self._words)


def labelled(name: str, words: str, tip: str, icon: str) -> GivingButton:
    """Its tip is also what it is called aloud."""
    button = GivingButton(words)
    icons.put(button, icon)
    button.setObjectName(name)
    button.setAccessibleName(tip)
    button.setToolTip(tip)
    return button
