"""A learning curve, computed in a worker thread. A pause or a stop takes effect within a second."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mcsvm_gui.core.machine.state import JobState
from mcsvm_gui.ui.threads.job import Job

if TYPE_CHECKING:
    from mcsvm.solvers.selection.cell import FoldResult, Trial
    from mcsvm.solvers.selection.trials.task import Done
    from mcsvm_gui.core.data.dataset import Dataset
    from mcsvm_gui.core.machine.request import Request
    from mcsvm_gui.core.tune.search import Tuning


@dataclass(frozen=True)
class CurveKnown:
    """Progress: the document of `mcsvm curve --json` so far, and how many trainings are done and expected."""

    document: dict[str, Any]
    done: int
    expected: int


class CurveJob(Job):
    def __init__(self, name: str, request: Request, dataset: Dataset) -> None:
        super().__init__(name)
        self.request, self.dataset = request, dataset
        self._done: dict[Trial, FoldResult] = {}

    def work(self) -> None:
        from mcsvm_gui.core.tune.curve import curve_tuning, learning_curve

        self.become(JobState.PREPARING)
        tuning = curve_tuning(self.request, {}, self.dataset)
        self.rest()
        learning_curve(tuning, lambda done: self._take(tuning, done), self.held)
        if self._discarding:
            self.end(JobState.DISCARDED)
        else:
            self.end(JobState.DONE, self._known(tuning))

    def _take(self, tuning: Tuning, done: Done) -> None:
        self._done[done[0]] = done[1]
        self.tell(self._known(tuning))

    def _known(self, tuning: Tuning) -> CurveKnown:
        from mcsvm_gui.core.tune.curve import curve_of, trainings

        document = curve_of(tuning, self._done, stopped=self.ending).document()
        return CurveKnown(document, len(self._done), trainings(tuning))
