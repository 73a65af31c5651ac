"""Findings of the data checks, each with buttons that fix it or show the option concerned."""

from __future__ import annotations

import html
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QBoxLayout,
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

LOWEST, COMPACT = 10 * UNIT, 11 * UNIT
LEAST_SHARE = 0.55  # smallest share of a line for its words; with less, its buttons move below them
BORDER = 1  # pixels, as in the style sheet


class Sign(QWidget):
    """The sign of an error, a warning or a note, by shape and colour."""

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
    """One item per finding, whose text is complete; a line with buttons is shown in its place.

    A full list has the size that its page gives it, before and after the data are checked, so that nothing moves when
    findings arrive. A `compact` list shows titles only, is as high as they are, and hides if there are no findings.
    """

    acted = Signal(str, object)  # an option, and its new value, or None to show the option

    def __init__(self, *, compact: bool = False) -> None:
        super().__init__()
        self._lines: list[CheckLine] = []
        self._shown: tuple[Advice, ...] | None = None  # None while the data are checked
        self._compact = compact
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
        if compact:
            self.hide()
        else:
            self.setMinimumHeight(LOWEST)

    def show_checking(self) -> None:
        """Replace the findings of the previous data by a line that says that the data are being checked."""
        self._show(())
        self._shown = None

    def show_advice(self, advice: Sequence[Advice]) -> None:
        if self._shown == tuple(advice):
            return
        self._show(advice)
        self._shown = tuple(advice)

    def _show(self, advice: Sequence[Advice]) -> None:
        self._lines = []  # first, because adding an item may resize the list
        self.clear()
        lines = [CheckLine(one, self._compact) for one in advice]
        for one, line in zip(advice, lines, strict=True):
            item = QListWidgetItem(one.text)
            self.addItem(item)
            self.setItemWidget(item, line)
            line.acted.connect(self.acted)  # a removed line is deleted later, not while it acts
        self._lines = lines
        for before, after in pairwise([self, *(button for line in lines for button in line.buttons)]):
            QWidget.setTabOrder(before, after)  # otherwise the new buttons would come last on the whole page
        if self._compact:
            self.setVisible(bool(advice))
        self._fit()
        self.viewport().update()

    @property
    def hint(self) -> str:
        """The text that is shown in place of findings."""
        if self._compact or self._lines:
            return ""
        return tr("Checking the data…") if self._shown is None else tr("No findings.")

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.hint:
            painter = QPainter(self.viewport())
            painter.setPen(QColor(theme.current().muted))
            painter.drawText(self.viewport().rect(), Qt.AlignmentFlag.AlignCenter, self.hint)
            painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Give each line its height; a `compact` list is as high as its lines, up to a limit."""
        heights = [line.fit(self.width() - 2 * UNIT) + UNIT for line in self._lines]
        for number, height in enumerate(heights):
            self.item(number).setSizeHint(QSize(8 * UNIT, height))
        if self._compact:
            self.setFixedHeight(max(3 * UNIT, min(COMPACT, sum(heights))) + 2 * BORDER)


class _Nothing(QStyledItemDelegate):
    """Paints no text: an item's text is for assistive technology and tests, and its line shows it."""

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        pass


class CheckLine(QWidget):
    """A sign, words, and buttons behind them, or below them if the words would have too little room."""

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
            self.setToolTip(f"<p>{html.escape(one.sentence)}</p>")  # a paragraph is wrapped
        said = QVBoxLayout()
        said.setSpacing(0)
        for label in self._labels:
            said.addWidget(label)
        said.addStretch()
        self.buttons = [self._button(action) for action in one.actions]
        beside = QHBoxLayout()
        beside.setSpacing(UNIT)
        for button in self.buttons:
            beside.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
        beside.addStretch()
        self._body = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._body.setSpacing(UNIT)
        nest(self._body, said)
        nest(self._body, beside)
        self._body.addStretch()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(UNIT)
        row.addWidget(Sign(one.severity.value), 0, Qt.AlignmentFlag.AlignTop)
        nest(row, self._body, 1)

    def _button(self, action: Action) -> QPushButton:
        button = QPushButton(action.text)
        button.setObjectName(f"{action.option}Advice")
        button.setAccessibleName(action.text)
        button.clicked.connect(lambda: self.acted.emit(action.option, action.value))
        return button

    def fit(self, room: int) -> int:
        """Give the words the part of this width that they need, and return the height of the line."""
        room -= 3 * UNIT  # without the sign
        buttons = sum(button.sizeHint().width() + UNIT for button in self.buttons)
        high = max((button.sizeHint().height() for button in self.buttons), default=0)
        height, below = max(self._spread(room - buttons), 2 * UNIT, high), False
        if room - buttons < LEAST_SHARE * room:
            height_below = self._spread(room) + UNIT + high
            below = height_below <= height + self.fontMetrics().lineSpacing()
            height = height_below if below else max(self._spread(room - buttons), 2 * UNIT, high)
        way = QBoxLayout.Direction.TopToBottom if below else QBoxLayout.Direction.LeftToRight
        self._body.setDirection(way)
        return height

    def _spread(self, room: int) -> int:
        """Give the words at most this width, and return the height that they then need."""
        whole = max(label.fontMetrics().horizontalAdvance(label.text()) for label in self._labels) + UNIT
        width = max(8 * UNIT, min(whole, room))
        for label in self._labels:
            label.setFixedWidth(width)
        return sum(label.heightForWidth(width) for label in self._labels)
