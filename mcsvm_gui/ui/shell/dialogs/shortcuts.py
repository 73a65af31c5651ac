"""Every shortcut of a window, collected from its actions."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QLineEdit, QTreeWidget, QTreeWidgetItem, QWidget

from mcsvm_gui.ui.kit.buttons import clearable
from mcsvm_gui.ui.kit.dialog import Dialog
from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.kit.theme import UNIT
from mcsvm_gui.ui.shell.menus import keys_of, plain_text


class ShortcutsDialog(Dialog):
    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, "shortcutsDialog", tr("Keyboard shortcuts"), 64 * UNIT, 72 * UNIT)
        self._filter = QLineEdit()
        self._filter.setObjectName("shortcutsFilter")
        self._filter.setAccessibleName(tr("Search"))
        self._filter.setPlaceholderText(tr("Search"))
        clearable(self._filter)
        self._filter.textChanged.connect(self._sift)
        self._list = facts_tree("shortcutsList", tr("Keyboard shortcuts"), (tr("Command"), tr("Keys")))
        self._list.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.body.addWidget(self._filter)
        self.body.addWidget(self._list, 1)
        self.add_copy_button()

    def collect(self, window: QWidget) -> None:
        """List the shortcuts again each time the dialog opens: pages add actions of their own."""
        self._list.clear()
        for action in window.findChildren(QAction):
            if keys_of(action) and plain_text(action):
                is_page = action.actionGroup() is not None  # otherwise "Train" would have two meanings
                words = tr("Page: {name}", name=plain_text(action)) if is_page else plain_text(action)
                item = QTreeWidgetItem(self._list, [words, keys_of(action)])
                item.setToolTip(0, action.toolTip())
        self._sift(self._filter.text())

    def rows(self) -> list[tuple[str, str]]:
        items = [self._list.topLevelItem(row) for row in range(self._list.topLevelItemCount())]
        return [(item.text(0), item.text(1)) for item in items if item is not None and not item.isHidden()]

    def plain_text(self) -> str:
        return "".join(f"{text}\t{keys}\n" for text, keys in self.rows())

    def _sift(self, wanted: str) -> None:
        for row in range(self._list.topLevelItemCount()):
            item = self._list.topLevelItem(row)
            if item is not None:
                item.setHidden(wanted.lower() not in f"{item.text(0)} {item.text(1)}".lower())


def facts_tree(name: str, title: str, header: Sequence[str]) -> QTreeWidget:
    """Return a tree with columns that can be read and walked through by keyboard."""
    tree = QTreeWidget()
    tree.setObjectName(name)
    tree.setAccessibleName(title)
    tree.setHeaderLabels(list(header))
    tree.setRootIsDecorated(False)
    tree.setUniformRowHeights(True)
    tree.setStyleSheet(f"QTreeView::item {{ padding: {UNIT // 4}px {UNIT}px; }}")
    tree.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
    tree.setTextElideMode(Qt.TextElideMode.ElideMiddle)
    return tree
