"""A queue that says what a test tells it to, and remembers what it was asked for; a project without runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, Signal

from mcsvm_gui.core.machine.state import ENDED, JobState
from mcsvm_gui.ui.threads.job import Failed, Job, Key
from mcsvm_gui.ui.threads.training import Trained


class FakeQueue(QObject):
    told = Signal(object, object)
    accepting = True  # jobs, as long as the window is not being closed

    def __init__(self) -> None:
        super().__init__()
        self.states: dict[Key, JobState] = {}
        self.submitted: list[Any] = []
        self.commands: list[tuple[str, Key]] = []
        self.pause, self.resume = self._command("pause"), self._command("resume")
        self.stop, self.discard = self._command("stop"), self._command("discard")

    def _command(self, name: str) -> Callable[[Key], None]:
        return lambda key: self.commands.append((name, key))

    def stop_all(self) -> None:
        for key in self.active():
            self.stop(key)

    def stop_all_and_close(self) -> None:
        self.accepting = False
        self.stop_all()

    def submit(self, job: Job) -> None:
        self.submitted.append(job)
        self.become(job.key, JobState.QUEUED)

    def tell(self, key: Key, *facts: object) -> None:
        for fact in facts:
            if isinstance(fact, JobState):
                self.states[key] = fact
        self.told.emit(key, list(facts))

    def become(self, key: Key, state: JobState) -> None:
        self.tell(key, state)

    def run(self, key: Key) -> None:
        for state in (JobState.QUEUED, JobState.PREPARING, JobState.RUNNING):
            self.become(key, state)

    def end(self, key: Key, outcome: Any, *, continuable: bool = False) -> None:
        self.tell(key, Trained(outcome, continuable), JobState.DONE)

    def fail(self, key: Key, sentence: str) -> None:
        self.tell(key, Failed(sentence), JobState.FAILED)

    def discarded(self, key: Key) -> None:
        self.become(key, JobState.DISCARDED)

    def state(self, key: Key) -> JobState:
        return self.states[key]

    def active(self) -> list[Key]:
        return [key for key, state in self.states.items() if state not in ENDED]


class NoRuns(QObject):
    """A project that keeps settings alone."""

    opened, project_read = Signal(), Signal()
    path, loaded = "/projects/a.mcsvmproj", True
    selected: tuple[int, ...] = ()

    def select(self, runs: Any) -> None:
        self.selected = tuple(runs)

    def __init__(self, **kept: Any) -> None:
        super().__init__()
        self.kept = kept

    def setting(self, key: str) -> Any:
        return self.kept.get(key)

    def keep_setting(self, key: str, value: Any) -> None:
        self.kept[key] = value
