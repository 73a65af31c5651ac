"""The left side of the Tune page: fields for machines, ranges and search method; the presenter decides."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QLineEdit

from mcsvm_gui.core.machine import names
from mcsvm_gui.core.tune.form import OF_REQUEST
from mcsvm_gui.core.tune.options import RANGES, SEARCH_OPTIONS, SEARCHES
from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.kit.option_form import OptionForm
from mcsvm_gui.ui.plots.machine_list import MachineList


class TuneFields(OptionForm):
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
        self.end()

    # -- building ---------------------------------------------------------------------------------

    def _build_machines(self) -> None:
        self.machines = MachineList("tuneMachineList")
        self.machines.changed.connect(self.changed)
        self.add_wide(self.machines)
        self._add_error("machines", self.machines)

    @property
    def scheduler(self) -> QLineEdit:
        return self.edits["scheduler"]

    # -- entries ----------------------------------------------------------------------------------

    def texts(self) -> dict[str, str]:
        return {"machines": ",".join(self.machines.ticked()), **super().texts()}

    def set_texts(self, texts: Mapping[str, str]) -> None:
        """Set the texts without the signals of an edit by the user."""
        with QSignalBlocker(self):
            self.machines.tick(texts.get("machines", "").split(","))
            super().set_texts(texts)

    # -- availability -----------------------------------------------------------------------------

    def set_busy(self, busy: bool) -> None:
        """Disable the fields while a search runs, because its settings cannot change."""
        fields = self.edits, self.combos, self.spins, self.checks
        for widget in (self.machines, *(widget for kind in fields for widget in kind.values())):
            widget.setEnabled(not busy and not self._closed.get(widget))
        self.close_tables(busy)
