"""The status of a job (training or search) in the dock: state, progress, speed, time left."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mcsvm_gui.core.base import figures
from mcsvm_gui.core.base.i18n import tr
from mcsvm_gui.core.machine import summary
from mcsvm_gui.core.machine.state import BEGUN, JobState

if TYPE_CHECKING:
    from mcsvm.solvers.run.trace import Trace
    from mcsvm_gui.core.project.records import RunRecord


@dataclass(frozen=True)
class JobStatus:
    """Texts ready to be shown; empty if unknown."""

    key: int | str
    title: str
    state: JobState
    machine: str = ""  # of a training
    progress: str = ""
    rate: str = ""
    time_left: str = ""
    error: str = ""  # why it failed
    discardable: bool = True

    @property
    def begun(self) -> bool:
        """Whether the job can be paused, resumed and stopped."""
        return self.state in BEGUN

    @property
    def failed(self) -> bool:
        """Whether the job failed; then it can only be dismissed."""
        return self.state is JobState.FAILED


def training_status(
    record: RunRecord, state: JobState, trace: Trace, classes: int, folds: tuple[int, int] | None = None
) -> JobStatus:
    """Return the status of a training; `folds` are the finished folds of a calibration, and all of them."""
    from mcsvm_gui.core.machine.time_left import shared_progress

    error = record.error or "" if state is JobState.FAILED else ""
    status = JobStatus(record.id, record.name, state, record.machine, error=error)
    if record.live is None or state in (JobState.QUEUED, JobState.PREPARING, JobState.FAILED):
        return status
    if state is JobState.CALIBRATING and folds is not None:
        return replace(status, progress=summary.folds_text(*folds))
    gap = tr("gap {gap}", gap=figures.gap(max(record.relative_gap or 0.0, 0.0)))
    known = shared_progress(trace, record.request, classes) if state is JobState.RUNNING else None
    if known is None:
        return replace(status, progress=gap)
    left = summary.time_left_text(known.seconds_left)
    return replace(status, progress=gap, rate=figures.rate(known.rate), time_left=left)
