"""A factor on C for each class, in a table: none, balanced or by hand."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QComboBox, QHeaderView, QTableWidget, QTableWidgetItem, QWidget

from mcsvm.solvers.errors import InputError
from mcsvm_gui.core.base import figures
from mcsvm_gui.core.base.i18n import worded
from mcsvm_gui.core.base.i18n.terms import meaning
from mcsvm_gui.core.machine.form import BALANCED, BY_HAND, class_factors, class_weight_text
from mcsvm_gui.ui.kit.combos import Combo
from mcsvm_gui.ui.kit.dialog import Dialog
from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.kit.labels import selectable, show_text
from mcsvm_gui.ui.kit.theme import UNIT

FACTOR = 2  # the column that can be edited


class ClassWeightsDialog(Dialog):
    chosen = Signal(str)  # the entry of the form

    def __init__(self, parent: QWidget, entry: str, totals: Mapping[str, float]) -> None:
        """Build the dialog; `totals` has the rows of each class, or the sum of their weights."""
        super().__init__(parent, "classWeightDialog", tr("Class weights"), 52 * UNIT, 48 * UNIT)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._totals = totals
        self.body.addWidget(selectable("", "muted", tr("An error in a class costs C times its factor.")))
        self.preset = self._presets()
        self.table = self._table()
        self.error = selectable("classWeightError", "bad")
        self.error.hide()
        for widget in (self.preset, self.table, self.error):
            self.body.addWidget(widget)
        self.take = self.add_button("takeClassWeightsButton", tr("Apply"))
        self.take.setDefault(True)
        self.take.clicked.connect(self._take)
        way, factors = class_factors(entry, totals)
        self._show(way, factors)

    def _presets(self) -> QComboBox:
        combo = Combo()
        combo.setObjectName("classWeightPreset")
        combo.setAccessibleName(tr("Class weights of the errors"))
        combo.addItem(tr("None: every class alike"), "")
        combo.addItem(tr("Balanced: rare classes weigh more"), BALANCED)
        combo.addItem(tr("By hand"), BY_HAND)
        combo.activated.connect(self._choose)
        return combo

    def _table(self) -> QTableWidget:
        table = QTableWidget(len(self._totals), 3)
        table.setObjectName("classWeightTable")
        table.setAccessibleName(tr("Factor of each class"))
        rows = all(isinstance(total, int) for total in self._totals.values())
        titles = tr("Class"), tr("Rows") if rows else tr("Weight"), tr("Factor")
        for column, title in enumerate(titles):
            heading = QTableWidgetItem(title)
            heading.setWhatsThis(meaning(title))
            table.setHorizontalHeaderItem(column, heading)
        table.verticalHeader().hide()
        table.horizontalHeader().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        for row, (name, total) in enumerate(self._totals.items()):
            for column, text in enumerate((name, figures.amount(total), "")):
                item = QTableWidgetItem(text)
                if column != FACTOR:
                    item.setFlags(item.flags() & ~Qt.ItemFlag.ItemIsEditable)
                if column:
                    item.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
                table.setItem(row, column, item)
        table.itemChanged.connect(self._edited)
        return table

    def _show(self, way: str, factors: Mapping[str, str]) -> None:
        self.preset.setCurrentIndex(self.preset.findData(way))
        with QSignalBlocker(self.table):
            for row, name in enumerate(self._totals):
                self._item(row).setText(figures.entry(factors[name]))
        self._check()

    def _item(self, row: int) -> QTableWidgetItem:
        item = self.table.item(row, FACTOR)
        assert item is not None
        return item

    def _choose(self) -> None:
        """Show the factors of the chosen preset; "By hand" keeps the current ones."""
        way = self.preset.currentData()
        if way == BY_HAND:
            self._check()
        else:
            self._show(way, class_factors(way, self._totals)[1])

    def _edited(self) -> None:
        self.preset.setCurrentIndex(self.preset.findData(BY_HAND))
        self._check()

    def _entry(self) -> str:
        """Return the entry of the form for the table; raise InputError if a factor is invalid."""
        if self.preset.currentData() != BY_HAND:
            return str(self.preset.currentData())
        return class_weight_text(
            {name: figures.entered(self._item(row).text()) for row, name in enumerate(self._totals)}
        )

    def _check(self) -> None:
        said = ""
        try:
            self._entry()
        except InputError as error:
            said = worded(error)
        show_text(self.error, said)
        self.table.setAccessibleDescription(said)
        self.take.setEnabled(not said)

    def _take(self) -> None:
        self.chosen.emit(self._entry())
        self.close()
