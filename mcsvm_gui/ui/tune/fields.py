"""The left side of the Tune page: which machines, which ranges, how they are searched. It decides nothing."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from PySide6.QtCore import QRect, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QComboBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QSizePolicy,
    QSpinBox,
    QToolButton,
    QWidget,
)

from mcsvm_gui.core.machine import names
from mcsvm_gui.ui.kit import theme
from mcsvm_gui.ui.kit.dialog import set_role
from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.kit.theme import UNIT
from mcsvm_gui.ui.runs.delegate import draw_stroke

SHORTEST = 12  # characters that a list shows at least
MOST_FOLDS, MOST_REPEATS, MOST_JOBS = 100, 100, 256
MORE = "repeats", "holdout", "nested", "class_weight", "time_limit", "jobs", "scheduler"


class TuneFields(QWidget):
    changed = Signal()
    test_asked = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.edits: dict[str, QLineEdit] = {}
        self.combos: dict[str, QComboBox] = {}
        self.spins: dict[str, QSpinBox] = {}
        self.checks: dict[str, QCheckBox] = {}
        self._closed: dict[QWidget, str] = {}  # what cannot be entered, and why
        self._tips: dict[QWidget, str] = {}  # of the same, where it can
        self._rows: dict[str, tuple[QWidget, ...]] = {}
        self._errors: dict[str, QLabel] = {}
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(UNIT)
        self._grid.setVerticalSpacing(UNIT)
        self._grid.setColumnStretch(1, 1)
        self._build_machines()
        self._build_grid()
        self._build_more()
        self._grid.setRowStretch(self._grid.rowCount(), 1)
        theme.notifier().changed.connect(self._retheme)

    # -- building ---------------------------------------------------------------------------------

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
        self._grid.addWidget(self.machines, 0, 0, 1, 2)
        self._add_error("machines")

    def _retheme(self) -> None:
        with QSignalBlocker(self.machines):
            for item in self._items():
                item.setIcon(_stroke(item.data(Qt.ItemDataRole.UserRole)))

    def _items(self) -> list[QListWidgetItem]:
        return [self.machines.item(row) for row in range(self.machines.count())]

    def _build_grid(self) -> None:
        kernels = names.kernel_words()
        self._add_combo("kernel", "tuneKernelCombo", tr("Kernel"), kernels)
        self._add_edit("degree", "tuneDegreeEdit", tr("Degree"), tr("Of the polynomial, a whole number"), "3")
        constant = tr("Added to the inner product before the kernel")
        self._add_edit("coef0", "tuneCoef0Edit", tr("Constant"), constant, "0")
        self._add_range("C", "costFromEdit", "costToEdit", "C", (tr("Smallest C"), tr("Largest C")))
        gamma = (tr("Smallest gamma"), tr("Largest gamma"))
        self._add_range("gamma", "gammaFromEdit", "gammaToEdit", tr("Gamma"), gamma)
        step = tr("Between neighbours, in powers of two; 1 doubles from cell to cell")
        self._add_edit("step", "gridStepEdit", tr("Step"), step, "1")
        self._add_combo("search", "searchCombo", tr("Search"), search_words())
        self._add_spin("folds", "foldsSpin", tr("Folds"), (2, MOST_FOLDS), tr("Of cross-validation"))

    def _build_more(self) -> None:
        self.more = QToolButton()
        self.more.setObjectName("tuneMoreButton")
        self.more.setText(tr("More"))
        self.more.setAccessibleName(tr("More options of the search"))
        self.more.setCheckable(True)
        self.more.setAutoRaise(True)
        self.more.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.more.toggled.connect(self._show_more)
        self._grid.addWidget(self.more, self._grid.rowCount(), 0, 1, 2)
        again = tr("Of the cross-validation, each time with other folds")
        self._add_spin("repeats", "tuneRepeatsSpin", tr("Repeats"), (1, MOST_REPEATS), again)
        share = tr("A share such as 0.3, held out once to validate every cell on it, instead of folds")
        self._add_edit("holdout", "tuneHoldoutEdit", tr("Hold-out"), share, tr("none"))
        self._add_check(
            "nested", "tuneNestedCheck", tr("Nested"), tr("Also how good the choice is, made again without each fold")
        )
        weights = tr("balanced, or a factor on C per class such as {example}", example='{"a": 2, "b": 1}')
        self._add_edit("class_weight", "tuneClassWeightEdit", tr("Class weights"), weights, tr("none"))
        limit = tr("A fit that takes longer ends, and its cell says how far it may be off")
        self._add_edit("time_limit", "tuneTimeLimitEdit", tr("Time limit"), limit, tr("{none}, in s", none=tr("none")))
        self._add_spin("jobs", "jobsSpin", tr("Threads"), (0, MOST_JOBS), tr("That share the work"))
        self.spins["jobs"].setSpecialValueText(tr("all"))
        self._build_scheduler()
        self._show_more(False)

    def _build_scheduler(self) -> None:
        tip = tr("The address of a Dask scheduler whose workers do the search; empty: this computer does it")
        self.scheduler = self._edit("scheduler", "schedulerEdit", tr("Cluster"), tip, tr("none"))
        self.test = QPushButton(tr("Test"))
        self.test.setObjectName("schedulerTestButton")
        self.test.setAccessibleName(tr("Test the cluster"))
        self.test.clicked.connect(self.test_asked)
        self.cluster = QLabel()
        self.cluster.setObjectName("schedulerReason")
        self.cluster.setTextFormat(Qt.TextFormat.PlainText)
        self.cluster.setWordWrap(True)
        self._rows["scheduler"] = *self._add_row(tr("Cluster"), self.scheduler), self.test, self.cluster
        self._add_error("scheduler")
        self._grid.addWidget(self.test, self._grid.rowCount(), 1)
        self._grid.addWidget(self.cluster, self._grid.rowCount(), 0, 1, 2)

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
        self._rows[key] = self._add_row(title, combo)
        self._add_error(key)

    def _edit(self, key: str, name: str, title: str, tip: str, hint: str = "") -> QLineEdit:
        edit = QLineEdit()
        edit.setObjectName(name)
        edit.setAccessibleName(title)
        edit.setToolTip(tip)
        edit.setPlaceholderText(hint)
        edit.setAlignment(Qt.AlignmentFlag.AlignRight)
        edit.textChanged.connect(lambda _: self.changed.emit())
        self.edits[key] = edit
        return edit

    def _add_edit(self, key: str, name: str, title: str, tip: str, hint: str) -> None:
        self._rows[key] = self._add_row(title, self._edit(key, name, title, tip, hint))
        self._add_error(key)

    def _add_range(self, key: str, low: str, high: str, title: str, names: tuple[str, str]) -> None:
        tip = tr("A number, or a power such as 2^-3")
        pair = QWidget()
        row = QHBoxLayout(pair)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(UNIT)
        row.addWidget(self._edit(f"{key}_from", low, names[0], tip))
        row.addWidget(QLabel(tr("to")))
        row.addWidget(self._edit(f"{key}_to", high, names[1], tip))
        self._rows[key] = self._add_row(title, pair)
        self._add_error(f"{key}_from")
        self._add_error(f"{key}_to")

    def _add_spin(self, key: str, name: str, title: str, limits: tuple[int, int], tip: str) -> None:
        spin = QSpinBox()
        spin.setObjectName(name)
        spin.setAccessibleName(title)
        spin.setToolTip(tip)
        spin.setRange(*limits)
        spin.setAlignment(Qt.AlignmentFlag.AlignRight)
        spin.setMinimumHeight(self.edits["step"].sizeHint().height())
        spin.valueChanged.connect(lambda _: self.changed.emit())
        self.spins[key] = spin
        self._rows[key] = self._add_row(title, spin)
        self._add_error(key)

    def _add_check(self, key: str, name: str, title: str, words: str) -> None:
        check = QCheckBox(title)
        check.setObjectName(name)
        check.setAccessibleName(title)
        check.setToolTip(words)
        check.toggled.connect(lambda _: self.changed.emit())
        self.checks[key] = check
        self._rows[key] = (check,)
        self._grid.addWidget(check, self._grid.rowCount(), 1)

    def _add_row(self, title: str, control: QWidget) -> tuple[QWidget, ...]:
        label = QLabel(title)
        label.setBuddy(control)
        row = self._grid.rowCount()
        self._grid.addWidget(label, row, 0)
        self._grid.addWidget(control, row, 1)
        return label, control

    def _add_error(self, key: str) -> None:
        label = self._errors[key] = QLabel()
        label.setObjectName(f"tune-{key}-error")
        label.setProperty("role", "bad")
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setWordWrap(True)
        label.hide()
        self._grid.addWidget(label, self._grid.rowCount(), 0, 1, 2)

    # -- what was entered -------------------------------------------------------------------------

    def texts(self) -> dict[str, str]:
        ticked = [item for item in self._items() if item.checkState() is Qt.CheckState.Checked]
        return {
            "machines": ",".join(item.data(Qt.ItemDataRole.UserRole) for item in ticked),
            **{key: edit.text() for key, edit in self.edits.items()},
            **{key: str(combo.currentData()) for key, combo in self.combos.items()},
            **{key: str(spin.value()) if spin.value() else "" for key, spin in self.spins.items()},
            **{key: "yes" if check.isChecked() else "" for key, check in self.checks.items()},
        }

    def set_texts(self, texts: Mapping[str, str]) -> None:
        """Without a word to those who listen for the user."""
        ticked = texts.get("machines", "").split(",")
        with QSignalBlocker(self):
            for item in self._items():
                on = item.data(Qt.ItemDataRole.UserRole) in ticked
                item.setCheckState(Qt.CheckState.Checked if on else Qt.CheckState.Unchecked)
            for key, edit in self.edits.items():
                edit.setText(texts.get(key, ""))
            for key, combo in self.combos.items():
                combo.setCurrentIndex(max(combo.findData(texts.get(key, "")), 0))
            for key, spin in self.spins.items():
                text = texts.get(key, "")
                spin.setValue(int(text) if text.isdecimal() and len(text) < 6 else spin.minimum())
            for key, check in self.checks.items():
                check.setChecked(bool(texts.get(key)))
            self.more.setChecked(any(texts.get(key, "") not in ("", "1") for key in MORE))

    # -- what can be entered ----------------------------------------------------------------------

    def show_parameters(self, parameters: Collection[str]) -> None:
        """Only what the kernel declares is asked for."""
        for key in ("gamma", "degree", "coef0"):
            for widget in self._rows[key]:
                widget.setVisible(key in parameters)

    def show_errors(self, errors: Mapping[str, str]) -> None:
        for key, label in self._errors.items():
            label.setText(errors.get(key, ""))
            label.setVisible(bool(errors.get(key)))
            if key in self.edits:
                self.edits[key].setAccessibleDescription(errors.get(key, ""))
        if any(key in errors for key in MORE):
            self.more.setChecked(True)  # what is wrong must be seen

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

    def _show_more(self, shown: bool) -> None:
        self.more.setArrowType(Qt.ArrowType.DownArrow if shown else Qt.ArrowType.RightArrow)
        for key in MORE:
            for widget in self._rows[key]:
                widget.setVisible(shown)


def search_words() -> dict[str, str]:
    return {
        "grid": tr("Every cell"),
        "coarse-to-fine": tr("Coarse to fine"),
        "two-line": tr("Two lines"),
        "halving": tr("Successive halving"),
        "per-pair": tr("Each pair its own"),
    }


def _stroke(machine: str) -> QIcon:
    picture = QPixmap(4 * UNIT, 2 * UNIT)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    draw_stroke(painter, QRect(0, 0, 4 * UNIT, 2 * UNIT), machine)
    painter.end()
    return QIcon(picture)
