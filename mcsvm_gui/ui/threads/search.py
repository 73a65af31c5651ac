"""A search of C and gamma in a thread of its own. A pause and a stop are heard within a second."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mcsvm_gui.core.machine.state import JobState
from mcsvm_gui.ui.threads.job import Job

if TYPE_CHECKING:
    from mcsvm_gui.core.data.dataset import Dataset
    from mcsvm_gui.core.machine.request import Request
    from mcsvm_gui.core.tune.search import Tuned, TuneRequest, Tuning
    from solvers.selection.cell import FoldResult, Trial
    from solvers.selection.task import Done


@dataclass(frozen=True)
class Begun:
    """The data are checked and split."""

    tuning: Tuning


@dataclass(frozen=True)
class Tried:
    trial: Trial
    result: FoldResult


@dataclass(frozen=True)
class TriedInside:
    """A trial of a nested search, which tells of the choice and not of a cell."""


@dataclass(frozen=True)
class Searched:
    tuned: Tuned


class SearchJob(Job):
    """`done`: trials of before, which are not done again.

    A pause interrupts the trials under way and gives threads, memory and cluster back; the search goes on from what
    was done. It cannot be discarded: each cell was kept as it came.
    """

    def __init__(
        self, name: str, request: Request, wanted: TuneRequest, dataset: Dataset, done: Mapping[Trial, FoldResult]
    ) -> None:
        super().__init__(name)
        self.request, self.wanted, self.dataset, self.done = request, wanted, dataset, dict(done)

    def work(self) -> None:
        from mcsvm_gui.core.tune.search import Tuning

        self.become(JobState.PREPARING)
        tuning = Tuning(self.request, self.wanted, self.dataset, self.done)
        self.tell(Begun(tuning), urgent=True)
        self.rest()
        seconds = 0.0
        while True:
            tuned, interrupted = self._search(tuning)
            seconds += tuned.seconds
            if self.ending or not interrupted:
                break
            self.rest()
        state = JobState.FAILED if tuned.trouble else JobState.DONE
        self.end(state, Searched(replace(tuned, seconds=seconds)))

    def _search(self, tuning: Tuning) -> tuple[Tuned, bool]:
        """To the end, or to a pause: one that was asked for holds even if it is taken back before it is heard."""
        interrupted = threading.Event()

        def stopped() -> bool:
            if self.ending or not self._may_run.is_set():
                interrupted.set()
            return interrupted.is_set()

        return tuning.run(self._tell_trial, stopped, self._tell_inside), interrupted.is_set()

    def _tell_trial(self, done: Done) -> None:
        self.tell(Tried(*done))

    def _tell_inside(self, done: Done) -> None:
        self.tell(TriedInside())
