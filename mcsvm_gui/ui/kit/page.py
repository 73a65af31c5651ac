"""What pages have in common: the frame around each, a form at the left, and tabs."""

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
    """Without height for width: else a scroll area makes a page with wrapped text as tall as it would like to be."""

    def hasHeightForWidth(self) -> bool:
        return False


class PageFrame(QScrollArea):
    """Scroll bars where the window is smaller than the page can be, and only there."""

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
    """Setters and signals; what they mean is decided elsewhere."""

    def __init__(self, name: str, title: str) -> None:
        super().__init__()
        self.setObjectName(name)
        self.setAccessibleName(title)

    def heightForWidth(self, width: int) -> int:
        """None: a page takes the room there is, though its wrapped text would like more of it."""
        return -1

    def lay_out(self, left: QWidget, right: QWidget) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(2 * UNIT, 2 * UNIT, 2 * UNIT, UNIT)
        row.setSpacing(2 * UNIT)
        row.addWidget(left)
        row.addWidget(right, 1)


class TableSplitter(QSplitter):
    """What a page shows of runs, and below it the table of all runs, which comes later."""

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
        """It gets all the height that the table can spare, unless the user has placed the handle."""
        if not self._placed:
            self.setSizes([FAR, 1])

    def set_table(self, table: QWidget) -> None:
        self.addWidget(table)
        self.setStretchFactor(0, 3)
        self.setStretchFactor(1, 1)
        self.setSizes([3 * FAR, FAR])  # else the table begins with the two rows of its hint


def scrolling(name: str, inside: QWidget) -> QScrollArea:
    """Up and down; across, what is inside has the width there is."""
    area = QScrollArea()
    area.setObjectName(name)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # it scrolls to what has the focus
    area.setWidgetResizable(True)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setWidget(inside)
    return area


def form_side(name: str, form: QWidget, *below: QWidget | QLayout, card: IdeaCard) -> QWidget:
    """A form that scrolls, below it an idea where there is room, and what always stays in sight."""
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
    """Fusion leaves tabs that are not at hand less height than a line has: an Ä lost its dots, and a g its tail."""

    def tabSizeHint(self, index: int) -> QSize:
        return super().tabSizeHint(index) + QSize(0, UNIT // 2)


class Tabs(QTabWidget):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTabBar(TabBar())
