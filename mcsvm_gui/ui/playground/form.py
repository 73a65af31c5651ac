"""The left side of the playground: which machines, which kernel, how much weight errors get."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal
from PySide6.QtWidgets import QComboBox, QGridLayout, QLabel, QSlider, QVBoxLayout, QWidget

from mcsvm_gui.core.base import figures
from mcsvm_gui.core.machine import names
from mcsvm_gui.core.playground.fit_options import COST_RANGE, GAMMA_RANGE
from mcsvm_gui.ui.kit.combos import Combo
from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.kit.labels import wrapped
from mcsvm_gui.ui.kit.nesting import nest
from mcsvm_gui.ui.kit.theme import UNIT
from mcsvm_gui.ui.plots.machine_list import MachineList

WIDTH = 26 * UNIT
PARTS = 2  # slider positions per power of two
WITH_GAMMA = tuple(kernel for kernel, declared in names.PARAMETERS.items() if "gamma" in declared)


class PlaygroundForm(QWidget):
    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setFixedWidth(WIDTH)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(UNIT)
        self._build_machines()
        self.kernel = self._combo("playgroundKernelCombo", tr("Kernel"), names.kernel_titles())
        self.cost, self._cost_words = self._slider("playgroundCostSlider", tr("C"), COST_RANGE)
        self.gamma, self._gamma_words = self._slider("playgroundGammaSlider", tr("Gamma"), GAMMA_RANGE)
        self.bias = self._combo("playgroundBiasCombo", tr("Bias"), names.bias_titles())
        self._column.addStretch(1)
        self._column.addWidget(_legend())
        self._say_numbers()

    def minimumSizeHint(self) -> QSize:
        """Return a size that includes the height of the wrapped legend: in a lower window the page scrolls."""
        return QSize(WIDTH, self._column.totalMinimumHeightForWidth(WIDTH))

    # -- building ---------------------------------------------------------------------------------

    def _build_machines(self) -> None:
        title = QLabel(tr("Machines"))
        self.machines = MachineList("playgroundMachineList")
        self.machines.changed.connect(self.changed)
        title.setBuddy(self.machines)
        self._column.addWidget(title)
        self._column.addWidget(self.machines)

    def _combo(self, name: str, title: str, entries: Mapping[str, str]) -> QComboBox:
        combo, label = Combo(), QLabel(title)
        combo.setObjectName(name)
        combo.setAccessibleName(title)
        for value, text in entries.items():
            combo.addItem(text, value)
        combo.currentIndexChanged.connect(self._changed)
        label.setBuddy(combo)
        self._column.addWidget(label)
        self._column.addWidget(combo)
        return combo

    def _slider(self, name: str, title: str, ends: tuple[int, int]) -> tuple[QSlider, QLabel]:
        slider, label, number = QSlider(Qt.Orientation.Horizontal), QLabel(title), QLabel()
        slider.setObjectName(name)
        slider.setAccessibleName(tr("{name}, as a power of 2", name=title))
        slider.setRange(PARTS * ends[0], PARTS * ends[1])
        slider.setPageStep(PARTS)
        slider.valueChanged.connect(self._changed)
        label.setBuddy(slider)
        number.setObjectName(f"{name}Value")
        number.setAlignment(Qt.AlignmentFlag.AlignRight)
        number.setProperty("role", "muted")
        grid = QGridLayout()
        grid.setSpacing(0)
        grid.addWidget(label, 0, 0)
        grid.addWidget(number, 0, 1)
        grid.addWidget(slider, 1, 0, 1, 2)
        nest(self._column, grid)
        return slider, number

    # -- values -----------------------------------------------------------------------------------

    def _changed(self) -> None:
        self._say_numbers()
        self.changed.emit()

    def _say_numbers(self) -> None:
        for slider, label in ((self.cost, self._cost_words), (self.gamma, self._gamma_words)):
            power = slider.value() / PARTS
            label.setText(f"2^{figures.number(power, 6)} = {figures.number(2.0**power, 5)}")
            slider.setAccessibleDescription(label.text())
        self.gamma.setEnabled(self.kernel.currentData() in WITH_GAMMA)

    def setting(self) -> dict[str, Any]:
        return {
            "machines": self.machines.ticked(),
            "kernel": self.kernel.currentData(),
            "log_cost": self.cost.value() / PARTS,
            "log_gamma": self.gamma.value() / PARTS,
            "bias": self.bias.currentData(),
        }

    def set_setting(self, values: Mapping[str, Any]) -> None:
        """Set the values without the signals of an edit by the user."""
        with QSignalBlocker(self):
            self.machines.tick(values["machines"])
            self.kernel.setCurrentIndex(self.kernel.findData(values["kernel"]))
            self.cost.setValue(round(PARTS * values["log_cost"]))
            self.gamma.setValue(round(PARTS * values["log_gamma"]))
            self.bias.setCurrentIndex(self.bias.findData(values["bias"]))
        self._say_numbers()


def _legend() -> QLabel:
    text = tr(
        "Solid line: the decision changes. Dashed: the margin. Ring: free support vector. Frame: support vector at"
        " its bound. Cross: wrong."
    )
    return wrapped("playgroundLegend", "muted", text)
