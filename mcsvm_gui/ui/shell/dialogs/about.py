"""Name, version and licence of the program and of the components that it contains."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QSplitter,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from mcsvm_gui.ui.kit import icons
from mcsvm_gui.ui.kit.dialog import Dialog
from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.kit.labels import selectable
from mcsvm_gui.ui.kit.nesting import nest
from mcsvm_gui.ui.kit.page import Tabs
from mcsvm_gui.ui.kit.theme import UNIT
from mcsvm_gui.ui.shell.dialogs.crash import log_text
from mcsvm_gui.ui.shell.dialogs.shortcuts import facts_tree

if TYPE_CHECKING:
    from mcsvm_gui.core.base.licences import Component


class AboutDialog(Dialog):
    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, "aboutDialog", tr("About mcsvm"), 88 * UNIT, 80 * UNIT)
        self._inside: Sequence[Component] = ()
        self._version = selectable("aboutVersion", "muted")
        self._text = log_text("aboutText", tr("Licence and sources"))
        self._text.setLineWrapMode(self._text.LineWrapMode.WidgetWidth)
        tabs = Tabs()
        tabs.setObjectName("aboutTabs")
        tabs.setAccessibleName(tr("About mcsvm"))
        tabs.addTab(self._text, tr("Licence and sources"))
        tabs.addTab(self._licences(), tr("What is inside"))
        nest(self.body, self._head())
        self.body.addWidget(tabs, 1)
        self.add_copy_button()

    def _head(self) -> QHBoxLayout:
        picture, title = QLabel(), selectable("", "title", "mcsvm")
        picture.setPixmap(icons.application_icon().pixmap(8 * UNIT, 8 * UNIT))
        beside = QVBoxLayout()
        beside.setSpacing(UNIT // 2)
        for label in (
            title,
            selectable("", "", tr("Multi-class support vector machines, each trained to a certified optimum")),
        ):
            beside.addWidget(label)
        beside.addWidget(self._version)
        row = QHBoxLayout()
        row.setSpacing(2 * UNIT)
        row.addWidget(picture, 0, Qt.AlignmentFlag.AlignTop)
        nest(row, beside, 1)
        return row

    def _licences(self) -> QSplitter:
        """Return a list of the components; the licence of the selected one is below it."""
        self._list = facts_tree("licenceList", tr("What is inside"), (tr("Name"), tr("Version"), tr("Licence")))
        self._list.setSelectionMode(self._list.SelectionMode.SingleSelection)
        self._list.header().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        self._list.currentItemChanged.connect(self._show_licence)
        self._licence = log_text("licenceText", tr("Licence"))
        self._licence.setLineWrapMode(self._licence.LineWrapMode.WidgetWidth)
        halves = QSplitter(Qt.Orientation.Vertical)
        halves.addWidget(self._list)
        halves.addWidget(self._licence)
        return halves

    def set_facts(self, version: str, text: str, inside: Sequence[Component]) -> None:
        self._version.setText(tr("Version {version}", version=version))
        self._text.setPlainText(text)
        self._inside = inside
        self._list.clear()
        rows = [QTreeWidgetItem(self._list, [part.name, part.version, part.licence]) for part in inside]
        if rows:
            self._list.setCurrentItem(rows[0])

    def _show_licence(self, chosen: QTreeWidgetItem | None) -> None:
        text = "" if chosen is None else self._inside[self._list.indexOfTopLevelItem(chosen)].text
        self._licence.setPlainText(text or tr("No licence text is included."))

    def plain_text(self) -> str:
        inside = "".join(f"{part.name}\t{part.version}\t{part.licence}\n" for part in self._inside)
        return f"mcsvm, {self._version.text()}\n\n{self._text.toPlainText()}\n\n{inside}"
