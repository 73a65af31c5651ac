"""Contents of the tabs of the Compare page."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QVBoxLayout, QWidget

from mcsvm_gui.core.base import figures
from mcsvm_gui.ui.kit.combos import Combo
from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.kit.labels import show_text, wrapped
from mcsvm_gui.ui.kit.nesting import nest
from mcsvm_gui.ui.kit.theme import UNIT
from mcsvm_gui.ui.plots.class_scores import ClassScores
from mcsvm_gui.ui.plots.overlay import TraceOverlay, kind_titles
from mcsvm_gui.ui.plots.run_bars import Bar, RunBars
from mcsvm_gui.ui.tables.result_view import ResultTableView

if TYPE_CHECKING:
    from mcsvm_gui.core.compare.result_table import ResultTable
    from mcsvm_gui.core.compare.tables import ClassMark, RunCost


LEAST_PLOT = 36 * UNIT


class Panel(QWidget):
    """A widget with a table that can be copied and saved."""

    save_asked = Signal()
    seen = Signal()  # the panel became visible

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.seen.emit()

    def plain(self) -> tuple[list[str], list[list[object]]]:
        raise NotImplementedError


class TablePanel(Panel):
    """Text above a table; an empty text takes no space."""

    def __init__(self, name: str, title: str) -> None:
        super().__init__()
        self.setObjectName(f"{name}Panel")
        self.table = ResultTableView(name, title)
        self.table.save_asked.connect(self.save_asked)
        self.words = wrapped(f"{name}Words", "muted")
        self.words.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, UNIT, 0, 0)
        column.setSpacing(UNIT)
        column.addWidget(self.words)
        column.addWidget(self.table, 1)

    def show_table(self, table: ResultTable) -> None:
        self.table.show_table(table)

    def say(self, words: str) -> None:
        show_text(self.words, words)

    def plain(self) -> tuple[list[str], list[list[object]]]:
        return self.table.plain()


class ClassPanel(TablePanel):
    """The table of classes, and next to it a plot of their F1 if there is space."""

    def __init__(self) -> None:
        super().__init__("perClassTable", tr("Scores of each class"))
        self.plot = ClassScores()
        self.plot.hide()
        layout = self.layout()
        assert isinstance(layout, QVBoxLayout)
        layout.removeWidget(self.table)
        self._row = QHBoxLayout()
        self._row.setSpacing(2 * UNIT)
        self._row.addWidget(self.table, 1)
        self._row.addWidget(self.plot, 1)
        nest(layout, self._row, 1)

    def show_classes(self, table: ResultTable, marks: Sequence[ClassMark]) -> None:
        self.show_table(table)
        self.plot.show_marks(marks)
        self._share()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share()

    def _share(self) -> None:
        """Give the plot the width that the table does not need."""
        table = self.table.comfortable_width
        room = self.width() - table - self._row.spacing()
        self.plot.setVisible(room >= LEAST_PLOT)
        self._row.setStretch(0, table)  # a minimum width would keep the page wide while another tab is shown
        self._row.setStretch(1, max(room, 1))


class ConvergencePanel(QWidget):
    """The convergence of all trainings in one plot."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("convergencePanel")
        self.plot = TraceOverlay()
        self.kind = Combo()
        self.kind.setObjectName("overlayKindCombo")
        self.kind.setAccessibleName(tr("Quantity plotted against time"))
        for name, words in kind_titles().items():
            self.kind.addItem(words, name)
        self.log = QCheckBox(tr("Logarithmic time"))
        self.log.setObjectName("overlayLogCheck")
        self.log.setAccessibleName(tr("Logarithmic time"))
        self.log.setChecked(True)
        self.kind.currentIndexChanged.connect(self._draw)
        self.log.toggled.connect(self._draw)
        row = QHBoxLayout()
        row.setSpacing(UNIT)
        row.addWidget(self.kind)
        row.addWidget(self.log)
        row.addStretch()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, UNIT, 0, 0)
        column.setSpacing(UNIT)
        nest(column, row)
        column.addWidget(self.plot, 1)

    def _draw(self) -> None:
        self.plot.show_kind(self.kind.currentData(), self.log.isChecked())


class CostPanel(Panel):
    """Costs of a run: training time, support vectors, prediction time."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("costPanel")
        self._costs: tuple[RunCost, ...] = ()
        self.plots = (
            RunBars("timeBars", tr("Training time"), lambda bar: figures.seconds(bar.value)),
            RunBars("supportBars", tr("Support vectors (solid: bounded)"), _support),
            RunBars("predictionBars", tr("Prediction, a row"), lambda bar: figures.seconds(bar.value)),
        )
        row = QHBoxLayout(self)
        row.setContentsMargins(0, UNIT, 0, 0)
        row.setSpacing(UNIT)
        for plot in self.plots:
            plot.setMinimumWidth(20 * UNIT)
            row.addWidget(plot, 1)

    def fillers(self, costs: Sequence[RunCost]) -> Iterator[tuple[RunBars, Callable[[], object]]]:
        """Return one function per plot that fills it, because each takes a moment."""
        self._costs = tuple(costs)
        times, supports, predictions = self.plots
        yield times, lambda: times.show_bars([Bar(cost.label, cost.machine, cost.seconds) for cost in costs])
        yield (
            supports,
            lambda: supports.show_bars([Bar(cost.label, cost.machine, cost.support, cost.bounded) for cost in costs]),
        )
        yield (
            predictions,
            lambda: predictions.show_bars([Bar(cost.label, cost.machine, cost.prediction) for cost in costs]),
        )

    def plain(self) -> tuple[list[str], list[list[object]]]:
        names = [tr("Run"), tr("Training time"), tr("Support vectors"), tr("Bounded"), tr("Prediction, a row")]
        rows = [[cost.label, cost.seconds, cost.support, cost.bounded, cost.prediction] for cost in self._costs]
        return names, [["" if value is None else value for value in row] for row in rows]


def _support(bar: Bar) -> str:
    return figures.NONE if bar.value is None else figures.count(int(bar.value))
