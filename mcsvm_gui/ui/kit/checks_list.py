"""Findings and remarks, each with what can be done about it at once."""

from __future__ import annotations

import html
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from mcsvm_gui.ui.kit import icons, theme
from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.kit.labels import selectable
from mcsvm_gui.ui.kit.nesting import nest
from mcsvm_gui.ui.kit.theme import UNIT

if TYPE_CHECKING:
    from mcsvm_gui.core.check.advice import Action, Advice

HIGHEST, COMPACT = 14 * UNIT, 11 * UNIT
SHARE = 0.24  # of the height of the window, for findings in full
BORDER = 1  # pixels, of the style sheet


class Sign(QWidget):
    """An error, a warning or a note, by shape and colour."""

    def __init__(self, severity: str) -> None:
        super().__init__()
        self.severity = severity
        self.setFixedSize(QSize(2 * UNIT, 2 * UNIT))
        theme.notifier().changed.connect(self.update)

    def paintEvent(self, event: QPaintEvent) -> None:
        now, painter = theme.current(), QPainter(self)
        colours = {"error": now.bad, "warning": now.warning, "note": now.muted}
        name = "info" if self.severity == "note" else "warning"
        icons.paint(painter, name, QRectF(self.rect()), colours[self.severity])
        painter.end()


class ChecksList(QListWidget):
    """One item for each, whose text is all of it; a line with buttons is shown in its place."""

    acted = Signal(str, object)  # an option, and the value that it should take or None to be shown

    def __init__(self, *, compact: bool = False) -> None:
        """`compact`: titles alone, and what they mean when the pointer rests on them."""
        super().__init__()
        self._lines: list[CheckLine] = []
        self._shown: tuple[Advice, ...] = ()
        self._compact, self._highest = compact, COMPACT if compact else HIGHEST
        self.setObjectName("checksList")
        self.setAccessibleName(tr("Checks"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setTabKeyNavigation(False)
        self.setItemDelegate(_Nothing(self))
        self.setSpacing(0)
        self.viewport().setAutoFillBackground(False)
        self.hide()

    def show_advice(self, advice: Sequence[Advice]) -> None:
        if self._shown == tuple(advice):
            return
        self._shown = tuple(advice)
        self._lines = []  # adding an item may resize the list
        self.clear()
        lines = [CheckLine(one, self._compact) for one in advice]
        for one, line in zip(advice, lines, strict=True):
            item = QListWidgetItem(one.text)
            self.addItem(item)
            self.setItemWidget(item, line)
            line.acted.connect(self.acted)  # a line that is cleared away goes later, not while it acts
        self._lines = lines
        for before, after in pairwise([self, *(button for line in lines for button in line.buttons)]):
            QWidget.setTabOrder(before, after)  # what is made later would come last of the whole page
        self.setVisible(bool(advice))
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """As high as it needs, up to a share of the window; the rest is scrolled to."""
        heights = [line.fit(self.width() - 2 * UNIT) + UNIT for line in self._lines]
        for number, height in enumerate(heights):
            self.item(number).setSizeHint(QSize(8 * UNIT, height))
        highest = self._highest if self._compact else max(self._highest, int(SHARE * self.window().height()))
        self.setFixedHeight(max(3 * UNIT, min(highest, sum(heights))) + 2 * BORDER)


class _Nothing(QStyledItemDelegate):
    """The text of an item is for assistive technology and tests: its line shows it."""

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        pass


class CheckLine(QWidget):
    """A sign, words, and buttons right behind them."""

    acted = Signal(str, object)

    def __init__(self, one: Advice, compact: bool) -> None:
        super().__init__()
        self.title = selectable("", "" if compact else "heading", one.title)
        self.words = selectable("", "", one.sentence)
        if one.severity.value == "note":
            for label in (self.title, self.words):
                label.setProperty("role", "muted")
        self._labels = [self.title, self.words] if one.title else [self.words]
        if compact and one.title:
            self._labels = [self.title]
            self.setToolTip(f"<p>{html.escape(one.sentence)}</p>")  # wrapped
        said = QVBoxLayout()
        said.setSpacing(0)
        for label in self._labels:
            said.addWidget(label)
        said.addStretch()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(UNIT)
        row.addWidget(Sign(one.severity.value), 0, Qt.AlignmentFlag.AlignTop)
        nest(row, said)
        self.buttons = [self._button(action) for action in one.actions]
        for button in self.buttons:
            row.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
        row.addStretch()

    def _button(self, action: Action) -> QPushButton:
        button = QPushButton(action.text)
        button.setObjectName(f"{action.option}Advice")
        button.setAccessibleName(action.text)
        button.clicked.connect(lambda: self.acted.emit(action.option, action.value))
        return button

    def fit(self, room: int) -> int:
        """Gives the words what they need of this width, and returns the height that is needed then."""
        buttons = sum(button.sizeHint().width() + UNIT for button in self.buttons)
        whole = max(label.fontMetrics().horizontalAdvance(label.text()) for label in self._labels) + UNIT
        width = max(8 * UNIT, min(whole, room - buttons - 3 * UNIT))
        for label in self._labels:
            label.setFixedWidth(width)
        needed = sum(label.heightForWidth(width) for label in self._labels)
        return max([needed, 2 * UNIT, *(button.sizeHint().height() for button in self.buttons)])
