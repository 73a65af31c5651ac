"""Searches behind the window: what comes is what a search alone gives, and a stop keeps it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from mcsvm_gui.core.base.resources import dataset
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.data.readers import open_dataset
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.tune.search import TuneRequest, Tuning
from mcsvm_gui.ui.threads import thread as threads
from mcsvm_gui.ui.threads.search import Searches, SearchThread
from solvers.selection.grid import Range

SMALL = TuneRequest(("ovo", "ww"), Range(0, 2), Range(-2, 0, 2), folds=3, jobs=1)
LONG = TuneRequest(("llw",), Range(-2, 20, 0.25), Range(-10, 4, 0.25), folds=10, jobs=1)


@cache
def iris() -> Dataset:
    return open_dataset(dataset("iris"))


class Heard:
    def __init__(self, searches: Searches) -> None:
        self.trials: list[Any] = []
        self.handfuls, self.tuned, self.failure, self.begun = 0, None, "", None
        searches.begun.connect(lambda tuning: setattr(self, "begun", tuning))
        searches.progressed.connect(self._progressed)
        searches.ended.connect(lambda tuned: setattr(self, "tuned", tuned))
        searches.failed.connect(lambda sentence: setattr(self, "failure", sentence))

    def _progressed(self, done: list[Any]) -> None:
        assert self.tuned is None, "results come before the end"
        self.handfuls += 1
        self.trials += done


@pytest.fixture
def searches(qtbot: QtBot) -> Iterator[Searches]:
    made = Searches()
    yield made
    assert made.shut_down(20_000)
    assert not [thread for thread in threads.running() if isinstance(thread, SearchThread)]


def test_what_comes_is_what_the_search_alone_gives(searches: Searches, qtbot: QtBot) -> None:
    heard = Heard(searches)
    with qtbot.waitSignal(searches.ended, timeout=60_000):
        searches.start(Request(), SMALL, iris(), {})
        assert searches.running
    assert not searches.running
    alone = Tuning(Request(), SMALL, iris()).run()
    assert {trial: result.accuracy for trial, result in heard.trials} == {
        (cell, fold): result.by_fold[fold].accuracy for cell, result in alone.results.items() for fold in range(3)
    }
    assert heard.begun.expected == len(heard.trials) == 2 * 3 * 2 * 3
    assert heard.tuned.results.keys() == alone.results.keys()


def test_a_stop_is_heard_within_a_second_and_what_is_done_is_not_done_again(searches: Searches, qtbot: QtBot) -> None:
    heard = Heard(searches)
    searches.start(Request(), LONG, iris(), {})
    qtbot.waitUntil(lambda: bool(heard.trials), timeout=60_000)
    began = time.monotonic()
    with qtbot.waitSignal(searches.ended, timeout=10_000):
        searches.stop()
    assert time.monotonic() - began < 1.0
    assert heard.tuned.stopped
    done, heard.trials, heard.tuned = dict(heard.trials), [], None
    searches.start(Request(), LONG, iris(), done)
    qtbot.waitUntil(lambda: bool(heard.trials), timeout=60_000)
    with qtbot.waitSignal(searches.ended, timeout=10_000):
        searches.stop()
    assert not done.keys() & dict(heard.trials).keys()
    assert heard.tuned.results.keys() >= {cell for cell, _ in done}


def test_nested_searches_tell_of_the_choice_and_not_of_cells(searches: Searches, qtbot: QtBot) -> None:
    heard, counts = Heard(searches), []
    searches.progressed.connect(lambda _: counts.append(searches.nested))
    with qtbot.waitSignal(searches.ended, timeout=60_000):
        searches.start(Request(), replace(SMALL, nested=True), iris(), {})
    assert len(heard.trials) == heard.begun.expected
    assert counts[-1] == 3 * heard.begun.expected, "in every fold the whole search once more"
    assert [len(found.results) for found in heard.tuned.nested] == [3, 3]


def test_results_come_by_the_handful(searches: Searches, qtbot: QtBot) -> None:
    heard = Heard(searches)
    searches.start(Request(), LONG, iris(), {})
    qtbot.waitUntil(lambda: bool(heard.trials), timeout=60_000)
    handfuls, began = heard.handfuls, time.monotonic()
    qtbot.wait(600)
    assert heard.handfuls - handfuls <= 10 * (time.monotonic() - began) + 1
    searches.shut_down(10_000)


def test_what_cannot_be_searched_is_a_sentence(searches: Searches, qtbot: QtBot) -> None:
    heard = Heard(searches)
    with qtbot.waitSignal(searches.failed, timeout=20_000):
        searches.start(Request(), TuneRequest(folds=1000), iris(), {})
    assert "1000 folds" in heard.failure
    assert not searches.running


def test_after_the_end_nothing_begins(searches: Searches) -> None:
    searches.shut_down(1000)
    searches.start(Request(), SMALL, iris(), {})
    assert not searches.running
