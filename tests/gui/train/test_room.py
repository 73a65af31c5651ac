"""What can be seen: outlines in every theme, words that give way, and pages that fit into the smallest window."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QColor
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QComboBox,
    QLineEdit,
    QScrollArea,
    QSpinBox,
    QStyle,
    QStyleOptionButton,
    QToolTip,
    QWidget,
)
from pytestqt.qtbot import QtBot
from run_examples import record

from mcsvm_gui.core.machine.summary import Badge
from mcsvm_gui.core.project.columns import columns
from mcsvm_gui.ui.kit import theme
from mcsvm_gui.ui.kit.badge import SIGN, BadgeLabel
from mcsvm_gui.ui.runs.table import RunPanel
from mcsvm_gui.ui.train.page import TrainPage

VISIBLE = 3.0  # WCAG 2.1, 1.4.11: contrast of the parts of a control


def luminance(colour: QColor) -> float:
    """Of WCAG 2.1."""
    parts = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour.getRgbF()[:3]]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), parts, strict=True))


def contrast(one: QColor, other: QColor) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.slow
@pytest.mark.parametrize("choice", ["light", "dark"])
def test_a_field_is_seen_on_its_ground(qtbot: QtBot, choice: str) -> None:
    theme.use(choice)
    try:
        for kind in (QLineEdit, QSpinBox, QComboBox, QCheckBox):
            assert_seen(qtbot, kind)
    finally:
        theme.use("light")


def assert_seen(qtbot: QtBot, kind: type[QWidget]) -> None:
    home = QWidget()
    qtbot.addWidget(home)
    field = kind(home)
    field.setGeometry(20, 20, 160, 28)
    home.resize(200, 68)
    picture = home.grab().toImage()
    middle = 20 + 14
    row = [picture.pixelColor(x, middle) for x in range(14, 14 + 16)]
    if kind is QCheckBox:
        box = field.style().subElementRect(QStyle.SubElement.SE_CheckBoxIndicator, QStyleOptionButton(), field)
        assert box.width() > 8
    ground = QColor(theme.current().window)
    assert max(contrast(colour, ground) for colour in row) >= 0.95 * VISIBLE, kind


@pytest.mark.parametrize("width", [560, 900])
def test_the_field_to_find_runs_shows_what_it_is_for(qtbot: QtBot, width: int) -> None:
    panel = RunPanel(columns())
    qtbot.addWidget(panel)
    panel.resize(width, 300)
    with qtbot.waitExposed(panel):
        panel.show()
    assert panel.filter.width() >= 20 * theme.UNIT
    for button in (panel.copy_button, panel.save_button, panel.delete_button):
        assert bool(button.text()) == (width == 900)
        assert button.accessibleName()
        assert button.toolTip()
        assert not button.icon().isNull()


def test_a_run_keeps_its_name_beside_a_long_badge_and_three_buttons(qtbot: QtBot) -> None:
    page = TrainPage()
    qtbot.addWidget(page)
    page.resize(928, 560)
    with qtbot.waitExposed(page):
        page.show()
    page.show_run("ww 1, vowel_train.csv", Badge("waiting", "Paused at gap 99.99%", ""), "")
    page.show_actions(True, True)
    qtbot.waitUntil(lambda: page.card.title.width() >= page.fontMetrics().horizontalAdvance("ww 1, vowel"))
    assert page.card.pause.accessibleName() == "Resume"


@pytest.mark.parametrize(
    "verdict",
    ["Not solved: up to 99.6% from the optimum", "Nicht gelöst: bis zu 99,8 % vom Optimum entfernt"],
    ids=["en", "de"],
)
def test_a_stopped_run_does_not_widen_the_page(qtbot: QtBot, verdict: str) -> None:
    page = TrainPage()
    qtbot.addWidget(page)
    page.resize(928, 560)
    page.set_run_table(RunPanel(columns()))
    with qtbot.waitExposed(page):
        page.show()
    page.show_run("llw 1, vowel_train.csv", Badge("not solved", verdict, ""), "")
    page.show_run_command("mcsvm train vowel_train.csv --machine llw")
    page.show_continue(True)
    bar = next(area for area in (page, *page.findChildren(QScrollArea)) if hasattr(area, "horizontalScrollBar"))
    card = page.card
    words = card.badge.fontMetrics().horizontalAdvance(verdict)
    qtbot.waitUntil(lambda: card.badge.contentsRect().width() >= words)
    assert bar.horizontalScrollBar().maximum() == 0
    assert card.title.width() >= card.title.fontMetrics().horizontalAdvance("llw 1")
    assert card.go_on.geometry().right() <= card.width()
    short = card.python.width()
    page.show_run("ww 1", Badge("solved", "Solved", ""), "")
    page.show_continue(False)
    qtbot.waitUntil(lambda: card.python.width() >= short and bool(card.reuse.width() > 6 * theme.UNIT))


def test_a_badge_keeps_the_place_of_its_sign_when_it_was_too_small_for_it(qtbot: QtBot) -> None:
    badge = BadgeLabel("qualityLabel", "Quality")
    qtbot.addWidget(badge)
    badge.set_badge("good", "Better than guessing")
    badge.show()
    whole = badge.sizeHint().width()
    badge.resize(theme.UNIT, theme.UNIT)
    badge.set_badge("useless", "No better than guessing")
    badge.set_badge("good", "Better than guessing")
    badge.resize(badge.sizeHint())
    assert badge.sizeHint().width() == whole
    assert badge.contentsRect().left() >= SIGN
    assert badge.contentsRect().width() >= badge.fontMetrics().horizontalAdvance(badge.text())


def test_the_tooltip_of_a_badge_looks_like_any_other(qtbot: QtBot) -> None:
    """A style sheet without a selector holds for the tooltip too: bold, red and padded."""
    badge, plain = BadgeLabel("qualityLabel", "Quality"), QWidget()
    for widget in (badge, plain):
        qtbot.addWidget(widget)
        widget.show()
    badge.set_badge("useless", "No better than guessing", "Some words")
    sizes = []
    for widget in (badge, plain):
        QToolTip.hideText()
        qtbot.waitUntil(lambda: not QToolTip.isVisible())
        QToolTip.showText(widget.mapToGlobal(QPoint(1, 1)), "Some words", widget)
        qtbot.waitUntil(QToolTip.isVisible)
        tip = next(one for one in QApplication.topLevelWidgets() if one.inherits("QTipLabel") and one.isVisible())
        sizes.append((tip.width(), tip.height()))
    QToolTip.hideText()
    assert sizes[0] == sizes[1]


def test_in_a_low_window_plots_have_the_height_that_few_runs_leave(qtbot: QtBot) -> None:
    page = TrainPage()
    qtbot.addWidget(page)
    page.resize(928, 600)
    page.set_run_table(RunPanel(columns()))
    with qtbot.waitExposed(page):
        page.show()
    page.show_run("ww 1", Badge("solved", "Solved", ""), "")
    heights = {}
    for count in (1, 2, 6, 9):
        page.show_standings([record(run) for run in range(1, count + 1)], {})
        qtbot.wait(1)
        heights[count] = page.plots.height()
        assert page.board.viewport().height() >= min(count, 6) * page.board.verticalHeader().defaultSectionSize()
    assert heights[2] > heights[6] == heights[9]
    page.splitter.moveSplitter(page.splitter.sizes()[0] - 20, 1)
    placed = page.splitter.sizes()
    page.show_standings([record(1)], {})
    qtbot.wait(1)
    assert page.splitter.sizes() == placed


def test_the_train_page_fits_beside_a_queue_at_1024_by_700(qtbot: QtBot) -> None:
    """Menu, status, queue with two jobs: what is left of 700 pixels."""
    page = TrainPage()
    qtbot.addWidget(page)
    page.set_run_table(RunPanel(columns()))
    page.show_run("ww 1", Badge("running", "Gap 1%", ""), "3.2 s, 89 281 steps")
    page.show_actions(True, False)
    assert page.minimumSizeHint().height() <= 700 - 22 - 22 - 14 * theme.UNIT


def test_plots_that_have_no_room_scroll(qtbot: QtBot) -> None:
    """Beside six runs and two jobs each was 60 pixels high: no curve is read there."""
    page = TrainPage()
    qtbot.addWidget(page)
    page.resize(928, 540)
    page.set_run_table(RunPanel(columns()))
    page.show_run("ww 1", Badge("running", "Gap 1%", ""), "3.2 s, 89 281 steps")
    page.plots.show_runs([(1, "ww 1", "ww"), (2, "cs 2", "cs")])
    with qtbot.waitExposed(page):
        page.show()
    page.show_standings([record(run) for run in range(1, 7)], {})
    qtbot.wait(1)
    area = page.plots.findChild(QScrollArea, "plotArea")
    assert area is not None
    for plot in page.plots.plots:
        assert plot.height() >= 15 * theme.UNIT
    assert area.verticalScrollBar().maximum() > 0
    page.plots.enlarge(page.plots.plots[0])
    qtbot.waitUntil(lambda: area.verticalScrollBar().maximum() == 0)
