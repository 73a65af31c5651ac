"""Themes: chosen, or light and dark as the system has it, also where that changes while the program runs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot
from shiboken6 import getCppPointer

import mcsvm_gui.ui
from mcsvm_gui.core.base.settings import SETTINGS
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


def test_every_theme_is_offered() -> None:
    assert {value for value, _ in SETTINGS["theme"].choices()} == {"system", *theme.THEMES}
