"""Tabs whose words are read from top to bottom."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QTabBar, QTabWidget, QWidget

from mcsvm_gui.ui.kit.theme import UNIT


class TabBar(QTabBar):
    """Fusion leaves tabs that are not at hand less height than a line has: an Ä lost its dots, and a g its tail."""

    def tabSizeHint(self, index: int) -> QSize:
        return super().tabSizeHint(index) + QSize(0, UNIT // 2)


class Tabs(QTabWidget):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTabBar(TabBar())
