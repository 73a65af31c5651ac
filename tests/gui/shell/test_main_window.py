"""The frame: pages, menus, keys, drops, closing."""

import pytest
from PySide6.QtCore import QCoreApplication, QMimeData, QPoint, QPointF, QSize, Qt, QUrl
from PySide6.QtGui import QAction, QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QDockWidget, QLabel, QLineEdit, QMenu, QTextEdit, QToolButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from mcsvm_gui.ui.shell.commands import pages
from mcsvm_gui.ui.shell.main_window import MainWindow
from mcsvm_gui.ui.shell.menus import keys_of

NAMES = [page.name for page in pages()]


@pytest.fixture
def window(qtbot: QtBot) -> MainWindow:
    window = MainWindow()
    qtbot.addWidget(window)
    for name in NAMES:
        window.add_page(name, QLabel(name))
    window.show()
    return window


def test_a_button_is_dead_until_its_page_is_there(qtbot: QtBot) -> None:
    window = MainWindow()
    qtbot.addWidget(window)
    button = window.findChild(QToolButton, "navTrain")
    assert button is not None
    assert not button.isEnabled()
    window.add_page("train", QLabel("train"))
    assert button.isEnabled()


@pytest.mark.parametrize("page", pages(), ids=NAMES)
def test_button_and_keys_lead_to_the_page(qtbot: QtBot, window: MainWindow, page) -> None:
    other = NAMES[(NAMES.index(page.name) + 1) % len(NAMES)]
    button = window.findChild(QToolButton, page.button)
    assert button is not None
    assert button.accessibleName()
    for go in (
        lambda: qtbot.mouseClick(button, Qt.MouseButton.LeftButton),
        lambda: qtbot.keyClick(window, getattr(Qt.Key, f"Key_{page.keys[-1]}"), Qt.KeyboardModifier.ControlModifier),
    ):
        window.show_page(other)
        assert not button.isChecked()
        with qtbot.waitSignal(window.page_shown, timeout=1000) as heard:
            go()
        assert heard.args == [page.name]
        assert button.isChecked()
        assert window.page == page.name


def test_what_was_said_of_a_page_goes_with_it(qtbot: QtBot, window: MainWindow) -> None:
    said = window.findChild(QLabel, "statusLabel")
    assert said is not None
    window.show_page("compare")
    window.set_status("saved")
    window.show_page("predict")
    assert said.text() == "saved"  # of the page that it leads to, in the same turn
    QCoreApplication.processEvents()
    window.show_page("predict")
    assert said.text() == "saved"  # no other page
    window.show_page("data")
    assert said.text() == ""
    window.set_status("the project cannot be written", lasting=True)
    QCoreApplication.processEvents()
    window.show_page("train")
    assert said.text() == "the project cannot be written"


def test_no_two_actions_share_keys_or_a_name(window: MainWindow) -> None:
    actions = [action for action in window.findChildren(QAction) if action.objectName()]
    keys = [keys_of(action) for action in actions if keys_of(action)]
    assert len(keys) == len(set(keys))
    names = [action.objectName() for action in actions]
    assert len(names) == len(set(names))


def test_a_page_scrolls_only_where_it_cannot_be_smaller(qtbot: QtBot) -> None:
    window, page = MainWindow(), QWidget()
    qtbot.addWidget(window)
    column, text, plot = QVBoxLayout(page), QLabel("words that wrap " * 40), QTextEdit()
    text.setWordWrap(True)
    plot.setMinimumHeight(100)
    plot.sizeHint = lambda: QSize(300, 3000)  # type: ignore[method-assign] - what it would like
    column.addWidget(text)
    column.addWidget(plot)
    window.add_page("train", page)
    window.resize(900, 600)
    window.show()
    frame = window.pages["train"]
    assert frame.verticalScrollBar().maximum() == 0
    plot.setMinimumHeight(2000)
    qtbot.waitUntil(lambda: frame.verticalScrollBar().maximum() > 0, timeout=2000)


def test_every_command_of_the_menus_is_asked_for_by_its_name(window: MainWindow) -> None:
    asked: list[str] = []
    window.asked.connect(asked.append)
    for name in ("openDataAction", "settingsAction", "shortcutsAction", "aboutAction"):
        window.action(name).trigger()
    assert asked == ["openDataAction", "settingsAction", "shortcutsAction", "aboutAction"]


def test_recent_files_are_offered_and_chosen(window: MainWindow) -> None:
    menu = window.findChild(QMenu, "recentMenu")
    assert menu is not None
    assert not menu.isEnabled()
    window.set_recent(["/somewhere/a & b.csv", "/elsewhere/c.csv"])
    chosen: list[str] = []
    window.recent_chosen.connect(chosen.append)
    menu.actions()[0].trigger()
    assert chosen == ["/somewhere/a & b.csv"]
    assert "a && b.csv" in menu.actions()[0].text()


def test_the_copy_command_reaches_the_focused_field(qtbot: QtBot, window: MainWindow) -> None:
    field = QLineEdit("some words")
    window._stack.addWidget(field)
    window._stack.setCurrentWidget(field)
    window.activateWindow()
    field.setFocus()
    qtbot.waitUntil(field.hasFocus)
    field.setSelection(5, 5)
    window.action("deleteAction").trigger()
    assert field.text() == "some "


def test_dropped_files_are_told(window: MainWindow) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile("/tmp/a.csv"), QUrl("https://example.org/b.csv")])
    copy, left, none = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    heard: list[list[str]] = []
    window.files_dropped.connect(heard.append)
    window.dragEnterEvent(QDragEnterEvent(QPoint(5, 5), copy, data, left, none))
    assert window._veil.isVisible()
    window.dropEvent(QDropEvent(QPointF(5, 5), copy, data, left, none))
    assert heard == [["/tmp/a.csv"]]
    assert not window._veil.isVisible()


def test_it_closes_only_where_it_may(qtbot: QtBot, window: MainWindow) -> None:
    window.may_close = lambda: False
    assert not window.close()
    window.may_close = lambda: True
    with qtbot.waitSignal(window.closed, timeout=1000):
        assert window.close()


def test_a_dock_gets_its_line_in_the_menu(window: MainWindow) -> None:
    dock = QDockWidget("Jobs")
    dock.setObjectName("jobsDock")
    window.add_dock(dock)
    for hidden in (False, True, False):
        dock.setHidden(not hidden)
        window.action("jobsDockAction").trigger()
        assert dock.isHidden() is hidden


def test_the_frame_comes_back_and_nonsense_does_no_harm(qtbot: QtBot, window: MainWindow) -> None:
    window.resize(800, 650)
    geometry, state = window.frame()
    other = MainWindow()
    qtbot.addWidget(other)
    other.restore_frame(b"nonsense", b"nonsense")
    other.restore_frame(geometry, state)
    assert (other.width(), other.height()) == (800, 650)  # the screen of the tests is 800 x 800
