"""A badge shows a state as a sign, a colour and a short text, so that no reader depends on the colour alone.

A certificate proves the optimum, not the quality of the model, so the badge of a solved run is not green.
"""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QWidget

from mcsvm_gui.ui.kit import icons, theme
from mcsvm_gui.ui.kit.theme import UNIT

SIGNS = {  # kind of badge: icon, role of its colour in the theme
    "solved": ("solved", "text"),
    "close": ("nearly", "warning"),
    "not solved": ("unsolved", "warning"),
    "good": ("solved", "good"),
    "doubtful": ("warning", "warning"),
    "useless": ("warning", "bad"),
    "untested": ("pause", "muted"),
    "failed": ("warning", "bad"),
    "running": ("play", "accent"),
    "waiting": ("pause", "muted"),
}
SIGN = 2 * UNIT


class BadgeLabel(QLabel):
    def __init__(self, name: str, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setAccessibleName(title)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setIndent(0)
        self.kind = ""
        theme.notifier().changed.connect(self._recolour)
        self.set_badge("", "")

    def set_badge(self, kind: str, text: str, tip: str = "") -> None:
        """Show a kind of badge from SIGNS with its text; an empty kind hides the badge."""
        self.kind = kind
        self.setVisible(bool(kind))
        self.setText(text)
        self.setToolTip(tip)
        self.setAccessibleDescription(f"{text}. {tip}" if tip else text)
        self._recolour()

    def sizeHint(self) -> QSize:
        return super().sizeHint().expandedTo(QSize(0, 3 * UNIT))

    def _colour(self) -> str:
        return getattr(theme.current(), SIGNS[self.kind][1]) if self.kind in SIGNS else theme.current().text

    def _recolour(self) -> None:
        # The padding keeps the place of the sign. A frame that gets a new style sheet while it is smaller than its
        # contents margins loses them for good, so they cannot keep it.
        padding = f"{UNIT // 2}px {UNIT}px {UNIT // 2}px {SIGN + UNIT}px"
        style = f"color: {self._colour()}; font-weight: 600; padding: {padding};"
        self.setStyleSheet(f"BadgeLabel {{ {style} }}")  # the rule does not apply to its tooltip

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colour = QColor(self._colour())
        ground = QColor(colour)
        ground.setAlphaF(0.08)
        painter.setBrush(ground)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.drawRoundedRect(QRectF(self.rect()), UNIT / 2, UNIT / 2)
        if self.kind in SIGNS:
            area = QRectF(UNIT / 2, (self.height() - SIGN) / 2, SIGN, SIGN)
            icons.paint(painter, SIGNS[self.kind][0], area, colour.name())
        painter.end()
        super().paintEvent(event)
