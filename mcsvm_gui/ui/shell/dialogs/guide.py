"""The guide: chapters at the left, text with pictures at the right, and a search field."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt, QTimer, QUrl, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QListWidget, QSplitter, QWidget

from mcsvm_gui.ui.kit.buttons import clearable
from mcsvm_gui.ui.kit.dialog import Dialog
from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.kit.labels import selectable
from mcsvm_gui.ui.kit.nesting import nest
from mcsvm_gui.ui.kit.theme import UNIT
from mcsvm_gui.ui.shell.dialogs.guide_text import GuideText


class SearchField(QLineEdit):
    wanted = Signal(bool)  # search for the next place; True: for the previous one

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.wanted.emit(bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier))
        else:
            super().keyPressEvent(event)


class GuideDialog(Dialog):
    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, "guideDialog", tr("Guide"), 120 * UNIT, 88 * UNIT)
        self.setWindowFlags(Qt.WindowType.Window)  # a separate window, so that users can read it next to the program
        self.setModal(False)
        self._anchor: Callable[[str], str] = str
        self._text = GuideText()
        self._text.anchorClicked.connect(self._follow)
        self._chapters = QListWidget()
        self._chapters.setObjectName("guideChapters")
        self._chapters.setAccessibleName(tr("Chapters"))
        self._chapters.setStyleSheet(f"QListView::item {{ padding: {UNIT // 2}px {UNIT}px; }}")
        self._chapters.currentRowChanged.connect(self._go)
        self._chapters.itemClicked.connect(lambda item: self._go(self._chapters.row(item)))
        halves = QSplitter(Qt.Orientation.Horizontal)
        for side in (self._chapters, self._text):
            halves.addWidget(side)
        halves.setStretchFactor(1, 1)
        halves.setSizes([26 * UNIT, 94 * UNIT])
        nest(self.body, self._search())
        self.body.addWidget(halves, 1)

    def _search(self) -> QHBoxLayout:
        self._field, self._missing = SearchField(), selectable("guideMissing", "muted")
        self._field.setObjectName("guideSearch")
        self._field.setAccessibleName(tr("Search"))
        self._field.setPlaceholderText(tr("Search"))
        clearable(self._field)
        self._field.textChanged.connect(lambda: self._seek(anew=True))
        self._field.wanted.connect(lambda backwards: self._seek(backwards=backwards))
        QShortcut(QKeySequence(QKeySequence.StandardKey.Find), self).activated.connect(self._field.setFocus)
        row = QHBoxLayout()
        row.addWidget(self._field, 1)
        row.addWidget(self._missing, 1)
        return row

    def set_guide(self, markdown: str, folder: Path, anchor: Callable[[str], str]) -> None:
        """Set the guide; `anchor` turns a chapter's title into its link target.

        The frame is painted before the text is set.
        """
        self._anchor = anchor
        QTimer.singleShot(0, self, lambda: self._fill(markdown, folder))

    def _fill(self, markdown: str, folder: Path) -> None:
        self._text.set_text(markdown, folder)
        titles = [block.text() for block in self._text.chapters()]
        if titles != self._titles():
            self._chapters.clear()
            self._chapters.addItems(titles)

    def _titles(self) -> list[str]:
        return [self._chapters.item(row).text() for row in range(self._chapters.count())]

    def _go(self, row: int) -> None:
        if row >= 0:
            self._text.go_to(self._text.chapters()[row])

    def _follow(self, link: QUrl) -> None:
        names = [self._anchor(title) for title in self._titles()]
        if link.fragment() in names:
            self._chapters.setCurrentRow(names.index(link.fragment()))
            self._go(self._chapters.currentRow())

    def _seek(self, *, backwards: bool = False, anew: bool = False) -> None:
        """Find the text; while the user types, search again from the start of the current match."""
        text, cursor = self._field.text(), self._text.textCursor()
        if anew:
            cursor.setPosition(cursor.selectionStart())
            self._text.setTextCursor(cursor)
        found = not text or self._text.seek(text, backwards=backwards)
        self._missing.setText("" if found else tr("Not in the guide."))
