"""Around each page: scroll bars where the window is smaller than the page can be, and only there."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget


class _Plain(QVBoxLayout):
    """Without height for width: else a scroll area makes a page with wrapped text as tall as it would like to be."""

    def hasHeightForWidth(self) -> bool:
        return False


class PageFrame(QScrollArea):
    def __init__(self, page: QWidget) -> None:
        super().__init__()
        self.page = page
        holder = QWidget()
        column = _Plain(holder)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(page)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidget(holder)
