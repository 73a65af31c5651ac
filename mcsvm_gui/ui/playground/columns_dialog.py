"""The dialog that chooses two columns as the axes of the playground."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QFormLayout, QWidget

from mcsvm_gui.ui.kit.combos import Combo
from mcsvm_gui.ui.kit.dialog import Dialog
from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.kit.nesting import nest
from mcsvm_gui.ui.kit.theme import UNIT


class ColumnsDialog(Dialog):
    chosen = Signal(int, int)

    def __init__(self, parent: QWidget, columns: Sequence[tuple[int, str]]) -> None:
        super().__init__(parent, "columnsDialog", tr("Two columns"), 44 * UNIT, 20 * UNIT)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        form = QFormLayout()
        self.across = self._combo(form, "acrossCombo", tr("Across"), columns, 0)
        self.up = self._combo(form, "upCombo", tr("Upwards"), columns, 1)
        nest(self.body, form)
        take = self.add_button("takeColumnsButton", tr("Apply"))
        take.setDefault(True)
        take.setEnabled(bool(columns))
        take.clicked.connect(self._take)

    def _combo(
        self, form: QFormLayout, name: str, title: str, columns: Sequence[tuple[int, str]], first: int
    ) -> QComboBox:
        combo = Combo()
        combo.setObjectName(name)
        combo.setAccessibleName(title)
        for position, text in columns:
            combo.addItem(text, position)
        combo.setCurrentIndex(min(first, combo.count() - 1))
        form.addRow(title, combo)
        return combo

    def _take(self) -> None:
        self.chosen.emit(self.across.currentData(), self.up.currentData())
        self.close()
