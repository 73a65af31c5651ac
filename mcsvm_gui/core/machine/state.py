"""The states of runs and searches, and the claims about the distance of a model from the optimum."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal

from mcsvm_gui.core.base import figures
from mcsvm_gui.core.base.i18n import tr


class JobState(StrEnum):
    """The state of a job in the queue; projects store the states in KEPT as well."""

    QUEUED = "queued"
    PREPARING = "preparing"
    RUNNING = "running"
    PAUSED = "paused"
    CALIBRATING = "calibrating"
    STOPPING = "stopping"
    CERTIFYING = "certifying"
    DONE = "done"
    FAILED = "failed"
    INTERRUPTED = "interrupted"  # because the program ended
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
        """The kind of badge of this state."""
        if self is JobState.CALIBRATING:
            return JobState.RUNNING.value
        return self.value if self in (JobState.RUNNING, JobState.FAILED) else "waiting"


ENDED = JobState.DONE, JobState.FAILED, JobState.DISCARDED
BEGUN = JobState.PREPARING, JobState.RUNNING, JobState.CALIBRATING, JobState.PAUSED  # may be paused, resumed, stopped

Optimality = Literal["solved", "close", "not solved"]

CLOSE = 0.01  # largest relative gap of a model that may be called close to the optimum
SEMIDEFINITE = "rbf", "linear"  # kernels whose dual is a bound on the optimum whatever their parameters


def optimality(
    ending: str, relative_gap: float, kernel: str, gap_tol: float | None = None, *, zero: bool = False
) -> Optimality:
    """Classify a model by its relative gap.

    Solved: the gap is within the requested `gap_tol`. A violation tolerance requests no gap, so that a run that has
    converged by its violation is solved if its gap is at most `CLOSE` too, or if primal and dual are `zero` within
    rounding. Close: the gap is at most `CLOSE`, however the run ended. A stalled run of a kernel that may be indefinite
    has no bound, and nothing is claimed about it.
    """
    if ending == "stalled" and kernel not in SEMIDEFINITE:
        return "not solved"
    near = math.isfinite(relative_gap) and relative_gap <= CLOSE
    if gap_tol is not None and math.isfinite(relative_gap) and relative_gap <= gap_tol:
        return "solved"
    if ending == "converged" and (zero or (near and gap_tol is None)):
        return "solved"
    return "close" if near else "not solved"


@dataclass(frozen=True)
class OptimalityClaim:
    """The claim about the distance between a model and the optimum. All output takes its words from here."""

    kind: Optimality
    text: str  # a few words, for a badge
    advice: str = ""  # what to do, if it is not solved

    @property
    def sentences(self) -> str:
        return f"{self.text}. {self.advice}".rstrip()


def claim_of(document: Mapping[str, Any]) -> OptimalityClaim:
    """Return the claim for the document of an ended training."""
    if not document.get("certified", True):
        return OptimalityClaim("not solved", tr("Not certified"), tr("Train again, with more time."))
    return claim(document["ending"], document["certificate"], document["kernel"]["name"], document.get("gap_tol"))


def claim(
    ending: str,
    certificate: Mapping[str, Any],
    kernel: str,
    gap_tol: float | None = None,
) -> OptimalityClaim:
    """Return the claim for a certificate in document form."""
    relative, zero = float(certificate["relative_gap"]), bool(certificate.get("zero_within_rounding", False))
    gap, kind = figures.gap(relative), optimality(ending, relative, kernel, gap_tol, zero=zero)
    closed = relative <= figures.ROUNDING  # the gap would be written as 0%
    if kind == "solved" and zero:
        return OptimalityClaim(kind, tr("Solved: the optimum is zero within rounding"))
    if kind == "solved":
        text = tr("Solved: the gap is zero within rounding") if closed else tr("Solved to {gap}", gap=gap)
        return OptimalityClaim(kind, text)
    if kind == "close":
        text = tr("Close: up to {gap} from the optimum", gap=gap)
        if closed:
            text = tr("Close: the gap is zero within rounding, but the run has not converged")
        return OptimalityClaim(kind, text, tr("Train longer to solve it."))
    if ending == "stalled" and kernel not in SEMIDEFINITE:
        advice = tr("The kernel may not be positive semidefinite, and then the gap proves nothing.")
        return OptimalityClaim(kind, tr("Not solved"), advice)
    if ending == "converged":
        text = tr("Converged by violation, but up to {gap} from the optimum", gap=gap)
        return OptimalityClaim(kind, text, tr("Train with a smaller tolerance."))
    return OptimalityClaim(
        kind, tr("Not solved: up to {gap} from the optimum", gap=gap), tr("Train longer to solve it.")
    )
