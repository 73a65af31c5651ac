"""The Jobs panel: running, waiting and failed trainings and searches, each with buttons to control it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDockWidget, QFrame, QHBoxLayout, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from mcsvm_gui.core.project.job_status import JobStatus
from mcsvm_gui.ui.kit import icons
from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.kit.theme import UNIT
from mcsvm_gui.ui.runs.job_row import JobRow
from mcsvm_gui.ui.threads.job import Key

ROW = 4 * UNIT  # pixels
FEW = 2  # jobs that are always visible; scrolling or dragging the edge shows the others


class JobsDock(QDockWidget):
    pause_asked = Signal(object)  # the key of a job
    resume_asked = Signal(object)
    stop_asked = Signal(object)
    discard_asked = Signal(object)
    dismiss_asked = Signal(object)
    stop_all_asked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(tr("Jobs"), parent)
        self.setObjectName("jobsDock")
        self.setAccessibleName(tr("Jobs"))
        self.setFeatures(
            QDockWidget.DockWidgetFeature.DockWidgetClosable | QDockWidget.DockWidgetFeature.DockWidgetMovable
        )
        self._rows: dict[Key, JobRow] = {}
        self._build_title_bar()
        self._build_list()

    def _build_title_bar(self) -> None:
        bar = QWidget()
        title, self._summary = QLabel(tr("Jobs")), QLabel()
        title.setProperty("role", "heading")
        self._summary.setObjectName("jobsSummaryLabel")
        self._summary.setProperty("role", "muted")
        self._stop_all = QPushButton(tr("Stop all and keep"))
        icons.put(self._stop_all, "stop-keep")
        self._stop_all.setObjectName("stopAllButton")
        self._stop_all.setAccessibleName(tr("Stop all trainings and searches, and keep what they have"))
        self._stop_all.clicked.connect(self.stop_all_asked)
        row = QHBoxLayout(bar)
        row.setContentsMargins(2 * UNIT, UNIT // 2, UNIT, UNIT // 2)
        row.setSpacing(UNIT)
        row.addWidget(title)
        row.addWidget(self._summary, 1)
        row.addWidget(self._stop_all)
        self.setTitleBarWidget(bar)

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

    def _fit(self, rows: int) -> None:
        """Make the panel as high as its jobs, to leave space to the page; without jobs it shows one line."""
        self._area.setMinimumHeight(ROW * min(rows, FEW) + UNIT if rows else 0)
        self._area.setMaximumHeight(ROW * rows + UNIT if rows else 0)

    def show_jobs(self, jobs: Sequence[JobStatus], summary: str, more: str, *, stoppable: bool) -> None:
        wanted = [job.key for job in jobs]
        for key in [key for key in self._rows if key not in wanted]:
            row = self._rows.pop(key)
            self._list.removeWidget(row)
            row.hide()
            row.deleteLater()
        for place, job in enumerate(jobs):
            self._place(place, job)
        self._summary.setText(summary or tr("No jobs"))
        self._more.setVisible(bool(more))
        self._more.setText(more)
        self._stop_all.setVisible(stoppable)
        self._fit(len(jobs) + bool(more))

    def _place(self, place: int, job: JobStatus) -> None:
        row = self._rows.get(job.key)
        if row is None:
            row = self._rows[job.key] = self._new(job)
        row.show_job(job)
        if self._list.indexOf(row) != place:
            self._list.insertWidget(place, row)

    def _new(self, job: JobStatus) -> JobRow:
        row = JobRow(job)
        for name in ("pause_asked", "resume_asked", "stop_asked", "discard_asked", "dismiss_asked"):
            getattr(row, name).connect(getattr(self, name))
        return row
