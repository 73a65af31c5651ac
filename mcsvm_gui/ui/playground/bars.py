"""The bars around the playground's canvas: tools above it, the text of a tour, and the steps below it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QPushButton, QSpinBox, QToolButton, QWidget

from mcsvm_gui.core.machine import names
from mcsvm_gui.core.playground.drawing import MOST_CLASSES
from mcsvm_gui.core.playground.random_sets import random_sets
from mcsvm_gui.core.playground.tours import tours
from mcsvm_gui.ui.kit import icons, theme
from mcsvm_gui.ui.kit.buttons import push_button
from mcsvm_gui.ui.kit.combos import Combo
from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.kit.labels import selectable
from mcsvm_gui.ui.kit.theme import UNIT
from mcsvm_gui.ui.playground.paint import PLAIN, mark_pixmap

if TYPE_CHECKING:
    from mcsvm_gui.core.playground.pictures import Picture

FEWEST, MOST, FIRST = 20, 1_000, 120  # points of a random set


class Tools(QWidget):
    class_chosen = Signal(int)
    undo_asked = Signal()
    redo_asked = Signal()
    clear_asked = Signal()
    set_asked = Signal(str, int)
    components_asked = Signal()
    columns_asked = Signal()
    steps_toggled = Signal(bool)
    tour_asked = Signal(str)
    picture_asked = Signal(str)  # png or svg
    copy_asked = Signal()
    table_asked = Signal(bool)  # whether to open it as data
    experiment_asked = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.count = QSpinBox()
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(UNIT)
        self._build_classes()
        self.undo = self._icon("playgroundUndoButton", tr("Undo"), "undo", self.undo_asked.emit)
        self.redo = self._icon("playgroundRedoButton", tr("Redo"), "redo", self.redo_asked.emit)
        self.clear = self._icon("playgroundClearButton", tr("Clear the points"), "trash", self.clear_asked.emit)
        self._build_sets()
        self._build_data()
        self._row.addStretch(1)
        self._build_steps()
        self._build_tours()
        self._build_share()
        theme.notifier().changed.connect(self._retheme)

    def _build_classes(self) -> None:
        self.classes = Combo()
        self.classes.setObjectName("playgroundClassCombo")
        self.classes.setAccessibleName(tr("Class of new points"))
        self.classes.setToolTip(tr("Class of new points; on the canvas, digits choose it"))
        for number in range(MOST_CLASSES):
            self.classes.addItem(tr("Class {number}", number=number + 1), number)
        self._retheme()
        self.classes.currentIndexChanged.connect(self.class_chosen)
        self._row.addWidget(self.classes)

    def _retheme(self) -> None:
        for number in range(MOST_CLASSES):
            self.classes.setItemIcon(number, QIcon(mark_pixmap(number, PLAIN, False, 2.0)))

    def _build_sets(self) -> None:
        _, menu = self._menu("playgroundSetButton", tr("Random set"), tr("Replace the points by a random set"))
        for chosen in random_sets().values():
            action = menu.addAction(chosen.title)
            action.setObjectName(f"playgroundSet-{chosen.name}")
            action.setToolTip(chosen.about)
            action.triggered.connect(lambda _=False, name=chosen.name: self.set_asked.emit(name, self.count.value()))
        self.count.setObjectName("playgroundCountSpin")
        self.count.setAccessibleName(tr("Points of a random set"))
        self.count.setToolTip(tr("Points of a random set"))
        self.count.setRange(FEWEST, MOST)
        self.count.setSingleStep(20)
        self.count.setValue(FIRST)
        self._row.addWidget(self.count)

    def _build_data(self) -> None:
        self.data, menu = self._menu("playgroundDataButton", tr("From data"), tr("Use points from the open data"))
        for name, text, asked in (
            ("playgroundComponents", tr("Two principal components"), self.components_asked),
            ("playgroundColumns", tr("Two columns…"), self.columns_asked),
        ):
            action = menu.addAction(text)
            action.setObjectName(name)
            action.triggered.connect(lambda _=False, asked=asked: asked.emit())

    def _build_steps(self) -> None:
        self.steps = QPushButton(tr("Step by step"))
        self.steps.setObjectName("playgroundStepsButton")
        self.steps.setAccessibleName(tr("Step by step"))
        self.steps.setToolTip(tr("Watch three solvers at one machine, step by step"))
        self.steps.setCheckable(True)
        self.steps.toggled.connect(self.steps_toggled)
        self._row.addWidget(self.steps)

    def _build_tours(self) -> None:
        _, menu = self._menu("playgroundTourButton", tr("Tours"), tr("Three short guided tours"))
        for tour in tours().values():
            action = menu.addAction(tour.title)
            action.setObjectName(f"playgroundTour-{tour.name}")
            action.triggered.connect(lambda _=False, name=tour.name: self.tour_asked.emit(name))

    def _build_share(self) -> None:
        _, menu = self._menu("playgroundShareButton", tr("Share"), tr("Export the picture or the points"))
        for name, text, act in (
            ("Copy", tr("Copy as image"), self.copy_asked.emit),
            ("Png", tr("Save as {kind}…", kind="PNG"), lambda: self.picture_asked.emit("png")),
            ("Svg", tr("Save as {kind}…", kind="SVG"), lambda: self.picture_asked.emit("svg")),
            ("Csv", tr("Save the points as CSV…"), lambda: self.table_asked.emit(False)),
            ("Experiment", tr("Save as an experiment…"), self.experiment_asked.emit),
            ("Train", tr("Save the points and open them as data…"), lambda: self.table_asked.emit(True)),
        ):
            action = menu.addAction(text)
            action.setObjectName(f"playgroundShare{name}")
            action.triggered.connect(lambda _=False, act=act: act())

    # -- parts ------------------------------------------------------------------------------------

    def _icon(self, name: str, title: str, icon: str, act: Callable[[], None]) -> QToolButton:
        button = QToolButton()
        button.setObjectName(name)
        icons.put(button, icon)
        button.setIconSize(QSize(2 * UNIT, 2 * UNIT))
        button.setAutoRaise(True)
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        button.setAccessibleName(title)
        button.setToolTip(title)
        button.clicked.connect(lambda: act())
        self._row.addWidget(button)
        return button

    def _menu(self, name: str, title: str, tip: str) -> tuple[QPushButton, QMenu]:
        button = QPushButton(title, self)
        button.setObjectName(name)
        button.setAccessibleName(title)
        button.setToolTip(tip)
        menu = QMenu(button)
        menu.setObjectName(f"{name}Menu")
        menu.setToolTipsVisible(True)
        button.setMenu(menu)
        self._row.addWidget(button)
        return button, menu


class TourBar(QWidget):
    moved = Signal(int)
    left = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("playgroundTour")
        self.setAccessibleName(tr("Tour"))
        self.title, self.words = QLabel(), selectable("playgroundTourText")
        self.title.setProperty("role", "heading")
        self.back = _button("playgroundTourBack", tr("Back"), lambda: self.moved.emit(-1))
        self.next = _button("playgroundTourNext", tr("Next"), lambda: self.moved.emit(1))
        self.leave = _button("playgroundTourEnd", tr("End the tour"), self.left.emit)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(UNIT)
        row.addWidget(self.title)
        row.addWidget(self.words, 1)
        for button in (self.back, self.next, self.leave):
            row.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
        self.hide()

    def show_stop(self, title: str, text: str, number: int, count: int) -> None:
        self.setVisible(bool(title))
        self.title.setText(tr("{number} of {count}", number=number + 1, count=count))
        self.title.setToolTip(title)
        self.words.setText(text)
        self.setAccessibleDescription(f"{title}. {text}")
        self.back.setEnabled(number > 0)
        self.next.setEnabled(number + 1 < count)
        if title:
            (self.next if self.next.isEnabled() else self.leave).setFocus()


class StepBar(QWidget):
    machine_chosen = Signal(str)
    advance_asked = Signal(int)
    restart_asked = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("playgroundStepBar")
        self.setAccessibleName(tr("Steps"))
        self.machine, label = Combo(), QLabel(tr("Machine"))
        self.machine.setObjectName("playgroundStepMachineCombo")
        self.machine.setAccessibleName(tr("Machine that is solved step by step"))
        for name, text in names.machine_titles().items():
            self.machine.addItem(text, name)
        self.machine.currentIndexChanged.connect(lambda _: self.machine_chosen.emit(self.machine.currentData()))
        label.setBuddy(self.machine)
        one = _button("playgroundStepOne", tr("1 step"), lambda: self.advance_asked.emit(1))
        ten = _button("playgroundStepTen", tr("10 steps"), lambda: self.advance_asked.emit(10))
        self.end = _button("playgroundStepEnd", tr("To the end"), lambda: self.advance_asked.emit(-1))
        restart = _button("playgroundStepRestart", tr("Begin again"), self.restart_asked.emit)
        self.words = selectable("playgroundStepWords")
        self.words.setAlignment(Qt.AlignmentFlag.AlignTop)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(UNIT)
        for widget in (label, self.machine, one, ten, self.end, restart):
            row.addWidget(widget)
        row.addStretch(1)
        self.hide()

    def show_state(self, on: bool, machine: str, going: bool) -> None:
        self.setVisible(on)
        self.machine.blockSignals(True)
        self.machine.setCurrentIndex(self.machine.findData(machine))
        self.machine.blockSignals(False)
        self.end.setText(tr("Pause") if going else tr("To the end"))

    def show_pictures(self, pictures: tuple[Picture, ...]) -> None:
        """Describe the last step of each solver."""
        told = [f"{picture.title}\n" + "\n".join(f"   {line}" for line in picture.lines[1:]) for picture in pictures]
        self.words.setText("\n".join(told))


def _button(name: str, text: str, act: Callable[[], None]) -> QPushButton:
    button = push_button(name, text)
    button.clicked.connect(lambda: act())
    return button
