"""All rows: which columns matter, how, and how much accuracy is lost without them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QComboBox, QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from mcsvm_gui.core.base import figures
from mcsvm_gui.core.explain.explanation import Explanation
from mcsvm_gui.core.explain.overview import PermutationImportance, mean_absolute, partner
from mcsvm_gui.ui.explain.column_bars import MOST, ColumnBar, ColumnBars
from mcsvm_gui.ui.explain.swarm import BeeswarmPlot, DependencePlot, Swarm
from mcsvm_gui.ui.kit.combos import Combo
from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.kit.nesting import nest
from mcsvm_gui.ui.kit.theme import UNIT
from mcsvm_gui.ui.plots.class_marks import shortened

MOST_CHOICES = 200  # limit on the columns in the list; those with the largest values come first


class OverviewPanel(QWidget):
    seen = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("explainOverviewPanel")
        self._explained: Explanation | None = None
        self._rows: tuple[str, ...] = ()  # number and names of each row in the file
        self._values = np.zeros((0, 0))
        self._numbers = np.zeros((0, 0))
        self.importance = ColumnBars("importancePlot", tr("Mean absolute Shapley value"))
        self.permutation = ColumnBars("permutationPlot", tr("Accuracy lost without a column"))
        self.importance.setToolTip(
            tr("Mean absolute Shapley value of each column: the predicted class against the runner-up")
        )
        self.permutation.setToolTip(
            tr("Accuracy lost when a column is shuffled, in percentage points, with the middle 95% of ten repetitions")
        )
        self.swarm, self.dependence = BeeswarmPlot(), DependencePlot()
        self.plots = self.importance, self.permutation, self.swarm, self.dependence
        self.which = Combo()
        self.which.setObjectName("dependenceCombo")
        self.which.setAccessibleName(tr("Plotted column"))
        self.which.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.which.setMinimumContentsLength(12)
        self.which.currentIndexChanged.connect(lambda _: self._draw_dependence())
        self._lay_out()

    def _lay_out(self) -> None:
        below = QWidget()
        column = QVBoxLayout(below)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(UNIT // 2)
        row = QHBoxLayout()
        row.addWidget(self.which)
        row.addStretch()
        nest(column, row)
        column.addWidget(self.dependence, 1)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, UNIT, 0, 0)
        grid.setSpacing(UNIT)
        parts: tuple[QWidget, ...] = (self.importance, self.permutation, self.swarm, below)
        for place, part in enumerate(parts):
            grid.addWidget(part, place // 2, place % 2)
            grid.setRowStretch(place // 2, 1)
            grid.setColumnStretch(place % 2, 1)
        for plot in self.plots:
            plot.setMinimumSize(20 * UNIT, 12 * UNIT)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.seen.emit()

    # -- contents ---------------------------------------------------------------------------------

    def clear(self) -> None:
        self._explained = None
        self.importance.show_bars(self.importance.titled, ())
        self.permutation.show_bars(self.permutation.titled, ())
        self.swarm.show_swarms((), ())
        self.dependence.show_column(None, None, (), ())
        with QSignalBlocker(self.which):
            self.which.clear()

    def show_values(self, explained: Explanation, rows: Sequence[str]) -> None:
        """Show the values of each row for its winner against the runner-up. `rows`: numbers and names in the file."""
        self._explained, self._rows = explained, tuple(rows)
        self._values = explained.of_winners()
        sizes, names = mean_absolute(self._values), explained.columns.names
        order = np.argsort(-sizes, kind="stable")
        self._numbers = _numbers(explained, order[:MOST_CHOICES])
        self.importance.show_bars(self.importance.titled, _bars(names, sizes, order), brief=tr("Mean |value|"))
        self.swarm.show_swarms(
            [Swarm(names[c], self._values[:, c], self._numbers[:, c]) for c in order[:MOST].tolist()], self._rows
        )
        with QSignalBlocker(self.which):
            self.which.clear()
            for column in order[:MOST_CHOICES].tolist():
                self.which.addItem(shortened(names[column], 40), int(column))
        self._draw_dependence()

    def _draw_dependence(self) -> None:
        explained, column = self._explained, self.which.currentData()
        if explained is None or column is None:
            return
        names, values = explained.columns.names, self._values[:, column]
        other = partner(values, self._numbers, column)
        beside = None if other is None else Swarm(names[other], values, self._numbers[:, other])
        shown = Swarm(names[column], values, self._numbers[:, column])
        self.dependence.show_column(shown, beside, explained.columns.levels(column), self._rows)

    def show_permuted(self, found: PermutationImportance | None) -> None:
        if found is None:
            self.permutation.show_bars(self.permutation.titled, ())
            return
        means, intervals = found.means, found.intervals
        bars = [
            ColumnBar(
                found.columns[place],
                float(means[place]),
                figures.points(float(means[place])),
                (float(intervals[place, 0]), float(intervals[place, 1])),
            )
            for place in np.argsort(-means, kind="stable")[:MOST].tolist()
        ]
        self.permutation.show_bars(tr("Percentage points of accuracy lost"), bars, brief=tr("Points lost"))


def _numbers(explained: Explanation, columns: np.ndarray) -> np.ndarray:
    """Return the (rows, all columns) numbers as in the file; columns that are not in `columns` stay 0."""
    found = np.zeros((explained.places.size, len(explained.columns.names)))
    for column in columns.tolist():
        found[:, column] = explained.columns.numbers(explained.features, column)
    return found


def _bars(names: tuple[str, ...], sizes: np.ndarray, order: np.ndarray) -> list[ColumnBar]:
    return [ColumnBar(names[c], float(sizes[c]), figures.number(sizes[c])) for c in order[:MOST].tolist()]
