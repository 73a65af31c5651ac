"""A deleted run leaves nothing in the window, whichever pages have shown it, and comes back when that is undone."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from typing import Any

import pytest
from journeys.hand import Hand

from mcsvm_gui.core.base import resources

pytestmark = pytest.mark.slow
PAGES = "Train", "Tune", "Compare", "Predict", "Playground", "Explain"


def shown_everywhere(hand: Hand) -> list[weakref.ref[Any]]:
    """Two runs that every page has seen: their records, traces, models and the rows they were trained on."""
    hand.work.open_data(str(resources.dataset("iris")))
    hand.wait(lambda: hand.work.dataset is not None)
    hand.work.set_preparation(holdout=0.3)
    runs = hand.work.train([hand.work.base_request(machine=machine, C=4.0) for machine in ("ww", "ovo")])
    hand.wait(lambda: not hand.active and hand.runs.unwritten == 0)
    hand.select_runs(*runs)
    for page in PAGES:
        hand.go(page)
        look_around(hand)
    parts = [[hand.runs.record(run), hand.runs.trace(run), hand.runs.model(run)] for run in runs]
    return [weakref.ref(part) for of_run in parts for part in of_run]


def look_around(hand: Hand) -> None:
    hand.bot.wait(200)  # what is gathered for a moment is asked for then
    hand.wait(lambda: not hand.work.tasks.busy)


def alive(kept: list[weakref.ref[Any]]) -> list[str]:
    gc.collect()
    return [type(part()).__name__ for part in kept if part() is not None]


def test_nothing_is_left_of_deleted_runs(open_window: Callable[[], Hand]) -> None:
    hand = open_window()
    kept = shown_everywhere(hand)
    assert len(alive(kept)) == 6
    hand.runs.delete(hand.runs.ids())
    hand.wait(lambda: hand.runs.unwritten == 0)
    for page in PAGES:
        hand.go(page)
        look_around(hand)
    assert alive(kept) == ["RunRecord", "RunRecord"], "the deletion can be undone"
    hand.runs.undo_stack.clear()
    assert alive(kept) == []
    hand.close()


def test_a_deletion_is_undone_with_trace_and_model(open_window: Callable[[], Hand]) -> None:
    hand = open_window()
    shown_everywhere(hand)
    names = [hand.runs.record(run).name for run in hand.runs.ids()]
    lengths = [len(hand.runs.trace(run)) for run in hand.runs.ids()]
    hand.go("Data")
    deleted = hand.runs.delete(hand.runs.ids())
    hand.wait(lambda: hand.runs.unwritten == 0)
    hand.window.action("undoAction").trigger()
    assert [hand.runs.record(run).name for run in deleted] == names
    hand.wait(lambda: [len(hand.runs.trace(run)) for run in deleted] == lengths)
    assert [hand.runs.model(run).request.machine for run in deleted] == ["ww", "ovo"]
    hand.close()
