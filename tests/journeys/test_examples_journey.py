"""Examples: one click, and there are data, certified models, and a sentence that is true."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from journeys.hand import Hand
from PySide6.QtGui import QAction

from mcsvm_gui.core.compare.examples import Example, examples

pytestmark = pytest.mark.slow
NEAR = 0.01  # relative gap


@pytest.mark.parametrize("example", examples(), ids=lambda example: example.name)
def test_one_click_shows_data_and_a_certified_answer(example: Example, open_window: Callable[[], Hand]) -> None:
    hand = open_window()
    hand.click(f"{example.name}ExampleButton")
    hand.wait(lambda: len(hand.runs.ids()) == len(example.runs) and not hand.active)
    hand.wait(lambda: bool(hand.text("conclusionLabel")))
    records = {record.name: record for record in map(hand.runs.record, hand.runs.ids())}
    assert hand.window.page == "train"
    assert set(hand.runs.selected) == set(hand.runs.ids())
    assert list(records) == list(example.runs)
    for record in records.values():
        assert record.ending == "converged"
        assert record.relative_gap < NEAR
        assert record.test_accuracy is not None
    if example.name != "six":  # the sentence promises that the second is better
        first, second = (record.test_accuracy for record in records.values())
        assert second > first + 0.01
    hand.close()


def test_an_example_from_the_menu_is_not_trained_twice(open_window: Callable[[], Hand]) -> None:
    hand = open_window()
    assert all(hand.find(QAction, f"example-{example.name}").text() == example.title for example in examples())
    action = hand.find(QAction, "example-six")
    action.trigger()
    hand.wait(lambda: len(hand.runs.ids()) == 6 and not hand.active)
    hand.runs.select([])
    hand.go("Data")
    action.trigger()
    hand.wait(lambda: len(hand.runs.selected) == 6)
    assert len(hand.runs.ids()) == 6
    assert hand.window.page == "train"
    hand.close()


def test_another_file_opened_meanwhile_is_not_trained_on(open_window: Callable[[], Hand]) -> None:
    hand = open_window()
    wine = next(example for example in examples() if example.name == "six").sample
    hand.window.assembly.open_example("curved")
    hand.work.open_data(str(wine.path))
    hand.wait(lambda: hand.work.path == str(wine.path) and hand.work.dataset is not None and not hand.work.tasks.busy)
    assert hand.work.test is None
    assert hand.runs.ids() == []
    hand.close()
