"""A search of C and gamma in a worker thread. A pause or a stop takes effect within a second."""

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
    """A trial inside a nested search: it counts towards the choice and has no cell of its own."""


@dataclass(frozen=True)
class Searched:
    tuned: Tuned


class SearchJob(Job):
    """`done` has earlier trials, which are not repeated.

    A pause holds the threads of this process where they are; tasks on a cluster are interrupted, so that its workers
    are free, and repeated later. Either way the search ends with the same numbers as without a pause. A search cannot
    be discarded, because each of its cells was stored on arrival.
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
        tuning.rehearse(lambda: self.ending)  # first, so that compilation does not count as time of the search
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
        """Run until the end or a pause.

        A pause counts even if it is revoked before the search notices it: an answer that changes midway must not reach
        the search.
        """
        interrupted = threading.Event()

        def stopped() -> bool:
            if self.ending or not self._may_run.is_set():
                interrupted.set()
            return interrupted.is_set()

        return tuning.run(self._tell_trial, stopped, self._tell_inside, spent), interrupted.is_set()

    def _tell_trial(self, done: Done) -> None:
        """Report a trial once, even if it is repeated after a pause."""
        if done[0] not in self._told:
            self._told.add(done[0])
            self.tell(Tried(*done))

    def _tell_inside(self, done: Done) -> None:
        self.tell(TriedInside())
