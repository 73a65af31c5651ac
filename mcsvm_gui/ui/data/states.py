"""States of the Data page without data: a file is being read, or cannot be used."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QElapsedTimer, Qt, QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from mcsvm_gui.core.base.figures import seconds
from mcsvm_gui.ui.kit.checks_list import Sign
from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.kit.labels import selectable, wrapped
from mcsvm_gui.ui.kit.nesting import nest
from mcsvm_gui.ui.kit.theme import UNIT

if TYPE_CHECKING:
    from mcsvm_gui.core.check.advice import Action


class Loading(QWidget):
    """Shows which file is being read, and for how long."""

    cancelled = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.words, self.since = QLabel(), QLabel()
        self.words.setObjectName("loadingLabel")
        self.words.setProperty("role", "heading")
        self.since.setProperty("role", "muted")
        cancel = QPushButton(tr("Cancel"))
        cancel.setObjectName("cancelReadButton")
        cancel.setAccessibleName(tr("Cancel reading"))
        cancel.clicked.connect(self.cancelled)
        self._clock, self._timer, self._size = QElapsedTimer(), QTimer(self), ""
        self._timer.setInterval(500)
        self._timer.timeout.connect(self._tick)
        column = QVBoxLayout(self)
        column.setSpacing(UNIT)
        column.addStretch(2)
        for part in (self.words, self.since, cancel):
            column.addWidget(part, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addStretch(3)

    def start(self, name: str) -> None:
        self.words.setText(tr("Reading {name}", name=name))
        self.say_size("")
        self._clock.start()
        self._timer.start()

    def say_size(self, size: str) -> None:
        self._size = size
        self.since.setText(size)

    def stop(self) -> None:
        self._timer.stop()

    def _tick(self) -> None:
        elapsed = seconds(self._clock.elapsed() // 1000)
        self.since.setText(f"{self._size}  ·  {elapsed}" if self._size else elapsed)


class Failure(QWidget):
    """Shows why a file cannot be used, and actions that may fix it; the other controls stay visible."""

    acted = Signal(str, object)  # an option, and its value

    def __init__(self) -> None:
        super().__init__()
        self.sentence = selectable("dataError", "bad")
        advice = wrapped("", "muted", tr("Change the import settings on the left, or open another file."))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(UNIT)
        line = QHBoxLayout()
        line.setSpacing(UNIT)
        line.addWidget(Sign("error"), 0, Qt.AlignmentFlag.AlignTop)
        line.addWidget(self.sentence, 1)
        nest(column, line)
        advice.setContentsMargins(3 * UNIT, 0, 0, 0)
        column.addWidget(advice)
        self._ways = QVBoxLayout()
        self._ways.setContentsMargins(3 * UNIT, 0, 0, 0)
        nest(column, self._ways)
        column.addStretch()

    def say(self, sentence: str, ways: Sequence[Action] = ()) -> None:
        self.sentence.setText(sentence)
        self.sentence.setAccessibleName(sentence)
        while (item := self._ways.takeAt(0)) is not None:
            before = item.widget()
            if before is not None:
                before.hide()
                before.deleteLater()  # not immediately: the pressed button may be one of these
        for way in ways:
            self._ways.addWidget(self._button(way), 0, Qt.AlignmentFlag.AlignLeft)

    def _button(self, way: Action) -> QPushButton:
        button = QPushButton(way.text)
        button.setObjectName(f"{way.option}Way")
        button.setAccessibleName(way.text)
        button.clicked.connect(lambda: self.acted.emit(way.option, way.value))
        return button
