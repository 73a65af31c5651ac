"""The bar at the left: one button for each page."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QAction,
    QColor,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDropEvent,
    QEnterEvent,
    QFocusEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QSizePolicy, QToolButton, QVBoxLayout, QWidget

from mcsvm_gui.ui.kit import icons, theme
from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.kit.theme import UNIT
from mcsvm_gui.ui.runs.table_model import dragged_runs

WIDTH, HEIGHT, ICON = 12 * UNIT, 8 * UNIT, 3 * UNIT
TAKE_RUNS = "compare", "explain", "predict"  # pages on which runs can be dropped


class NavigationButton(QToolButton):
    """An icon above a word; a stripe, the accent colour and a fuller background mark the current page."""

    runs_dropped = Signal(list)

    def __init__(self, icon: str, parent: QWidget | None = None, *, takes_runs: bool = False) -> None:
        super().__init__(parent)
        self.icon_name = icon
        self.setAcceptDrops(takes_runs)
        self._under_runs = False
        self._by_keyboard = False
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme.notifier().changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(WIDTH, HEIGHT)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_ground(painter)
        colour = self._colour()
        left = (self.width() - ICON) / 2
        icons.paint(painter, self.icon_name, QRectF(left, 1.25 * UNIT, ICON, ICON), colour)
        painter.setPen(QColor(colour))
        words = QRectF(0, 4.75 * UNIT, self.width(), 2.5 * UNIT)
        painter.drawText(words, Qt.AlignmentFlag.AlignCenter, self.text())
        painter.end()

    def _paint_ground(self, painter: QPainter) -> None:
        now, area = theme.current(), QRectF(self.rect()).adjusted(UNIT / 2, UNIT / 4, -UNIT / 2, -UNIT / 4)
        painter.setPen(Qt.PenStyle.NoPen)
        if self.isEnabled() and (self.isChecked() or self.underMouse() or self._under_runs):
            painter.setBrush(QColor(now.raised))
            painter.drawRoundedRect(area, UNIT / 2, UNIT / 2)
        if self.isChecked():
            painter.setBrush(QColor(now.accent))
            painter.drawRoundedRect(QRectF(0, area.top() + UNIT, 3, area.height() - 2 * UNIT), 1.5, 1.5)
        if self.hasFocus() and self._by_keyboard:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(now.accent), 1))
            painter.drawRoundedRect(area.adjusted(0.5, 0.5, -0.5, -0.5), UNIT / 2, UNIT / 2)

    def _colour(self) -> str:
        now = theme.current()
        if not self.isEnabled():
            return now.line
        return now.accent if self.isChecked() else now.text if self.underMouse() else now.muted

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show a focus ring only if the focus came by keyboard."""
        self._by_keyboard = event.reason() in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason)
        super().focusInEvent(event)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if dragged_runs(event.mimeData()):
            event.acceptProposedAction()
            self._mark_drop(True)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self._mark_drop(False)

    def dropEvent(self, event: QDropEvent) -> None:
        self._mark_drop(False)
        event.acceptProposedAction()
        self.runs_dropped.emit(dragged_runs(event.mimeData()))

    def _mark_drop(self, on: bool) -> None:
        self._under_runs = on
        self.update()

    def enterEvent(self, event: QEnterEvent) -> None:
        super().enterEvent(event)
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.update()


class Navigation(QWidget):
    runs_dropped = Signal(str, list)  # page, and the numbers of the runs

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("navigation")
        self.setAccessibleName(tr("Pages"))
        self.setFixedWidth(WIDTH)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, UNIT, 0, UNIT)
        self._column.setSpacing(UNIT // 2)
        self._column.addStretch()
        theme.notifier().changed.connect(self.update)

    def add(self, name: str, icon: str, action: QAction) -> NavigationButton:
        button = NavigationButton(icon, self, takes_runs=icon in TAKE_RUNS)
        button.runs_dropped.connect(lambda runs: self.runs_dropped.emit(icon, runs))
        button.setDefaultAction(action)
        button.setObjectName(name)
        button.setAccessibleName(action.text())
        self._column.insertWidget(self._column.count() - 1, button)
        return button

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(QColor(theme.current().line))
        painter.drawLine(self.width() - 1, 0, self.width() - 1, self.height())
        painter.end()
