"""Probabilities in a table: behind each number a bar whose length is the number."""

from __future__ import annotations

import math

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from mcsvm_gui.ui.kit import theme
from mcsvm_gui.ui.kit.theme import UNIT

PROBABILITY = Qt.ItemDataRole.UserRole + 1  # a number from 0 to 1, NaN or None
FAINT = 0.3  # opacity of a bar, so that the number on it can be read


class ProbabilityDelegate(QStyledItemDelegate):
    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        share = index.data(PROBABILITY)
        if share is not None and share > 0.0 and not math.isnan(share):
            area = QRectF(option.rect).adjusted(1.0, UNIT / 4, -1.0, -UNIT / 4)
            area.setWidth(area.width() * share)
            colour = QColor(theme.current().accent)
            colour.setAlphaF(FAINT)
            if not option.state & QStyle.StateFlag.State_Selected:
                painter.fillRect(area, colour)
        super().paint(painter, option, index)
