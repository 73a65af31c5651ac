"""Marks of runs in tables: the line style of the machine, and an icon for the state."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from mcsvm_gui.core.project.columns import kind_of
from mcsvm_gui.ui.kit import icons, theme
from mcsvm_gui.ui.kit.badge import SIGNS
from mcsvm_gui.ui.kit.theme import UNIT
from mcsvm_gui.ui.plots.stroke import draw_stroke
from mcsvm_gui.ui.runs.table_model import RECORD

Index = QModelIndex | QPersistentModelIndex
ROOM = 4 * UNIT  # width of a mark, left of the text
SIGN = 2 * UNIT
MARKED = 0.18  # opacity of the accent colour on the run that is highlighted in the plots


class RunDelegate(QStyledItemDelegate):
    """Cells without focus frames; a mark before the machine, an icon before the state."""

    marked: int | None = None  # the run that is highlighted in the plots

    def __init__(self, names: list[str], parent: QWidget) -> None:
        super().__init__(parent)
        self._machine, self._state = names.index("machine"), names.index("state")

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        option.state &= ~QStyle.StateFlag.State_HasFocus
        if self.marked is not None and index.data(RECORD).id == self.marked:
            ground = QColor(theme.current().accent)
            ground.setAlphaF(MARKED)
            painter.fillRect(option.rect, ground)
        if index.column() not in (self._machine, self._state):
            super().paint(painter, option, index)
            return
        self.initStyleOption(option, index)
        area = QRect(option.rect)
        self._paint_ground(painter, option)
        record = index.data(RECORD)
        if index.column() == self._machine:
            stroke = QRectF(area.left() + UNIT, area.top(), 3 * UNIT, area.height())
            draw_stroke(painter, stroke, theme.machine_style(record.machine))
            self._words(painter, option, area.adjusted(ROOM + UNIT, 0, -UNIT, 0), theme.current().text)
        else:
            sign, role = SIGNS.get(kind_of(record), SIGNS["waiting"])
            colour = getattr(theme.current(), role)
            top = area.top() + (area.height() - SIGN) / 2
            icons.paint(painter, sign, QRectF(area.left() + UNIT, top, SIGN, SIGN), colour)
            self._words(painter, option, area.adjusted(SIGN + 2 * UNIT, 0, -UNIT, 0), colour)

    def _paint_ground(self, painter: QPainter, option: QStyleOptionViewItem) -> None:
        text, option.text = option.text, ""
        style = option.widget.style()
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, option, painter, option.widget)
        option.text = text

    def _words(self, painter: QPainter, option: QStyleOptionViewItem, area: QRect, colour: str) -> None:
        painter.save()
        painter.setPen(QColor(colour))
        metrics = option.fontMetrics
        text = metrics.elidedText(option.text, Qt.TextElideMode.ElideRight, area.width())
        painter.drawText(area, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return super().sizeHint(option, index) + QSize(ROOM, 0)
