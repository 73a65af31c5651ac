"""Which run is drawn how: one line of strokes, marks and names above the plots."""

from __future__ import annotations

from collections.abc import Sequence

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from mcsvm_gui.ui.kit import theme
from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.kit.theme import UNIT
from mcsvm_gui.ui.plots.base import pen

STROKE = 2 * UNIT  # its length
MARK = UNIT - 1
GAP = UNIT  # between two runs


class RunLegend(QWidget):
    """Names are cut where there are too many; the tooltip has all of them."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("runLegend")
        self.setAccessibleName(tr("Runs in the plots"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._entries: list[tuple[str, str, int]] = []
        theme.notifier().changed.connect(self.update)

    def show_runs(self, entries: Sequence[tuple[str, str, int]]) -> None:
        """(name, machine, which of the runs of this machine) of each."""
        self._entries = list(entries)
        names = ", ".join(name for name, _, _ in self._entries)
        self.setToolTip(names)
        self.setAccessibleDescription(names)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(20 * UNIT, 3 * UNIT)

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self._entries:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        metrics = self.fontMetrics()
        left, room = 0, self._room()
        for name, machine, number in self._entries:
            self._draw_stroke(painter, left, theme.machine_style(machine, number))
            text = metrics.elidedText(name, Qt.TextElideMode.ElideRight, room)
            painter.setPen(QColor(theme.current().text))
            width = metrics.horizontalAdvance(text)
            area = self.rect().adjusted(left + STROKE + UNIT // 2, 0, 0, 0)
            painter.drawText(area, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)
            left += STROKE + UNIT // 2 + width + GAP
        painter.end()

    def _room(self) -> int:
        """For each name: as much as the longest needs where all have room, else an equal share."""
        widths = [self.fontMetrics().horizontalAdvance(name) for name, _, _ in self._entries]
        free = self.width() - len(widths) * (STROKE + UNIT // 2 + GAP) + GAP
        return max(widths) + 2 if sum(widths) <= free else max(free // len(widths), 2 * UNIT)

    def _draw_stroke(self, painter: QPainter, left: int, style: theme.MachineStyle) -> None:
        middle = self.height() / 2
        painter.setPen(pen(style.colour, style.dash))
        painter.drawLine(QPointF(left, middle), QPointF(left + STROKE, middle))
        painter.save()
        painter.translate(left + STROKE / 2, middle)
        painter.scale(MARK, MARK)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(style.colour))
        painter.drawPath(pg.graphicsItems.ScatterPlotItem.Symbols[style.marker])
        painter.restore()
