"""What is drawn of finished runs over each other, against time."""

from __future__ import annotations

from collections.abc import Sequence

from mcsvm_gui.core.evaluate import curves
from mcsvm_gui.core.evaluate.curves import Course, Line

KINDS = "gap", "violation", "primal", "dual", "support"
LOGARITHMIC = "gap", "violation", "primal"
RISING = "dual", "support"


def line(course: Course, kind: str) -> Line:
    table = course.trace
    if kind != "gap":
        return table["seconds"], table[kind]
    return table["seconds"], curves.gaps(table)


def reach(courses: Sequence[Course], log_time: bool) -> tuple[float, float] | None:
    """Where the time axis begins and ends; a logarithmic one begins at the first moment after the start."""
    if not log_time:
        return curves.reach(courses, "seconds")
    times = [course.trace["seconds"] for course in courses]
    seen = [time[time > 0.0] for time in times if (time > 0.0).any()]
    if not seen:
        return None
    return float(min(time[0] for time in seen)), float(max(time[-1] for time in seen))
