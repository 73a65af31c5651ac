"""The live plots, two in a row, with the choice of the axes and a legend of the runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QShowEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QButtonGroup,
    QCheckBox,
    QGridLayout,
    QHBoxLayout,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from mcsvm_gui.core.compare import variants
from mcsvm_gui.core.evaluate import curves
from mcsvm_gui.core.evaluate.curves import Axis, History
from mcsvm_gui.ui.kit import theme
from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.kit.labels import show_text, wrapped
from mcsvm_gui.ui.kit.nesting import nest
from mcsvm_gui.ui.kit.page import scrolling
from mcsvm_gui.ui.kit.theme import UNIT
from mcsvm_gui.ui.plots.live import (
    AccuracyPlot,
    ConvergencePlot,
    LivePlot,
    RunConvergencePlot,
    SupportPlot,
    ViolationPlot,
)
from mcsvm_gui.ui.train.run_plots import RunPlots

# A new plot is a class derived from LivePlot and one line here.
LIVE_PLOTS: tuple[Callable[[], LivePlot], ...] = (ConvergencePlot, ViolationPlot, SupportPlot, AccuracyPlot)
LOWEST = 15 * UNIT, 15 * UNIT  # width and height of one plot
LOW = 31 * UNIT, 17 * UNIT  # width and height of the grid: if there is less height than two rows need, it scrolls
AXES: tuple[Axis, ...] = ("seconds", "iteration", "examples")


class PlotGrid(QWidget):
    """Draws histories; while it is hidden, it only stores them."""

    view_changed = Signal()  # another axis or scale was chosen
    pointed = Signal(object)  # the run whose curve is under the mouse, or None
    message = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._histories: dict[int, History] = {}
        self._stale: set[int] = set()
        self._enlarged: LivePlot | None = None
        self.plots: tuple[LivePlot, ...] = tuple(plot() for plot in LIVE_PLOTS)
        self._by_run = RunPlots(self._adopt)
        self._by_run.given.connect(self._given)
        self._by_run.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(UNIT)
        nest(column, self._bar())
        self._grid = QGridLayout()
        self._grid.setSpacing(UNIT)
        for place, plot in enumerate(self.plots):
            self._grid.addWidget(plot, place // 2, place % 2)
            self._connect(plot)
        self._instead = wrapped("plotsInstead", "muted")
        self._instead.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._instead.hide()
        column.addWidget(self._scrolled(), 1)
        self._name_axes()
        theme.notifier().changed.connect(self._repaint)

    @property
    def all_plots(self) -> tuple[LivePlot, ...]:
        return *self.plots, *self._by_run.plots

    def _scrolled(self) -> QScrollArea:
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 0, 0, 0)
        nest(column, self._grid, 1)
        column.addWidget(self._instead, 1)
        column.addWidget(self._by_run, 1)
        area = scrolling("plotArea", inside)
        area.setMinimumSize(*LOW)
        return area

    def _connect(self, plot: LivePlot) -> None:
        plot.setMinimumSize(*LOWEST)
        plot.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)  # plots take the available space
        plot.enlarged.connect(lambda: self.enlarge(None if self._enlarged else plot))
        plot.saved.connect(lambda where: self.message.emit(tr("Saved the plot: {where}.", where=where)))
        plot.save_failed.connect(self.message)
        plot.pointed.connect(self.mark)
        plot.pointed.connect(self.pointed)

    def _adopt(self, plot: RunConvergencePlot) -> None:
        """Connect a plot that is made later."""
        self._connect(plot)
        plot.scale(self._logs["logX"].isChecked(), self._logs["logY"].isChecked())
        self._name_axes()

    def _bar(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(UNIT)
        row.addStretch(1)
        self._apart = QCheckBox(tr("A plot per run"))
        self._apart.setObjectName("plotPerRun")
        self._apart.setAccessibleName(self._apart.text())
        self._apart.setToolTip(tr("Primal and dual of each run, each with a scale of its own"))
        self._apart.hide()
        self._apart.toggled.connect(self._part)
        row.addWidget(self._apart)
        self._axes = QButtonGroup(self)
        for name, text, axis in (
            ("axisTime", tr("Time"), "seconds"),
            ("axisSteps", tr("Steps"), "iteration"),
            ("axisExamples", tr("Examples seen"), "examples"),
        ):
            button = QPushButton(text)
            button.setObjectName(name)
            button.setAccessibleName(tr("Plot against {what}", what=text))
            button.setCheckable(True)
            button.setChecked(axis == "seconds")
            button.setProperty("axis", axis)
            button.setStyleSheet(f"padding: {UNIT // 2}px {UNIT}px;")
            if axis == "examples":
                button.hide()
            self._axes.addButton(button)
            row.addWidget(button)
        self._axes.buttonToggled.connect(lambda _, on: self._redraw() if on else None)
        self._logs = {}
        self._chosen_logs: set[str] = set()  # axes whose scale the user chose; runs do not change them any more
        for name, text in (("logX", tr("log x")), ("logY", tr("log y"))):
            box = self._logs[name] = QCheckBox(text)
            box.setObjectName(name)
            box.setAccessibleName(tr("Logarithmic: {what}", what=text))
            box.toggled.connect(self._rescale)
            box.clicked.connect(lambda _, name=name: self._chosen_logs.add(name))
            row.addWidget(box)
        return row

    # -- histories --------------------------------------------------------------------------------

    def show_runs(self, runs: Sequence[tuple[int, str, str]]) -> None:
        """Show these runs, given as (run, name, machine), and drop all others."""
        was_alone = self._alone
        wanted = {run for run, _, _ in runs}
        for run in self._histories.keys() - wanted:
            del self._histories[run]
            self._stale.discard(run)
            for plot in self.plots:
                plot.drop(run)
        self._names = {run: name for run, name, _ in runs}
        places, before = variants.numbers([machine for _, _, machine in runs]), self.plots[0].variants
        now = {run: place for (run, _, _), place in zip(runs, places, strict=True)}
        for plot in self.plots:
            plot.labels, plot.variants = self._names, now
            plot.relabel()
        if was_alone != self._alone or now != before:
            self._stale |= self._histories.keys()
        self._show_parts()
        self.finish()

    _names: dict[int, str] = {}  # noqa: RUF012 - of the runs to be seen; replaced, never changed

    @property
    def _alone(self) -> bool:
        return len(self._names) == 1

    def draw(self, history: History) -> None:
        """Store the history of a shown run; `finish` draws after a batch."""
        if history.run in self._names:
            self._histories[history.run] = history
            self._stale.add(history.run)

    def finish(self) -> None:
        if not self.isVisible():
            return
        self._say_instead()
        self._offer_examples()
        self._suit_time()
        axis, alone, stale = self.axis, self._alone, self._stale
        self._stale = set()
        histories = self._histories.values()
        if self.parted:
            self._by_run.draw([self._histories[run] for run in sorted(stale)], axis, self.plots[0].variants)
            return
        reach = curves.reach(histories, axis)
        for plot in self.plots:
            for run in sorted(stale):
                plot.draw(self._histories[run], axis, alone=alone)
        room = max(plot.names_room() for plot in self.plots)
        for plot in self.plots:
            plot.room = room
            counted = axis == "examples" and plot.counts_examples
            plot.reach = curves.taken(histories) if counted else reach
            if plot.isVisible():
                plot.finish()

    def _suit_time(self) -> None:
        """Use a logarithmic time axis if times differ by more than a factor of ten, unless the user chose the axis."""
        if "logX" in self._chosen_logs:
            return
        differ = curves.ends_differ(self._histories.values(), self.axis)
        if differ != self._logs["logX"].isChecked():
            self._logs["logX"].setChecked(differ)

    def _offer_examples(self) -> None:
        """Offer examples as axis if all runs are online methods, and select it; restore the earlier axis otherwise."""
        online = bool(self._histories) and all(curves.online(history) for history in self._histories.values())
        button = self._axis_button("examples")
        if online == button.isVisibleTo(self):
            return
        button.setVisible(online)
        if online:
            self._axis_before = self.axis
            button.setChecked(True)
        elif button.isChecked():
            self._axis_before, before = "seconds", self._axis_before
            self._axis_button(before).setChecked(True)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.finish()

    def show_failed(self, failed: bool) -> None:
        """Set whether the current run failed, and explain why there are no curves."""
        self._failed = failed
        self._say_instead()

    _failed = False

    def _say_instead(self) -> None:
        """Show a text instead of the plots if there is no sample, because the axes would be those of earlier runs."""
        drawn = bool(self._names) and self._names.keys() == self._histories.keys()
        empty = drawn and not any(curves.has_samples(one) for one in self._histories.values())
        failed = tr("No curves: the training failed before its first sample.")
        words = (failed if self._failed else tr("No curves: this training has no samples so far.")) if empty else ""
        if words != self._instead.text():
            show_text(self._instead, words)
            self.enlarge(self._enlarged)

    # -- axes and scales --------------------------------------------------------------------------

    _axis_before: Axis = "seconds"  # the axis that is restored after examples

    @property
    def axis(self) -> Axis:
        return next((axis for axis in AXES if self._axis_button(axis).isChecked()), "seconds")

    def _axis_button(self, axis: Axis) -> QAbstractButton:
        return next(button for button in self._axes.buttons() if button.property("axis") == axis)

    def view(self) -> dict[str, object]:
        axis = self._axis_before if self.axis == "examples" else self.axis
        marks = {name: box.isChecked() for name, box in self._logs.items()}
        chosen = {"logsChosen": sorted(self._chosen_logs)} if self._chosen_logs else {}
        return {"axis": axis, **marks, "perRun": self._apart.isChecked(), **chosen}

    def set_view(self, view: dict[str, object]) -> None:
        self._axis_button("iteration" if view.get("axis") == "iteration" else "seconds").setChecked(True)
        chosen = view.get("logsChosen")
        self._chosen_logs = set(self._logs).intersection(chosen) if isinstance(chosen, list) else set()
        for name, box in self._logs.items():
            box.setChecked(bool(view.get(name)))
        self._apart.setChecked(bool(view.get("perRun")))

    def _redraw(self) -> None:
        self._name_axes()
        self._stale |= self._histories.keys()
        for plot in self.all_plots:
            plot.fit()
        self.finish()
        self.view_changed.emit()

    def _repaint(self) -> None:
        """Draw everything again in the colours of another theme."""
        self._stale |= self._histories.keys()
        self.finish()

    def _rescale(self) -> None:
        for plot in self.all_plots:
            plot.scale(self._logs["logX"].isChecked(), self._logs["logY"].isChecked())
        self._stale |= self._histories.keys()
        self.finish()
        self.view_changed.emit()

    def _name_axes(self) -> None:
        words = tr("seconds of training") if self.axis == "seconds" else tr("steps")
        for plot in self.all_plots:
            counted = self.axis == "examples" and plot.counts_examples
            plot.name_axis("bottom", tr("examples seen") if counted else words)

    def mark(self, run: int | None) -> None:
        """Highlight the curves of this run in all plots; None highlights none."""
        for plot in self.all_plots:
            plot.mark(run)

    # -- a plot per run ---------------------------------------------------------------------------

    @property
    def parted(self) -> bool:
        """Return whether each of several runs has a plot of its own."""
        return self._apart.isChecked() and len(self._names) > 1

    def _part(self) -> None:
        self._show_parts()
        self._stale |= self._histories.keys()
        self.finish()
        self.view_changed.emit()

    def _show_parts(self) -> None:
        self._apart.setVisible(len(self._names) > 1)
        if self.parted == self._by_run.isHidden():
            self._stale |= self._histories.keys()  # plots that become visible were not updated before
        self._by_run.setVisible(self.parted)
        if self.parted:
            self._by_run.show_runs(self._names)
        self.enlarge(self._enlarged if self._enlarged in self._in_sight else None)

    def _given(self, run: int) -> None:
        if run in self._histories:
            self._stale.add(run)
        self.enlarge(self._enlarged)

    # -- an enlarged plot -------------------------------------------------------------------------

    @property
    def _in_sight(self) -> Sequence[LivePlot]:
        """Return the visible plots if none is enlarged."""
        if self._instead.text():
            return ()
        return self._by_run.shown if self.parted else self.plots

    def enlarge(self, chosen: LivePlot | None) -> None:
        self._enlarged = chosen
        for plot in self.all_plots:
            plot.setVisible(plot in self._in_sight if chosen is None else plot is chosen)
        self.finish()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self._enlarged is not None:
            self.enlarge(None)
        else:
            super().keyPressEvent(event)
