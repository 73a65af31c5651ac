"""The states of runs and searches, and whether a model is the optimum: each in one word, decided in one place."""

from __future__ import annotations

import math
from enum import StrEnum
from typing import Literal

from mcsvm_gui.core.base.i18n import tr


class JobState(StrEnum):
    """Of a job in the queue; those of KEPT are written into projects too."""

    QUEUED = "queued"
    PREPARING = "preparing"
    RUNNING = "running"
    PAUSED = "paused"
    CALIBRATING = "calibrating"
    STOPPING = "stopping"
    CERTIFYING = "certifying"
    DONE = "done"
    FAILED = "failed"
    INTERRUPTED = "interrupted"  # by the end of the program
    DISCARDED = "discarded"

    @property
    def label(self) -> str:
        return {
            JobState.QUEUED: tr("Waiting"),
            JobState.PREPARING: tr("Preparing"),
            JobState.RUNNING: tr("Running"),
            JobState.PAUSED: tr("Paused"),
            JobState.CALIBRATING: tr("Calibrating"),
            JobState.STOPPING: tr("Stopping"),
            JobState.CERTIFYING: tr("Being verified"),
            JobState.DONE: tr("Done"),
            JobState.FAILED: tr("Failed"),
            JobState.INTERRUPTED: tr("Interrupted"),
            JobState.DISCARDED: tr("Discarded"),
        }[self]

    @property
    def sign(self) -> str:
        """The kind of its badge."""
        if self is JobState.CALIBRATING:
            return JobState.RUNNING.value
        return self.value if self in (JobState.RUNNING, JobState.FAILED) else "waiting"


ENDED = JobState.DONE, JobState.FAILED, JobState.DISCARDED
BEGUN = JobState.PREPARING, JobState.RUNNING, JobState.CALIBRATING, JobState.PAUSED  # may be paused, resumed, stopped

Optimality = Literal["solved", "nearly", "not solved"]

NEAR = 0.01  # a relative gap up to which a model that is not solved is called nearly so
SEMIDEFINITE = "rbf", "linear"  # kernels whose dual is a bound on the optimum whatever their parameters


def optimality(ending: str, relative_gap: float, kernel: str) -> Optimality:
    """Converged means that no constraint is violated by more than the tolerance; the gap bounds the distance.

    A stalled run of a kernel that may be indefinite has no bound: nothing can be said for it.
    """
    near = math.isfinite(relative_gap) and relative_gap <= NEAR
    if ending == "converged":
        return "solved" if near else "nearly"
    if ending == "stalled" and kernel not in SEMIDEFINITE:
        return "not solved"
    return "nearly" if near else "not solved"
