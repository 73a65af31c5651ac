"""The line above the comparison: differences, progress, and buttons to copy, save and report."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLabel, QWidget

from mcsvm_gui.ui.kit import report_menu
from mcsvm_gui.ui.kit.buttons import labelled, python_button
from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.kit.theme import UNIT


class CompareTools(QWidget):
    report_chosen = Signal(str)  # the suffix of its file

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("compareTools")
        self.differences = QCheckBox(tr("Hide equal measures"))
        self.differences.setObjectName("differencesOnlyCheck")
        self.differences.setAccessibleName(tr("Hide equal measures"))
        self.differences.setToolTip(tr("Show only the measures in which the chosen runs differ"))
        self.progress = QLabel()
        self.progress.setObjectName("compareProgress")
        self.progress.setProperty("role", "muted")
        self.progress.setTextFormat(Qt.TextFormat.PlainText)
        self.copy_button = labelled("compareCopyButton", tr("Copy"), tr("Copy what is shown"), "copy")
        self.save_button = labelled("compareSaveButton", tr("Save…"), tr("Save the table as CSV"), "save")
        words = tr("Copy the chosen runs as a Python script that gives the same numbers")
        self.python_button = python_button("comparePythonButton", words)
        words = tr("Save these runs as an experiment that mcsvm run replays")
        self.experiment_button = labelled("saveExperimentButton", tr("Experiment…"), words, "export")
        self.report_button = report_menu.report_button()
        self._buttons = self.copy_button, self.save_button, self.experiment_button, self.report_button
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(UNIT)
        row.addWidget(self.differences)
        row.addWidget(self.progress, 1)
        for button in (self.copy_button, self.python_button, *self._buttons[1:]):
            row.addWidget(button)

    def show_texts(self, shown: bool) -> None:
        for button in self._buttons:
            button.show_texts(shown)

    def enable(self, something: bool, picture: bool) -> None:
        """Enable copying and saving if there is `something` to copy; `picture`: it is a plot."""
        for button in (self.copy_button, self.save_button):
            button.setEnabled(something)
        self.save_button.setToolTip(tr("Save the plot") if picture else tr("Save the table as CSV"))

    def set_formats(self, formats: Sequence[tuple[str, str]]) -> None:
        report_menu.offer(self.report_button, formats, self.report_chosen.emit)
