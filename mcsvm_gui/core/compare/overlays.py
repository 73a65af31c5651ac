"""Lines of finished runs over time, for plots on top of each other."""

from __future__ import annotations

from collections.abc import Sequence

from mcsvm_gui.core.evaluate import curves
from mcsvm_gui.core.evaluate.curves import History, Line

KINDS = "gap", "violation", "primal", "dual", "support"
LOGARITHMIC = "gap", "violation", "primal"


def line(history: History, kind: str) -> Line:
    table = history.trace
    if kind != "gap":
        return table["seconds"], table[kind]
    return table["seconds"], curves.gaps(table)


def reach(histories: Sequence[History], log_time: bool) -> tuple[float, float] | None:
    """Return the ends of the time axis; a logarithmic axis begins at the first time above zero."""
    if not log_time:
        return curves.reach(histories, "seconds")
    times = [history.trace["seconds"] for history in histories]
    seen = [time[time > 0.0] for time in times if (time > 0.0).any()]
    if not seen:
        return None
    return float(min(time[0] for time in seen)), float(max(time[-1] for time in seen))
