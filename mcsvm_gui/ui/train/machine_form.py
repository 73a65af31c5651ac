"""The form of a machine: it shows what can be chosen and why something cannot, and decides nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import QComboBox, QGridLayout, QLabel, QLineEdit, QSizePolicy, QToolButton, QWidget

from mcsvm_gui.core.machine import names
from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.kit.theme import UNIT
from mcsvm_gui.ui.train.machine_fields import Field, fields, more_fields

if TYPE_CHECKING:
    from mcsvm_gui.core.machine.choices import Choice, Choices

OF_KERNEL = "gamma", "degree", "coef0"
SHORTEST = 14  # characters that a list shows at least


class MachineForm(QWidget):
    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.combos: dict[str, QComboBox] = {}
        self.edits: dict[str, QLineEdit] = {}
        self._rows: dict[str, tuple[QWidget, ...]] = {}
        self._errors: dict[str, QLabel] = {}
        self._shown: Choices | None = None
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(UNIT)
        self._grid.setVerticalSpacing(UNIT)
        self._grid.setColumnStretch(1, 1)
        self._build()
        self._show_more(False)
        self.show_parameters(("gamma",))

    def _build(self) -> None:
        self._add_combo("machine", "machineCombo", tr("Machine"), names.machine_words())
        self.about = _wrapped("machineAbout", "muted")
        self._grid.addWidget(self.about, self._grid.rowCount(), 0, 1, 2)
        self._add_combo("solver", "solverCombo", tr("Solver"), names.solver_words())
        kernels = {name: text for name, text in names.kernel_words().items() if name != "precomputed"}
        self._add_combo("kernel", "kernelCombo", tr("Kernel"), kernels)
        common = fields()
        for field in common[:-1]:
            self._add_edit(field)
        self._add_combo("bias", "biasCombo", tr("Bias"), names.bias_words())
        self._add_edit(common[-1])
        self.more = QToolButton()
        self.more.setObjectName("moreButton")
        self.more.setText(tr("More"))
        self.more.setAccessibleName(tr("More options of the machine"))
        self.more.setCheckable(True)
        self.more.setAutoRaise(True)
        self.more.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.more.toggled.connect(self._show_more)
        self._grid.addWidget(self.more, self._grid.rowCount(), 0, 1, 2)
        for field in more_fields():
            self._add_edit(field)
        self.reason = _wrapped("reasonLabel", "warning")
        self._grid.addWidget(self.reason, self._grid.rowCount(), 0, 1, 2)
        self._grid.setRowStretch(self._grid.rowCount(), 1)

    def _add_combo(self, key: str, name: str, title: str, entries: Mapping[str, str]) -> None:
        combo = QComboBox()
        combo.setObjectName(name)
        combo.setAccessibleName(title)
        combo.setMinimumContentsLength(SHORTEST)
        combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        combo.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        for value, text in entries.items():
            combo.addItem(text, value)
        combo.currentIndexChanged.connect(lambda _: self.changed.emit())
        self.combos[key] = combo
        self._add_row(title, combo)

    def _add_edit(self, field: Field) -> None:
        edit = QLineEdit()
        edit.setObjectName(field.name)
        edit.setAccessibleName(field.title)
        edit.setToolTip(field.tip)
        edit.setPlaceholderText(f"{field.hint} {field.unit}".strip())
        edit.setAlignment(Qt.AlignmentFlag.AlignRight)
        edit.textChanged.connect(lambda _: self.changed.emit())
        self.edits[field.key] = edit
        label = self._add_row(field.title, edit)
        error = self._errors[field.key] = _wrapped(f"{field.name}Error", "bad")
        self._grid.addWidget(error, self._grid.rowCount(), 0, 1, 2)
        self._rows[field.key] = label, edit

    def _add_row(self, title: str, control: QWidget) -> QLabel:
        label = QLabel(title)
        label.setBuddy(control)
        row = self._grid.rowCount()
        self._grid.addWidget(label, row, 0)
        self._grid.addWidget(control, row, 1)
        return label

    # -- what was entered -------------------------------------------------------------------------

    def texts(self) -> dict[str, str]:
        entered = {key: edit.text() for key, edit in self.edits.items()}
        return {**entered, **{key: str(combo.currentData() or "") for key, combo in self.combos.items()}}

    def set_texts(self, texts: Mapping[str, str]) -> None:
        """Without a word to those who listen for the user."""
        with QSignalBlocker(self):
            for key, edit in self.edits.items():
                edit.setText(texts.get(key, ""))
            for key, combo in self.combos.items():
                combo.setCurrentIndex(max(combo.findData(texts.get(key, "")), 0))
            self.more.setChecked(any(texts.get(field.key) for field in more_fields()))

    # -- what can be entered ----------------------------------------------------------------------

    def show_choices(self, choices: Choices) -> None:
        if choices == self._shown:
            return
        self._shown = choices
        with QSignalBlocker(self):
            self._offer("machine", choices.machines, names.machine_words())
            self._offer("solver", choices.solvers, names.solver_words())
            self._offer("kernel", choices.kernels, names.kernel_words())
            self._offer("bias", choices.biases, names.bias_words())
        own = names.bias_words()[choices.own_bias].lower()
        self.combos["bias"].setItemText(0, tr("The machine's own: {bias}", bias=own))
        self.edits["margin"].setPlaceholderText(tr("{margin}, the machine's own", margin=f"{choices.own_margin:.4g}"))
        chosen = {choice.name: choice for choice in choices.machines}[self.combos["machine"].currentData()]
        about = tr(chosen.about)
        _say(self.about, f"{about[:1].upper()}{about[1:]}.")
        self.show_parameters(choices.parameters)
        _say(self.reason, choices.reason or "")

    def _offer(self, key: str, entries: Sequence[Choice], known: Mapping[str, str]) -> None:
        """Impossible entries stay, greyed and with their reason, so that nobody looks for them in vain."""
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

    def show_parameters(self, parameters: Sequence[str]) -> None:
        """Only what the kernel declares is asked for."""
        for key in OF_KERNEL:
            for widget in self._rows[key]:
                widget.setVisible(key in parameters)

    def show_errors(self, errors: Mapping[str, str]) -> None:
        for key, label in self._errors.items():
            _say(label, errors.get(key, ""))
            self.edits[key].setAccessibleDescription(errors.get(key, ""))
        if any(field.key in errors for field in more_fields()):
            self.more.setChecked(True)  # what is wrong must be seen

    def _show_more(self, shown: bool) -> None:
        self.more.setArrowType(Qt.ArrowType.DownArrow if shown else Qt.ArrowType.RightArrow)
        for field in more_fields():
            for widget in self._rows[field.key]:
                widget.setVisible(shown)


def _wrapped(name: str, role: str) -> QLabel:
    label = QLabel()
    label.setObjectName(name)
    label.setProperty("role", role)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.hide()
    return label


def _say(label: QLabel, text: str) -> None:
    label.setText(text)
    label.setVisible(bool(text))
