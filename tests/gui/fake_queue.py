"""A queue that says what a test tells it to, and remembers what it was asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, Signal

from mcsvm_gui.ui.threads.queue import ENDED
from mcsvm_gui.ui.threads.training import JobState


class FakeQueue(QObject):
    state_changed = Signal(int, object)
    sampled = Signal(int, object)
    read = Signal(int, object)
    kept = Signal(int, object)
    checkpointed = Signal(int, bytes)
    ended = Signal(int, object)
    failed = Signal(int, str)
    discarded = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.states: dict[int, JobState] = {}
        self.wishes: list[tuple[str, int]] = []
        self.pause, self.resume = self._wish("pause"), self._wish("resume")
        self.stop, self.discard = self._wish("stop"), self._wish("discard")

    def _wish(self, name: str) -> Callable[[int], None]:
        return lambda number: self.wishes.append((name, number))

    def stop_all(self) -> None:
        for number in self.active():
            self.stop(number)

    def become(self, number: int, state: JobState) -> None:
        self.states[number] = state
        self.state_changed.emit(number, state)

    def run(self, number: int) -> None:
        for state in (JobState.QUEUED, JobState.PREPARING, JobState.RUNNING):
            self.become(number, state)

    def end(self, number: int, outcome: Any) -> None:
        self.become(number, JobState.DONE)
        self.ended.emit(number, outcome)

    def fail(self, number: int, sentence: str) -> None:
        self.become(number, JobState.FAILED)
        self.failed.emit(number, sentence)

    def state(self, number: int) -> JobState:
        return self.states[number]

    def active(self) -> list[int]:
        return [number for number, state in self.states.items() if state not in ENDED]
