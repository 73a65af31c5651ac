"""The page without open data: where to drop a file, sample data, and recent files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QEnterEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from mcsvm_gui.core.compare.examples import examples
from mcsvm_gui.core.data import formats
from mcsvm_gui.ui.data.gallery import Gallery
from mcsvm_gui.ui.kit import icons, theme
from mcsvm_gui.ui.kit.buttons import push_button
from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.kit.nesting import nest
from mcsvm_gui.ui.kit.theme import UNIT

if TYPE_CHECKING:
    from mcsvm_gui.core.data.samples import SampleDataset

MOST_RECENT = 5
_WIDEST = 144 * UNIT


class DropZone(QAbstractButton):
    """Says what to do and does it when pressed; files can be dropped anywhere in the window."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("dropZone")
        self.setText(tr("Drop a file here, or click to choose one"))
        self.setAccessibleName(self.text())
        self.about = tr("{formats}, also compressed. The label column is found, and shown.", formats=formats.titles())
        self.setAccessibleDescription(self.about)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.notifier().changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(60 * UNIT, 15 * UNIT)

    def paintEvent(self, event: QPaintEvent) -> None:
        now, painter = theme.current(), QPainter(self)
        lively = self.underMouse() or self.hasFocus()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(now.accent if lively else now.muted), 1, Qt.PenStyle.DashLine))
        painter.setBrush(QColor(now.surface))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), UNIT, UNIT)
        icon = QRectF((self.width() - 3 * UNIT) / 2, 2 * UNIT, 3 * UNIT, 3 * UNIT)
        icons.paint(painter, "open", icon, now.accent if lively else now.muted)
        font = painter.font()
        font.setPointSizeF(font.pointSizeF() * 1.2)
        painter.setFont(font)
        painter.setPen(QColor(now.text))
        line = QRectF(0, 6 * UNIT, self.width(), 3 * UNIT)
        painter.drawText(line, Qt.AlignmentFlag.AlignCenter, self.text())
        painter.setFont(self.font())
        painter.setPen(QColor(now.muted))
        painter.drawText(line.translated(0, 3.5 * UNIT), Qt.AlignmentFlag.AlignCenter, self.about)
        painter.end()

    def enterEvent(self, event: QEnterEvent) -> None:
        self.update()
        super().enterEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        self.update()
        super().leaveEvent(event)


class Welcome(QWidget):
    open_asked = Signal()
    sample_chosen = Signal(str)
    example_chosen = Signal(str)
    recent_chosen = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.zone, self.gallery = DropZone(), Gallery()
        self.recent = QWidget()
        self.recent.setObjectName("recentFiles")
        self._rows = QVBoxLayout(self.recent)
        self._rows.setContentsMargins(0, 0, 0, 0)
        self._rows.setSpacing(UNIT // 2)
        self.zone.clicked.connect(self.open_asked)
        self.gallery.chosen.connect(self.sample_chosen)
        middle = QWidget()
        middle.setMaximumWidth(_WIDEST)
        column = QVBoxLayout(middle)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(UNIT)
        column.addWidget(self.zone)
        column.addSpacing(UNIT)
        column.addWidget(_heading(tr("See what an answer looks like")))
        nest(column, self._examples())
        column.addSpacing(UNIT)
        column.addWidget(_heading(tr("Or start with a sample")))
        column.addWidget(self.gallery, 100)
        column.addWidget(self.recent)
        column.addStretch()
        outer = QHBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(middle, 10_000)  # takes all the space, up to its own maximum
        outer.addStretch(1)

    def _examples(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(UNIT)
        for example in examples():
            button = push_button(f"{example.name}ExampleButton", example.title, tip=example.sentence)
            button.setAccessibleDescription(example.sentence)
            button.clicked.connect(lambda _=False, name=example.name: self.example_chosen.emit(name))
            row.addWidget(button, 1)
        return row

    def show_choices(self, samples: Sequence[SampleDataset], recent: Sequence[str]) -> None:
        if self.gallery.count() != len(samples):
            self.gallery.show_samples(samples)
        while (held := self._rows.takeAt(0)) is not None:
            row = held.widget()
            if row is not None:
                row.deleteLater()
        if recent:
            self._rows.addWidget(_heading(tr("Recent files")))
        for path in recent[:MOST_RECENT]:
            self._rows.addWidget(self._recent_row(path))

    def _recent_row(self, path: str) -> QWidget:
        name, folder = Path(path).name, str(Path(path).parent)
        button = QPushButton(f"{name}   —   {folder}")
        button.setObjectName("recentFileButton")
        button.setAccessibleName(tr("Open {name}", name=name))
        button.setToolTip(path)
        button.setFlat(True)
        button.setCursor(Qt.CursorShape.PointingHandCursor)
        button.setStyleSheet("QPushButton { text-align: left; border: none; background: transparent; padding: 0; }")
        button.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        button.clicked.connect(lambda: self.recent_chosen.emit(path))
        return button


def _heading(words: str) -> QLabel:
    label = QLabel(words)
    label.setProperty("role", "heading")
    return label
