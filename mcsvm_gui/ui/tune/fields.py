"""The left side of the Tune page: which machines, which ranges, how they are searched. It decides nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QLineEdit, QPushButton, QWidget

from mcsvm_gui.core.machine import names
from mcsvm_gui.core.tune.form import OF_REQUEST
from mcsvm_gui.core.tune.options import RANGES, SEARCH_OPTIONS, SEARCHES
from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.kit.labels import set_role, wrapped
from mcsvm_gui.ui.kit.option_form import OptionForm
from mcsvm_gui.ui.plots.machine_list import MachineList


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
        words = {"kernel": names.kernel_titles(), "search": names.translated(SEARCHES)}
        options = (*OF_REQUEST.values(), *RANGES.values(), *SEARCH_OPTIONS.values())
        for option in options:
            if option in RANGES.values():
                self.add_range(option)
            elif option.tune == "first":
                self.add_option(option, words.get(option.name))
        self.fold(tr("More options of the search"))
        self.add_by_use((option for option in options if option.tune == "more"), words)
        self._build_cluster()
        self.end()

    # -- building ---------------------------------------------------------------------------------

    def _build_machines(self) -> None:
        self.machines = MachineList("tuneMachineList")
        self.machines.changed.connect(self.changed)
        self.add_wide(self.machines)
        self._add_error("machines", self.machines)

    def _build_cluster(self) -> None:
        self.test = QPushButton(tr("Test"))
        self.test.setObjectName("schedulerTestButton")
        self.test.setAccessibleName(tr("Test the cluster"))
        self.test.clicked.connect(self.test_asked)
        self.cluster = wrapped("schedulerReason")
        self.cluster.hide()
        self._rows["scheduler"] = *self._rows["scheduler"], self.test, self.cluster
        self._grid.addWidget(self.test, self._grid.rowCount(), 1)
        self.add_wide(self.cluster)

    @property
    def scheduler(self) -> QLineEdit:
        return self.edits["scheduler"]

    # -- what was entered -------------------------------------------------------------------------

    def texts(self) -> dict[str, str]:
        return {"machines": ",".join(self.machines.ticked()), **super().texts()}

    def set_texts(self, texts: Mapping[str, str]) -> None:
        """Without a word to those who listen for the user."""
        with QSignalBlocker(self):
            self.machines.tick(texts.get("machines", "").split(","))
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
        self.close_tables(busy)
