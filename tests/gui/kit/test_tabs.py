"""A tab that is not at hand shows its words from top to bottom."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from mcsvm_gui.ui.kit.page import Tabs


def drawn(qtbot: QtBot, words: str) -> QImage:
    tabs = Tabs()
    qtbot.addWidget(tabs)
    for text in ("at hand", words):
        tabs.addTab(QWidget(), text)
    with qtbot.waitExposed(tabs):
        tabs.show()
    return tabs.tabBar().grab(tabs.tabBar().tabRect(1)).toImage()


@pytest.mark.parametrize(("words", "without"), [("Ä", "A"), ("Ü", "U"), ("ç", "c")])
def test_what_stands_above_and_below_letters_is_seen(qtbot: QtBot, words: str, without: str) -> None:
    assert drawn(qtbot, words) != drawn(qtbot, without)
