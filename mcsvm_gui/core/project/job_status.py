"""What the dock says of a job: how far, how fast, how long."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mcsvm_gui.core.base import figures
from mcsvm_gui.core.base.i18n import tr
from mcsvm_gui.core.machine import summary

if TYPE_CHECKING:
    from mcsvm_gui.core.machine.request import Request
    from mcsvm_gui.core.project.records import RunRecord
    from solvers.run.trace import Trace

PAUSABLE = "preparing", "running", "paused"
STOPPABLE = "preparing", "running", "paused"


@dataclass(frozen=True)
class JobLine:
    """One job, ready to be shown; texts are empty where nothing is known."""

    run: int
    name: str
    machine: str
    kind: str  # of badge
    state: str
    gap: str = ""
    rate: str = ""
    left: str = ""
    sentence: str = ""  # why it failed
    paused: bool = False
    can_pause: bool = False
    can_stop: bool = False
    over: bool = False  # it can only be dismissed


def line(record: RunRecord, state: str, trace: Trace, classes: int) -> JobLine:
    """Of a job that goes on."""
    known = record.live is not None and state not in ("queued", "preparing")
    return JobLine(
        record.id,
        record.name,
        record.machine,
        "running" if state == "running" else "waiting",
        state_words().get(state, state),
        gap=figures.gap(max(record.relative_gap or 0.0, 0.0)) if known else "",
        rate=figures.rate(pace(trace)) if known and state == "running" else "",
        left=_left(trace, record.request, classes) if known and state == "running" else "",
        paused=state == "paused",
        can_pause=state in PAUSABLE,
        can_stop=state in STOPPABLE,
    )


def failed_line(record: RunRecord) -> JobLine:
    words = state_words()["failed"]
    return JobLine(record.id, record.name, record.machine, "failed", words, sentence=record.error or "", over=True)


def state_words() -> dict[str, str]:
    return {
        "queued": tr("Waiting"),
        "preparing": tr("Preparing"),
        "running": tr("Running"),
        "paused": tr("Paused"),
        "stopping": tr("Stopping"),
        "certifying": tr("Being verified"),
        "failed": tr("Failed"),
    }


def pace(trace: Trace) -> float | None:
    """Steps per second of late."""
    rows = trace.rows[-summary.TREND :]
    if len(rows) < 2 or not rows[-1, 1] > rows[0, 1]:
        return None
    return float((rows[-1, 0] - rows[0, 0]) / (rows[-1, 1] - rows[0, 1]))


def _left(trace: Trace, request: Request, classes: int) -> str:
    from mcsvm_gui.core.machine.time_left import seconds_left
    from solvers.run.loop import find_method
    from solvers.run.trace import Sample

    samples = [Sample(*row) for row in trace.rows[-summary.TREND :].tolist()]
    goal = find_method(request.solver).natural_gap if request.gap_tol is None else request.gap_tol
    left = seconds_left(samples, request.tol, goal, parts=summary.parts_of(request.machine, classes))
    if left is None:
        return ""
    return tr("a moment left") if left < 1.0 else tr("about {time} left", time=figures.remaining(left))
