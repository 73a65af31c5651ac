"""Which run is drawn how: one line of strokes, marks and names above the plots."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from mcsvm_gui.ui.kit import theme
from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.kit.theme import UNIT
from mcsvm_gui.ui.plots.stroke import draw_stroke

STROKE = 2 * UNIT  # its length
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
            draw_stroke(painter, QRectF(left, 0, STROKE, self.height()), theme.machine_style(machine, number))
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
