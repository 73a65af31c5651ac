"""Names at the ends of lines, instead of a legend to which the eye has to travel.

They are painted in pixels of the area in which lines are drawn. Names that would cover each other move upwards and
downwards; names without room are omitted, and the label at the pointer shows them as it shows all others. The code that
draws the lines leaves `room` next to them, so that the name of a line that ends last does not cover a line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter

from mcsvm_gui.ui.kit import theme
from mcsvm_gui.ui.kit.theme import UNIT

SIZE = 8  # points
GAP = UNIT  # pixels between the end of a line and its name
WIDEST = 16 * UNIT  # largest width of a name in pixels; the label at the pointer shows all of it
SHARE = 0.4  # largest share of the width of a plot
GROUND = 190  # opacity, of 255: lines below a name remain visible, but do not hide it


@dataclass(frozen=True)
class EndLabel:
    """`place` is the end of the line, in data coordinates as drawn."""

    text: str
    place: tuple[float, float]
    colour: QColor
    bold: bool = False


class EndLabels(pg.GraphicsObject):
    def __init__(self, area: pg.ViewBox) -> None:
        super().__init__()
        self._area = area
        self._labels: tuple[EndLabel, ...] = ()
        self._font = QFont()
        self._font.setPointSize(SIZE)
        self.setParentItem(area)
        self.setZValue(20)
        area.sigRangeChanged.connect(lambda *_: self.update())
        area.sigResized.connect(lambda *_: self._resized())

    def _resized(self) -> None:
        self.prepareGeometryChange()
        self.update()

    def show_labels(self, labels: Sequence[EndLabel]) -> None:
        self._labels = tuple(labels)
        self.update()

    def room(self, texts: Sequence[str]) -> float:
        """Return how many pixels these names need next to the end of a line."""
        font = QFont(self._font)
        font.setBold(True)  # the marked run has a bold name
        widths = map(QFontMetricsF(font).horizontalAdvance, texts)
        return min(GAP + max(widths, default=-GAP) + 2, self._widest)

    @property
    def _widest(self) -> float:
        return min(GAP + WIDEST, SHARE * self._area.width())

    @property
    def texts(self) -> list[str]:
        return [label.text for label in self._labels]

    def boundingRect(self) -> QRectF:
        return QRectF(0.0, 0.0, self._area.width(), self._area.height())

    def paint(self, painter: QPainter, option: Any, widget: Any = None) -> None:
        if not self._labels:
            return
        painter.setFont(self._font)
        for label, area, end in self._placed():
            font = QFont(self._font)
            font.setBold(label.bold)
            painter.setFont(font)
            ground = QColor(theme.current().surface)
            ground.setAlpha(GROUND)
            painter.fillRect(area, ground)
            painter.setPen(pg.mkPen(label.colour, width=1))
            painter.drawLine(end, QPointF(area.left() - 1, area.center().y()))
            painter.setPen(QColor(theme.current().text))
            words = QFontMetricsF(font).elidedText(label.text, Qt.TextElideMode.ElideRight, area.width())
            painter.drawText(area, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, words)

    def _placed(self) -> list[Placed]:
        """Return the names of the lines whose ends are visible, with their areas."""
        bounds, height = self.boundingRect(), QFontMetricsF(self._font).height()
        found: list[Placed] = []
        for label in sorted(self._labels, key=lambda label: not label.bold):
            end = self._area.mapFromView(QPointF(*label.place))
            if bounds.adjusted(-1, -1, 1, 1).contains(end) and len(found) < bounds.height() // height:
                width = self.room([label.text]) - GAP
                left = min(end.x() + GAP, bounds.right() - width)
                found.append((label, QRectF(left, end.y() - height / 2, width, height), end))
        for group in beside(found):
            tops = spread([area.top() for _, area, _ in group], height, bounds.height() - height)
            for (_, area, _), top in zip(group, tops, strict=True):
                area.moveTop(top)
        return found


Placed = tuple[EndLabel, QRectF, QPointF]


def beside(placed: Sequence[Placed]) -> list[list[Placed]]:
    """Group the names that overlap horizontally, from left to right, each group from top to bottom."""
    groups: list[list[Placed]] = []
    right = -np.inf
    for one in sorted(placed, key=lambda one: one[1].left()):
        if one[1].left() > right:
            groups.append([])
        groups[-1].append(one)
        right = max(right, one[1].right())
    return [sorted(group, key=lambda one: one[1].top()) for group in groups]


def spread(wanted: Sequence[float], height: float, highest: float) -> list[float]:
    """Return increasing places from 0 to `highest`, `height` apart, that are as near as possible to the wanted ones.

    The least-squares solution consists of means over blocks of neighbours that touch (pool adjacent violators).
    """
    places = np.asarray(wanted, dtype=float) - height * np.arange(len(wanted))
    blocks: list[tuple[float, int]] = []  # mean and count
    for place in places.tolist():
        blocks.append((place, 1))
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            (a, first), (b, second) = blocks[-2:]
            blocks[-2:] = [((a * first + b * second) / (first + second), first + second)]
    level = np.repeat([mean for mean, _ in blocks], [count for _, count in blocks]) if blocks else places
    level = np.clip(level, 0.0, max(highest - height * (len(wanted) - 1), 0.0))
    return (level + height * np.arange(len(wanted))).tolist()
