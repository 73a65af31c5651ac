"""Costs of errors, the smallest probability for a prediction, and their consequences on the test rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QLocale, QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QDoubleSpinBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from mcsvm_gui.core.data.costs import BY_HAND, PRESETS
from mcsvm_gui.ui.compare.panels import Panel
from mcsvm_gui.ui.kit import file_dialogs
from mcsvm_gui.ui.kit.buttons import push_button
from mcsvm_gui.ui.kit.class_tables.costs import CostTableView
from mcsvm_gui.ui.kit.combos import Combo
from mcsvm_gui.ui.kit.i18n import language, tr
from mcsvm_gui.ui.kit.labels import show_text, wrapped
from mcsvm_gui.ui.kit.nesting import nest
from mcsvm_gui.ui.kit.theme import UNIT
from mcsvm_gui.ui.tables.result_view import ResultTableView

if TYPE_CHECKING:
    from mcsvm_gui.core.compare.evaluated_runs import Consequences, EvaluatedRun

NARROWEST = 34 * UNIT
SHARES = [46 * UNIT, 54 * UNIT]  # initial widths of the costs and of the consequences


class ThresholdView(Panel):
    """Setters and signals; the presenter knows the costs of each preset and computes the consequences."""

    run_chosen = Signal(int)
    preset_chosen = Signal(str)
    rule_changed = Signal(object, float)  # costs, smallest probability
    costs_file_chosen = Signal(str)
    costs_target_chosen = Signal(str, object)  # a path, costs
    model_target_chosen = Signal(str, object, float)  # a path, costs, smallest probability

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("thresholdView")
        self.setAccessibleName(tr("Decisions by cost"))
        self._build()
        split = QSplitter(Qt.Orientation.Horizontal)
        split.setObjectName("thresholdSplitter")
        split.setChildrenCollapsible(False)
        split.setHandleWidth(2 * UNIT)
        for side in (self._left(), self._right()):
            side.setMinimumWidth(NARROWEST)
            split.addWidget(side)
        split.setSizes(SHARES)
        self.words = wrapped("thresholdWords", "muted")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, UNIT, 0, 0)
        column.setSpacing(UNIT)
        column.addWidget(self.words)
        column.addWidget(split, 1)
        column.addStretch()  # if no run has probabilities, only the text is visible
        self._inside = split
        self.show_runs((), (), None)

    def _build(self) -> None:
        self.runs = _combo("thresholdRunCombo", tr("Run whose predictions are shown"))
        self.runs.currentIndexChanged.connect(lambda _: self._choose_run())
        self.presets = _combo("costPresetCombo", tr("Costs to begin with"))
        for name, text in PRESETS.items():
            self.presets.addItem(tr(text), name)
        self.presets.currentIndexChanged.connect(lambda _: self._choose_preset())
        self.reject = QDoubleSpinBox()
        self.reject.setObjectName("rejectSpin")
        self.reject.setAccessibleName(tr("Least probability of a prediction"))
        self.reject.setToolTip(
            tr("Rows are rejected if their most probable class is less probable than this; at 0 every row is predicted")
        )
        self.reject.setLocale(QLocale(language()))
        self.reject.setRange(0.0, 0.99)
        self.reject.setSingleStep(0.05)
        self.reject.valueChanged.connect(lambda _: self._changed())
        self.table = CostTableView()
        self.table.costs.changed.connect(self._edited)
        self.table.costs.refused.connect(self._refuse)
        self.open_button = push_button("costOpenButton", tr("Open…"), "open", tr("Costs from a CSV file"))
        self.open_button.clicked.connect(self._ask_for_file)
        self.save_button = push_button("costSaveButton", tr("Save…"), "save", tr("These costs as a CSV file"))
        self.save_button.clicked.connect(self._ask_for_target)
        self.keep_button = push_button(
            "keepRuleButton",
            tr("Save the model with this rule…"),
            "save",
            tr("Save a model file that predicts with these costs"),
        )
        self.keep_button.clicked.connect(self._ask_for_model)
        self.result, self.trouble = wrapped("thresholdResult"), wrapped("thresholdTrouble", "bad")
        self.trouble.hide()
        self.confusion = ResultTableView("thresholdConfusion", tr("Confusion under these costs"), 14 * UNIT)
        self.confusion.save_asked.connect(self.save_asked)

    def _left(self) -> QWidget:
        left = QWidget()
        form = QGridLayout()
        form.setSpacing(UNIT)
        rows = (tr("Run"), self.runs), (tr("Costs"), self.presets), (tr("Least probability"), self.reject)
        for place, (text, field) in enumerate(rows):
            title = QLabel(text)
            title.setBuddy(field)
            form.addWidget(title, place, 0)
            form.addWidget(field, place, 1)
        form.setColumnStretch(2, 1)
        buttons = QHBoxLayout()
        buttons.setSpacing(UNIT)
        buttons.addWidget(self.open_button)
        buttons.addWidget(self.save_button)
        buttons.addStretch()
        column = QVBoxLayout(left)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(UNIT)
        nest(column, form)
        column.addWidget(self.table, 1)
        column.addWidget(self.trouble)
        nest(column, buttons)
        return left

    def _right(self) -> QWidget:
        right = QWidget()
        column = QVBoxLayout(right)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(UNIT)
        column.addWidget(self.result)
        column.addWidget(self.confusion, 1)
        column.addWidget(self.keep_button, 0, Qt.AlignmentFlag.AlignLeft)
        return right

    # -- contents ---------------------------------------------------------------------------------

    def show_runs(self, runs: Sequence[EvaluatedRun], said: Sequence[str], chosen: int | None) -> None:
        """Show the runs with probabilities."""
        with QSignalBlocker(self.runs):
            self.runs.clear()
            for one in runs:
                self.runs.addItem(one.label, one.run)
            self.runs.setCurrentIndex(max(self.runs.findData(chosen), 0) if runs else -1)
        show_text(self.words, " ".join(said))
        self._inside.setVisible(bool(runs))
        if not runs:
            self.result.setText("")

    def show_rule(self, names: Sequence[str], costs: np.ndarray, preset: str, reject: float | None = None) -> None:
        """Show a rule without emitting signals."""
        with QSignalBlocker(self.table.costs), QSignalBlocker(self.presets), QSignalBlocker(self.reject):
            self.presets.setCurrentIndex(self.presets.findData(preset))
            if reject is not None:
                self.reject.setValue(reject)
        self.table.costs.show(names, costs)
        self._refuse("")

    def show_consequences(self, found: Consequences) -> None:
        self.result.setText(found.sentence)
        self.confusion.show_table(found.confusion)

    def show_error(self, sentence: str) -> None:
        self._refuse(sentence)

    @property
    def rule(self) -> tuple[np.ndarray, float]:
        return self.table.costs.costs.copy(), self.reject.value()

    def plain(self) -> tuple[list[str], list[list[object]]]:
        return self.confusion.plain()

    # -- actions of the user ----------------------------------------------------------------------

    def _choose_run(self) -> None:
        if self.runs.currentData() is not None:
            self.run_chosen.emit(self.runs.currentData())

    def _choose_preset(self) -> None:
        if self.presets.currentData() != BY_HAND:
            self.preset_chosen.emit(self.presets.currentData())

    def _edited(self) -> None:
        with QSignalBlocker(self.presets):
            self.presets.setCurrentIndex(self.presets.findData(BY_HAND))
        self._changed()

    def _changed(self) -> None:
        self.rule_changed.emit(*self.rule)

    def _refuse(self, sentence: str) -> None:
        show_text(self.trouble, sentence)

    def _ask_for_file(self) -> None:
        file_dialogs.choose(self, tr("Open costs"), "csv", "", self.costs_file_chosen.emit)

    def _ask_for_target(self) -> None:
        file_dialogs.choose_target(
            *(self, tr("Save the costs"), "csv", "costs.csv", ".csv"),
            lambda path: self.costs_target_chosen.emit(path, self.rule[0]),
        )

    def _ask_for_model(self) -> None:
        file_dialogs.choose_target(
            *(self, tr("Save the model"), "model", "model.mcsvm", ".mcsvm"),
            lambda path: self.model_target_chosen.emit(path, *self.rule),
        )


def _combo(name: str, title: str) -> QComboBox:
    combo = Combo()
    combo.setObjectName(name)
    combo.setAccessibleName(title)
    combo.setMinimumContentsLength(24)
    return combo
