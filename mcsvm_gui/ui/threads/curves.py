"""The learning curves of the window: one per run, stored in the project once it has a point."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from mcsvm_gui.core.base.i18n import tr
from mcsvm_gui.core.machine.state import ENDED, JobState
from mcsvm_gui.core.project.job_status import JobStatus
from mcsvm_gui.ui.threads.curve import CurveJob, CurveKnown
from mcsvm_gui.ui.threads.job import Failed, Key

if TYPE_CHECKING:
    from mcsvm_gui.core.data.dataset import Dataset
    from mcsvm_gui.core.machine.request import Request
    from mcsvm_gui.ui.threads.queue import JobQueue

KEPT = "learning curves"  # the project's key for the curves, which are stored by the number of the run


@dataclass(eq=False)
class CurveOfRun:
    key: str
    run: int
    machine: str
    state: JobState = JobState.QUEUED
    known: CurveKnown | None = None
    error: str = ""

    @property
    def title(self) -> str:
        return tr("Learning curve of {machine}", machine=self.machine)

    @property
    def progress(self) -> str:
        if self.known is None:
            return ""
        return tr("{done} of {expected} trainings", done=self.known.done, expected=self.known.expected)


class Curves(QObject):
    """`setting` and `keep` read and write the project.

    An interrupted curve is not continued; it is soon computed again.
    """

    changed = Signal(int)  # the number of a run

    def __init__(
        self,
        queue: JobQueue,
        setting: Callable[[str], Any],
        keep: Callable[[str, Any], object],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._queue, self._setting, self._keep = queue, setting, keep
        self._curves: dict[str, CurveOfRun] = {}  # curves that have not ended, and curves that failed
        self._count = 0
        queue.told.connect(self._hear)

    def __contains__(self, key: Key) -> bool:
        return key in self._curves

    def of(self, run: int) -> CurveOfRun | None:
        """Return the curve of a run that is running, waits or has failed last, or None."""
        return next((one for one in reversed(self._curves.values()) if one.run == run), None)

    def document(self, run: int) -> dict[str, Any] | None:
        """Return the document of the current curve of a run, or else the one in the project."""
        now = self.of(run)
        if now is not None and now.known is not None:
            return now.known.document
        kept = self._setting(KEPT)
        found = kept.get(str(run)) if isinstance(kept, dict) else None
        return found if _is_curve(found) else None

    def start(self, run: int, request: Request, dataset: Dataset) -> None:
        self._count += 1
        self._curves = {key: one for key, one in self._curves.items() if one.run != run}
        found = CurveOfRun(f"curve {self._count}", run, request.machine)
        self._curves[found.key] = found
        self._queue.submit(CurveJob(found.key, request, dataset))

    def stop(self, run: int) -> None:
        found = self.of(run)
        if found is not None:
            self._queue.stop(found.key)

    def dismiss(self, key: Key) -> None:
        """Remove a curve that failed."""
        self._curves.pop(str(key), None)

    def status(self, key: Key) -> JobStatus:
        found = self._curves[str(key)]
        words = "" if found.state in (JobState.QUEUED, JobState.FAILED) else found.progress
        return JobStatus(found.key, found.title, found.state, progress=words, error=found.error)

    def _hear(self, key: Key, facts: Sequence[object]) -> None:
        found = self._curves.get(str(key))
        if found is None:
            return
        for fact in facts:
            match fact:
                case CurveKnown():
                    found.known = fact
                case Failed(sentence):
                    found.error = sentence
                case JobState():
                    self._enter(found, fact)
        self.changed.emit(found.run)

    def _enter(self, found: CurveOfRun, state: JobState) -> None:
        found.state = state
        if state not in ENDED or state is JobState.FAILED:
            return
        if state is JobState.DONE and found.known is not None and found.known.document["points"]:
            kept = self._setting(KEPT)
            before = kept if isinstance(kept, dict) else {}
            self._keep(KEPT, {**before, str(found.run): found.known.document})
        del self._curves[found.key]


def _is_curve(found: Any) -> bool:
    """Return whether a project's entry is a curve, as files may contain anything."""
    return isinstance(found, dict) and isinstance(found.get("points"), list) and "projected" in found
