"""A playground story through the real window: draw, take back by the menu, step, carry the points to a training."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from journeys.hand import Hand
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QListWidget

from mcsvm_gui.ui.playground import steps
from mcsvm_gui.ui.playground.canvas import PlaygroundCanvas

pytestmark = pytest.mark.slow


def test_from_a_blank_canvas_to_a_training(open_window: Callable[[], Hand], tmp_path: Path) -> None:
    hand = open_window()
    hand.go("Playground")
    canvas = hand.find(PlaygroundCanvas, "playgroundCanvas")
    rest(hand)
    assert len(canvas.pictures) == hand.find(QListWidget, "playgroundMachineList").count() == 6
    draw_two_classes(hand, canvas)
    take_back_by_the_menu(hand, canvas)
    step_to_the_end(hand, canvas)
    carry_to_a_training(hand, canvas, tmp_path / "drawn.csv")
    drawn = canvas.drawing
    hand.close()

    again = open_window()
    again.go("Playground")
    again.wait(lambda: again.find(PlaygroundCanvas, "playgroundCanvas").drawing.same_as(drawn))
    rest(again)
    again.close()


def rest(hand: Hand) -> None:
    hand.wait(lambda: not hand.window.assembly.page("playground").busy)


def draw_two_classes(hand: Hand, canvas: PlaygroundCanvas) -> None:
    hand.click("playgroundClearButton")
    for number in (0, 4):
        hand.choose("playgroundClassCombo", number)  # type: ignore[arg-type]
        for step in range(8):
            place = canvas.pixel_of(-0.7 + 0.2 * step, -0.3 + 0.15 * number + 0.05 * (step % 3))
            QTest.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=place.toPoint())
    rest(hand)
    assert [picture.badge.kind for picture in canvas.pictures] == 6 * ["solved"]


def take_back_by_the_menu(hand: Hand, canvas: PlaygroundCanvas) -> None:
    """While this page is shown, undo of the Edit menu means the points."""
    hand.window.action("undoAction").trigger()
    assert len(canvas.drawing) == 15
    hand.window.action("redoAction").trigger()
    assert len(canvas.drawing) == 16
    hand.go("Train")
    assert not hand.window.action("undoAction").isEnabled()
    hand.go("Playground")
    assert hand.window.action("undoAction").isEnabled()


def step_to_the_end(hand: Hand, canvas: PlaygroundCanvas) -> None:
    rest(hand)
    hand.click("playgroundStepsButton")
    hand.choose("playgroundStepMachineCombo", "llw")
    hand.click("playgroundStepEnd")
    rest(hand)
    assert {picture.key: picture.running for picture in canvas.pictures} == {"smo": False, "s2do": False, "fw": False}
    hand.click("playgroundStepsButton")
    rest(hand)


def carry_to_a_training(hand: Hand, canvas: PlaygroundCanvas, path: Path) -> None:
    action = hand.window.findChild(QAction, "playgroundShareTrain")
    assert action is not None
    action.trigger()
    hand.answer_file(path)
    hand.wait(lambda: hand.work.dataset is not None)
    assert hand.work.dataset.rows == len(canvas.drawing)
    hand.go("Train")
    hand.click("startButton")
    hand.wait(lambda: not hand.active)
    assert hand.runs.record(hand.runs.ids()[0]).state == "done"


def test_a_picture_that_takes_long_is_waited_for_in_words(
    open_window: Callable[[], Hand], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As beside a search, which leaves the playground little of the processor."""
    hand = open_window()
    hand.go("Playground")
    canvas = hand.find(PlaygroundCanvas, "playgroundCanvas")
    rest(hand)
    hand.click("playgroundStepsButton")
    rest(hand)
    free, advanced = threading.Event(), steps._advanced

    def slow(count: int, walks: steps.Walks) -> steps.Walks:
        free.wait(30)
        return advanced(count, walks)

    monkeypatch.setattr(steps, "_advanced", slow)
    try:
        hand.click("playgroundStepTen")
        hand.wait(lambda: "Computing" in canvas.accessibleDescription())
    finally:
        free.set()
    hand.wait(lambda: "Computing" not in canvas.accessibleDescription())
    rest(hand)
    hand.close()
