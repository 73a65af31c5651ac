"""All settings, built from their table. Every change takes effect at once; there is nothing to confirm."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QGridLayout, QLabel, QSpinBox, QWidget

from mcsvm_gui.core.base.settings import Setting
from mcsvm_gui.ui.kit.combos import Combo
from mcsvm_gui.ui.kit.dialog import Dialog
from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.kit.labels import selectable
from mcsvm_gui.ui.kit.nesting import nest
from mcsvm_gui.ui.kit.theme import UNIT


class SettingsDialog(Dialog):
    changed = Signal(str, object)  # key, value
    reset_asked = Signal()

    def __init__(self, parent: QWidget, settings: Iterable[Setting]) -> None:
        super().__init__(parent, "settingsDialog", tr("Settings"), 72 * UNIT, 48 * UNIT)
        self._editors: dict[str, QWidget] = {}
        shown = [setting for setting in settings if setting.label]
        for group, members in groupby(shown, key=lambda setting: setting.group):
            self._add_group(group, list(members))
        self.body.addStretch()
        self.add_button("resetButton", tr("Back to defaults"), "undo").clicked.connect(self.reset_asked)

    def _add_group(self, title: str, settings: list[Setting]) -> None:
        self.body.addWidget(selectable("", "heading", tr(title)))
        grid = QGridLayout()
        grid.setHorizontalSpacing(2 * UNIT)
        grid.setVerticalSpacing(UNIT // 2)
        grid.setContentsMargins(0, 0, 0, 2 * UNIT)
        grid.setColumnMinimumWidth(0, 22 * UNIT)
        grid.setColumnStretch(2, 1)
        for setting in settings:
            self._add_row(grid, setting)
        nest(self.body, grid)

    def _add_row(self, grid: QGridLayout, setting: Setting) -> None:
        editor = _EDITORS[str if setting.choices() else setting.kind](setting, self._tell)
        editor.setObjectName(f"{setting.key}Setting")
        editor.setAccessibleName(tr(setting.label))
        self._editors[setting.key] = editor
        row = grid.rowCount()
        if isinstance(editor, QCheckBox):
            grid.addWidget(editor, row, 1, 1, 2)
        else:
            label = QLabel(tr(setting.label))
            label.setBuddy(editor)
            editor.setFixedWidth(22 * UNIT)
            grid.addWidget(label, row, 0)
            grid.addWidget(editor, row, 1)
        if setting.help:
            editor.setAccessibleDescription(tr(setting.help))
            grid.addWidget(selectable("", "muted", tr(setting.help)), row + 1, 1, 1, 2)
            grid.setRowMinimumHeight(row + 2, UNIT // 2)

    def _tell(self, key: str, value: object) -> None:
        self.changed.emit(key, value)

    def set_value(self, key: str, value: Any) -> None:
        """Show a value without emitting `changed`."""
        editor = self._editors.get(key)
        if editor is None:
            return
        editor.blockSignals(True)
        if isinstance(editor, QCheckBox):
            editor.setChecked(value)
        elif isinstance(editor, QComboBox):
            editor.setCurrentIndex(editor.findData(value))
        elif isinstance(editor, QSpinBox):
            editor.setValue(value)
        editor.blockSignals(False)


def _combo(setting: Setting, tell: Any) -> QComboBox:
    combo = Combo()
    for value, text in setting.choices():
        combo.addItem(tr(text), value)
    combo.currentIndexChanged.connect(lambda: tell(setting.key, combo.currentData()))
    return combo


def _spin(setting: Setting, tell: Any) -> QSpinBox:
    spin = QSpinBox()
    spin.setRange(setting.lowest, setting.highest)
    spin.setAlignment(Qt.AlignmentFlag.AlignRight)
    spin.setKeyboardTracking(False)
    spin.valueChanged.connect(lambda value: tell(setting.key, value))
    return spin


def _check(setting: Setting, tell: Any) -> QCheckBox:
    check = QCheckBox(tr(setting.label))
    check.toggled.connect(lambda value: tell(setting.key, value))
    return check


_EDITORS = {str: _combo, int: _spin, bool: _check}
