"""A search of C and gamma, behind the window. A pause and a stop are heard within a second."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mcsvm_gui.core.machine.state import JobState
from mcsvm_gui.ui.threads.job import Job

if TYPE_CHECKING:
    from mcsvm.solvers.selection.cell import FoldResult, Trial
    from mcsvm.solvers.selection.trials.task import Done
    from mcsvm_gui.core.data.dataset import Dataset
    from mcsvm_gui.core.machine.request import Request
    from mcsvm_gui.core.tune.search import Tuned, TuneRequest, Tuning


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

    A pause holds threads of this process where they are; tasks on a cluster are interrupted, so that its workers are
    free, and done anew. Either way the search ends with the numbers of one that never paused. It cannot be discarded:
    each cell was kept as it came.
    """

    def __init__(
        self, name: str, request: Request, wanted: TuneRequest, dataset: Dataset, done: Mapping[Trial, FoldResult]
    ) -> None:
        super().__init__(name)
        self.request, self.wanted, self.dataset, self.done = request, wanted, dataset, dict(done)
        self._told: set[Trial] = set()

    def work(self) -> None:
        from mcsvm_gui.core.tune.search import Tuning

        self.become(JobState.PREPARING)
        tuning = Tuning(self.request, self.wanted, self.dataset, self.done)
        tuning.rehearse(lambda: self.ending)  # before anybody counts seconds
        self.tell(Begun(tuning), urgent=True)
        self.rest()
        if self.wanted.scheduler is None:
            tuned = tuning.run(self._tell_trial, self.held, self._tell_inside)
        else:
            tuned = self._interruptible(tuning)
        state = JobState.FAILED if tuned.trouble else JobState.DONE
        self.end(state, Searched(tuned))

    def _interruptible(self, tuning: Tuning) -> Tuned:
        seconds = 0.0
        while True:
            tuned, interrupted = self._until_paused(tuning, seconds)
            seconds += tuned.seconds
            if self.ending or not interrupted:
                return replace(tuned, seconds=seconds)
            tuning.forget_partial()
            self.rest()

    def _until_paused(self, tuning: Tuning, spent: float) -> tuple[Tuned, bool]:
        """A pause holds even if it is taken back before it is heard: half an answer must not reach the search."""
        interrupted = threading.Event()

        def stopped() -> bool:
            if self.ending or not self._may_run.is_set():
                interrupted.set()
            return interrupted.is_set()

        return tuning.run(self._tell_trial, stopped, self._tell_inside, spent), interrupted.is_set()

    def _tell_trial(self, done: Done) -> None:
        """Once, also of one that is done anew."""
        if done[0] not in self._told:
            self._told.add(done[0])
            self.tell(Tried(*done))

    def _tell_inside(self, done: Done) -> None:
        self.tell(TriedInside())
