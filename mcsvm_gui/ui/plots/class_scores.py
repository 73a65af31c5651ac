"""The F1 of each class for several runs: one line per class, one mark per run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pyqtgraph as pg
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor

from mcsvm_gui.core.base import figures
from mcsvm_gui.ui.kit import theme
from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.kit.theme import UNIT
from mcsvm_gui.ui.plots.class_marks import shortened
from mcsvm_gui.ui.plots.run_bars import BarPlot

if TYPE_CHECKING:
    from mcsvm_gui.core.compare.tables import ClassMark

SPREAD = 0.7  # share of the height of a line over which the marks of the runs are spread
NEAR = UNIT  # largest distance between the pointer and the mark that it names, in pixels
LETTERS = 60  # shown of a class name


class ClassScores(BarPlot):
    def __init__(self) -> None:
        self._marks: tuple[ClassMark, ...] = ()
        self._at: list[tuple[ClassMark, QPointF]] = []
        super().__init__("classScores", tr("F1 of each class"))

    def show_marks(self, marks: Sequence[ClassMark]) -> None:
        self._marks = tuple(marks)
        self.setAccessibleDescription("; ".join(map(_words, self._marks)))
        self._draw()

    def _draw(self) -> None:
        self.clear()
        self.name_axis("bottom", "F1")
        classes, runs = self._classes, list(dict.fromkeys(mark.label for mark in self._marks))
        self._at = []
        for mark in self._marks:
            if mark.f1 is not None:
                offset = SPREAD * ((runs.index(mark.label) + 0.5) / len(runs) - 0.5)
                self._at.append((mark, QPointF(mark.f1, classes.index(mark.name) + offset)))
        styles = [theme.machine_style(mark.machine) for mark, _ in self._at]
        points = pg.ScatterPlotItem(
            [place.x() for _, place in self._at],
            [place.y() for _, place in self._at],
            symbol=[style.marker for style in styles],
            brush=[QColor(style.colour) for style in styles],
            size=UNIT + 1,
            pen=pg.mkPen(None),
        )
        self.addItem(points, ignoreBounds=True)
        self.fit()

    @property
    def _classes(self) -> list[str]:
        return list(dict.fromkeys(mark.name for mark in self._marks))

    def fit(self) -> None:
        """Give the names of the classes at most a third of the width."""
        super().fit()
        if not self._marks:
            return
        letters = self.fontMetrics()
        names = [
            letters.elidedText(shortened(name, LETTERS), Qt.TextElideMode.ElideMiddle, self.width() // 3)
            for name in self._classes
        ]
        axis = self.getAxis("left")
        axis.setTicks([list(enumerate(names))])
        axis.setWidth(max(map(letters.horizontalAdvance, names)) + 2 * UNIT)
        self.setRange(xRange=(-0.02, 1.02), yRange=(-0.6, len(names) - 0.4), padding=0)

    def named_at(self, where: QPointF) -> str | None:
        near: list[tuple[float, str]] = []
        for mark, place in self._at:
            away = self.getViewBox().mapViewToScene(place) - where
            near.append((away.manhattanLength(), _words(mark)))
        distance, words = min(near, default=(NEAR + 1.0, ""))
        return words if distance <= NEAR else None


def _words(mark: ClassMark) -> str:
    return tr(
        "{name}, {run}: {score}", name=shortened(mark.name, LETTERS), run=mark.label, score=figures.rating(mark.f1, 3)
    )
