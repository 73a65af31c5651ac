"""The reasons why a run ends. Files and attributes store the value of the member; `sentence` is for users."""

from __future__ import annotations

from enum import StrEnum


class Ending(StrEnum):
    CONVERGED = "converged"
    STEP_LIMIT = "step limit"
    TIME_LIMIT = "time limit"
    STOPPED = "stopped"
    STALLED = "stalled"
    PROVED = "decisions proved"  # predictions of a search's test rows, by the gap (selection/trials/settling.py)
    UNCHANGED = "decisions unchanged"  # the same predictions have not changed for long

    @property
    def sentence(self) -> str:
        return _SENTENCES[self]

    @property
    def is_enough(self) -> bool:
        """Tell whether the run reached its goal: the tolerance or, in a search, final predictions of the test rows."""
        return self in (Ending.CONVERGED, Ending.PROVED, Ending.UNCHANGED)


_SENTENCES = {
    Ending.CONVERGED: "The requested tolerance was reached.",
    Ending.STEP_LIMIT: "The step limit was reached first; the certificate shows how far the model may be from"
    " the optimum.",
    Ending.TIME_LIMIT: "The time limit was reached first; the certificate shows how far the model may be from"
    " the optimum.",
    Ending.STOPPED: "Stopped on request; the certificate shows how far the model may be from the optimum.",
    Ending.PROVED: "Ended before the tolerance: the gap proves that no decision of a test row changes any more.",
    Ending.UNCHANGED: "Ended before the tolerance: no decision of a test row had changed for long.",
    Ending.STALLED: "No step improves the dual any more, though the tolerance is not reached:"
    " the kernel may not be positive semidefinite, or the tolerance is beyond the arithmetic.",
}
