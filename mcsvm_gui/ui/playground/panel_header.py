"""The header of each panel: its name, the quality of its certificate, and its numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter

from mcsvm_gui.ui.kit import icons, theme
from mcsvm_gui.ui.kit.badge import SIGNS
from mcsvm_gui.ui.kit.theme import UNIT
from mcsvm_gui.ui.plots.stroke import draw_stroke

if TYPE_CHECKING:
    from mcsvm_gui.core.playground.pictures import Picture

HEADER_LINES = 4  # name, badge, two lines of numbers
STROKE = 3 * UNIT


def draw_header(painter: QPainter, area: QRect, height: int, picture: Picture, number: int) -> None:
    painter.save()
    colours, line = theme.current(), painter.fontMetrics().height()
    row = QRect(area.left(), area.top() - height, area.width(), line)
    stroke = QRectF(row.left(), row.top(), STROKE, row.height())
    draw_stroke(painter, stroke, style_of(picture.key, number), UNIT)
    font = painter.font()
    font.setBold(True)
    painter.setFont(font)
    _write(painter, row.adjusted(STROKE + UNIT, 0, 0, 0), picture.title, colours.text)
    font.setBold(False)
    painter.setFont(font)
    row.translate(0, line)
    sign, role = SIGNS[picture.badge.kind]
    colour = getattr(colours, role)
    icons.paint(painter, sign, QRectF(row.left(), row.top(), line, line), colour)
    _write(painter, row.adjusted(line + UNIT // 2, 0, 0, 0), picture.badge.text, colour)
    for words in picture.lines[: HEADER_LINES - 2]:
        row.translate(0, line)
        _write(painter, row, words, colours.muted)
    painter.restore()


def style_of(key: str, number: int) -> theme.MachineStyle:
    """Return the style of a machine; solvers have no style of their own and get the class styles in turn."""
    if key in theme.MACHINE_STYLES:
        return theme.machine_style(key)
    colour = theme.CLASS_COLOURS[number]
    if theme.current().dark:
        colour = theme.ON_DARK.get(colour, colour)
    return theme.MachineStyle(colour, DASHES[number % len(DASHES)], theme.CLASS_MARKERS[number])


DASHES: tuple[tuple[float, ...], ...] = ((), (8, 4), (2, 3))


def _write(painter: QPainter, row: QRect, words: str, colour: str) -> None:
    painter.setPen(QColor(colour))
    shown = QFontMetrics(painter.font()).elidedText(words, Qt.TextElideMode.ElideRight, row.width())
    painter.drawText(row, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, shown)
