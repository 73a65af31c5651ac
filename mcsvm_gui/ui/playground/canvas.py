"""The canvas of the playground: panels with equal coordinates next to each other, and input by mouse and keyboard."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from mcsvm_gui.core.playground.drawing import MOST_CLASSES, REACH, Drawing
from mcsvm_gui.ui.kit import theme
from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.kit.theme import UNIT
from mcsvm_gui.ui.playground.paint import (
    BOUNDED,
    FREE,
    PLAIN,
    Marks,
    draw_mark,
    draw_working,
    region_image,
)
from mcsvm_gui.ui.playground.panel_header import HEADER_LINES, draw_header

if TYPE_CHECKING:
    from mcsvm_gui.core.playground.pictures import Picture

NEAR = 9.0  # pixels within which a point counts as under the pointer
STRIDE, FINE = 0.05, 0.01  # steps of the keyboard cross
NOTCH = 120  # of the mouse wheel, in Qt's eighths of a degree


class PlaygroundCanvas(QWidget):
    point_asked = Signal(float, float)
    cloud_asked = Signal(float, float, int)
    drag_began = Signal(int)
    dragged = Signal(float, float)
    drag_ended = Signal()
    removal_asked = Signal(int)
    class_asked = Signal(int)
    resized = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("playgroundCanvas")
        self.setAccessibleName(tr("Canvas"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(40 * UNIT, 32 * UNIT)
        self.drawing = Drawing.empty()
        self.pictures: tuple[Picture, ...] = ()
        self._images: list[QImage] = []
        self._marks = Marks()
        self._hint = ""
        self._held: int | None = None  # the point that is being dragged
        self._by_keys = False
        self._cross = QPointF(0.0, 0.0)
        self._cross_shown = False
        self._turned = 0  # rotation of the wheel so far, less than a notch
        theme.notifier().changed.connect(self._repaint_regions)

    # -- setters ----------------------------------------------------------------------------------

    def show_drawing(self, drawing: Drawing) -> None:
        if len(drawing) != len(self.drawing):
            self._held = None
        self.drawing = drawing
        self._describe()
        self.update()

    def show_pictures(self, pictures: tuple[Picture, ...]) -> None:
        self.pictures = pictures
        self._repaint_regions()
        self._describe()

    def show_hint(self, words: str) -> None:
        self._hint = words
        self._describe()
        self.update()

    def _repaint_regions(self) -> None:
        self._images = [region_image(picture.codes) for picture in self.pictures]
        self.update()

    def _describe(self) -> None:
        """Describe the canvas for screen readers."""
        classes = self.drawing.used.size
        points = tr("{points} points of {classes} classes.", points=len(self.drawing), classes=classes)
        told = [f"{picture.title}: {picture.badge.text}; {'; '.join(picture.lines)}." for picture in self.pictures]
        keys = tr(
            "Arrows move the cross, space puts a point, Return takes or leaves one, Delete removes one, C makes a"
            " cloud, digits choose the class."
        )
        self.setAccessibleDescription(" ".join([self._hint or points, *told, keys]))

    # -- geometry ---------------------------------------------------------------------------------

    def side(self, panels: int) -> int:
        """Return the screen pixels along one panel, if there are `panels` panels."""
        return max(16, round(self._layout(panels)[2] * self.devicePixelRatioF()))

    def _layout(self, panels: int) -> tuple[int, int, int]:
        """Return (columns, rows, side) of the layout with the largest panels, as squares with a header each."""
        count, head = max(1, panels), self._head()
        best = 1, count, 0
        for columns in range(1, count + 1):
            rows = math.ceil(count / columns)
            across = (self.width() - (columns - 1) * UNIT) // columns
            down = (self.height() - (rows - 1) * UNIT) // rows - head
            if min(across, down) > best[2]:
                best = columns, rows, min(across, down)
        return best

    def _head(self) -> int:
        return HEADER_LINES * self.fontMetrics().height() + UNIT

    def areas(self) -> list[QRect]:
        """Return the square of each panel; without pictures, one square for the points alone."""
        count = max(1, len(self.pictures))
        columns, rows, side = self._layout(count)
        head = self._head()
        left = (self.width() - columns * side - (columns - 1) * UNIT) // 2
        top = max(0, (self.height() - rows * (side + head) - (rows - 1) * UNIT) // 2)
        return [
            QRect(
                left + (number % columns) * (side + UNIT),
                top + (number // columns) * (side + head + UNIT) + head,
                side,
                side,
            )
            for number in range(count)
        ]

    def place_at(self, where: QPointF) -> tuple[float, float] | None:
        """Return the coordinates under the pointer in any panel."""
        for area in self.areas():
            if QRectF(area).contains(where):
                return _coordinates(area, where)
        return None

    def pixel_of(self, x: float, y: float, panel: int = 0) -> QPointF:
        area = self.areas()[panel]
        return QPointF(
            area.left() + (x / REACH + 1.0) * area.width() / 2.0, area.top() + (1.0 - y / REACH) * area.height() / 2.0
        )

    def index_at(self, x: float, y: float) -> int | None:
        """Return the point nearest to a place, or None if it is too far away."""
        if not len(self.drawing):
            return None
        away = np.hypot(*(self.drawing.places - (x, y)).T)
        nearest = int(away.argmin())
        reach = NEAR * 2.0 * REACH / max(1, self.areas()[0].width())
        return nearest if away[nearest] <= reach else None

    # -- the mouse --------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        place = self.place_at(event.position())
        if place is None:
            return
        self._cross_shown, self._cross = False, QPointF(*place)
        index = self.index_at(*place)
        if event.button() is Qt.MouseButton.RightButton:
            if index is not None:
                self.removal_asked.emit(index)
        elif event.button() is Qt.MouseButton.LeftButton:
            if index is None:
                self.point_asked.emit(*place)
            else:
                self._hold(index, by_keys=False)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._held is not None and not self._by_keys:
            place = self.place_at(event.position())
            if place is not None:
                self.dragged.emit(*place)
            return
        place = self.place_at(event.position())
        near = place is not None and self.index_at(*place) is not None
        shape = Qt.CursorShape.OpenHandCursor if near else Qt.CursorShape.CrossCursor
        self.setCursor(Qt.CursorShape.ArrowCursor if place is None else shape)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton and not self._by_keys:
            self._let_go()

    def wheelEvent(self, event: QWheelEvent) -> None:
        place = self.place_at(event.position())
        if place is None:
            event.ignore()
            return
        event.accept()
        self._turned += abs(event.angleDelta().y())
        notches, self._turned = divmod(self._turned, NOTCH)
        if notches:
            self.cloud_asked.emit(*place, notches)

    def _hold(self, index: int, *, by_keys: bool) -> None:
        self._held, self._by_keys = index, by_keys
        self.drag_began.emit(index)
        self.setCursor(Qt.CursorShape.ClosedHandCursor)
        self.update()

    def _let_go(self) -> None:
        if self._held is not None:
            self._held = None
            self.drag_ended.emit()
            self.update()

    # -- the keyboard -----------------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        fine = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if key in ARROWS:
            self._move_cross(*ARROWS[key], FINE if fine else STRIDE)
        elif Qt.Key.Key_0 <= key <= Qt.Key.Key_9:
            self.class_asked.emit((key - Qt.Key.Key_0 - 1) % MOST_CLASSES)
        elif not self._act(key):
            super().keyPressEvent(event)

    def _act(self, key: Qt.Key) -> bool:
        x, y = self._cross.x(), self._cross.y()
        index = self.index_at(x, y)
        if key is Qt.Key.Key_Space:
            self.point_asked.emit(x, y)
        elif key is Qt.Key.Key_C:
            self.cloud_asked.emit(x, y, 1)
        elif key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            if index is not None:
                self.removal_asked.emit(index)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if self._held is not None:
                self._let_go()
            elif index is not None:
                self._hold(index, by_keys=True)
        else:
            return False
        return True

    def _move_cross(self, across: int, up: int, step: float) -> None:
        self._cross_shown = True
        x = min(max(self._cross.x() + across * step, -REACH), REACH)
        y = min(max(self._cross.y() + up * step, -REACH), REACH)
        self._cross = QPointF(x, y)
        if self._held is not None and self._by_keys:
            self.dragged.emit(x, y)
        self.update()

    def focusInEvent(self, event: QFocusEvent) -> None:
        self._cross_shown = event.reason() in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        if self._by_keys:
            self._let_go()
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.resized.emit()

    # -- painting ---------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        self.draw(painter, vector=False)
        if self.hasFocus():
            self._draw_focus(painter)
        painter.end()

    def draw(self, painter: QPainter, *, vector: bool) -> None:
        """Draw the panels. `vector` draws marks as outlines instead of stamps, for files."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), QColor(theme.current().window))
        for number, area in enumerate(self.areas()):
            if number < len(self.pictures):
                painter.drawImage(area, self._images[number])
                draw_header(painter, area, self._head(), self.pictures[number], number)
            else:
                painter.fillRect(area, QColor(theme.current().surface))
            painter.setPen(QPen(QColor(theme.current().line), 1.0))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(area)
            self._draw_points(painter, area, number, vector)
        if self._hint:
            self._draw_hint(painter)

    def _draw_points(self, painter: QPainter, area: QRect, number: int, vector: bool) -> None:
        picture = self.pictures[number] if number < len(self.pictures) else None
        fits = picture is not None and np.array_equal(picture.drawing.classes, self.drawing.classes)
        roles, wrong = _roles(picture if fits else None, len(self.drawing))
        painter.save()
        painter.setClipRect(area)
        sharp = self.devicePixelRatioF()
        xs = area.left() + (self.drawing.places[:, 0] / REACH + 1.0) * area.width() / 2.0
        ys = area.top() + (1.0 - self.drawing.places[:, 1] / REACH) * area.height() / 2.0
        marks = zip(
            *(xs.tolist(), ys.tolist(), self.drawing.classes.tolist(), roles.tolist(), wrong.tolist()), strict=True
        )
        for x, y, own, role, amiss in marks:
            if vector:
                draw_mark(painter, QPointF(x, y), own, role, amiss)
            else:
                self._marks.stamp(painter, x, y, own, role, amiss, sharp)
        if picture is not None and fits:
            for index in picture.working[:MOST_FRAMED].tolist():
                draw_working(painter, QPointF(xs[index], ys[index]))
        painter.restore()

    def _draw_hint(self, painter: QPainter) -> None:
        area = self.areas()[0].adjusted(3 * UNIT, 0, -3 * UNIT, 0)
        painter.setPen(QColor(theme.current().muted))
        flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
        painter.drawText(area, int(flags), self._hint)

    def _draw_focus(self, painter: QPainter) -> None:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for number, area in enumerate(self.areas()):
            painter.setPen(QPen(QColor(theme.current().accent), 1.0))
            painter.drawRect(area.adjusted(-1, -1, 1, 1))
            if self._cross_shown:
                middle = self.pixel_of(self._cross.x(), self._cross.y(), number).toPoint()
                arm = 3 * UNIT if self._held is not None else 2 * UNIT
                painter.setPen(QPen(QColor(theme.current().text), 1.0))
                painter.drawLine(middle - QPoint(arm, 0), middle + QPoint(arm, 0))
                painter.drawLine(middle - QPoint(0, arm), middle + QPoint(0, arm))


ARROWS = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, 1),
    Qt.Key.Key_Down: (0, -1),
}
MOST_FRAMED = 60  # limit on the framed points of a step; larger steps move nearly all points


def _roles(picture: Picture | None, count: int) -> tuple[np.ndarray, np.ndarray]:
    if picture is None:
        return np.full(count, PLAIN), np.zeros(count, dtype=bool)
    return np.where(picture.bounded, BOUNDED, np.where(picture.support, FREE, PLAIN)), picture.wrong


def _coordinates(area: QRect, where: QPointF) -> tuple[float, float]:
    x = (where.x() - area.left()) / area.width() * 2.0 - 1.0
    y = 1.0 - (where.y() - area.top()) / area.height() * 2.0
    return REACH * x, REACH * y
