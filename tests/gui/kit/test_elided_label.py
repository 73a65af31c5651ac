"""A line that is cut where it must be."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from mcsvm_gui.ui.kit.status import ElidedLabel


def test_line_breaks_go_and_the_spaces_inside_numbers_stay(qtbot: QtBot) -> None:
    label = ElidedLabel("aLabel")
    qtbot.addWidget(label)
    label.say(" 1\u202f234 rows\n  read in 2\u202fs ")
    assert label.text() == "1\u202f234 rows read in 2\u202fs"
    assert label.toolTip() == label.text()
