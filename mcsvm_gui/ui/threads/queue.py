"""The queue of trainings: so many at once, the others in the order they came."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from mcsvm_gui.ui.threads.training import Job, JobState, Training

if TYPE_CHECKING:
    from mcsvm_gui.core.data.dataset import Dataset
    from mcsvm_gui.core.machine.request import Request

ENDED = JobState.DONE, JobState.FAILED, JobState.DISCARDED


class JobQueue(QObject):
    """Lives in the window's thread and never waits, except in `shut_down`."""

    state_changed = Signal(int, object)  # number, JobState
    sampled = Signal(int, object)  # Sample
    read = Signal(int, object)  # Reading
    kept = Signal(int, object)  # TrainedModel after a stop, before its certificate is recomputed
    checkpointed = Signal(int, bytes)
    ended = Signal(int, object)  # Outcome
    failed = Signal(int, str)
    discarded = Signal(int)

    def __init__(self, limit: int = 2, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._limit = limit
        self._states: dict[int, JobState] = {}
        self._waiting: dict[int, Job] = {}
        self._threads: dict[int, Training] = {}
        self._open = True

    @property
    def limit(self) -> int:
        return self._limit

    @limit.setter
    def limit(self, limit: int) -> None:
        self._limit = max(1, limit)
        self._fill()

    def state(self, number: int) -> JobState:
        return self._states[number]

    def active(self) -> list[int]:
        """Every job that has not ended, in the order they came."""
        return [number for number, state in self._states.items() if state not in ENDED]

    def submit(
        self,
        number: int,
        request: Request,
        dataset: Dataset,
        test: Dataset | None = None,
        checkpoint: bytes | None = None,
        *,
        keep: bool = False,
    ) -> None:
        """`checkpoint`: where to go on from; `keep`: stop right there, for a model of it."""
        assert number not in self.active(), "a job has one number"
        self._states.pop(number, None)
        self._waiting[number] = Job(number, request, dataset, test, checkpoint, keep)
        self._become(number, JobState.QUEUED)
        if self._open:
            self._fill()
        else:
            self.discard(number)

    # -- wishes; those that come too late change nothing ------------------------------------------

    def pause(self, number: int) -> None:
        if number in self._threads:
            self._threads[number].pause()

    def resume(self, number: int) -> None:
        if number in self._threads:
            self._threads[number].resume()

    def stop(self, number: int) -> None:
        """Stop and keep; a job that has not begun has nothing to keep and is discarded."""
        if number in self._waiting:
            self.discard(number)
        elif number in self._threads:
            if self._states[number] in (JobState.RUNNING, JobState.PAUSED, JobState.PREPARING):
                self._become(number, JobState.STOPPING)
            self._threads[number].stop()

    def discard(self, number: int) -> None:
        if self._waiting.pop(number, None) is not None:
            self._become(number, JobState.DISCARDED)
            self.discarded.emit(number)
        elif number in self._threads:
            self._threads[number].discard()

    def stop_all(self) -> None:
        for number in self.active():
            self.stop(number)

    def shut_down(self, milliseconds: int) -> bool:
        """Discards what still runs and waits for its threads; whether all ended in time. Nothing begins any more."""
        self._open = False
        for number in self.active():
            self.discard(number)
        ended = [thread.wait(milliseconds) for thread in list(self._threads.values())]
        return all(ended)

    # -- what threads say -------------------------------------------------------------------------

    def _fill(self) -> None:
        while self._waiting and len(self._threads) < self._limit:
            number = next(iter(self._waiting))
            self._begin(self._waiting.pop(number))

    def _begin(self, job: Job) -> None:
        thread = Training(job)
        self._threads[job.number] = thread
        thread.became.connect(self._heard)
        for name in ("sampled", "read", "kept", "checkpointed"):
            getattr(thread, name).connect(getattr(self, name))
        thread.ended.connect(self._ended)
        thread.failed.connect(self._failed)
        thread.discarded.connect(self._discarded)
        thread.finished.connect(self._finished)
        thread.start()

    def _heard(self, number: int, state: JobState) -> None:
        """A job that is being stopped stays so until it certifies what it kept."""
        if self._states[number] is not JobState.STOPPING or state is JobState.CERTIFYING:
            self._become(number, state)

    def _ended(self, number: int, outcome: object) -> None:
        self._become(number, JobState.DONE)
        self.ended.emit(number, outcome)

    def _failed(self, number: int, sentence: str) -> None:
        self._become(number, JobState.FAILED)
        self.failed.emit(number, sentence)

    def _discarded(self, number: int) -> None:
        self._become(number, JobState.DISCARDED)
        self.discarded.emit(number)

    def _finished(self) -> None:
        """The thread is gone, so the next may begin."""
        thread = self.sender()
        assert isinstance(thread, Training)
        self._threads.pop(thread.job.number, None)
        self._fill()

    def _become(self, number: int, state: JobState) -> None:
        self._states[number] = state
        self.state_changed.emit(number, state)
