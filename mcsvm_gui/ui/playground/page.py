"""The Playground page: tools above, machines on the left, the canvas, and the steps of solvers below."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from mcsvm_gui.core.playground.drawing import Drawing
from mcsvm_gui.ui.kit import file_dialogs
from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.kit.nesting import nest
from mcsvm_gui.ui.kit.page import PageWidget
from mcsvm_gui.ui.kit.theme import UNIT
from mcsvm_gui.ui.playground import share as playground_share
from mcsvm_gui.ui.playground.bars import StepBar, Tools, TourBar
from mcsvm_gui.ui.playground.canvas import PlaygroundCanvas
from mcsvm_gui.ui.playground.columns_dialog import ColumnsDialog
from mcsvm_gui.ui.playground.form import PlaygroundForm
from mcsvm_gui.ui.playground.objective import ObjectivePlot

if TYPE_CHECKING:
    from mcsvm_gui.core.playground.pictures import Picture

PLOT_HEIGHT = 20 * UNIT


class PlaygroundPage(PageWidget):
    first_shown = Signal()
    point_asked = Signal(float, float)
    cloud_asked = Signal(float, float, int)
    drag_began = Signal(int)
    dragged = Signal(float, float)
    drag_ended = Signal()
    removal_asked = Signal(int)
    class_chosen = Signal(int)
    clear_asked = Signal()
    undo_asked = Signal()
    redo_asked = Signal()
    set_asked = Signal(str, int)
    setting_changed = Signal()
    resized = Signal()
    steps_toggled = Signal(bool)
    step_machine_chosen = Signal(str)
    advance_asked = Signal(int)
    restart_asked = Signal()
    components_asked = Signal()
    columns_asked = Signal()
    columns_chosen = Signal(int, int)
    tour_asked = Signal(str)
    tour_moved = Signal(int)
    tour_left = Signal()
    table_asked = Signal(str, bool)
    experiment_asked = Signal(str)
    message = Signal(str)

    def __init__(self) -> None:
        super().__init__("playgroundPage", tr("Playground"))
        self._seen = False
        self.tools, self.tour, self.form = Tools(), TourBar(), PlaygroundForm()
        self.canvas, self.step_bar, self.objective = PlaygroundCanvas(), StepBar(), ObjectivePlot()
        self.steps = self._steps()
        self._arrange()
        self._connect_canvas()
        self._connect_bars()

    def _steps(self) -> QWidget:
        """Build the row with the objective and a description of the last step."""
        steps = QWidget()
        steps.setFixedHeight(PLOT_HEIGHT)
        row = QHBoxLayout(steps)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(2 * UNIT)
        row.addWidget(self.objective, 1)
        row.addWidget(self.step_bar.words, 1)
        steps.hide()
        return steps

    def _arrange(self) -> None:
        below = QVBoxLayout()
        below.setSpacing(UNIT)
        below.addWidget(self.canvas, 1)
        below.addWidget(self.step_bar)
        below.addWidget(self.steps)
        row = QHBoxLayout()
        row.setSpacing(2 * UNIT)
        row.addWidget(self.form)
        nest(row, below, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(2 * UNIT, 2 * UNIT, 2 * UNIT, UNIT)
        column.setSpacing(UNIT)
        column.addWidget(self.tools)
        column.addWidget(self.tour)
        nest(column, row, 1)

    def _connect_canvas(self) -> None:
        canvas = self.canvas
        for name in ("point_asked", "cloud_asked", "drag_began", "dragged", "drag_ended", "removal_asked", "resized"):
            getattr(canvas, name).connect(getattr(self, name))
        canvas.class_asked.connect(self.tools.classes.setCurrentIndex)

    def _connect_bars(self) -> None:
        tools = self.tools
        for name in (
            *("class_chosen", "undo_asked", "redo_asked", "clear_asked", "set_asked", "components_asked"),
            *("columns_asked", "steps_toggled", "tour_asked"),
        ):
            getattr(tools, name).connect(getattr(self, name))
        tools.picture_asked.connect(self._ask_picture)
        tools.copy_asked.connect(self._copy)
        tools.table_asked.connect(self._ask_table)
        tools.experiment_asked.connect(self._ask_experiment)
        self.form.changed.connect(self.setting_changed)
        self.tour.moved.connect(self.tour_moved)
        self.tour.left.connect(self.tour_left)
        self.step_bar.machine_chosen.connect(self.step_machine_chosen)
        self.step_bar.advance_asked.connect(self.advance_asked)
        self.step_bar.restart_asked.connect(self.restart_asked)
        self.objective.saved.connect(lambda place: self.message.emit(tr("Saved the plot: {place}", place=place)))
        self.objective.save_failed.connect(self.message)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._seen:
            self._seen = True
            self.first_shown.emit()

    # -- setters ----------------------------------------------------------------------------------

    def setting(self) -> dict[str, Any]:
        return self.form.setting()

    def set_setting(self, values: Mapping[str, Any]) -> None:
        self.form.set_setting(values)

    def side(self, panels: int) -> int:
        """Return the pixels along one of `panels` panels."""
        return self.canvas.side(panels)

    def show_drawing(self, drawing: Drawing) -> None:
        self.canvas.show_drawing(drawing)

    def show_pictures(self, pictures: tuple[Picture, ...]) -> None:
        self.canvas.show_pictures(pictures)
        if self.steps.isVisibleTo(self):
            self.objective.show_pictures(pictures)
            self.step_bar.show_pictures(pictures)

    def show_hint(self, words: str) -> None:
        self.canvas.show_hint(words)

    def show_undo(self, undo: bool, redo: bool) -> None:
        self.tools.undo.setEnabled(undo)
        self.tools.redo.setEnabled(redo)

    def show_data(self, name: str) -> None:
        self.tools.data.setEnabled(bool(name))
        self.tools.data.setToolTip(
            tr("Use points from {data}", data=name) if name else tr("Open data first, on the Data page")
        )

    def show_columns(self, columns: list[tuple[int, str]]) -> None:
        dialog = ColumnsDialog(self, columns)
        dialog.chosen.connect(self.columns_chosen)
        dialog.open()

    def show_tour(self, title: str, words: str, number: int, count: int) -> None:
        self.tour.show_stop(title, words, number, count)

    def show_steps(self, on: bool, machine: str, going: bool) -> None:
        self.tools.steps.blockSignals(True)
        self.tools.steps.setChecked(on)
        self.tools.steps.blockSignals(False)
        self.step_bar.show_state(on, machine, going)
        self.steps.setVisible(on)
        self.form.machines.setEnabled(not on)

    # -- saving and copying -----------------------------------------------------------------------

    def _copy(self) -> None:
        playground_share.copy(self.canvas)
        self.message.emit(tr("The picture is on the clipboard."))

    def _ask_picture(self, kind: str) -> None:
        def chosen(path: str) -> None:
            trouble = playground_share.save(self.canvas, path, kind)
            if trouble is None:
                self.message.emit(tr("Saved the picture: {path}", path=path))
            else:
                self.message.emit(tr("{file} could not be written: {trouble}", file=path, trouble=trouble))

        title = tr("Save the picture as {kind}", kind=kind.upper())
        file_dialogs.choose_target(self, title, kind, f"playground.{kind}", kind, chosen)

    def _ask_table(self, as_data: bool) -> None:
        title = tr("Save the points")
        file_dialogs.choose_target(
            self, title, "csv", "playground.csv", "csv", lambda path: self.table_asked.emit(path, as_data)
        )

    def _ask_experiment(self) -> None:
        title = tr("Save as an experiment")
        file_dialogs.choose_target(self, title, "toml", "playground.toml", "toml", self.experiment_asked.emit)
