"""Menus and their actions, built from the tables in commands.py."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QAction, QActionGroup, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from mcsvm_gui.ui.kit import icons
from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.shell.commands import Command

KEYS = "keys"  # property with the keys of an action that leaves them to the focused widget


def fill(menu: QMenu, commands: Iterable[Command | None], asked: Callable[[str], None]) -> None:
    """Add one action per command, and a separator for None; `asked` is called with the name of the chosen command."""
    menu.setToolTipsVisible(True)
    for command in commands:
        if command is None:
            menu.addSeparator()
        else:
            menu.addAction(made(menu, command, asked))


def made(parent: QWidget, command: Command, asked: Callable[[str], None]) -> QAction:
    action = QAction(command.text, parent)
    action.setObjectName(command.name)
    action.setToolTip(command.tip)
    if command.icon:
        icons.put(action, command.icon)
    if command.to_focus:
        leave_keys(action, command)
        action.triggered.connect(lambda: press(QKeySequence(command.keys)))
    else:
        action.setShortcut(QKeySequence(command.keys))
        action.triggered.connect(lambda: asked(command.name))
    return action


def leave_keys(action: QAction, command: Command) -> None:
    """Show the keys in the menu only: a shortcut of the window would conflict with those of its tables and fields."""
    action.setProperty(KEYS, command.keys)
    shown = QKeySequence(command.keys).toString(QKeySequence.SequenceFormat.NativeText)
    action.setText(f"{command.text}\t{shown}")


def press(keys: QKeySequence) -> None:
    """Pass keys to the focused widget: trigger its own action, or send the key events."""
    widget = QApplication.focusWidget()
    if widget is None:
        return
    own = next((action for action in _actions_around(widget) if action.shortcut() == keys), None)
    if own is not None:
        own.trigger()
        return
    combination = keys[0]  # type: ignore[index]
    for kind in (QKeyEvent.Type.KeyPress, QKeyEvent.Type.KeyRelease):
        event = QKeyEvent(kind, combination.key(), combination.keyboardModifiers())
        QCoreApplication.sendEvent(widget, event)


def _actions_around(widget: QWidget | None) -> Iterable[QAction]:
    while widget is not None and not widget.isWindow():
        yield from widget.actions()
        widget = widget.parentWidget()


def choices(menu: QMenu, prefix: str, named: Iterable[tuple[str, str]], chosen: Callable[[str], None]) -> QActionGroup:
    """Add checkable actions of which exactly one is checked; `chosen` is called with its value."""
    group = QActionGroup(menu)
    for value, text in named:
        action = QAction(tr(text), menu)
        action.setObjectName(f"{prefix}{value.capitalize()}Action")
        action.setCheckable(True)
        action.setData(value)
        menu.addAction(group.addAction(action))
    group.triggered.connect(lambda action: chosen(action.data()))
    return group


def check(group: QActionGroup, value: str) -> None:
    for action in group.actions():
        action.setChecked(action.data() == value)


def plain_text(action: QAction) -> str:
    return action.text().split("\t")[0].replace("&", "")


def keys_of(action: QAction) -> str:
    own = action.property(KEYS)
    sequence = QKeySequence(own) if own else action.shortcut()
    return sequence.toString(QKeySequence.SequenceFormat.NativeText)
