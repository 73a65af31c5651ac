"""Arrangements of pages are kept as they change, and a page that goes changes nothing."""

from __future__ import annotations

import json

import shiboken6
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QSplitter, QWidget
from pytestqt.qtbot import QtBot

from mcsvm_gui.ui.shell.layout_memory import KEPT, LayoutMemory


class Change(QObject):
    happened = Signal()


def test_a_part_that_is_torn_down_is_not_asked_how_it_stands(qtbot: QtBot) -> None:
    page, change = QWidget(), Change()
    qtbot.addWidget(page)
    part, settings = QSplitter(page), {KEPT: ""}
    memory = LayoutMemory(settings)  # type: ignore[arg-type]
    memory._follow("page.part", part, change.happened)
    change.happened.emit()
    kept = settings[KEPT]
    assert list(json.loads(kept)) == ["page.part"]
    shiboken6.delete(part)
    change.happened.emit()
    assert settings[KEPT] == kept
