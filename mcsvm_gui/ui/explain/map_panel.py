"""A map over any two columns; the others are fixed at the row by sliders, or averaged over the background."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QScrollArea,
    QSizePolicy,
    QSlider,
    QVBoxLayout,
    QWidget,
)

from mcsvm_gui.core.explain.column_map import HELD, MEAN, PARTING, ColumnMap, Slider
from mcsvm_gui.core.explain.columns import shown
from mcsvm_gui.core.explain.surface import Frame
from mcsvm_gui.ui.explain.map_plot import MapPlot
from mcsvm_gui.ui.kit.buttons import push_button
from mcsvm_gui.ui.kit.combos import narrow_combo
from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.kit.nesting import nest
from mcsvm_gui.ui.kit.status import ElidedLabel
from mcsvm_gui.ui.kit.theme import UNIT
from mcsvm_gui.ui.plots.class_marks import shortened

STEPS = 200  # steps of a slider for numbers that need not be whole
NAME = 30  # limit on the letters of a name
COLUMN = 8  # minimum letters of a column or mode


class MapPanel(QWidget):
    seen = Signal()
    map_asked = Signal()  # other columns or another mode were chosen
    moved = Signal(int, float)  # a column, and its value or the number of its level
    place_asked = Signal(float, float)
    back_asked = Signal()  # return to the row as it is in the file

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("explainMapPanel")
        self.first, self.second = (
            narrow_combo("mapFirstCombo", tr("Column across"), COLUMN),
            narrow_combo("mapSecondCombo", tr("Column up"), COLUMN),
        )
        self.mode = narrow_combo("mapModeCombo", tr("Role of all other columns"), COLUMN)
        for name, words in map_modes().items():
            self.mode.addItem(words, name)
        self.plot = MapPlot()
        self.back = push_button("mapBackButton", tr("Back to the row"), "undo")
        self._sliders: dict[int, tuple[Slider, QSlider, ElidedLabel]] = {}
        self._lay_out()
        for combo in (self.first, self.second, self.mode):
            combo.currentIndexChanged.connect(lambda _: self._ask())
        self.plot.place_asked.connect(self.place_asked)
        self.back.clicked.connect(self.back_asked)

    def _lay_out(self) -> None:
        row = QHBoxLayout()
        row.setSpacing(UNIT)
        for widget in (self.mode, self.first, self.second):
            row.addWidget(widget, 1)
        row.addWidget(self.back)
        self._area = QScrollArea()
        self._area.setObjectName("mapSliders")
        self._area.setAccessibleName(tr("Other columns of the row"))
        self._area.setWidgetResizable(True)
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.setMinimumWidth(22 * UNIT)
        self._area.setMaximumWidth(32 * UNIT)
        both = QHBoxLayout()
        both.setSpacing(UNIT)
        both.addWidget(self.plot, 1)
        both.addWidget(self._area)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, UNIT, 0, 0)
        whole.setSpacing(UNIT)
        nest(whole, row)
        nest(whole, both, 1)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.seen.emit()

    def _ask(self) -> None:
        parting = self.mode.currentData() == PARTING
        self.first.setEnabled(not parting)
        self.second.setEnabled(not parting)
        self.map_asked.emit()

    # -- contents ---------------------------------------------------------------------------------

    def offer_columns(self, names: Sequence[str], columns: Sequence[int], axes: tuple[int, int]) -> None:
        for combo, chosen in ((self.first, axes[0]), (self.second, axes[1])):
            with QSignalBlocker(combo):
                combo.clear()
                for column in columns:
                    combo.addItem(shortened(names[column], NAME), column)
                combo.setCurrentIndex(combo.findData(chosen))

    def choose_axes(self, columns: Sequence[int]) -> None:
        """Select the first two of these columns that the lists offer."""
        offered = [column for column in columns if self.first.findData(column) >= 0][:2]
        if len(offered) == 2:
            for combo, column in zip((self.first, self.second), offered, strict=True):
                with QSignalBlocker(combo):
                    combo.setCurrentIndex(combo.findData(column))

    @property
    def wanted(self) -> tuple[tuple[int, int], str]:
        return (self.first.currentData(), self.second.currentData()), self.mode.currentData()

    def show_map(self, found: ColumnMap | None, row: np.ndarray | None) -> None:
        self.plot.show_map(found)
        self._make_sliders(() if found is None else found.sliders)
        self.back.setEnabled(found is not None and found.mode != MEAN)
        if found is not None and row is not None:
            self.show_row(found, row)

    def show_row(self, found: ColumnMap, row: np.ndarray) -> None:
        """Set the sliders without emitting signals."""
        for column, (slider, handle, label) in self._sliders.items():
            value = found.number(row, column)
            with QSignalBlocker(handle):
                handle.setValue(_step(slider, value))
            label.say(_words(slider, value))

    def show_frame(self, found: ColumnMap, frame: Frame, row: np.ndarray) -> None:
        at = found.in_units(found.surface.plane.place(row))
        name = shortened(found.of.trained.class_names[frame.winner], NAME)
        words = tr("The mean over the background") if found.mode == MEAN else tr("Predicted class: {name}", name=name)
        self.plot.show_frame(frame, at, words)

    def _make_sliders(self, sliders: Sequence[Slider]) -> None:
        """Make sliders only if they differ from the current ones, because the user may be dragging one."""
        if [slider for slider, _, _ in self._sliders.values()] == list(sliders):
            return
        self._sliders = {}
        holder = QWidget()
        column = QVBoxLayout(holder)
        column.setContentsMargins(0, 0, UNIT, 0)
        column.setSpacing(UNIT // 2)
        for slider in sliders:
            label, handle = ElidedLabel(""), QSlider(Qt.Orientation.Horizontal)
            label.setProperty("role", "muted")
            label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
            handle.setObjectName(f"mapSlider{slider.column}")
            handle.setAccessibleName(shortened(slider.name, NAME))
            handle.setRange(0, round(slider.high - slider.low) if slider.whole else STEPS)
            handle.valueChanged.connect(lambda step, slider=slider, label=label: self._move(slider, label, step))
            column.addWidget(label)
            column.addWidget(handle)
            self._sliders[slider.column] = slider, handle, label
        column.addStretch()
        self._area.setWidget(holder)
        self._area.setVisible(bool(sliders))

    def _move(self, slider: Slider, label: ElidedLabel, step: int) -> None:
        value = slider.low + (step if slider.whole else step / STEPS * (slider.high - slider.low))
        label.say(_words(slider, value))
        self.moved.emit(slider.column, value)


def map_modes() -> dict[str, str]:
    return {
        HELD: tr("Two columns, the others as in the row"),
        MEAN: tr("Two columns, averaged over the others"),
        PARTING: tr("Two directions that separate the classes"),
    }


def _step(slider: Slider, value: float) -> int:
    share = (value - slider.low) / (slider.high - slider.low)
    return round(value - slider.low) if slider.whole else round(share * STEPS)


def _words(slider: Slider, value: float) -> str:
    number = round(value)
    what = slider.levels[number] if 0 <= number < len(slider.levels) else shown(value)
    return f"{shortened(slider.name, NAME)}: {shortened(what, NAME)}"
