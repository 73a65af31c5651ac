"""A dialog in which the user ticks entries of a list: columns to save, chapters of a report."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLineEdit, QListWidget, QListWidgetItem, QWidget

from mcsvm_gui.ui.kit.dialog import Dialog
from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.kit.labels import wrapped
from mcsvm_gui.ui.kit.theme import UNIT

NAME = Qt.ItemDataRole.UserRole
MANY = 12  # number of entries from which on a filter is shown


class ChoiceDialog(Dialog):
    chosen = Signal(list)  # names of ticked entries, in their order

    def __init__(
        self,
        parent: QWidget,
        name: str,
        title: str,
        words: str,
        entries: Mapping[str, str],
        ticked: Collection[str],
        apply: str = "",
    ) -> None:
        """Build the dialog; `entries` has titles by name, `apply` the text of the button if it is not "Apply"."""
        super().__init__(parent, name, title, 52 * UNIT, 56 * UNIT)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.close_button.setText(tr("Cancel"))
        self.close_button.setAccessibleName(tr("Cancel"))
        self.body.addWidget(wrapped(f"{name}Words", "muted", words))
        self.filter = QLineEdit()
        self.filter.setObjectName(f"{name}Filter")
        self.filter.setAccessibleName(tr("Filter"))
        self.filter.setPlaceholderText(tr("Filter"))
        self.filter.setClearButtonEnabled(True)
        self.filter.setVisible(len(entries) >= MANY)
        self.filter.textChanged.connect(self._show_matching)
        self.body.addWidget(self.filter)
        self.list = QListWidget()
        self.list.setObjectName(f"{name}List")
        self.list.setAccessibleName(title)
        for entry, shown in entries.items():
            item = QListWidgetItem(shown)
            item.setData(NAME, entry)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            item.setCheckState(Qt.CheckState.Checked if entry in ticked else Qt.CheckState.Unchecked)
            self.list.addItem(item)
        self.body.addWidget(self.list, 1)
        button = self.add_button("applyChoiceButton", apply or tr("Apply"))
        button.setDefault(True)
        button.clicked.connect(self._apply)

    def _items(self) -> list[QListWidgetItem]:
        return [self.list.item(row) for row in range(self.list.count())]

    def _show_matching(self, words: str) -> None:
        for item in self._items():
            item.setHidden(words.strip().casefold() not in item.text().casefold())

    def _apply(self) -> None:
        names = [item.data(NAME) for item in self._items() if item.checkState() is Qt.CheckState.Checked]
        self.close()
        self.chosen.emit(names)


def choose_chapters(
    parent: QWidget, titles: Mapping[str, str], ticked: Collection[str], chosen: Callable[[list[str]], object]
) -> None:
    """Ask which chapters a report should have; `chosen` is called with their names."""
    title, words = tr("What the report contains"), tr("Choose the chapters of the report.")
    dialog = ChoiceDialog(parent, "reportChapters", title, words, titles, ticked, tr("Save…"))
    dialog.chosen.connect(chosen)
    dialog.appear()
