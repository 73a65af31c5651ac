"""The base of pages: the frame around each, a form at the left, and tabs."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QSize, Qt
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLayout,
    QScrollArea,
    QSplitter,
    QTabBar,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from mcsvm_gui.ui.kit.ideas.card import WIDTH, IdeaCard, RoomForCard
from mcsvm_gui.ui.kit.nesting import nest
from mcsvm_gui.ui.kit.theme import UNIT

FORM_WIDTH = WIDTH
FAR = 1 << 16  # pixels, more than any window has


class _Plain(QVBoxLayout):
    """A layout without height for width: otherwise a scroll area gives wrapped text all the height it asks for."""

    def hasHeightForWidth(self) -> bool:
        return False


class PageFrame(QScrollArea):
    """Scroll bars, shown only if the window is smaller than the page's smallest size."""

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


class PageWidget(QWidget):
    """Setters and signals; a presenter decides on their effects."""

    def __init__(self, name: str, title: str) -> None:
        super().__init__()
        self.setObjectName(name)
        self.setAccessibleName(title)

    def heightForWidth(self, width: int) -> int:
        """Return -1, for no preference: a page takes the available room, even if its wrapped text asks for more."""
        return -1

    def lay_out(self, left: QWidget, right: QWidget) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(2 * UNIT, 2 * UNIT, 2 * UNIT, UNIT)
        row.setSpacing(2 * UNIT)
        row.addWidget(left)
        row.addWidget(right, 1)


class TableSplitter(QSplitter):
    """The run's part of a page, and below it the table of all runs, which is added later."""

    _placed = False  # whether the user has moved the handle, now or in an earlier session

    def __init__(self, name: str, upper: QWidget) -> None:
        super().__init__(Qt.Orientation.Vertical)
        self.setObjectName(name)
        self.setHandleWidth(UNIT)
        self.addWidget(upper)
        self.setCollapsible(0, False)
        self.splitterMoved.connect(self._place)

    def _place(self) -> None:
        self._placed = True

    def restoreState(self, state: QByteArray | bytes | bytearray | memoryview) -> bool:
        self._place()
        return super().restoreState(state)

    def favour_upper(self) -> None:
        """Give the upper part all height that the table can spare, unless the user has placed the handle."""
        if not self._placed:
            self.setSizes([FAR, 1])

    def set_table(self, table: QWidget) -> None:
        self.addWidget(table)
        self.setStretchFactor(0, 3)
        self.setStretchFactor(1, 1)
        self.setSizes([3 * FAR, FAR])  # otherwise the table starts with the two rows of its hint


def scrolling(name: str, inside: QWidget) -> QScrollArea:
    """Return an area that scrolls vertically; its content has the width of the area."""
    area = QScrollArea()
    area.setObjectName(name)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # it scrolls to the focused widget
    area.setWidgetResizable(True)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setWidget(inside)
    return area


def form_side(name: str, form: QWidget, *below: QWidget | QLayout, card: IdeaCard) -> QWidget:
    """Return a scrolling form; below it are an idea, if there is room, and widgets that always remain visible."""
    area = scrolling(name, form)
    side = QWidget()
    side.setFixedWidth(FORM_WIDTH)
    column = QVBoxLayout(side)
    column.setContentsMargins(0, 0, 0, UNIT)
    column.setSpacing(UNIT)
    column.addWidget(area, 1)
    column.addWidget(RoomForCard(form, area, card))
    for part in below:
        if isinstance(part, QLayout):
            nest(column, part)
        else:
            column.addWidget(part)
    return side


class TabBar(QTabBar):
    """Taller tabs: Fusion makes unselected tabs lower than a line of text, which cuts the dots of Ä, the tail of g."""

    def tabSizeHint(self, index: int) -> QSize:
        return super().tabSizeHint(index) + QSize(0, UNIT // 2)


class Tabs(QTabWidget):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTabBar(TabBar())
