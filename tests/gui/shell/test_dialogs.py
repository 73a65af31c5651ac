"""The dialogs, through their real widgets."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QSpinBox,
    QTreeWidget,
)
from pytestqt.qtbot import QtBot

from mcsvm_gui.core.base.licences import Component
from mcsvm_gui.core.base.settings import TABLE, Settings
from mcsvm_gui.ui.shell.dialogs.opener import Dialogs
from mcsvm_gui.ui.shell.main_window import MainWindow


@pytest.fixture
def window(qtbot: QtBot) -> Iterator[MainWindow]:
    window = MainWindow()
    qtbot.addWidget(window)
    window.show()
    yield window
    window.close()


@pytest.fixture
def dialogs(window: MainWindow) -> Dialogs:
    return Dialogs(window)


def opened(window: MainWindow, name: str) -> QDialog:
    dialog = window.findChild(QDialog, name)
    assert dialog is not None
    assert dialog.isVisible()
    assert dialog.accessibleName()
    return dialog


def child(dialog: QDialog, kind: type, name: str):
    found = dialog.findChild(kind, name)
    assert found is not None, name
    return found


def copied(dialog: QDialog) -> str:
    child(dialog, QPushButton, "copyButton").click()
    return QGuiApplication.clipboard().text()


def test_every_setting_that_has_words_has_an_editor_that_tells(window: MainWindow, dialogs: Dialogs) -> None:
    values = Settings()
    dialogs.show_settings(TABLE, {setting.key: values[setting.key] for setting in TABLE})
    dialog = opened(window, "settingsDialog")
    told: list[tuple[str, object]] = []
    dialogs.setting_changed.connect(lambda key, value: told.append((key, value)))
    shown = [setting for setting in TABLE if setting.label]
    for setting in shown:
        kinds = {bool: QCheckBox, int: QSpinBox, str: QComboBox}
        editor = child(dialog, kinds[setting.kind], f"{setting.key}Setting")
        assert editor.accessibleName()
        if isinstance(editor, QCheckBox):
            assert editor.isChecked() is setting.default
            editor.click()
        elif isinstance(editor, QSpinBox):
            assert editor.value() == setting.default
            editor.setValue(setting.lowest)
        else:
            assert editor.currentData() == setting.default
            editor.setCurrentIndex(2)
    assert [key for key, _ in told] == [setting.key for setting in shown]
    assert all(setting.fits(value) for setting, (_, value) in zip(shown, told, strict=True))


def test_a_value_set_from_outside_is_shown_and_not_told_back(window: MainWindow, dialogs: Dialogs) -> None:
    dialogs.show_settings(TABLE, {})
    dialogs.setting_changed.connect(lambda *_: pytest.fail("told back"))
    dialogs.set_setting("theme", "dark")
    dialogs.set_setting("recent_files", ["x"])
    assert child(opened(window, "settingsDialog"), QComboBox, "themeSetting").currentData() == "dark"


def test_the_shortcuts_are_those_of_all_actions(window: MainWindow, dialogs: Dialogs, qtbot: QtBot) -> None:
    late = QAction("A late command", window)
    late.setShortcut("Ctrl+Alt+L")
    dialogs.show_shortcuts()
    dialog = opened(window, "shortcutsDialog")
    lines = copied(dialog).splitlines()
    assert "A late command\tCtrl+Alt+L" in lines
    assert "Copy\tCtrl+C" in lines
    assert {"Page: Train\tCtrl+2", "Train\tCtrl+T"} <= set(lines)
    assert len(lines) == len(set(lines))
    qtbot.keyClicks(child(dialog, QLineEdit, "shortcutsFilter"), "late")
    assert copied(dialog).splitlines() == ["A late command\tCtrl+Alt+L"]


def test_the_doctor_is_busy_then_says_what_is_wrong_or_that_nothing_is(window: MainWindow, dialogs: Dialogs) -> None:
    dialogs.show_doctor()
    dialog = opened(window, "doctorDialog")
    summary = child(dialog, QLabel, "doctorSummary")
    assert not child(dialog, QPushButton, "copyButton").isEnabled()
    dialogs.set_findings(["numba is not installed"], [("Packages", [("numba", "not installed")])])
    assert summary.property("role") == "warning"
    assert "numba is not installed\n" in copied(dialog)
    assert "numba\tnot installed" in copied(dialog)
    dialogs.set_findings([], [])
    assert summary.property("role") == "good"
    assert "numba" not in copied(dialog)


def test_the_crash_log_is_shown_and_copied_as_it_is(window: MainWindow, dialogs: Dialogs) -> None:
    dialogs.show_crash_log("", "/logs")
    dialog = opened(window, "crashDialog")
    assert not child(dialog, QPushButton, "copyButton").isEnabled()
    dialogs.show_crash_log("== <b>now</b>\nValueError\n", "/logs")
    assert copied(dialog) == "== <b>now</b>\nValueError\n"
    assert "/logs" in child(dialog, QLabel, "crashPlace").text()


def test_about_copies_all_it_says(window: MainWindow, dialogs: Dialogs) -> None:
    inside = [Component("mcsvm", "1.2", "MIT", "our text"), Component("numpy", "2", "BSD", "its text")]
    dialogs.show_about("1.2", "where data are from", inside)
    dialog = opened(window, "aboutDialog")
    text = copied(dialog)
    for words in ("1.2", "where data are from", "numpy\t2\tBSD"):
        assert words in text
    rows, licence = child(dialog, QTreeWidget, "licenceList"), child(dialog, QPlainTextEdit, "licenceText")
    assert licence.toPlainText() == "our text"
    rows.setCurrentItem(rows.topLevelItem(1))
    assert licence.toPlainText() == "its text"
    dialogs.show_about("1.2", "", [Component("other", "3", "MIT", "")])
    assert "No licence text" in licence.toPlainText()


@pytest.mark.parametrize("button", ["stopAllButton", "closeButton"])
def test_the_question_at_the_end_has_two_answers(qtbot: QtBot, window: MainWindow, dialogs, button: str) -> None:
    heard: list[bool] = []
    dialogs.stop_chosen.connect(lambda: heard.append(True))
    dialogs.ask_to_stop(2)
    dialog = opened(window, "leavingDialog")
    assert "2" in child(dialog, QLabel, "leavingQuestion").text()
    qtbot.mouseClick(child(dialog, QPushButton, button), Qt.MouseButton.LeftButton)
    assert heard == ([True] if button == "stopAllButton" else [])
    assert not dialog.isVisible()
