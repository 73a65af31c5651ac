"""Searching C and gamma through real controls: begin, stop, come back another day, go on, train the best."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable

import pytest
from journeys.hand import Hand
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QListWidget, QProgressBar, QSpinBox

from mcsvm_gui import cli

pytestmark = pytest.mark.slow


def test_a_search_is_stopped_goes_on_another_day_and_its_best_is_trained(
    open_window: Callable[[], Hand], capsys: pytest.CaptureFixture[str]
) -> None:
    hand = open_window()
    hand.pick("sampleList", 0)
    hand.wait(lambda: hand.work.dataset is not None)
    hand.go("Tune")
    for name, text in (
        ("costFromEdit", "2^-2"),
        ("costToEdit", "2^12"),
        ("gammaFromEdit", "2^-6"),
        ("gammaToEdit", "1"),
    ):
        hand.type(name, text)
    hand.type("gridStepEdit", "1")
    hand.find(QSpinBox, "foldsSpin").setValue(20)
    hand.click("tuneStartButton")
    hand.wait(lambda: done(hand) > 0)
    hand.click("tuneStopButton")
    hand.wait(lambda: not hand.active)
    before = done(hand)
    assert 0 < before < 15 * 7 * 20 * 6
    hand.close()

    again = open_window()
    again.wait(lambda: again.work.dataset is not None)
    again.go("Tune")
    again.wait(lambda: done(again) == before)
    tick(again, "ovo")
    again.click("tuneStartButton")
    again.wait(lambda: "Every cell has been computed" in again.text("tuneObstacle"))
    compare_with_the_command(again, capsys)
    again.click("trainBestButton")
    again.wait(lambda: len(again.runs.ids()) == 1 and not again.active)
    assert again.runs.record(1).ending == "converged"
    again.close()


def compare_with_the_command(hand: Hand, capsys: pytest.CaptureFixture[str]) -> None:
    """Cells that were searched in parts are those of one search."""
    capsys.readouterr()
    assert cli.main([*shlex.split(hand.text("tuneCommandLabel"))[1:], "--json", "--quiet"]) == 0
    best = json.loads(capsys.readouterr().out)["best"]["ovo"]
    (shown,) = hand.window.assembly.page("tune")._shown.best().values()
    assert (shown.C, shown.gamma) == (best["C"], best["gamma"])
    assert f"{100 * best['mean']:.1f}" in hand.text("bestLabel")


def tick(hand: Hand, *machines: str) -> None:
    items = hand.find(QListWidget, "tuneMachineList")
    for row in range(items.count()):
        on = items.item(row).data(Qt.ItemDataRole.UserRole) in machines
        items.item(row).setCheckState(Qt.CheckState.Checked if on else Qt.CheckState.Unchecked)


def done(hand: Hand) -> int:
    """What the bar says."""
    bar = hand.find(QProgressBar, "tuneProgress")
    return bar.value() if bar.isVisible() else 0
