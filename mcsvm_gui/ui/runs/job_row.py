"""One job in the Jobs panel."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSizePolicy, QWidget

from mcsvm_gui.core.machine.state import JobState
from mcsvm_gui.core.project.job_status import JobStatus
from mcsvm_gui.ui.kit import icons, theme
from mcsvm_gui.ui.kit.badge import SIGNS
from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.kit.status import ElidedLabel
from mcsvm_gui.ui.kit.theme import UNIT
from mcsvm_gui.ui.plots.stroke import draw_stroke

WIDTHS = {"progress": 22, "rate": 9, "time_left": 19}  # widths of figures, in digits


class Mark(QWidget):
    """Colour, line style and marker of the job's machine, or the icon of a search."""

    def __init__(self, machine: str) -> None:
        super().__init__()
        self.machine = machine
        self.setFixedSize(QSize(4 * UNIT, 3 * UNIT))
        theme.notifier().changed.connect(self.update)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        if self.machine:
            draw_stroke(painter, QRectF(0, 0, 3 * UNIT, self.height()), theme.machine_style(self.machine))
        else:
            area = QRectF(UNIT / 2, (self.height() - 2 * UNIT) / 2, 2 * UNIT, 2 * UNIT)
            icons.paint(painter, "tune", area, theme.current().text)
        painter.end()


class JobRow(QWidget):
    pause_asked = Signal(object)  # the key of the job
    resume_asked = Signal(object)
    stop_asked = Signal(object)
    discard_asked = Signal(object)
    dismiss_asked = Signal(object)

    def __init__(self, job: JobStatus) -> None:
        super().__init__()
        self.setObjectName(f"job{job.key}")
        self.job: JobStatus | None = None
        self._title, self._state, self._error = ElidedLabel(""), QLabel(), ElidedLabel("")
        self._figures = {name: ElidedLabel("") for name in WIDTHS}
        self._pause = self._button("pause", self._pause_or_resume)
        self._stop = self._button("stop-keep", lambda: self.stop_asked.emit(job.key))
        self._discard = self._button("discard", lambda: self.discard_asked.emit(job.key))
        self._dismiss = self._button("close", lambda: self.dismiss_asked.emit(job.key))
        self._lay_out(job.machine)
        theme.notifier().changed.connect(self._recolour)
        self.show_job(job)

    def _button(self, icon: str, pressed: object) -> QPushButton:
        button = QPushButton("")
        icons.put(button, icon)
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
        self._title.setMinimumWidth(20 * digit)
        self._title.setMaximumWidth(44 * digit)
        self._title.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._state.setFixedWidth(14 * digit)
        self._error.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        for label in (self._title, self._state, self._error, *self._figures.values()):
            label.setTextFormat(Qt.TextFormat.PlainText)
        row.addWidget(Mark(machine))
        row.addWidget(self._title, 4)
        row.addWidget(self._state)
        for name, label in self._figures.items():
            label.setFixedWidth(WIDTHS[name] * digit)
            label.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            row.addWidget(label)
        row.addWidget(self._error, 1)
        for button in (self._pause, self._stop, self._discard, self._dismiss):
            row.addWidget(button)

    def show_job(self, job: JobStatus) -> None:
        if job == self.job:
            return
        self.job = job
        self.setAccessibleName(f"{job.title}: {job.state.label}")
        self._title.say(job.title)
        self._state.setText(job.state.label)
        for name, label in self._figures.items():
            label.say(getattr(job, name))
            label.setHidden(bool(job.error))
        self._error.say(job.error)
        self._show_buttons(job)
        self._recolour()

    def _show_buttons(self, job: JobStatus) -> None:
        paused = job.state is JobState.PAUSED
        icons.put(self._pause, "play" if paused else "pause")
        texts = {
            self._pause: tr("Resume {name}", name=job.title) if paused else tr("Pause {name}", name=job.title),
            self._stop: tr("Stop {name} and keep what it has found", name=job.title),
            self._discard: tr("Discard {name}", name=job.title),
            self._dismiss: tr("Dismiss {name}", name=job.title),
        }
        for button, text in texts.items():
            button.setToolTip(text)
            button.setAccessibleName(text)
        self._pause.setEnabled(job.begun)
        self._stop.setEnabled(job.begun)
        self._discard.setEnabled(job.discardable)
        for button in (self._pause, self._stop, self._discard):
            button.setHidden(job.failed)
        self._dismiss.setHidden(not job.failed)

    def _pause_or_resume(self) -> None:
        if self.job is not None:
            (self.resume_asked if self.job.state is JobState.PAUSED else self.pause_asked).emit(self.job.key)

    def _recolour(self) -> None:
        sign = "waiting" if self.job is None else self.job.state.sign
        self._state.setStyleSheet(f"color: {getattr(theme.current(), SIGNS[sign][1])};")
        self._error.setStyleSheet(f"color: {theme.current().bad};")
