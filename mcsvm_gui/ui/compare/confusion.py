"""Confusion matrices of several runs next to each other, as counts or as shares of each true class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from mcsvm_gui.ui.kit import theme
from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.kit.nesting import nest
from mcsvm_gui.ui.kit.theme import UNIT
from mcsvm_gui.ui.plots.stroke import stroke_icon
from mcsvm_gui.ui.tables.result_view import STROKE, ResultTableView

if TYPE_CHECKING:
    from mcsvm_gui.core.compare.tables import Matrix

HIGHEST, NARROWEST = 44 * UNIT, 30 * UNIT
WIDEST_COLUMN = 9 * UNIT


class MatrixPanel(QWidget):
    """One run: its line style, its name, and its matrix at full size."""

    save_asked = Signal(object)  # the table
    cell_chosen = Signal(int, str, str)  # a run, a true class and a predicted class

    def __init__(self, number: int) -> None:
        super().__init__()
        self._matrix: Matrix | None = None
        self._sign, self._title, self._right = QLabel(), QLabel(), QLabel()
        self._title.setProperty("role", "heading")
        self._right.setProperty("role", "muted")
        for label in (self._title, self._right):
            label.setTextFormat(Qt.TextFormat.PlainText)
        self.table = ResultTableView(f"confusionTable{number}", "", WIDEST_COLUMN)
        self.table.save_asked.connect(lambda: self.save_asked.emit(self.table))
        self.table.cell_chosen.connect(self._choose)
        self.table.setToolTip(tr("Double-click a cell to explain its rows"))
        head = QHBoxLayout()
        head.setSpacing(UNIT)
        for widget in (self._sign, self._title, self._right):
            head.addWidget(widget)
        head.addStretch()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(UNIT // 2)
        nest(column, head)
        column.addWidget(self.table, 0, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        column.addStretch()
        theme.notifier().changed.connect(self._draw_sign)

    def show_matrix(self, matrix: Matrix, shares: bool) -> None:
        self._matrix = matrix
        self._title.setText(matrix.label)
        self._right.setText(matrix.accuracy)
        self.table.setAccessibleName(tr("Confusion matrix of {run}", run=matrix.label))
        self.table.show_table(matrix.shares if shares else matrix.counts)
        header = self.table.horizontalHeader()
        self._narrow = [header.sectionSize(section) for section in range(header.count())]
        self._draw_sign()

    def _choose(self, true: str, column: int) -> None:
        """Emit the chosen cell. The first column holds the true class and stands for all predicted classes."""
        if self._matrix is not None and self._matrix.run is not None:
            decided = self._matrix.counts.keys[column - 1] if column else ""
            self.cell_chosen.emit(self._matrix.run, true, decided)

    def _draw_sign(self) -> None:
        if self._matrix is not None:
            self._sign.setPixmap(stroke_icon(self._matrix.machine, *STROKE).pixmap(*STROKE))

    def fit(self, room: int, *, alone: bool = False) -> None:
        """Set the needed width, or less if space is scarce; `alone` in its row, columns get their full headings."""
        table, frame = self.table, 2 * self.table.frameWidth()
        header, each = table.horizontalHeader(), (room - frame - self._narrow[0]) // max(len(self._narrow) - 1, 1)
        for section, narrow in enumerate(self._narrow):
            wanted = min(header.sectionSizeHint(section), each) if alone and section else narrow
            header.resizeSection(section, max(narrow, wanted))
        width = table.horizontalHeader().length() + frame
        height = table.horizontalHeader().sizeHint().height() + table.verticalHeader().length() + frame
        bar = table.horizontalScrollBar().sizeHint().height()
        table.setFixedSize(
            min(width + (bar if height > HIGHEST else 0), room),
            min(height + (bar if width > room else 0), HIGHEST),
        )


class ConfusionView(QWidget):
    save_asked = Signal(object)  # a table
    cell_chosen = Signal(int, str, str)  # a run, a true class and a predicted class

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("confusionView")
        self.setAccessibleName(tr("Confusion matrices"))
        self._matrices: tuple[Matrix, ...] = ()
        self.panels: list[MatrixPanel] = []
        column = QVBoxLayout(self)
        column.setContentsMargins(0, UNIT, 0, 0)
        column.setSpacing(UNIT)
        nest(column, self._bar())
        self._inside = QWidget()
        self._grid = QGridLayout(self._inside)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(2 * UNIT)
        self._area = QScrollArea()
        self._area.setObjectName("confusionArea")
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setWidgetResizable(True)
        self._area.setWidget(self._inside)
        column.addWidget(self._area, 1)

    def _bar(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(UNIT)
        self._kinds = QButtonGroup(self)
        names = ("confusionCounts", tr("Counts")), ("confusionShares", tr("Per cent of the true class"))
        for name, text in names:
            button = QPushButton(text)
            button.setObjectName(name)
            button.setAccessibleName(text)
            button.setCheckable(True)
            button.setChecked(name == "confusionCounts")
            self._kinds.addButton(button)
            row.addWidget(button)
        self._shares = button
        self._kinds.buttonToggled.connect(lambda _, on: self._draw() if on else None)
        self._said = QLabel()
        self._said.setObjectName("confusionWords")
        self._said.setProperty("role", "muted")
        row.addWidget(self._said, 1)
        return row

    def show_matrices(self, matrices: Sequence[Matrix]) -> None:
        self._matrices = tuple(matrices)
        while len(self.panels) < len(matrices):
            panel = MatrixPanel(len(self.panels))
            # before it is shown, because otherwise it would appear as a window for a moment
            panel.setParent(self._inside)
            panel.save_asked.connect(self.save_asked)
            panel.cell_chosen.connect(self.cell_chosen)
            self.panels.append(panel)
        self._said.setText("" if matrices else tr("No rows with known classes have been predicted yet."))
        self._draw()

    def _draw(self) -> None:
        for panel, matrix in zip(self.panels, self._matrices, strict=False):
            panel.show_matrix(matrix, self._shares.isChecked())
        self._place()

    def _place(self) -> None:
        """Place as many panels next to each other as fit."""
        seen = self.panels[: len(self._matrices)]
        room = max(self.width() - self._area.verticalScrollBar().sizeHint().width(), NARROWEST)
        for panel in seen:
            panel.fit(room)
        widest = max((panel.table.width() for panel in seen), default=0)
        across = max(1, (room + 2 * UNIT) // (max(widest, NARROWEST) + 2 * UNIT))
        for panel in seen if across == 1 else ():
            panel.fit(room, alone=True)
        for panel in self.panels:
            self._grid.removeWidget(panel)
            panel.setVisible(panel in seen)
        for place, panel in enumerate(seen):
            self._grid.addWidget(panel, place // across, place % across, Qt.AlignmentFlag.AlignTop)
        self._grid.setColumnStretch(across, 1)
        self._grid.setRowStretch(len(seen) // across + 1, 1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    # -- copying and saving -----------------------------------------------------------------------

    def plain(self) -> tuple[list[str], list[list[object]]]:
        """Return all matrices below each other."""
        names: list[str] = []
        rows: list[list[object]] = []
        for matrix in self._matrices:
            headings, body = (matrix.shares if self._shares.isChecked() else matrix.counts).plain()
            names = names if len(names) > len(headings) else [tr("Run"), *headings]
            rows += [[matrix.label, *row] for row in body]
        return names, rows
