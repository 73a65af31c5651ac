"""The field of the scheduler: what its Test button says, and of which address it is true."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtCore import QObject, Signal

from mcsvm_gui.core.cluster.examining import Examined
from mcsvm_gui.core.data.files import address
from mcsvm_gui.ui.threads import cluster
from mcsvm_gui.ui.threads.cluster import ClusterField


class View(QObject):
    scheduler_test_asked = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.address, self.words, self.role, self.can_test = "", "", "", False
        self.closed: dict[str, str] = {}

    def texts(self) -> dict[str, str]:
        return {"scheduler": self.address}

    def show_cluster(self, words: str, role: str, can_test: bool) -> None:
        self.words, self.role, self.can_test = words, role, can_test

    def close_field(self, key: str, why: str) -> None:
        self.closed[key] = why


class Tasks:
    """Answers when it is told to."""

    def __init__(self) -> None:
        self.started: list[tuple[Callable[..., Any], ...]] = []
        self.cancelled = 0

    def start(self, *functions: Callable[..., Any]) -> Tasks:
        self.started.append(functions)
        return self

    def cancel(self) -> None:
        self.cancelled += 1


class Field:
    def __init__(self) -> None:
        self.view, self.tasks = View(), Tasks()
        self.cluster = ClusterField(self.view, self.tasks, beside="jobs")  # type: ignore[arg-type]

    def enter(self, text: str) -> None:
        self.view.address = text
        self.cluster.look()

    def ask(self) -> tuple[Callable[..., Any], ...]:
        self.view.scheduler_test_asked.emit()
        return self.tasks.started[-1]


@pytest.fixture
def field(monkeypatch: pytest.MonkeyPatch) -> Field:
    monkeypatch.setattr(cluster, "missing_library", lambda: "")
    return Field()


ANSWERS = {
    "good": (Examined((1, 4), ()), "2 workers, 5 threads"),
    "warning": (Examined((), ()), "no workers"),
    "bad": (Examined((1,), ("numpy 1 there, 2 here (worker a)",)), "numpy 1 there, 2 here"),
}


@pytest.mark.parametrize("role", ANSWERS)
def test_what_is_found_is_said(field: Field, role: str) -> None:
    found, words = ANSWERS[role]
    field.enter("10.0.0.7")
    _, answered, _ = field.ask()
    assert (field.view.can_test, field.view.role) == (False, "muted")
    answered(found)
    assert words in field.view.words
    assert (field.view.can_test, field.view.role) == (True, role)


def test_why_it_cannot_be_reached_is_said(field: Field) -> None:
    field.enter("10.0.0.7")
    field.ask()[2]("tcp://10.0.0.7:8786: nothing listens there")
    assert (field.view.words, field.view.role) == ("tcp://10.0.0.7:8786: nothing listens there", "bad")


def test_what_was_found_is_true_of_one_address(field: Field) -> None:
    field.enter("10.0.0.7")
    field.ask()[1](ANSWERS["good"][0])
    field.enter("10.0.0.7")
    assert field.view.words
    field.enter("10.0.0.8")
    assert not field.view.words
    assert field.tasks.cancelled == 1


def test_without_an_address_nobody_is_asked(field: Field) -> None:
    field.view.scheduler_test_asked.emit()
    assert address.EXAMPLE in field.view.words
    assert field.tasks.started == []


def test_threads_here_are_not_asked_for_beside_a_cluster(field: Field) -> None:
    field.enter("10.0.0.7")
    assert field.view.closed["jobs"]
    field.enter("")
    assert not field.view.closed["jobs"]


def test_without_the_library_the_field_is_closed_and_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "missing_library", lambda: "not here")
    field = Field()
    assert "pip install distributed" in field.view.closed["scheduler"]
    assert not field.view.can_test
    field.enter("10.0.0.7")
    assert not field.view.can_test
