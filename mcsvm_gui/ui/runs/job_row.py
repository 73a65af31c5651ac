"""One job in the dock."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSizePolicy, QWidget

from mcsvm_gui.core.project.job_status import JobLine
from mcsvm_gui.ui.kit import icons, theme
from mcsvm_gui.ui.kit.badge import SIGNS
from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.kit.theme import UNIT
from mcsvm_gui.ui.runs.delegate import draw_stroke

FIGURES = "gap", "rate", "left"
WIDTHS = {"gap": 16, "rate": 9, "left": 16}  # in digits


class Stroke(QWidget):
    """The machine's colour, dash and marker."""

    def __init__(self, machine: str) -> None:
        super().__init__()
        self.machine = machine
        self.setFixedSize(QSize(4 * UNIT, 3 * UNIT))
        theme.notifier().changed.connect(self.update)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        draw_stroke(painter, QRect(0, 0, 3 * UNIT, self.height()), self.machine)
        painter.end()


class JobRow(QWidget):
    pause_asked = Signal(int)
    resume_asked = Signal(int)
    stop_asked = Signal(int)
    discard_asked = Signal(int)
    dismiss_asked = Signal(int)

    def __init__(self, line: JobLine) -> None:
        super().__init__()
        self.setObjectName(f"job{line.run}")
        self.line: JobLine | None = None
        self._name, self._state, self._sentence = QLabel(), QLabel(), QLabel()
        self._figures = {name: QLabel() for name in FIGURES}
        self._pause = self._button("pause", self._pause_or_resume)
        self._stop = self._button("stop-keep", lambda: self.stop_asked.emit(line.run))
        self._discard = self._button("discard", lambda: self.discard_asked.emit(line.run))
        self._dismiss = self._button("close", lambda: self.dismiss_asked.emit(line.run))
        self._lay_out(line.machine)
        theme.notifier().changed.connect(self._recolour)
        self.show_line(line)

    def _button(self, sign: str, pressed: object) -> QPushButton:
        button = QPushButton("")
        icons.put(button, sign)
        button.setFixedSize(4 * UNIT, 3 * UNIT + UNIT // 2)
        button.setStyleSheet("padding: 0; border: none; background: transparent;")
        button.clicked.connect(pressed)
        return button

    def _lay_out(self, machine: str) -> None:
        digit = self.fontMetrics().horizontalAdvance("0")
        self.setFixedHeight(4 * UNIT)
        row = QHBoxLayout(self)
        row.setContentsMargins(2 * UNIT, 0, UNIT, 0)
        row.setSpacing(UNIT)
        self._name.setFixedWidth(16 * digit)
        self._state.setFixedWidth(16 * digit)
        self._sentence.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        for label in (self._name, self._state, self._sentence, *self._figures.values()):
            label.setTextFormat(Qt.TextFormat.PlainText)
        for part in (Stroke(machine), self._name, self._state):
            row.addWidget(part)
        for name, label in self._figures.items():
            label.setFixedWidth(WIDTHS[name] * digit)
            label.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            row.addWidget(label)
        row.addWidget(self._sentence, 1)
        for button in (self._pause, self._stop, self._discard, self._dismiss):
            row.addWidget(button)

    def show_line(self, line: JobLine) -> None:
        if line == self.line:
            return
        self.line = line
        self.setAccessibleName(f"{line.name}: {line.state}")
        self._name.setText(self.fontMetrics().elidedText(line.name, Qt.TextElideMode.ElideRight, self._name.width()))
        self._name.setToolTip(line.name)
        self._state.setText(line.state)
        self._figures["gap"].setText(tr("gap {gap}", gap=line.gap) if line.gap else "")
        self._figures["rate"].setText(line.rate)
        self._figures["left"].setText(line.left)
        self._sentence.setText(line.sentence)
        self._sentence.setToolTip(line.sentence)
        for label in self._figures.values():
            label.setHidden(bool(line.sentence))
        self._show_buttons(line)
        self._recolour()

    def _show_buttons(self, line: JobLine) -> None:
        icons.put(self._pause, "play" if line.paused else "pause")
        words = {
            self._pause: tr("Go on with {name}", name=line.name) if line.paused else tr("Pause {name}", name=line.name),
            self._stop: tr("Stop {name} and keep the model", name=line.name),
            self._discard: tr("Discard {name}", name=line.name),
            self._dismiss: tr("Dismiss {name}", name=line.name),
        }
        for button, text in words.items():
            button.setToolTip(text)
            button.setAccessibleName(text)
        self._pause.setEnabled(line.can_pause)
        self._stop.setEnabled(line.can_stop)
        for button in (self._pause, self._stop, self._discard):
            button.setHidden(line.over)
        self._dismiss.setHidden(not line.over)

    def _pause_or_resume(self) -> None:
        if self.line is not None:
            (self.resume_asked if self.line.paused else self.pause_asked).emit(self.line.run)

    def _recolour(self) -> None:
        kind = "waiting" if self.line is None else self.line.kind
        self._state.setStyleSheet(f"color: {getattr(theme.current(), SIGNS[kind][1])};")
        self._sentence.setStyleSheet(f"color: {theme.current().bad};")
