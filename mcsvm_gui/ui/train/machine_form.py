"""The form of a machine: it shows the possible choices and why others are impossible; the presenter decides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QStandardItemModel

from mcsvm_gui.core.base import figures
from mcsvm_gui.core.machine import names
from mcsvm_gui.core.machine.form import ASKED
from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.kit.labels import show_text, wrapped
from mcsvm_gui.ui.kit.option_form import OptionForm

if TYPE_CHECKING:
    from mcsvm_gui.core.machine.choices import Choices, FormChoice


class MachineForm(OptionForm):
    NAMES: ClassVar = {
        "C": "costEdit",
        "tol": "toleranceEdit",
        "gap_tol": "gapToleranceEdit",
        "max_iter": "stepLimitEdit",
        "cache_mb": "cacheEdit",
        "scheduler": "trainSchedulerEdit",
        "reset": "trainResetButton",
    }

    def __init__(self) -> None:
        super().__init__()
        self._shown: Choices | None = None
        self.about, self.reason = wrapped("machineAbout", "muted"), wrapped("reasonLabel", "warning")
        self.about.hide()
        self.reason.hide()
        words = {name: titles() for name, titles in names.TITLES.items()}
        for name, option in ASKED.items():
            if option.train == "first":
                self.add_option(option, words.get(name))
            if name == "machine":
                self.add_wide(self.about)
        self.fold(tr("More options of the machine"))
        self.add_by_use((option for option in ASKED.values() if option.train == "more"), words)
        self.add_wide(self.reason)
        self.end()
        self.show_parameters(("gamma",))

    # -- possible choices -------------------------------------------------------------------------

    def show_choices(self, choices: Choices) -> None:
        if choices == self._shown:
            return
        self._shown = choices
        with QSignalBlocker(self):
            self._offer("machine", choices.machines, names.machine_titles())
            self._offer("solver", choices.solvers, names.solver_titles())
            self._offer("kernel", choices.kernels, names.translated({**names.KERNELS, **names.NOT_FOR_FILES}))
            self._offer("bias", choices.biases, names.bias_titles())
        default = names.bias_titles()[choices.default_bias].lower()
        self.combos["bias"].setItemText(0, tr("Default: {bias}", bias=default))
        self.edits["margin"].setPlaceholderText(
            tr("{margin}, the machine's own", margin=figures.number(choices.own_margin, 4))
        )
        chosen = {choice.name: choice for choice in choices.machines}[self.combos["machine"].currentData()]
        about = tr(chosen.about)
        show_text(self.about, f"{about[:1].upper()}{about[1:]}.")
        self.show_parameters(choices.parameters)
        show_text(self.reason, choices.reason or "")

    def _offer(self, key: str, entries: Sequence[FormChoice], known: Mapping[str, str]) -> None:
        """Offer entries. Impossible ones stay, greyed out and with the reason, so that users find them."""
        combo = self.combos[key]
        model = combo.model()
        assert isinstance(model, QStandardItemModel)
        for choice in entries:
            place = combo.findData(choice.name)
            if place < 0:
                if choice.more and not any(other.more and combo.findData(other.name) >= 0 for other in entries):
                    combo.insertSeparator(combo.count())
                combo.addItem(known.get(choice.name, tr(choice.title)), choice.name)
                place = combo.count() - 1
            model.item(place).setEnabled(choice.reason is None)
            combo.setItemData(place, choice.reason or tr(choice.about), Qt.ItemDataRole.ToolTipRole)
