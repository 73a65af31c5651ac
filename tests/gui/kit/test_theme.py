"""Themes: chosen, or light and dark as the system has it, also where that changes while the program runs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QGuiApplication, QImage, QPalette
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QDialog,
    QLabel,
    QPushButton,
    QSplitter,
    QStackedWidget,
    QTableWidget,
    QVBoxLayout,
    QWidget,
)
from pytestqt.qtbot import QtBot
from shiboken6 import getCppPointer

import mcsvm_gui.ui
from mcsvm_gui.core.base.settings import SETTINGS
from mcsvm_gui.ui.kit import theme
from mcsvm_gui.ui.plots.live import ViolationPlot
from mcsvm_gui.ui.shell.main_window import MainWindow

pytestmark = pytest.mark.slow

Scheme = Qt.ColorScheme


@pytest.fixture(autouse=True)
def light(qapp: QApplication) -> Iterator[None]:
    theme.use("light")
    yield
    theme.use("light")


def system_turns(scheme: Qt.ColorScheme) -> None:
    """As Qt tells it; the offscreen screen has no scheme of its own to change."""
    QGuiApplication.styleHints().colorSchemeChanged.emit(scheme)


def test_the_systems_choice_is_followed_while_the_program_runs(qtbot: QtBot) -> None:
    told: list[str] = []
    told_of = theme.notifier().changed.connect(lambda: told.append(theme.current().name))
    theme.use("system")
    label, plot = QLabel("words"), ViolationPlot()
    qtbot.addWidget(label)
    qtbot.addWidget(plot)
    with qtbot.waitExposed(label):
        label.show()
    for scheme, name in ((Scheme.Dark, "dark"), (Scheme.Light, "light"), (Scheme.Dark, "dark")):
        system_turns(scheme)
        QApplication.processEvents()
        assert theme.current() is theme.THEMES[name]
        assert label.palette().color(QPalette.ColorRole.Window).name() == theme.current().window
        assert plot.backgroundBrush().color().name() == theme.current().surface
    theme.notifier().disconnect(told_of)
    assert told == ["light", "dark", "light", "dark"]


def test_what_stays_the_same_is_not_painted_again(qtbot: QtBot) -> None:
    theme.use("system")
    with qtbot.assertNotEmitted(theme.notifier().changed):
        system_turns(Scheme.Unknown)
        system_turns(Scheme.Light)


@pytest.mark.parametrize("choice", theme.THEMES)
def test_what_the_user_chose_stays(choice: str) -> None:
    theme.use("system")
    theme.use(choice)
    for scheme in (Scheme.Dark, Scheme.Light, Scheme.Unknown):
        system_turns(scheme)
        assert theme.current().name == choice


def test_nothing_moves_by_itself(qapp: QApplication) -> None:
    theme.use("light")
    assert not any(QApplication.isEffectEnabled(effect) for effect in theme.MOTIONS)
    moving = re.compile(r"Animation|setRange\(0, 0\)|setAnimated\(True\)")
    sources = Path(mcsvm_gui.ui.__file__).parent.rglob("*.py")
    assert [path.name for path in sources if moving.search(path.read_text("utf-8"))] == []


def test_another_theme_is_no_other_style(qapp: QApplication) -> None:
    """PySide keeps what it made of every style that a widget was asked for."""
    style = getCppPointer(qapp.style())
    theme.use("dark")
    assert getCppPointer(qapp.style()) == style


def styled_widgets() -> list[QWidget]:
    """One of each kind of widget that the style sheet has rules for, in each state."""
    labels = []
    for role in ("", "title", "heading", "muted", "good", "warning", "bad"):
        label = QLabel("Words")
        label.setProperty("role", role)
        labels.append(label)
    buttons = [QPushButton("Words") for _ in range(4)]
    buttons[1].setEnabled(False)
    buttons[2].setCheckable(True)
    buttons[2].setChecked(True)
    buttons[3].setProperty("role", "primary")
    table, splitter = QTableWidget(2, 2), QSplitter()
    for part in (QLabel("left"), QLabel("right")):
        splitter.addWidget(part)
    for widget in (*buttons, table):
        widget.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # it would be painted
    return [*labels, *buttons, table, splitter]


class StyledWindow(MainWindow):
    """A window with widgets on a page, a page that is shown later, and a dialog."""

    def __init__(self, qtbot: QtBot) -> None:
        super().__init__()
        qtbot.addWidget(self)
        self.dialog, self.parts = QDialog(self), [styled_widgets() for _ in range(3)]
        self.later = QStackedWidget()
        for page in (QWidget(), QWidget()):
            self.later.addWidget(page)
        first = self.later.widget(0)
        assert first is not None
        for place, widgets in zip((first, self.later.widget(1), self.dialog), self.parts, strict=True):
            column = QVBoxLayout(place)
            for widget in widgets:
                column.addWidget(widget)
        self.setCentralWidget(self.later)
        self.resize(500, 900)
        with qtbot.waitExposed(self):
            self.show()

    def pictures(self) -> list[QImage]:
        """Return what is seen of the widgets of both pages and the dialog."""
        seen = []
        for place, widgets in zip((0, 1, 1), self.parts, strict=True):
            self.later.setCurrentIndex(place)
            self.dialog.setVisible(widgets is self.parts[-1])
            QApplication.processEvents()
            seen += [widget.grab().toImage() for widget in widgets]
        return seen


@pytest.mark.parametrize("choice", ["dark", "contrast", "dark-contrast"])
@pytest.mark.parametrize("seen_before", [False, True])
def test_a_changed_theme_looks_like_one_from_the_start(qtbot: QtBot, choice: str, seen_before: bool) -> None:
    changed = StyledWindow(qtbot)
    before = changed.pictures() if seen_before else []
    changed.later.setCurrentIndex(0)
    changed.dialog.hide()
    theme.use(choice)
    seen, expected = changed.pictures(), StyledWindow(qtbot).pictures()
    assert [place for place, pair in enumerate(zip(seen, expected, strict=True)) if pair[0] != pair[1]] == []
    assert seen != before


class StyleChanges(QObject):
    """Counts how often a widget is told that its style has changed."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self.number = 0
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        self.number += event.type() is QEvent.Type.StyleChange
        return False


def test_widgets_without_a_rule_are_not_styled_again(qtbot: QtBot) -> None:
    """Each costs a quarter of a millisecond, and all pages have 2,600 widgets."""
    window = StyledWindow(qtbot)
    box = QCheckBox("Words", window.later)
    box.show()
    changes = StyleChanges(box)
    theme.use("dark")
    QApplication.processEvents()
    assert changes.number == 0
    assert box.palette().color(QPalette.ColorRole.WindowText).name() == theme.current().text


def test_a_plot_of_a_hidden_page_is_recoloured_when_it_is_shown(qtbot: QtBot) -> None:
    pages = QStackedWidget()
    qtbot.addWidget(pages)
    shown, hidden = ViolationPlot(), ViolationPlot()
    for plot in (shown, hidden):
        pages.addWidget(plot)
    with qtbot.waitExposed(pages):
        pages.show()
    theme.use("dark")
    assert shown.backgroundBrush().color().name() == theme.DARK.surface
    assert hidden.backgroundBrush().color().name() == theme.LIGHT.surface, "it costs nothing yet"
    pages.setCurrentWidget(hidden)
    assert hidden.backgroundBrush().color().name() == theme.DARK.surface


def test_every_theme_is_offered() -> None:
    assert {value for value, _ in SETTINGS["theme"].choices()} == {"system", *theme.THEMES}
