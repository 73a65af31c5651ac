"""The veil over the window while a file is dragged over it."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QDragEnterEvent, QDropEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from mcsvm_gui.ui.kit import theme
from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.kit.theme import UNIT


class DropVeil(QWidget):
    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("dropVeil")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def cover(self, area: QWidget) -> None:
        self.setGeometry(area.rect())
        self.raise_()
        self.show()

    def paintEvent(self, event: QPaintEvent) -> None:
        now, painter = theme.current(), QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ground = QColor(now.window)
        ground.setAlphaF(0.9)
        painter.fillRect(self.rect(), ground)
        painter.setPen(QPen(QColor(now.accent), 2, Qt.PenStyle.DashLine))
        frame = QRectF(self.rect()).adjusted(2 * UNIT, 2 * UNIT, -2 * UNIT, -2 * UNIT)
        painter.drawRoundedRect(frame, UNIT, UNIT)
        font = painter.font()
        font.setPointSizeF(font.pointSizeF() * 1.5)
        painter.setFont(font)
        painter.setPen(QColor(now.text))
        painter.drawText(frame, Qt.AlignmentFlag.AlignCenter, tr("Drop data, a model or a project to open it"))
        painter.end()


def dropped_files(event: QDragEnterEvent | QDropEvent) -> list[str]:
    return [url.toLocalFile() for url in event.mimeData().urls() if url.isLocalFile()]
