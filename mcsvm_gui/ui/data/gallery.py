"""Sample data as cards: a name, three figures and a sentence each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QListView,
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
)

from mcsvm_gui.core.base.figures import count
from mcsvm_gui.ui.kit import theme
from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.kit.theme import UNIT

if TYPE_CHECKING:
    from mcsvm_gui.core.data.samples import SampleDataset

_FIGURES = Qt.ItemDataRole.UserRole + 1
_SENTENCE = Qt.ItemDataRole.UserRole + 2
_NARROWEST, _HEIGHT, _GAP = 34 * UNIT, 17 * UNIT, 2 * UNIT
Index = QModelIndex | QPersistentModelIndex


def figures(sample: SampleDataset) -> str:
    rows, features, classes = count(sample.rows), count(sample.features), count(sample.classes)
    return tr("{rows} rows · {features} features · {classes} classes", rows=rows, features=features, classes=classes)


class Card(QStyledItemDelegate):
    def __init__(self, gallery: Gallery) -> None:
        super().__init__(gallery)
        self._gallery = gallery

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return self._gallery.gridSize()

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        now = theme.current()
        area = self._area(option.rect)
        state = option.state
        lively = state & (QStyle.StateFlag.State_MouseOver | QStyle.StateFlag.State_HasFocus)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(now.accent if lively else now.line), 1))
        painter.setBrush(QColor(now.surface))
        painter.drawRoundedRect(area, UNIT // 2, UNIT // 2)
        _write(painter, area.adjusted(2 * UNIT, 3 * UNIT // 2, -2 * UNIT, -UNIT), index)
        painter.restore()

    def _area(self, cell: QRect) -> QRect:
        """Return the area of a card; gaps are only between cards, so that the outer cards align with the page."""
        side_by_side = self._gallery.side_by_side
        column = cell.x() // max(1, cell.width())
        width = cell.width() - _GAP * (side_by_side - 1) // side_by_side
        return QRect(cell.x() + _GAP * column // side_by_side, cell.y(), width - 1, cell.height() - _GAP)


def _write(painter: QPainter, area: QRect, index: Index) -> None:
    now, plain = theme.current(), QFont(painter.font())
    bold = QFont(plain)
    bold.setWeight(QFont.Weight.DemiBold)
    bold.setPointSizeF(plain.pointSizeF() * 1.15)
    rest = area
    lines = (
        (bold, now.text, index.data(), 3 * UNIT),
        (plain, now.muted, index.data(_FIGURES), 3 * UNIT),
        (plain, now.text, index.data(_SENTENCE), area.height()),
    )
    for font, colour, words, height in lines:
        painter.setFont(font)
        painter.setPen(QColor(colour))
        flags = Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextWordWrap
        painter.drawText(rest, flags, words)
        rest = rest.adjusted(0, height, 0, 0)


class Gallery(QListWidget):
    chosen = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.side_by_side = 1
        self.setObjectName("sampleList")
        self.setAccessibleName(tr("Sample data"))
        self.setViewMode(QListView.ViewMode.IconMode)
        self.setMovement(QListView.Movement.Static)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setItemDelegate(Card(self))
        self.setStyleSheet("QListWidget { border: none; background: transparent; }")
        self.itemClicked.connect(self._choose)
        self.itemActivated.connect(self._choose)
        theme.notifier().changed.connect(self.viewport().update)

    def show_samples(self, samples: Sequence[SampleDataset]) -> None:
        self.clear()
        for sample in samples:
            item = QListWidgetItem(sample.title)
            item.setData(Qt.ItemDataRole.UserRole, sample.name)
            item.setData(_FIGURES, figures(sample))
            item.setData(_SENTENCE, sample.sentence)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{sample.title}. {figures(sample)}. {sample.sentence}")
            self.addItem(item)
        self._lay_out()

    def _choose(self, item: QListWidgetItem) -> None:
        self.chosen.emit(item.data(Qt.ItemDataRole.UserRole))

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._lay_out()
        super().resizeEvent(event)

    def _lay_out(self) -> None:
        """Place as many cards next to each other as fit; show a scroll bar only if their lines do not fit."""
        room = self.width()
        self.side_by_side = max(1, min(3, room // _NARROWEST))
        lines = -(-self.count() // self.side_by_side)
        self.setMaximumHeight(lines * _HEIGHT)
        scrolls = lines * _HEIGHT > self.height()
        policy = Qt.ScrollBarPolicy.ScrollBarAlwaysOn if scrolls else Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        self.setVerticalScrollBarPolicy(policy)
        room -= self.verticalScrollBar().sizeHint().width() if scrolls else 0
        self.setGridSize(QSize((room - 2) // self.side_by_side, _HEIGHT))
