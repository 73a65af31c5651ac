"""The queue of jobs: a limited number runs at once, the others wait in order of arrival."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal

from mcsvm_gui.core.machine.state import BEGUN, ENDED, JobState
from mcsvm_gui.ui.threads.job import Job, Key

COLLECTED_EVERY = 120  # milliseconds, with no further delay; with 66 the window spent twice as much time on plots


class JobQueue(QObject):
    """Lives in the window's thread and never blocks, except in `shut_down`."""

    rested = Signal()  # the last job has ended, and none is waiting
    suspended = Signal()  # no job runs any more after `suspend`
    told = Signal(object, object)  # the key of a job, and its new facts, which include its states

    def __init__(self, limit: int = 2, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._limit = limit
        self._states: dict[Key, JobState] = {}
        self._waiting: dict[Key, Job] = {}
        self._running: dict[Key, Job] = {}
        self._open = True  # whether jobs may start
        self._suspending = False
        self._ticks = QTimer(self, interval=COLLECTED_EVERY)
        self._ticks.timeout.connect(self._collect)

    @property
    def limit(self) -> int:
        return self._limit

    @limit.setter
    def limit(self, limit: int) -> None:
        self._limit = max(1, limit)
        self._fill()

    @property
    def accepting(self) -> bool:
        """Return whether jobs may be submitted, which is not possible while the window closes."""
        return self._open

    def state(self, key: Key) -> JobState:
        return self._states[key]

    def active(self) -> list[Key]:
        """Return the keys of all jobs that have not ended, in order of arrival."""
        return [key for key, state in self._states.items() if state not in ENDED]

    def submit(self, job: Job) -> None:
        assert job.key not in self.active(), "a job has one key"
        if self._suspending:
            return  # the next start finds it in the project
        self._states.pop(job.key, None)
        self._waiting[job.key] = job
        self._say(job.key, [JobState.QUEUED])
        if self._open:
            self._fill()
        else:
            self.discard(job.key)

    # -- commands; those that arrive too late change nothing --------------------------------------

    def pause(self, key: Key) -> None:
        if key in self._running:
            self._running[key].pause()

    def resume(self, key: Key) -> None:
        if key in self._running:
            self._running[key].resume()

    def stop(self, key: Key) -> None:
        """Stop a job and keep its results; a waiting job has no results and is discarded."""
        if key in self._waiting:
            self.discard(key)
        elif key in self._running:
            self._running[key].stop()
            if self._states[key] in BEGUN:
                self._say(key, [JobState.STOPPING])

    def discard(self, key: Key) -> None:
        if self._waiting.pop(key, None) is not None:
            self._say(key, [JobState.DISCARDED])
        elif key in self._running:
            self._running[key].discard()

    def stop_all(self) -> None:
        for key in self.active():
            self.stop(key)

    def stop_all_and_close(self) -> None:
        """Stop every job, keep the results, and start no other job."""
        self._open = False
        self.stop_all()

    def suspend(self) -> None:
        """End every job at its current point, from which the next start continues; then emit `suspended`."""
        self._open = False
        for key in self._waiting:
            del self._states[key]
        self._waiting.clear()
        self._suspending = True
        for job in self._running.values():
            job.suspend()
        if not self._running:
            QTimer.singleShot(0, self, self.suspended.emit)

    def shut_down(self, milliseconds: int) -> bool:
        """End all jobs, pass on their last facts and wait; return whether all ended in time. No other job starts."""
        self._open = False
        self._waiting.clear()
        jobs = list(self._running.values())
        for job in jobs:
            job.abandon()
        ended = [job.wait(milliseconds) for job in jobs]
        self._collect()
        return all(ended)

    # -- facts of jobs ----------------------------------------------------------------------------

    def _fill(self) -> None:
        while self._open and self._waiting and len(self._running) < self._limit:
            self._begin(self._waiting.pop(next(iter(self._waiting))))

    def _begin(self, job: Job) -> None:
        self._running[job.key] = job
        job.urgent.connect(self._hear)
        job.finished.connect(self._finished)
        job.start()
        self._ticks.start()

    def _collect(self) -> None:
        for job in list(self._running.values()):
            self._hear(job)

    def _hear(self, job: Job) -> None:
        facts = [fact for fact in job.facts() if not self._is_late(job.key, fact)]
        if facts:
            self._say(job.key, facts)

    def _is_late(self, key: Key, fact: object) -> bool:
        """Return whether a state is outdated: a job that is being stopped stays so until it certifies its result."""
        return self._states[key] is JobState.STOPPING and fact in BEGUN

    def _finished(self) -> None:
        """Start the next job, as the thread of this one has ended."""
        job = self.sender()
        assert isinstance(job, Job)
        self._hear(job)
        self._running.pop(job.key, None)
        if self._suspending and self._states[job.key] not in ENDED:
            del self._states[job.key]
        if not self._running:
            self._ticks.stop()
        self._fill()
        if not self._running:
            (self.rested if self._open else self.suspended).emit()

    def _say(self, key: Key, facts: list[object]) -> None:
        for fact in facts:
            if isinstance(fact, JobState):
                self._states[key] = fact
        self.told.emit(key, facts)
