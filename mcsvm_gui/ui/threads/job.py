"""Long work in a thread of its own, such as a training or a search of C and gamma.

Commands go in, facts come out. Facts wait in the job until the queue collects them; the queue decides how often the
window receives the facts of all its jobs.
"""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import dataclass

from PySide6.QtCore import Signal

from mcsvm_gui.core.machine.state import JobState
from mcsvm_gui.ui.threads.error_log import sentence_of
from mcsvm_gui.ui.threads.thread import Thread, step_back

Key = int | str  # the number of a run, or the name of a search


@dataclass(frozen=True)
class Failed:
    sentence: str


class Job(Thread):
    """`work` runs in the thread and reports facts, such as its state. Any thread may call the commands and `facts`."""

    urgent = Signal(object)  # the job; it has facts that must not wait for the next collection

    def __init__(self, key: Key) -> None:
        super().__init__()
        self.key = key
        self._facts: deque[object] = deque()
        self._may_run = threading.Event()
        self._may_run.set()
        self._stopping = self._discarding = self._abandoned = self._suspended = False
        self._ident = 0

    # -- commands ---------------------------------------------------------------------------------

    def pause(self) -> None:
        if not self.ending:
            self._may_run.clear()

    def resume(self) -> None:
        self._may_run.set()

    def stop(self) -> None:
        """End soon, and keep the results so far."""
        self._stopping = True
        self._may_run.set()

    def discard(self) -> None:
        """End soon, and keep nothing."""
        self._discarding = True
        self._may_run.set()

    def abandon(self) -> None:
        """End soon without reporting an ending: the next start of the program continues from the last saved point."""
        self._abandoned = True
        self.discard()

    def suspend(self) -> None:
        """End soon, save the point that was reached, and report no ending; the next start continues from that point."""
        self._suspended = True
        self.abandon()

    @property
    def ending(self) -> bool:
        return self._stopping or self._discarding

    def facts(self) -> list[object]:
        """Return the facts reported since the last call, in order."""
        return [self._facts.popleft() for _ in range(len(self._facts))]

    # -- in the thread ----------------------------------------------------------------------------

    def work(self) -> None:
        raise NotImplementedError

    def run(self) -> None:
        self._ident = threading.get_ident()
        try:
            step_back()
            self.work()
        except BaseException as error:  # no exception may leave a thread
            self.end(JobState.FAILED, Failed(sentence_of(error, f"job {self.key}")))

    def tell(self, *facts: object, urgent: bool = False) -> None:
        self._facts.extend(facts)
        if urgent:
            self.urgent.emit(self)

    def become(self, state: JobState) -> None:
        self.tell(state, urgent=True)

    def end(self, state: JobState, *facts: object) -> None:
        """Report the results, and then the final state."""
        if not self._abandoned:
            self.tell(*facts, state, urgent=True)

    def held(self) -> bool:
        """Wait while paused, then return whether to stop; all worker threads call it, only the job's own reports."""
        if not self._may_run.is_set():
            if threading.get_ident() == self._ident:
                self.rest()
            else:
                self._may_run.wait()
        return self.ending

    def rest(self, then: JobState = JobState.RUNNING) -> None:
        """Wait while paused, and report the state before and after."""
        if not self._may_run.is_set():
            self.become(JobState.PAUSED)
            self._may_run.wait()
        if not self.ending:
            self.become(then)
