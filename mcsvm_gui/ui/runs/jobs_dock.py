"""The dock of jobs: what is in training, what waits and what failed, each with what can be done about it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDockWidget, QFrame, QHBoxLayout, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from mcsvm_gui.core.project.job_status import JobLine
from mcsvm_gui.ui.kit import icons
from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.kit.theme import UNIT
from mcsvm_gui.ui.runs.job_row import JobRow

LINE = 4 * UNIT  # pixels
FEW = 2  # jobs for which there is always room; the others are a drag or a turn of the wheel away


class JobsDock(QDockWidget):
    pause_asked = Signal(int)
    resume_asked = Signal(int)
    stop_asked = Signal(int)
    discard_asked = Signal(int)
    dismiss_asked = Signal(int)
    stop_all_asked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(tr("Jobs"), parent)
        self.setObjectName("jobsDock")
        self.setAccessibleName(tr("Jobs"))
        self.setFeatures(
            QDockWidget.DockWidgetFeature.DockWidgetClosable | QDockWidget.DockWidgetFeature.DockWidgetMovable
        )
        self._rows: dict[int, JobRow] = {}
        self._build_head()
        self._build_list()

    def _build_head(self) -> None:
        head = QWidget()
        title, self._summary = QLabel(tr("Jobs")), QLabel()
        title.setProperty("role", "heading")
        self._summary.setObjectName("jobsSummaryLabel")
        self._summary.setProperty("role", "muted")
        self._stop_all = QPushButton(tr("Stop all and keep"))
        icons.put(self._stop_all, "stop-keep")
        self._stop_all.setObjectName("stopAllButton")
        self._stop_all.setAccessibleName(tr("Stop all trainings and searches, and keep what they have"))
        self._stop_all.clicked.connect(self.stop_all_asked)
        row = QHBoxLayout(head)
        row.setContentsMargins(2 * UNIT, UNIT // 2, UNIT, UNIT // 2)
        row.setSpacing(UNIT)
        row.addWidget(title)
        row.addWidget(self._summary, 1)
        row.addWidget(self._stop_all)
        self.setTitleBarWidget(head)

    def _build_list(self) -> None:
        self._more = QLabel()
        self._more.setProperty("role", "muted")
        self._more.setContentsMargins(2 * UNIT, 0, UNIT, 0)
        inside = QWidget()
        self._list = QVBoxLayout(inside)
        self._list.setContentsMargins(0, UNIT // 2, 0, UNIT // 2)
        self._list.setSpacing(0)
        self._list.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._list.addWidget(self._more)
        self._area = QScrollArea()
        self._area.setWidgetResizable(True)
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._area.setWidget(inside)
        self.setWidget(self._area)
        self._fit(0)

    def _fit(self, lines: int) -> None:
        """As high as its jobs, and no higher: the room belongs to the page. Without any, one line says so."""
        self._area.setMinimumHeight(LINE * min(lines, FEW) + UNIT if lines else 0)
        self._area.setMaximumHeight(LINE * lines + UNIT if lines else 0)

    def show_jobs(self, lines: Sequence[JobLine], summary: str, more: str, *, stoppable: bool) -> None:
        wanted = [line.run for line in lines]
        for run in [run for run in self._rows if run not in wanted]:
            row = self._rows.pop(run)
            self._list.removeWidget(row)
            row.hide()
            row.deleteLater()
        for place, line in enumerate(lines):
            self._place(place, line)
        self._summary.setText(summary or tr("Nothing is being trained."))
        self._more.setVisible(bool(more))
        self._more.setText(more)
        self._stop_all.setVisible(stoppable)
        self._fit(len(lines) + bool(more))

    def _place(self, place: int, line: JobLine) -> None:
        row = self._rows.get(line.run)
        if row is None:
            row = self._rows[line.run] = self._new(line)
        row.show_line(line)
        if self._list.indexOf(row) != place:
            self._list.insertWidget(place, row)

    def _new(self, line: JobLine) -> JobRow:
        row = JobRow(line)
        for name in ("pause_asked", "resume_asked", "stop_asked", "discard_asked", "dismiss_asked"):
            getattr(row, name).connect(getattr(self, name))
        return row
