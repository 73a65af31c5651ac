"""The left side of the Tune page: which machines, which ranges, how they are searched. It decides nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QLineEdit, QListWidget, QListWidgetItem, QPushButton, QWidget

from mcsvm_gui.core.machine import names
from mcsvm_gui.core.tune.form import OF_REQUEST
from mcsvm_gui.core.tune.options import RANGES, SEARCH_OPTIONS, SEARCHES
from mcsvm_gui.ui.kit import theme
from mcsvm_gui.ui.kit.dialog import set_role
from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.kit.option_form import OptionForm, wrapped
from mcsvm_gui.ui.kit.theme import UNIT
from mcsvm_gui.ui.plots.stroke import stroke_icon


class TuneFields(OptionForm):
    test_asked = Signal()
    PREFIX = "tune"
    NAMES: ClassVar = {
        "step": "gridStepEdit",
        "search": "searchCombo",
        "score": "scoreCombo",
        "budget": "budgetEdit",
        "folds": "foldsSpin",
        "jobs": "jobsSpin",
        "scheduler": "schedulerEdit",
        "C_from": "costFromEdit",
        "C_to": "costToEdit",
        "gamma_from": "gammaFromEdit",
        "gamma_to": "gammaToEdit",
    }

    def __init__(self) -> None:
        super().__init__()
        self._closed: dict[QWidget, str] = {}  # what cannot be entered, and why
        self._tips: dict[QWidget, str] = {}  # of the same, where it can
        self._build_machines()
        self._add_all("first")
        self.fold(tr("More options of the search"))
        self._add_all("more")
        self._build_cluster()
        self.end()
        theme.notifier().changed.connect(self._retheme)

    # -- building ---------------------------------------------------------------------------------

    def _add_all(self, place: str) -> None:
        words = {"kernel": names.kernel_words(), "search": names.words(SEARCHES)}
        ranges = list(RANGES.values()) if place == "first" else []
        for option in (*OF_REQUEST.values(), *ranges, *SEARCH_OPTIONS.values()):
            if option in ranges:
                self.add_range(option)
            elif option.tune == place:
                self.add_option(option, words.get(option.name))

    def _build_machines(self) -> None:
        self.machines = QListWidget()
        self.machines.setObjectName("tuneMachineList")
        self.machines.setAccessibleName(tr("Machines"))
        self.machines.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)  # what counts is ticked
        self.machines.setIconSize(QSize(4 * UNIT, 2 * UNIT))
        self.machines.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        for name, text in names.machine_words().items():
            item = QListWidgetItem(text)
            item.setData(Qt.ItemDataRole.UserRole, name)
            item.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsUserCheckable)
            item.setCheckState(Qt.CheckState.Checked)
            self.machines.addItem(item)
        self.machines.setCurrentRow(0)
        self.machines.itemChanged.connect(lambda _: self.changed.emit())
        self._retheme()
        rows = self.machines.count() * self.machines.sizeHintForRow(0)
        self.machines.setFixedHeight(rows + 2 * self.machines.frameWidth() + UNIT // 2)
        self.add_wide(self.machines)
        self._add_error("machines", self.machines)

    def _retheme(self) -> None:
        with QSignalBlocker(self.machines):
            for item in self._items():
                item.setIcon(stroke_icon(item.data(Qt.ItemDataRole.UserRole)))

    def _items(self) -> list[QListWidgetItem]:
        return [self.machines.item(row) for row in range(self.machines.count())]

    def _build_cluster(self) -> None:
        self.test = QPushButton(tr("Test"))
        self.test.setObjectName("schedulerTestButton")
        self.test.setAccessibleName(tr("Test the cluster"))
        self.test.clicked.connect(self.test_asked)
        self.cluster = wrapped("schedulerReason", "")
        self._rows["scheduler"] = *self._rows["scheduler"], self.test, self.cluster
        self._grid.addWidget(self.test, self._grid.rowCount(), 1)
        self.add_wide(self.cluster)

    @property
    def scheduler(self) -> QLineEdit:
        return self.edits["scheduler"]

    # -- what was entered -------------------------------------------------------------------------

    def texts(self) -> dict[str, str]:
        ticked = [item for item in self._items() if item.checkState() is Qt.CheckState.Checked]
        return {"machines": ",".join(item.data(Qt.ItemDataRole.UserRole) for item in ticked), **super().texts()}

    def set_texts(self, texts: Mapping[str, str]) -> None:
        """Without a word to those who listen for the user."""
        ticked = texts.get("machines", "").split(",")
        with QSignalBlocker(self):
            for item in self._items():
                on = item.data(Qt.ItemDataRole.UserRole) in ticked
                item.setCheckState(Qt.CheckState.Checked if on else Qt.CheckState.Unchecked)
            super().set_texts(texts)

    # -- what can be entered ----------------------------------------------------------------------

    def show_cluster(self, words: str, role: str, can_test: bool) -> None:
        """What is known of the cluster, and whether it can be asked."""
        self.cluster.setText(words)
        set_role(self.cluster, role)
        self.test.setEnabled(can_test)

    def close_field(self, key: str, why: str) -> None:
        """Nothing can be entered there; without a reason, it can."""
        widget = self._rows[key][-1] if key not in self.edits else self.edits[key]
        self._tips.setdefault(widget, widget.toolTip())
        self._closed[widget] = why
        widget.setToolTip(why or self._tips[widget])
        widget.setEnabled(not why)
        widget.setAccessibleDescription(why)

    def set_busy(self, busy: bool) -> None:
        """What is searched stays as it is while it is searched."""
        fields = self.edits, self.combos, self.spins, self.checks
        for widget in (self.machines, *(widget for kind in fields for widget in kind.values())):
            widget.setEnabled(not busy and not self._closed.get(widget))
