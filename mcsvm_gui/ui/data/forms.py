"""The two forms next to the data: the import settings, and the preprocessing."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QMenu,
    QPushButton,
    QSizePolicy,
    QSpinBox,
    QToolButton,
    QWidget,
)

from mcsvm_gui.core.base import figures
from mcsvm_gui.core.base.options import Choice, Flag, Option, options_of
from mcsvm_gui.core.data.lists import Several
from mcsvm_gui.core.data.options import Rules
from mcsvm_gui.core.machine.request import OPTIONS
from mcsvm_gui.ui.kit.combos import Combo
from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.kit.labels import set_role, show_text, wrapped
from mcsvm_gui.ui.kit.theme import UNIT

if TYPE_CHECKING:
    from mcsvm_gui.core.data.form import Field, FieldChoice

_SHORTEST = 12  # minimum number of characters that a list shows
MOST_PER_CENT = 90


class Form(QWidget):
    """Titles on the left, controls on the right."""

    def __init__(self, heading: str) -> None:
        super().__init__()
        self.grid = QGridLayout(self)
        self.grid.setContentsMargins(0, 0, 0, 0)
        self.grid.setHorizontalSpacing(UNIT)
        self.grid.setVerticalSpacing(UNIT)
        self.grid.setColumnMinimumWidth(0, 13 * UNIT)
        self.grid.setColumnStretch(1, 1)
        title = QLabel(heading)
        title.setProperty("role", "heading")
        self.grid.addWidget(title, 0, 0, 1, 2)

    def add(self, title: str, control: QWidget) -> QLabel:
        label = QLabel(title)
        label.setBuddy(control)
        row = self.grid.rowCount()
        self.grid.addWidget(label, row, 0)
        self.grid.addWidget(control, row, 1)
        return label


def answers_box(name: str, title: str) -> QComboBox:
    box = Combo()
    box.setObjectName(name)
    box.setAccessibleName(title)
    box.setMinimumContentsLength(_SHORTEST)
    box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    box.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
    box.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
    return box


def fill(box: QComboBox, answers: Sequence[FieldChoice], value: str | None) -> None:
    """Fill a list and select a value without the signals of an edit by the user."""
    with QSignalBlocker(box):
        box.clear()
        for answer in answers:
            box.addItem(answer.text, answer.value)
        box.setCurrentIndex(next((place for place, answer in enumerate(answers) if answer.value == value), -1))


class ReadingForm(Form):
    """Every guess of the reader, each with a control to change it."""

    changed = Signal(str, object)  # an import option, and its value or None for a guess

    def __init__(self) -> None:
        super().__init__(tr("How the file is read"))
        self.boxes: dict[str, QComboBox] = {}
        self.spins: dict[str, QSpinBox] = {}
        self.titles: dict[str, QLabel] = {}
        self._typed = ""  # the text entered since the form was shown
        self.guess = wrapped("labelGuess", "muted", tr("guessed; change it if wrong"))

    def show_fields(self, fields: Sequence[Field], marked: Sequence[str] = ()) -> None:
        self._typed = ""
        for field in fields:
            if field.option not in self.titles:
                self._add(field)
            self._show(field, field.option in marked)

    def focus(self, option: str) -> None:
        self._control(option).setFocus(Qt.FocusReason.OtherFocusReason)

    @property
    def controls(self) -> list[QWidget]:
        """Return all fields from top to bottom."""
        return [self._control(option) for option in self.titles]

    def _control(self, option: str) -> QWidget:
        return self.spins[option] if option in self.spins else self.boxes[option]

    def _add(self, field: Field) -> None:
        if field.spin is not None:
            self._add_spin(field, field.spin)
            return
        box = answers_box(f"{field.option}Combo", field.title)
        self.boxes[field.option], self.titles[field.option] = box, self.add(field.title, box)
        box.currentIndexChanged.connect(lambda: self._tell(field.option))
        if field.option == "label":
            self.grid.addWidget(self.guess, self.grid.rowCount(), 1)

    def _add_spin(self, field: Field, ends: tuple[int, int]) -> None:
        """Add a spin box for an integer; its lowest value means that the reader guesses the value."""
        spin = _spin(f"{_camel(field.option)}Spin", field.title, ends[1])
        spin.setMinimum(ends[0] - 1)
        spin.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.spins[field.option], self.titles[field.option] = spin, self.add(field.title, spin)
        answer_of = lambda value: None if value < ends[0] else str(value)  # noqa: E731
        spin.valueChanged.connect(lambda value: self.changed.emit(field.option, answer_of(value)))

    def _show(self, field: Field, marked: bool) -> None:
        control, title = self._control(field.option), self.titles[field.option]
        if field.option in self.spins:
            spin = self.spins[field.option]
            with QSignalBlocker(spin):
                spin.setSpecialValueText(field.answers[0].text)
                spin.setValue(spin.minimum() if field.value is None else int(field.value))
        else:
            box = self.boxes[field.option]
            fill(box, field.answers, field.value)
            self._let_type(box, field)
        for part in (control, title):
            part.setVisible(field.shown or marked)
            part.setEnabled(not field.reason)
            part.setToolTip(field.reason)
        role = "bad" if marked else "muted" if field.reason else ""
        if title.property("role") != role:
            set_role(title, role)
        if field.option == "label":
            self.guess.setVisible(field.guessed)

    def _let_type(self, box: QComboBox, field: Field) -> None:
        if box.isEditable() != field.free:
            with QSignalBlocker(box):
                box.setEditable(field.free)
            self._listen_to_typing(box, field)
        edit = box.lineEdit()
        if edit is not None:
            edit.setText(field.value or "")

    def _listen_to_typing(self, box: QComboBox, field: Field) -> None:
        edit = box.lineEdit()
        if edit is not None:
            edit.setAccessibleName(field.title)
            edit.setPlaceholderText(field.hint)
            edit.returnPressed.connect(lambda: self._tell_typed(field.option))

    def _tell(self, option: str) -> None:
        if self.boxes[option].currentIndex() >= 0:
            self.changed.emit(option, self.boxes[option].currentData())

    def _tell_typed(self, option: str) -> None:
        box = self.boxes[option]
        words = box.currentText().strip()
        if words == self._typed:
            return  # Qt passes the key to the box, which passes it back: one press would count twice
        self._typed = words
        if words and box.findText(words, Qt.MatchFlag.MatchExactly | Qt.MatchFlag.MatchCaseSensitive) < 0:
            self.changed.emit(option, words)


class PreparationForm(Form):
    rule_changed = Signal(str, object)  # an option of the rules, and its value
    holdout_changed = Signal(int)  # per cent; 0 means no hold-out
    seed_changed = Signal(int)
    test_asked = Signal()
    test_dropped = Signal()

    def __init__(self) -> None:
        super().__init__(tr("How the data are prepared"))
        titles = {name: tr(option.title) for name, option in OPTIONS.items()}
        self._rows: dict[str, tuple[QWidget, ...]] = {}
        self.rules = {name: self._rule(option) for name, option in options_of(Rules).items() if option.commands}
        self.holdout = _spin("holdoutSpin", titles["holdout"], MOST_PER_CENT)
        self.holdout.setSuffix(figures.with_sign(""))
        self.holdout.setSingleStep(5)
        self.holdout.setSpecialValueText(tr("none"))
        self.seed = _spin("seedSpin", titles["seed"], 2**31 - 1)
        self.add(titles["test"], self._test_row(titles["test"]))
        self.grid.addWidget(self._build_error(), self.grid.rowCount(), 0, 1, 2)
        self.holdout_title = self.add(titles["holdout"], self.holdout)
        self.add(titles["seed"], self.seed)
        self.holdout.valueChanged.connect(self.holdout_changed)
        self.seed.valueChanged.connect(self.seed_changed)

    def _rule(self, option: Option) -> QWidget:
        control = _control(option)
        control.setToolTip(tr(option.help))
        _use(control).listen(control, lambda value: self.rule_changed.emit(option.name, value))
        label = self.add("" if isinstance(control, QCheckBox) else tr(option.title), control)
        self._rows[option.name] = label, control
        return control

    def show_asked(self, names: Collection[str]) -> None:
        """Show only the rules that apply to these data."""
        for name, parts in self._rows.items():
            for part in parts:
                part.setVisible(name in names)

    def _test_row(self, title: str) -> QWidget:
        self.test = QPushButton()
        self.test.setObjectName("testFileButton")
        self.test.setAccessibleName(title)
        self.test.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.drop_test = QPushButton("×")  # noqa: RUF001
        self.drop_test.setObjectName("testFileClearButton")
        self.drop_test.setAccessibleName(tr("Remove test file"))
        self.drop_test.setToolTip(tr("Remove test file"))
        self.drop_test.setStyleSheet("padding: 0;")
        self.drop_test.setFixedWidth(4 * UNIT)
        self.test.clicked.connect(self.test_asked)
        self.drop_test.clicked.connect(self.test_dropped)
        box = QWidget()
        row = QHBoxLayout(box)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(UNIT // 2)
        row.addWidget(self.test, 1)
        row.addWidget(self.drop_test)
        return box

    def _build_error(self) -> QLabel:
        self.trouble = wrapped("testFileTrouble", "bad")
        self.trouble.setAccessibleName(tr("Why the test file cannot be used"))
        self.trouble.hide()
        return self.trouble

    def show_values(self, rules: Rules, holdout: int, seed: int) -> None:
        for name, control in self.rules.items():
            with QSignalBlocker(control):
                _use(control).set(control, getattr(rules, name))
        for spin, value in ((self.holdout, holdout), (self.seed, seed)):
            if spin.value() != value:
                with QSignalBlocker(spin):
                    spin.setValue(value)

    def show_test(self, name: str, words: str) -> None:
        """Show the name of the test file, or a button to choose one if empty, and its description."""
        self.test.setText(name or tr("Choose…"))
        self.test.setToolTip(words)
        self.show_test_error("")
        self.drop_test.setVisible(bool(name))
        why = tr("The test file is what the model is tested on") if name else ""
        for part in (self.holdout, self.holdout_title):
            part.setEnabled(not name)
            part.setToolTip(why)

    def show_test_error(self, sentence: str) -> None:
        """Show an error below the button; its path can wrap at the slashes."""
        show_text(self.trouble, sentence.replace("/", "/\u200b"))


class SeveralButton(QToolButton):
    """A button with a menu in which the user ticks one or more words."""

    changed = Signal(object)  # tuple of words

    def __init__(self, name: str, title: str, words: Mapping[str, str]) -> None:
        super().__init__()
        self.setObjectName(name)
        self._title = title
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        menu = QMenu(self)
        self.actions_of = {word: QAction(text, menu, checkable=True) for word, text in words.items()}
        for action in self.actions_of.values():
            menu.addAction(action)
            action.toggled.connect(self._tell)
        self.setMenu(menu)

    def values(self) -> tuple[str, ...]:
        return tuple(word for word, action in self.actions_of.items() if action.isChecked())

    def set_values(self, values: Collection[str]) -> None:
        for word, action in self.actions_of.items():
            with QSignalBlocker(action):
                action.setChecked(word in values)
        self._say()

    def _tell(self) -> None:
        if not self.values():
            sender = self.sender()
            assert isinstance(sender, QAction)
            sender.setChecked(True)
            return
        self._say()
        self.changed.emit(self.values())

    def _say(self) -> None:
        words = ", ".join(self.actions_of[word].text() for word in self.values())
        self.setText(words)
        self.setAccessibleName(f"{self._title}: {words}")


def _camel(option: str) -> str:
    first, *later = option.split("_")
    return first + "".join(map(str.capitalize, later))


def _control(option: Option) -> QWidget:
    name, title = _camel(option.name), tr(option.title)
    if isinstance(option.kind, Choice):
        box = answers_box(f"{name}Combo", title)
        for word, text in option.kind.entries.items():
            box.addItem(tr(text), word)
        return box
    if isinstance(option.kind, Several):
        return SeveralButton(f"{name}Button", title, {word: tr(text) for word, text in option.kind.titles.items()})
    if isinstance(option.kind, Flag):
        check = QCheckBox(title)
        check.setObjectName(f"{name}Check")
        check.setAccessibleName(title)
        return check
    assert option.spin is not None
    spin = _spin(f"{name}Spin", title, option.spin[1])
    spin.setMinimum(option.spin[0])
    return spin


class _Use(NamedTuple):
    """Functions that connect a control of a rule."""

    listen: Callable[[Any, Callable[[Any], object]], object]  # the function is called with each new value
    set: Callable[[Any, Any], None]


_USES: dict[type[QWidget], _Use] = {
    QComboBox: _Use(
        lambda box, told: box.currentIndexChanged.connect(lambda: told(box.currentData())),
        lambda box, value: box.setCurrentIndex(box.findData(value)),
    ),
    QSpinBox: _Use(lambda spin, told: spin.valueChanged.connect(told), QSpinBox.setValue),
    QCheckBox: _Use(lambda check, told: check.toggled.connect(told), QCheckBox.setChecked),
    SeveralButton: _Use(lambda button, told: button.changed.connect(told), SeveralButton.set_values),
}


def _use(control: QWidget) -> _Use:
    return next(use for kind, use in _USES.items() if isinstance(control, kind))


def _spin(name: str, title: str, most: int) -> QSpinBox:
    spin = QSpinBox()
    spin.setObjectName(name)
    spin.setAccessibleName(title)
    spin.setRange(0, most)
    spin.setAlignment(Qt.AlignmentFlag.AlignRight)
    spin.setKeyboardTracking(False)
    spin.setMinimumHeight(3 * UNIT)
    return spin
