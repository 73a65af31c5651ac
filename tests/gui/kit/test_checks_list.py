"""The list of findings keeps its size, whatever arrives; only the compact one is as high as its lines."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from mcsvm_gui.core.check.advice import Action, Advice
from mcsvm_gui.core.check.finding import Severity
from mcsvm_gui.ui.kit.checks_list import COMPACT, ChecksList

WORDS = "The column looks like groups of rows. If rows of one group are alike, the test score is too optimistic."


def findings(count: int, *buttons: str) -> list[Advice]:
    actions = tuple(Action(text, "drop", "x") for text in buttons or ("Leave column out",))
    return [Advice(WORDS, Severity.WARNING, title=f"Finding {number}", actions=actions) for number in range(count)]


@pytest.fixture(params=[False, True])
def checks(request: pytest.FixtureRequest, qtbot: QtBot) -> Iterator[ChecksList]:
    window, checks = QWidget(), ChecksList(compact=request.param)
    qtbot.addWidget(window)
    column = QVBoxLayout(window)
    column.addWidget(checks, 0 if request.param else 1)
    column.addWidget(QWidget(), 1)
    window.resize(600, 700)
    with qtbot.waitExposed(window):
        window.show()
    yield checks
    window.close()


@pytest.mark.parametrize("checks", [False], indirect=True)
def test_nothing_moves_when_findings_arrive(checks: ChecksList) -> None:
    checks.show_checking()
    place = checks.geometry()
    assert checks.hint == "Checking the data…"
    for count in (8, 1, 0):
        checks.show_advice(findings(count))
        assert checks.isVisible()
        assert checks.geometry() == place
        assert checks.hint == ("" if count else "No findings.")
    checks.show_checking()
    assert checks.hint == "Checking the data…"


@pytest.mark.parametrize("checks", [True], indirect=True)
def test_a_compact_list_is_as_high_as_its_lines(checks: ChecksList) -> None:
    assert not checks.isVisible()
    checks.show_advice(findings(9))
    assert checks.height() == pytest.approx(COMPACT, abs=4)
    checks.show_advice(findings(1))
    assert checks.height() < COMPACT // 2
    checks.show_advice(())
    assert not checks.isVisible()


@pytest.mark.parametrize("checks", [False], indirect=True)
def test_words_beside_wide_buttons_keep_half_of_the_line(qtbot: QtBot, checks: ChecksList) -> None:
    """They had a column of 18 letters beside two long German buttons."""
    (line,) = _lines(checks, findings(1, "Mit dem Mittelwert füllen", "Diese Spalte auslassen"))
    qtbot.waitUntil(lambda: line.buttons[0].geometry().top() >= line.words.geometry().bottom())
    assert line.words.width() > 0.8 * checks.width()
    assert line.height() >= line.buttons[0].geometry().bottom()
    (line,) = _lines(checks, findings(1, "Fill"))
    qtbot.waitUntil(lambda: line.buttons[0].geometry().left() >= line.words.geometry().right())
    assert line.buttons[0].geometry().top() < line.words.geometry().top()


def _lines(checks: ChecksList, advice: list[Advice]) -> list:
    checks.show_advice(advice)
    return list(checks._lines)


@pytest.mark.parametrize("checks", [True], indirect=True)
def test_a_title_stays_beside_its_buttons_where_two_lines_hold_it(qtbot: QtBot, checks: ChecksList) -> None:
    """Below it they would take height from the plots of the Train page."""
    checks.resize(600, checks.height())
    (line,) = _lines(checks, findings(1, "Keep its rows together", "Leave column out"))
    qtbot.waitUntil(lambda: line.buttons[0].geometry().left() >= line.title.geometry().right())
    assert line.height() < 2 * line.buttons[0].height()
