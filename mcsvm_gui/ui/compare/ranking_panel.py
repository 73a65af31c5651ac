"""A plot of evaluated runs for a chosen class: ROC, precision-recall, reliability."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QVBoxLayout

from mcsvm_gui.core.base import figures
from mcsvm_gui.ui.compare.panels import Panel
from mcsvm_gui.ui.kit.combos import Combo
from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.kit.labels import wrapped
from mcsvm_gui.ui.kit.nesting import nest
from mcsvm_gui.ui.kit.theme import UNIT
from mcsvm_gui.ui.plots.unit import RunLine, UnitPlot

if TYPE_CHECKING:
    from mcsvm_gui.core.compare.evaluated_runs import EvaluatedRun


class RankingPanel(Panel):
    """`whole` is the title of the first entry in the list of classes, which stands for the class ""."""

    def __init__(self, plot: UnitPlot, whole: str, line_of: Callable[[EvaluatedRun, str], RunLine | None]) -> None:
        super().__init__()
        name = plot.objectName().removesuffix("Plot")
        self.setObjectName(f"{name}Panel")
        self.plot, self._line_of, self._whole = plot, line_of, whole
        self._runs: tuple[EvaluatedRun, ...] = ()
        self.classes = Combo()
        self.classes.setObjectName(f"{name}ClassCombo")
        self.classes.setAccessibleName(tr("Class that is shown"))
        self.classes.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.classes.addItem(whole, "")
        self.classes.currentIndexChanged.connect(lambda _: self._draw())
        self.words = wrapped(f"{name}Words", "muted")
        row = QHBoxLayout()
        row.setSpacing(UNIT)
        row.addWidget(self.classes)
        row.addWidget(self.words, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, UNIT, 0, 0)
        column.setSpacing(UNIT)
        nest(column, row)
        column.addWidget(plot, 1)

    def show_runs(self, runs: Sequence[EvaluatedRun], said: Sequence[str]) -> None:
        """Show runs; the chosen class stays selected if it still exists."""
        self._runs = tuple(runs)
        names = dict.fromkeys(name for one in runs if one.rows is not None for name in one.rows.names[: one.rows.known])
        chosen = self.classes.currentData()
        with QSignalBlocker(self.classes):
            self.classes.clear()
            self.classes.addItem(self._whole, "")
            for name in names:
                self.classes.addItem(name, name)
            self.classes.setCurrentIndex(max(self.classes.findData(chosen), 0))
        self.words.setText(" ".join(said))
        self._draw()

    def _draw(self) -> None:
        found = [self._line_of(one, self.classes.currentData() or "") for one in self._runs]
        self.plot.show_lines([line for line in found if line is not None])

    def plain(self) -> tuple[list[str], list[list[object]]]:
        """Return the points of all curves that are shown."""
        rows: list[list[object]] = []
        for line in self.plot.shown:
            rows += [[line.label, x, y] for x, y in zip(*(values.tolist() for values in line.line), strict=True)]
        return [tr("Run"), self.plot.names["bottom"], self.plot.names["left"]], rows


def roc_panel() -> RankingPanel:
    plot = UnitPlot(
        *("rocPlot", tr("ROC"), tr("false positive rate"), tr("true positive rate")), key=(1.0, 1.0), chance=True
    )
    return RankingPanel(plot, tr("Averaged over classes"), lambda run, name: _curve(run, "roc", name))


def precision_panel() -> RankingPanel:
    plot = UnitPlot(
        *("precisionRecallPlot", tr("Precision-recall"), tr("recall"), tr("precision")), key=(0.0, 1.0), chance=False
    )
    return RankingPanel(plot, tr("Averaged over classes"), lambda run, name: _curve(run, "precision_recall", name))


def _curve(run: EvaluatedRun, kind: str, name: str) -> RunLine | None:
    from mcsvm_gui.core.evaluate.evaluation import MACRO
    from mcsvm_gui.core.evaluate.ranking import GRID

    curve = None if run.evaluation is None else getattr(run.evaluation, kind).get(name or MACRO)
    if curve is None:
        return None
    band = None if curve.band is None else (GRID, curve.band[0], curve.band[1])
    area = figures.rating(curve.area)
    if kind == "roc":
        label = tr("{run}: area {area}", run=run.label, area=area)
    else:
        label = tr("{run}: average precision {precision}", run=run.label, precision=area)
    return RunLine(run.run, label, run.machine, (curve.x, curve.y), band)


def calibration_panel() -> RankingPanel:
    plot = UnitPlot(
        *("calibrationPlot", tr("Reliability"), tr("probability"), tr("frequency")),
        key=(1.0, 1.0),
        chance=True,
        dots=True,
    )
    return RankingPanel(plot, tr("The most probable class"), _reliability)


def _reliability(run: EvaluatedRun, name: str) -> RunLine | None:
    found = None if run.evaluation is None else run.evaluation.reliability.get(name)
    if found is None:
        return None
    label = tr(
        "{run}: error {error}, bins of {rows} rows",
        run=run.label,
        error=figures.rating(found.error),
        rows=figures.amount(round(float(found.count[0]), 1)),
    )
    return RunLine(run.run, label, run.machine, (found.probability, found.frequency))
