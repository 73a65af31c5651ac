"""The list of findings is as high as the window allows."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from mcsvm_gui.core.check.advice import Action, Advice
from mcsvm_gui.core.check.finding import Severity
from mcsvm_gui.ui.kit.checks_list import HIGHEST, ChecksList


def findings(count: int) -> list[Advice]:
    action = Action("Leave column out", "drop", "x")
    words = "The column looks like groups of rows. If rows of one group are alike, the test score is too optimistic."
    return [Advice(words, Severity.WARNING, title=f"Finding {number}", actions=(action,)) for number in range(count)]


@pytest.mark.parametrize("height", [700, 900])
def test_more_findings_are_seen_in_a_higher_window(qtbot: QtBot, height: int) -> None:
    window, checks = QWidget(), ChecksList()
    qtbot.addWidget(window)
    column = QVBoxLayout(window)
    column.addWidget(checks)
    column.addStretch()
    window.resize(1000, height)
    with qtbot.waitExposed(window):
        window.show()
    checks.show_advice(findings(8))
    assert HIGHEST < checks.height() < height // 3
    assert checks.height() == pytest.approx(0.24 * height, abs=4)
    checks.show_advice(findings(1))
    assert checks.height() < HIGHEST
