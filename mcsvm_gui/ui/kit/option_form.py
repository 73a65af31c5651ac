"""A form built from tables of options: a title, a control and its error message; rarer options are under More."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import ClassVar, TypeVar

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QSizePolicy,
    QSpinBox,
    QToolButton,
    QWidget,
)

from mcsvm_gui.core.base import figures
from mcsvm_gui.core.base.i18n.terms import meaning
from mcsvm_gui.core.base.options import USES, Choice, Flag, Kind, Number, Option, Share, Weights
from mcsvm_gui.core.data.costs import Costs
from mcsvm_gui.core.data.files.address import Address
from mcsvm_gui.ui.kit import icons
from mcsvm_gui.ui.kit.class_tables.costs import CostsDialog
from mcsvm_gui.ui.kit.class_tables.weights import ClassWeightsDialog
from mcsvm_gui.ui.kit.combos import Combo
from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.kit.labels import set_role, show_text, wrapped
from mcsvm_gui.ui.kit.theme import UNIT

Control = TypeVar("Control", bound=QWidget)
SHORTEST = 12  # smallest number of characters that a list shows
# Kinds of option that are entered more easily in a table of the classes.
TABLES: dict[type[Kind], type[ClassWeightsDialog | CostsDialog]] = {Weights: ClassWeightsDialog, Costs: CostsDialog}


class OptionForm(QWidget):
    """Controls by the names of their options. `NAMES` has the object names that do not follow from their option."""

    changed = Signal()
    test_asked = Signal()  # for the cluster whose address was entered
    reset_asked = Signal()  # the user asked for the defaults
    NAMES: ClassVar[Mapping[str, str]] = {}
    PREFIX = ""

    def __init__(self) -> None:
        super().__init__()
        self.edits: dict[str, QLineEdit] = {}
        self._numbers: set[str] = set()  # edits that take one number, in the notation of the language
        self.combos: dict[str, QComboBox] = {}
        self.spins: dict[str, QSpinBox] = {}
        self.checks: dict[str, QCheckBox] = {}
        self._rows: dict[str, tuple[QWidget, ...]] = {}
        self._errors: dict[str, QLabel] = {}
        self._of_kernel: set[str] = set()
        self._folded: dict[str, str] = {}  # options under More, with their defaults
        self.more, self._folding = QToolButton(), False
        self._headings: dict[str, QLabel] = {}  # under More, by the use of the options below
        self._uses: dict[str, str] = {}  # uses of the options under More
        self._undeclared: set[str] = set()
        self._classes: dict[str, float] = {}
        self._tables: dict[str, QToolButton] = {}
        self._tables_closed = False
        self._closed: dict[QWidget, str] = {}  # controls that are disabled, with the reason
        self._tips: dict[QWidget, str] = {}  # tooltips of the same controls while they are enabled
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(UNIT)
        self._grid.setVerticalSpacing(UNIT)
        self._grid.setColumnStretch(1, 1)

    def object_name(self, key: str, kind: str) -> str:
        first, *rest = (self.PREFIX, *key.split("_")) if self.PREFIX else key.split("_")
        return self.NAMES.get(key, first + "".join(part[:1].upper() + part[1:] for part in rest) + kind)

    # -- building ---------------------------------------------------------------------------------

    def add_option(self, option: Option, words: Mapping[str, str] | None = None) -> None:
        """Add a control for an option; `words` has the entries of a list, by value."""
        if option.of_kernel:
            self._of_kernel.add(option.name)
        if self._folding:
            self._folded[option.name] = option.default_text
        title, tip = tr(option.title), tr(option.help)
        if words is None and isinstance(option.kind, Choice):
            words = {word: tr(title) for word, title in option.kind.entries.items()}
        if isinstance(option.kind, Flag):
            self._add_check(option.name, title, tip)
        elif words is not None:
            self._add_row(option.name, title, self._combo(option.name, title, tip, words))
        elif option.spin:
            self._add_row(option.name, title, self._spin(option, title, tip))
        else:
            edit = self._edit(option.name, title, tip, hint_of(option))
            if isinstance(option.kind, Number | Share):
                self._numbers.add(option.name)
            tabled = type(option.kind) in TABLES
            self._add_row(option.name, title, self._with_table(option, edit) if tabled else edit)
            if isinstance(option.kind, Address):
                self._add_test(option.name, edit.objectName().removesuffix("Edit"))

    def add_range(self, option: Option) -> None:
        """Add two number fields, from and to."""
        if option.of_kernel:
            self._of_kernel.add(option.name)
        title, tip = tr(option.title), tr("A number, or a power such as 2^-3")
        pair = QWidget()
        row = QHBoxLayout(pair)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(UNIT)
        ends = tuple(f"{option.name}_{end}" for end in ("from", "to"))
        self._numbers.update(ends)
        row.addWidget(self._edit(ends[0], tr("Smallest {name}", name=title), tip))
        row.addWidget(QLabel(tr("to")))
        row.addWidget(self._edit(ends[1], tr("Largest {name}", name=title), tip))
        self._add_row(option.name, title, pair, errors_of=ends)

    def fold(self, explained: str) -> None:
        """Put all options that are added later under More."""
        self._folding = True
        self.more.setObjectName(self.object_name("more", "Button"))
        self.more.setText(tr("More"))
        self.more.setAccessibleName(explained)
        self.more.setCheckable(True)
        self.more.setAutoRaise(True)
        self.more.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.more.toggled.connect(self._show_more)
        reset = QToolButton()
        reset.setObjectName(self.object_name("reset", "Button"))
        reset.setText(tr("Reset to defaults"))
        reset.setAccessibleName(reset.text())
        reset.setToolTip(tr("Set all options of this form to their defaults"))
        reset.setAutoRaise(True)
        reset.clicked.connect(self.reset_asked)
        line = QWidget()
        row = QHBoxLayout(line)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.more)
        row.addStretch(1)
        row.addWidget(reset)
        self._grid.addWidget(line, self._grid.rowCount(), 0, 1, 2)

    def add_by_use(self, options: Iterable[Option], words: Mapping[str, Mapping[str, str]]) -> None:
        """Add options under More, grouped by use, each group under its heading."""
        options = list(options)
        for use, title in USES.items():
            members = [option for option in options if option.use == use]
            if members and title:
                heading = self._headings[use] = QLabel(tr(title))
                heading.setProperty("role", "muted")
                self.add_wide(heading)
            for option in members:
                self.add_option(option, words.get(option.name))
                self._uses[option.name] = use

    def end(self) -> None:
        self._show_more(False)
        self._grid.setRowStretch(self._grid.rowCount(), 1)

    def add_wide(self, widget: QWidget) -> None:
        self._grid.addWidget(widget, self._grid.rowCount(), 0, 1, 2)

    def _combo(self, key: str, title: str, tip: str, words: Mapping[str, str]) -> QComboBox:
        combo = self.combos[key] = Combo()
        combo.setMinimumContentsLength(SHORTEST)
        combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        combo.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        for value, text in words.items():
            combo.addItem(text, value)
        combo.currentIndexChanged.connect(lambda _: self.changed.emit())
        return self._named(combo, self.object_name(key, "Combo"), title, tip)

    def _edit(self, key: str, title: str, tip: str, hint: str = "") -> QLineEdit:
        edit = self.edits[key] = QLineEdit()
        edit.setPlaceholderText(hint)
        edit.setAlignment(Qt.AlignmentFlag.AlignRight)
        edit.textChanged.connect(lambda _: self.changed.emit())
        return self._named(edit, self.object_name(key, "Edit"), title, tip)

    def _add_test(self, key: str, name: str) -> None:
        """Add a button below the address of a cluster that tests it, and a label for the answer."""
        self.test, self.cluster = QPushButton(tr("Test")), wrapped(f"{name}Reason")
        self._named(self.test, f"{name}TestButton", tr("Test the cluster"), "")
        self.test.clicked.connect(self.test_asked)
        self.cluster.hide()
        self._rows[key] = *self._rows[key], self.test, self.cluster
        self._grid.addWidget(self.test, self._grid.rowCount(), 1)
        self.add_wide(self.cluster)

    def _with_table(self, option: Option, edit: QLineEdit) -> QWidget:
        button = QToolButton()
        icons.put(button, "data")
        title = tr("{title} in a table", title=tr(option.title))
        self._tables[option.name] = self._named(button, self.object_name(option.name, "Button"), title, title)
        button.clicked.connect(lambda: self._open_table(option.kind, edit))
        self._show_classes_known()
        pair = QWidget()
        pair.setFocusProxy(edit)
        row = QHBoxLayout(pair)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(UNIT // 2)
        row.addWidget(edit, 1)
        row.addWidget(button)
        return pair

    def _open_table(self, kind: Kind, edit: QLineEdit) -> None:
        dialog = TABLES[type(kind)](self.window(), edit.text(), self._classes)
        dialog.chosen.connect(edit.setText)
        dialog.appear()

    def show_classes(self, totals: Mapping[str, float]) -> None:
        """Set the classes of the current data: the rows of each class, or the sum of their weights."""
        self._classes = dict(totals)
        self._show_classes_known()

    def close_tables(self, closed: bool) -> None:
        self._tables_closed = closed
        self._show_classes_known()

    def _show_classes_known(self) -> None:
        for button in self._tables.values():
            button.setEnabled(bool(self._classes) and not self._tables_closed)
            known = button.accessibleName() if self._classes else tr("Open data first, on the Data page.")
            button.setToolTip(known)

    def _spin(self, option: Option, title: str, tip: str) -> QSpinBox:
        assert option.spin is not None
        spin = self.spins[option.name] = QSpinBox()
        spin.setRange(*option.spin)
        spin.setSpecialValueText(tr(option.unsaid))
        spin.setAlignment(Qt.AlignmentFlag.AlignRight)
        spin.setMinimumHeight(max(edit.sizeHint().height() for edit in self.edits.values()))
        spin.valueChanged.connect(lambda _: self.changed.emit())
        return self._named(spin, self.object_name(option.name, "Spin"), title, tip)

    def _add_check(self, key: str, title: str, tip: str) -> None:
        check = self.checks[key] = self._named(QCheckBox(title), self.object_name(key, "Check"), title, tip)
        check.toggled.connect(lambda _: self.changed.emit())
        self._rows[key] = (check,)
        self._grid.addWidget(check, self._grid.rowCount(), 1)

    def _named(self, control: Control, name: str, title: str, tip: str) -> Control:
        control.setObjectName(name)
        control.setAccessibleName(title)
        control.setToolTip(tip)
        control.setWhatsThis(meaning(title) or tip)
        return control

    def _add_row(self, key: str, title: str, control: QWidget, errors_of: Iterable[str] = ()) -> None:
        label = QLabel(title)
        label.setWhatsThis(meaning(title))
        label.setBuddy(control)
        row = self._grid.rowCount()
        self._grid.addWidget(label, row, 0)
        self._grid.addWidget(control, row, 1)
        self._rows[key] = label, control
        for name in errors_of or (key,):
            self._add_error(name, self.edits.get(name, control))

    def _add_error(self, key: str, control: QWidget) -> None:
        error = self._errors[key] = wrapped(f"{control.objectName()}Error", "bad")
        error.hide()
        self.add_wide(error)

    # -- entries ----------------------------------------------------------------------------------

    def texts(self) -> dict[str, str]:
        return {
            **{key: self._entered(key) for key in self.edits},
            **{key: str(combo.currentData() or "") for key, combo in self.combos.items()},
            **{key: str(spin.value()) if spin.value() else "" for key, spin in self.spins.items()},
            **{key: "yes" if check.isChecked() else "" for key, check in self.checks.items()},
        }

    def _entered(self, key: str) -> str:
        text = self.edits[key].text()
        return figures.entered(text) if key in self._numbers else text

    def set_texts(self, texts: Mapping[str, str]) -> None:
        """Fill the controls without the signals of an edit by the user."""
        with QSignalBlocker(self):
            for key, edit in self.edits.items():
                text = texts.get(key, "")
                edit.setText(figures.entry(text) if key in self._numbers else text)
            for key, combo in self.combos.items():
                combo.setCurrentIndex(max(combo.findData(texts.get(key, "")), 0))
            for key, spin in self.spins.items():
                text = texts.get(key, "")
                spin.setValue(int(text) if text.isdecimal() and len(text) < 6 else spin.minimum())
            for key, check in self.checks.items():
                check.setChecked(bool(texts.get(key)))
            self._unfold(key for key, plain in self._folded.items() if texts.get(key, "") not in ("", plain))

    # -- enabled and visible controls --------------------------------------------------------------

    def show_cluster(self, words: str, role: str, can_test: bool) -> None:
        """Show the state of the cluster, and whether it can be tested."""
        self.cluster.setText(words)
        set_role(self.cluster, role)
        self.test.setEnabled(can_test)

    def close_field(self, key: str, why: str) -> None:
        """Disable the control of an option and show why; an empty reason enables it."""
        widget = self._rows[key][-1] if key not in self.edits else self.edits[key]
        self._tips.setdefault(widget, widget.toolTip())
        self._closed[widget] = why
        widget.setToolTip(why or self._tips[widget])
        widget.setEnabled(not why)
        widget.setAccessibleDescription(why)

    def show_parameters(self, parameters: Collection[str]) -> None:
        """Show only the parameters that the kernel declares."""
        self._undeclared = self._of_kernel - set(parameters)
        for key in self._of_kernel:
            self._show_row(key)

    def show_errors(self, errors: Mapping[str, str]) -> None:
        for key, label in self._errors.items():
            show_text(label, errors.get(key, ""))
            if key in self.edits:
                self.edits[key].setAccessibleDescription(errors.get(key, ""))
        self._unfold(key for key in self._folded if key in errors)  # unfold, so that errors are visible

    def _unfold(self, used: Iterable[str]) -> None:
        if any(used):
            self.more.setChecked(True)

    def _show_more(self, shown: bool) -> None:
        self.more.setArrowType(Qt.ArrowType.DownArrow if shown else Qt.ArrowType.RightArrow)
        for key in self._folded:
            self._show_row(key)

    def _show_row(self, key: str) -> None:
        shown = key not in self._undeclared and (key not in self._folded or self.more.isChecked())
        for widget in self._rows[key]:
            widget.setVisible(shown)
        use = self._uses.get(key, "")
        if use in self._headings:
            seen = [one for one, its in self._uses.items() if its == use and one not in self._undeclared]
            self._headings[use].setVisible(self.more.isChecked() and bool(seen))


def hint_of(option: Option) -> str:
    """Return the hint of an empty field: its default and its unit."""
    unsaid, unit = tr(option.unsaid), tr(option.unit)
    if unsaid and unit:
        return tr("{unsaid}, in {unit}", unsaid=unsaid, unit=unit)
    return f"{unsaid or figures.entry(option.default_text)} {unit}".strip()
