"""The legend of the marks in the heat maps; while the pointer is on a cell, it shows the cell's results instead."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QLabel, QStackedLayout, QWidget

from mcsvm_gui.ui.kit import theme
from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.kit.status import ElidedLabel
from mcsvm_gui.ui.kit.theme import UNIT
from mcsvm_gui.ui.plots.base import pen

SIDE = 2 * UNIT  # size of a mark in pixels
GROUND = "#5ec962"  # the maps' colour of a good cell
Draw = Callable[[QPainter, QRectF], None]


class HeatLegend(QWidget):
    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("heatmapLegend")
        self.setAccessibleName(tr("What the marks mean"))
        self._cell = ElidedLabel("heatmapCellLabel")
        self._cell.setAccessibleName(tr("The cell under the pointer"))
        marks, row = QWidget(), QHBoxLayout()
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(UNIT)
        words = (
            (_best, tr("best"), tr("The best combination of this machine")),
            (_level, tr("as good"), tr("The folds show no clear difference from the best combination")),
            (_rival, tr("other machine"), tr("The best combination of another machine, drawn with its marker")),
            (_partial, tr("fewer folds"), tr("Not yet tested on all folds, so that its colour may still change")),
        )
        for draw, text, tip in words:
            label = QLabel(text)
            label.setProperty("role", "muted")
            label.setToolTip(tip)
            row.addWidget(_Mark(draw, tip))
            row.addWidget(label)
            row.addSpacing(UNIT)
        row.addStretch(1)
        marks.setLayout(row)
        self._stack = QStackedLayout(self)
        self._stack.setContentsMargins(0, 0, 0, 0)
        self._stack.addWidget(marks)
        self._stack.addWidget(self._cell)
        self.setFixedHeight(max(marks.sizeHint().height(), SIDE))

    def show_cell(self, words: str) -> None:
        """Show the text of a cell, or the legend of the marks if the text is empty."""
        self._cell.say(words)
        self._stack.setCurrentIndex(1 if words else 0)

    def texts(self) -> list[str]:
        return [label.text() for label in self.findChildren(QLabel) if label.text()]


class _Mark(QWidget):
    def __init__(self, draw: Draw, tip: str) -> None:
        super().__init__()
        self._draw = draw
        self.setFixedSize(SIDE, SIDE)
        self.setToolTip(tip)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        self._draw(painter, QRectF(self.rect()).adjusted(1, 1, -1, -1))
        painter.end()


def _best(painter: QPainter, area: QRectF) -> None:
    painter.fillRect(area, QColor(GROUND))
    painter.setPen(QPen(QColor(theme.LIGHT.text), 2))
    painter.drawRect(area)
    inside = area.adjusted(4, 4, -4, -4)
    painter.drawLine(inside.topLeft(), inside.bottomRight())
    painter.drawLine(inside.topRight(), inside.bottomLeft())


def _level(painter: QPainter, area: QRectF) -> None:
    painter.fillRect(area, QColor(GROUND))
    painter.setPen(pen(theme.LIGHT.text, (2.0, 2.0)))
    painter.drawRect(area.adjusted(2, 2, -2, -2))


def _rival(painter: QPainter, area: QRectF) -> None:
    painter.fillRect(area, QColor(GROUND))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(pen(theme.LIGHT.surface))
    painter.setBrush(QColor(theme.machine_style("cs").colour))
    middle, half = area.center(), 0.3 * area.width()
    corners = [QPointF(0, -half), QPointF(half, half), QPointF(-half, half)]
    painter.drawPolygon([middle + corner for corner in corners])


def _partial(painter: QPainter, area: QRectF) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    less = 0.25 * area.width()
    painter.fillRect(area.adjusted(less, less, -less, -less), QColor(GROUND))
