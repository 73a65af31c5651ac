"""A user's hand: it knows controls by name, and waits as a user does."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import Any, TypeVar

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QFileDialog,
    QLabel,
    QLineEdit,
    QListView,
    QWidget,
)
from pytestqt.qtbot import QtBot

from mcsvm_gui.app import create_window
from mcsvm_gui.ui.threads import thread as threads

Kind = TypeVar("Kind", bound=QObject)
PATIENCE = 60_000  # milliseconds

DIALOGS = {  # by the action that opens each
    "settingsAction": "settingsDialog",
    "shortcutsAction": "shortcutsDialog",
    "aboutAction": "aboutDialog",
    "doctorAction": "doctorDialog",
    "crashLogAction": "crashDialog",
    "guideAction": "guideDialog",
}


class Hand:
    def __init__(self, bot: QtBot, project: Path, settings: Path) -> None:
        self.bot = bot
        self._others = set(threads.running())
        self.window: Any = create_window(project, settings)
        self.window.resize(1280, 800)
        with bot.waitExposed(self.window):
            self.window.show()
        self.wait(lambda: self.runs.loaded)

    @property
    def work(self) -> Any:
        return self.window.assembly.workspace

    @property
    def runs(self) -> Any:
        return self.window.assembly.runs

    @property
    def active(self) -> list[int]:
        return self.window.assembly.queue.active()

    def find(self, kind: type[Kind], name: str) -> Kind:
        found = self.window.findChild(kind, name)
        assert found is not None, f"there is no {kind.__name__} called {name}"
        return found

    def wait(self, condition: Any, patience: int = PATIENCE) -> None:
        self.bot.waitUntil(condition, timeout=patience)

    def click(self, name: str, inside: str = "") -> None:
        """`inside`: of the widget that has it, where several have one of this name."""
        button = self.find(QAbstractButton, name)
        if inside:
            button = self.find(QWidget, inside).findChild(QAbstractButton, name)
        self.wait(lambda: button.isEnabled())
        QTest.mouseClick(
            button, Qt.MouseButton.LeftButton, pos=QPoint(min(button.width() // 2, 12), button.height() // 2)
        )

    def go(self, page: str) -> None:
        self.click(f"nav{page}")
        self.wait(lambda: self.window.page == page.lower())

    def type(self, name: str, text: str) -> None:
        field = self.find(QLineEdit, name)
        field.selectAll()
        QTest.keyClicks(field, text)
        QTest.keyClick(field, Qt.Key.Key_Return)

    def choose(self, name: str, value: str) -> None:
        combo = self.find(QComboBox, name)
        index = combo.findData(value)
        assert index >= 0, f"{name} offers no {value}"
        combo.setCurrentIndex(index)

    def text(self, name: str) -> str:
        return self.find(QLabel, name).text()

    def pick(self, name: str, row: int) -> None:
        """A click on one entry of a list."""
        view = self.find(QListView, name)
        place = view.visualRect(view.model().index(row, 0)).center()
        QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place)
        QTest.keyClick(view, Qt.Key.Key_Return)

    def answer_file(self, path: Path) -> None:
        """Into the file dialog that is open."""
        self.wait(lambda: self.window.findChild(QFileDialog, "fileDialog") is not None)
        dialog = self.find(QFileDialog, "fileDialog")
        dialog.selectFile(str(path))
        dialog.accept()
        self.wait(lambda: self.window.findChild(QFileDialog, "fileDialog") is None)  # else the next answer goes to it

    def select_runs(self, *runs: int) -> None:
        self.runs.select(runs)

    def leave(self) -> None:
        """Whatever happened, no thread may outlive the test."""
        if hasattr(self, "window"):
            self.window.assembly.close()
            self.window.deleteLater()
            QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)

    def close(self) -> None:
        """Everything that runs is stopped and kept; then no thread, no window is left."""
        self.work.settings["confirm_close"] = False
        self.window.close()
        self.wait(lambda: not self.window.isVisible() and not self.active)
        assert set(threads.running()) <= self._others
        assert self.runs.unwritten == 0
        self.window.deleteLater()
        del self.window
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        gc.collect()
        assert not [widget for widget in QApplication.topLevelWidgets() if widget.objectName() == "mainWindow"]
