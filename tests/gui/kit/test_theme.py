"""Light and dark: chosen, or as the system has it, also where that changes while the program runs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from mcsvm_gui.ui.kit import theme
from mcsvm_gui.ui.plots.live import ViolationPlot

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
    for scheme, name in ((Scheme.Dark, "dark"), (Scheme.Light, "light"), (Scheme.Dark, "dark")):
        system_turns(scheme)
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


@pytest.mark.parametrize("choice", ["light", "dark"])
def test_what_the_user_chose_stays(choice: str) -> None:
    theme.use("system")
    theme.use(choice)
    for scheme in (Scheme.Dark, Scheme.Light, Scheme.Unknown):
        system_turns(scheme)
        assert theme.current().name == choice
