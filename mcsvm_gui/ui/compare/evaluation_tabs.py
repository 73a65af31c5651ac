"""The tabs of an evaluation: ROC, precision-recall, calibration, decisions by cost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from mcsvm_gui.ui.compare.panels import Panel
from mcsvm_gui.ui.compare.ranking_panel import calibration_panel, precision_panel, roc_panel
from mcsvm_gui.ui.compare.thresholds import ThresholdView
from mcsvm_gui.ui.kit.i18n import tr

if TYPE_CHECKING:
    from mcsvm_gui.core.compare.evaluated_runs import Consequences, EvaluatedRun


class EvaluationTabs(QObject):
    """Setters and signals of all four tabs."""

    evaluation_seen = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.roc, self.precision, self.calibration = roc_panel(), precision_panel(), calibration_panel()
        self.thresholds = ThresholdView()
        self.plots = self.roc.plot, self.precision.plot, self.calibration.plot
        for panel, _ in self.named:
            panel.seen.connect(self.evaluation_seen)
        self.run_chosen, self.preset_chosen = self.thresholds.run_chosen, self.thresholds.preset_chosen
        self.rule_changed = self.thresholds.rule_changed
        self.costs_file_chosen = self.thresholds.costs_file_chosen
        self.costs_target_chosen = self.thresholds.costs_target_chosen
        self.model_target_chosen = self.thresholds.model_target_chosen

    @property
    def named(self) -> tuple[tuple[Panel, str], ...]:
        return (
            *((self.roc, tr("ROC")), (self.precision, tr("Precision-recall"))),
            *((self.calibration, tr("Calibration")), (self.thresholds, tr("Decisions"))),
        )

    def evaluation_is_seen(self) -> bool:
        return any(panel.isVisible() for panel, _ in self.named)

    @property
    def rule(self) -> tuple[np.ndarray, float]:
        return self.thresholds.rule

    def show_evaluated(self, runs: Sequence[EvaluatedRun], notes: Sequence[str], more: Sequence[str]) -> None:
        """Show evaluated runs. `more`: notes for the tabs that need probabilities."""
        self.roc.show_runs(runs, notes)
        self.precision.show_runs(runs, notes)
        self.calibration.show_runs(runs, more)

    def show_priced_runs(self, runs: Sequence[EvaluatedRun], notes: Sequence[str], chosen: int | None) -> None:
        self.thresholds.show_runs(runs, notes, chosen)

    def show_rule(self, names: Sequence[str], costs: np.ndarray, preset: str, reject: float | None = None) -> None:
        self.thresholds.show_rule(names, costs, preset, reject)

    def show_consequences(self, found: Consequences) -> None:
        self.thresholds.show_consequences(found)

    def show_cost_error(self, sentence: str) -> None:
        self.thresholds.show_error(sentence)
