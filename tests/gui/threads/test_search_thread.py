"""Searches in the queue: what comes is what a search alone gives, and a pause and a stop lose nothing."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from mcsvm.solvers.selection.cell import Trial
from mcsvm.solvers.selection.grid import Range
from mcsvm_gui.core.base.resources import dataset
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.data.readers import open_dataset
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.machine.state import JobState
from mcsvm_gui.core.tune.search import TuneRequest, Tuning
from mcsvm_gui.ui.threads import thread as threads
from mcsvm_gui.ui.threads.job import Failed
from mcsvm_gui.ui.threads.queue import COLLECTED_EVERY, JobQueue
from mcsvm_gui.ui.threads.search import Begun, Searched, SearchJob, Tried, TriedInside
from mcsvm_gui.ui.threads.training import Training

SMALL = TuneRequest(("ovo", "ww"), Range(0, 2), Range(-2, 0, 2), folds=3, jobs=1)
MIDDLE = TuneRequest(("ovo", "ww", "llw"), Range(0, 8), Range(-6, 0), folds=5, jobs=1)
LONG = TuneRequest(("llw",), Range(-2, 20, 0.25), Range(-10, 4, 0.25), folds=10, jobs=1)
SOON = 3.0  # seconds in which a pause or a stop is heard, beside other work on the machine
FOR_EVER = Request(machine="llw", solver="smo", C=1000.0, gamma=0.01, tol=1e-9)


@cache
def iris() -> Dataset:
    return open_dataset(dataset("iris"))


def job(name: str, wanted: TuneRequest, done: dict[Any, Any] | None = None) -> SearchJob:
    return SearchJob(name, Request(), wanted, iris(), done or {})


class Heard:
    """All that a queue tells of one job."""

    def __init__(self, queue: JobQueue, key: str) -> None:
        self._key, self.facts, self.times = key, [], []  # type: ignore[var-annotated]
        queue.told.connect(self._hear)

    def _hear(self, key: object, facts: list[Any]) -> None:
        if key == self._key:
            self.facts += facts
            self.times.append(time.monotonic())

    def of(self, kind: type) -> list[Any]:
        return [fact for fact in self.facts if isinstance(fact, kind)]

    @property
    def states(self) -> list[str]:
        return [state.value for state in self.of(JobState)]

    @property
    def trials(self) -> dict[Any, Any]:
        return {fact.trial: fact.result for fact in self.of(Tried)}


@pytest.fixture
def queue(qtbot: QtBot) -> Iterator[JobQueue]:
    made = JobQueue(limit=1)
    yield made
    assert made.shut_down(20_000)
    assert not [thread for thread in threads.running() if isinstance(thread, SearchJob)]


def accuracies(trials: dict[Any, Any]) -> dict[Any, float]:
    return {trial: result.accuracy for trial, result in trials.items()}


def alone(wanted: TuneRequest) -> dict[Any, float]:
    found = Tuning(Request(), wanted, iris()).run().results
    return {Trial(cell, fold): one.accuracy for cell, result in found.items() for fold, one in result.by_fold.items()}


def test_what_comes_is_what_the_search_alone_gives(queue: JobQueue, qtbot: QtBot) -> None:
    heard = Heard(queue, "a")
    queue.submit(job("a", SMALL))
    qtbot.waitUntil(lambda: not queue.active(), timeout=60_000)
    assert heard.states == ["queued", "preparing", "running", "done"]
    assert accuracies(heard.trials) == alone(SMALL)
    assert heard.of(Begun)[0].tuning.expected == len(heard.trials) == 2 * 3 * 2 * 3
    assert accuracies(heard.trials).keys() == {
        Trial(cell, fold) for cell, found in heard.of(Searched)[0].tuned.results.items() for fold in found.by_fold
    }
    assert heard.facts.index(heard.of(Searched)[0]) > heard.facts.index(heard.of(Tried)[-1])


@pytest.mark.slow
def test_a_pause_takes_nothing_of_the_budget(queue: JobQueue, qtbot: QtBot) -> None:
    heard = Heard(queue, "a")
    queue.submit(job("a", replace(LONG, budget=1.5)))
    qtbot.waitUntil(lambda: len(heard.trials) > 0, timeout=60_000)
    queue.pause("a")
    qtbot.waitUntil(lambda: "paused" in heard.states, timeout=20_000)
    qtbot.wait(2500)
    before = len(heard.trials)
    queue.resume("a")
    qtbot.waitUntil(lambda: not queue.active(), timeout=60_000)
    assert heard.of(Searched)[0].tuned.over_budget
    assert not heard.of(Searched)[0].tuned.stopped
    assert len(heard.trials) > before


def test_a_search_waits_behind_a_training_and_a_training_behind_a_search(queue: JobQueue, qtbot: QtBot) -> None:
    search = Heard(queue, "a")
    queue.submit(Training(1, FOR_EVER, iris()))
    queue.submit(job("a", SMALL))
    queue.submit(Training(2, FOR_EVER, iris()))
    qtbot.waitUntil(lambda: queue.state(1) is JobState.RUNNING, timeout=60_000)
    assert search.states == ["queued"]
    queue.stop(1)
    qtbot.waitUntil(lambda: queue.state("a") is JobState.DONE, timeout=60_000)
    qtbot.waitUntil(lambda: queue.state(2) is JobState.RUNNING, timeout=60_000)
    assert accuracies(search.trials) == alone(SMALL)


def test_a_search_that_waits_is_discarded_by_a_stop(queue: JobQueue, qtbot: QtBot) -> None:
    heard = Heard(queue, "a")
    queue.submit(Training(1, FOR_EVER, iris()))
    queue.submit(job("a", SMALL))
    queue.stop_all()
    qtbot.waitUntil(lambda: not queue.active(), timeout=60_000)
    assert heard.states == ["queued", "discarded"]


def test_a_stop_is_heard_soon_and_what_is_done_is_not_done_again(queue: JobQueue, qtbot: QtBot) -> None:
    first, second = Heard(queue, "a"), Heard(queue, "b")
    queue.submit(job("a", LONG))
    qtbot.waitUntil(lambda: bool(first.trials), timeout=60_000)
    began = time.monotonic()
    queue.stop("a")
    qtbot.waitUntil(lambda: not queue.active(), timeout=10_000)
    assert time.monotonic() - began < SOON
    assert first.states[-2:] == ["stopping", "done"]
    assert first.of(Searched)[0].tuned.stopped
    queue.submit(job("b", LONG, first.trials))
    qtbot.waitUntil(lambda: bool(second.trials), timeout=60_000)
    queue.stop("b")
    qtbot.waitUntil(lambda: not queue.active(), timeout=10_000)
    assert not first.trials.keys() & second.trials.keys()
    assert second.of(Searched)[0].tuned.results.keys() >= {trial.cell for trial in first.trials}


@pytest.mark.slow
@pytest.mark.parametrize("wanted", [MIDDLE, replace(MIDDLE, jobs=2), replace(MIDDLE, search="coarse-to-fine")])
def test_a_paused_search_rests_and_ends_as_if_it_had_not(queue: JobQueue, qtbot: QtBot, wanted: TuneRequest) -> None:
    heard = Heard(queue, "a")
    queue.submit(job("a", wanted))
    qtbot.waitUntil(lambda: queue.state("a") is JobState.RUNNING or not queue.active(), timeout=60_000)
    for _ in range(3):
        began, tried = time.monotonic(), len(heard.trials)
        queue.pause("a")
        qtbot.waitUntil(lambda: queue.state("a") in (JobState.PAUSED, JobState.DONE), timeout=10_000)
        assert time.monotonic() - began < SOON
        if queue.state("a") is JobState.DONE:
            break
        qtbot.wait(3 * COLLECTED_EVERY)
        rested = len(heard.trials)
        qtbot.wait(200)
        assert len(heard.trials) == rested
        queue.resume("a")
        qtbot.waitUntil(lambda tried=tried: len(heard.trials) > tried or not queue.active(), timeout=60_000)
    queue.resume("a")
    qtbot.waitUntil(lambda: not queue.active(), timeout=60_000)
    assert "paused" in heard.states
    assert len(heard.of(Tried)) == len(heard.trials), "nothing is done twice"
    assert accuracies(heard.trials) == alone(wanted)
    assert not heard.of(Searched)[0].tuned.stopped


def test_a_pause_taken_back_at_once_loses_no_trial(queue: JobQueue, qtbot: QtBot) -> None:
    """The search may have heard of it already, and must not take a half for the whole."""
    heard = Heard(queue, "a")
    queue.submit(job("a", SMALL))
    qtbot.waitUntil(lambda: bool(heard.trials), timeout=60_000)
    while queue.active():
        queue.pause("a")
        queue.resume("a")
        qtbot.wait(10)
    assert accuracies(heard.trials) == alone(SMALL)


def test_a_paused_search_can_be_stopped(queue: JobQueue, qtbot: QtBot) -> None:
    heard = Heard(queue, "a")
    queue.submit(job("a", LONG))
    qtbot.waitUntil(lambda: bool(heard.trials), timeout=60_000)
    queue.pause("a")
    qtbot.waitUntil(lambda: queue.state("a") is JobState.PAUSED, timeout=10_000)
    queue.stop("a")
    qtbot.waitUntil(lambda: not queue.active(), timeout=10_000)
    assert heard.states[-1] == "done"
    assert heard.of(Searched)[0].tuned.stopped


def test_nested_searches_go_on_after_a_pause_where_they_were(queue: JobQueue, qtbot: QtBot) -> None:
    heard, wanted = Heard(queue, "a"), replace(SMALL, nested=True)
    queue.submit(job("a", wanted))
    qtbot.waitUntil(lambda: len(heard.of(TriedInside)) > 5, timeout=60_000)
    queue.pause("a")
    qtbot.waitUntil(lambda: queue.state("a") in (JobState.PAUSED, JobState.DONE), timeout=10_000)
    queue.resume("a")
    qtbot.waitUntil(lambda: not queue.active(), timeout=60_000)
    assert len(heard.trials) == 2 * 3 * 2 * 3
    assert len(heard.of(TriedInside)) == 3 * len(heard.trials), "in every fold the whole search once more, and once"
    found, expected = heard.of(Searched)[0].tuned, Tuning(Request(), wanted, iris()).run()
    assert [one.fold_accuracy for one in found.nested] == [one.fold_accuracy for one in expected.nested]
    assert [one.chosen for one in found.nested] == [one.chosen for one in expected.nested]


@pytest.mark.slow
def test_results_come_by_the_handful(queue: JobQueue, qtbot: QtBot) -> None:
    heard = Heard(queue, "a")
    queue.submit(job("a", LONG))
    qtbot.waitUntil(lambda: bool(heard.trials), timeout=60_000)
    told, began = len(heard.times), time.monotonic()
    qtbot.wait(600)
    assert len(heard.times) - told <= 1000 / COLLECTED_EVERY * (time.monotonic() - began) + 1


def test_what_cannot_be_searched_is_a_sentence(queue: JobQueue, qtbot: QtBot) -> None:
    heard = Heard(queue, "a")
    queue.submit(job("a", TuneRequest(folds=1000)))
    qtbot.waitUntil(lambda: not queue.active(), timeout=20_000)
    assert "1000 folds" in heard.of(Failed)[0].sentence
    assert heard.states[-1] == "failed"


def test_a_search_whose_workers_were_lost_has_failed_and_keeps_its_cells(
    queue: JobQueue, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Tuning.run

    def lost(tuning: Tuning, *hooks: Any) -> Any:
        return replace(run(tuning, *hooks), trouble="the scheduler has gone")

    monkeypatch.setattr(Tuning, "run", lost)
    heard = Heard(queue, "a")
    queue.submit(job("a", SMALL))
    qtbot.waitUntil(lambda: not queue.active(), timeout=60_000)
    assert heard.states[-1] == "failed"
    assert heard.of(Searched)[0].tuned.trouble == "the scheduler has gone"
    assert len(heard.trials) == 2 * 3 * 2 * 3


@pytest.mark.slow
def test_the_end_hands_over_what_is_done_and_tells_of_no_end(queue: JobQueue, qtbot: QtBot) -> None:
    heard = Heard(queue, "a")
    queue.submit(job("a", LONG))
    qtbot.waitUntil(lambda: bool(heard.trials), timeout=60_000)
    queue._ticks.stop()
    before = len(heard.trials)
    time.sleep(0.5)
    assert queue.shut_down(10_000)
    assert len(heard.trials) > before
    assert heard.states[-1] == "running"
    queue.submit(job("b", SMALL))
    assert queue.state("b") is JobState.DISCARDED
