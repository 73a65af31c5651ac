"""The queue of jobs: so many at once, the others in the order they came."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal

from mcsvm_gui.core.machine.state import BEGUN, ENDED, JobState
from mcsvm_gui.ui.threads.job import Job, Key

COLLECTED_EVERY = 120  # milliseconds, and nothing after this waits again; 66 kept the window twice as busy with plots


class JobQueue(QObject):
    """Lives in the window's thread and never waits, except in `shut_down`."""

    rested = Signal()  # the last job has ended, and none waits
    suspended = Signal()  # no job runs any more after `suspend`
    told = Signal(object, object)  # the key of a job, and the list of what it told since: its states are among it

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
        """Tell whether jobs may be submitted, which is not possible while the window closes."""
        return self._open

    def state(self, key: Key) -> JobState:
        return self._states[key]

    def active(self) -> list[Key]:
        """Every job that has not ended, in the order they came."""
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

    # -- commands; those that come too late change nothing ----------------------------------------

    def pause(self, key: Key) -> None:
        if key in self._running:
            self._running[key].pause()

    def resume(self, key: Key) -> None:
        if key in self._running:
            self._running[key].resume()

    def stop(self, key: Key) -> None:
        """Stop and keep; a job that has not begun has nothing to keep and is discarded."""
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
        """Ends what runs, hands over what it found and waits; whether all ended in time. Nothing begins any more."""
        self._open = False
        self._waiting.clear()
        jobs = list(self._running.values())
        for job in jobs:
            job.abandon()
        ended = [job.wait(milliseconds) for job in jobs]
        self._collect()
        return all(ended)

    # -- what jobs tell ---------------------------------------------------------------------------

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
        """A job that is being stopped stays so until it certifies what it kept."""
        return self._states[key] is JobState.STOPPING and fact in BEGUN

    def _finished(self) -> None:
        """The thread is gone, so the next may begin."""
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
