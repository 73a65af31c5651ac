"""From a calibrated training to sets, and a machine beside simple methods: by the window's own controls."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from journeys.hand import Hand
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QComboBox, QListWidget, QTableView, QWidget

from mcsvm_gui.core.base.resources import dataset

pytestmark = pytest.mark.slow


def listed(hand: Hand, page: str) -> list[str]:
    found = hand.find(QWidget, page).findChild(QListWidget, "checksList")
    assert found is not None
    return [found.item(row).text() for row in range(found.count())]


def test_a_calibrated_model_gives_sets_of_rows_that_it_never_saw(open_window: Callable[[], Hand]) -> None:
    hand = open_window()
    hand.work.open_data(str(dataset("vowel_train")))
    hand.wait(lambda: "528 rows" in hand.text("dataSummary"))
    hand.go("Train")
    hand.type("costEdit", "8")
    hand.choose("calibrateCombo", "temperature")
    hand.wait(lambda: "--calibrate temperature" in hand.text("commandLabel"))
    hand.click("startButton")
    (run,) = hand.runs.ids()
    hand.wait(lambda: hand.runs.record(run).state == "done")
    hand.select_runs(run)
    hand.go("Predict")
    hand.click("modelOfRunButton")
    hand.click("predictOpenDataButton")
    table = hand.find(QTableView, "predictTable")
    hand.wait(lambda: table.model().rowCount() == 528)
    hand.wait(lambda: hand.find(QComboBox, "predictSetsCombo").isVisible())
    hand.choose("predictSetsCombo", 0.05)  # type: ignore[arg-type]
    headers = [table.model().headerData(column, Qt.Orientation.Horizontal) for column in range(4)]
    assert headers == ["Row", "Prediction", "True class", "Set"]
    assert "Sets of one class" in hand.text("predictScores")
    column = {name: place for place, name in enumerate(headers)}
    shown = [
        [str(table.model().index(row, column[name]).data()) for name in ("Prediction", "Set")] for row in range(528)
    ]
    held = [(predicted, held.removeprefix("none of these? (").removesuffix(")")) for predicted, held in shown]
    outside = sum(predicted not in names.split(", ") for predicted, names in held if not names.startswith("no"))
    assert outside == 1
    assert "1 set leaves out the predicted class: its row is less typical" in hand.text("predictScores")
    hand.close()


def test_a_run_that_was_cut_short_is_a_finding_where_it_is_chosen(open_window: Callable[[], Hand]) -> None:
    hand = open_window()
    hand.work.open_data(str(dataset("glass")))
    hand.wait(lambda: hand.work.dataset is not None)
    hand.go("Train")
    (short,) = hand.work.train([hand.work.base_request(machine="ww", solver="smo", max_iter=2)])
    (whole,) = hand.work.train([hand.work.base_request(machine="ww")])
    hand.wait(lambda: not hand.active)
    for run, found in ((short, True), (whole, False)):
        hand.select_runs(run)
        hand.wait(lambda found=found: any("MC061" in words for words in listed(hand, "trainPage")) == found)
    hand.close()


def test_a_machine_stands_beside_simple_methods(open_window: Callable[[], Hand], tmp_path: Path) -> None:
    hand = open_window()
    hand.work.open_data(str(dataset("glass")))
    hand.wait(lambda: "214 rows" in hand.text("dataSummary"))
    hand.work.set_preparation(scale="none")
    hand.go("Train")
    hand.wait(lambda: hand.find(QAbstractButton, "baselinesButton").isEnabled())
    hand.click("baselinesButton")
    assert hand.find(QAbstractButton, "baselinesButton").text() == "Stop comparing"
    (key,) = hand.work.queue.active()
    hand.wait(lambda: hand.work.baselines.known is not None and hand.work.baselines.known.done > 0)
    status = hand.work.baselines.status(key)
    assert (status.title, status.progress.endswith("of 20 trainings")) == ("Baselines for ww", True)
    hand.wait(lambda: any("Accuracy in 5-fold cross-validation" in words for words in listed(hand, "trainPage")))
    assert any("MC052" in words for words in listed(hand, "trainPage"))
    assert hand.find(QAbstractButton, "baselinesButton").text() == "Compare with baselines"
    hand.work.set_preparation(scale="minmax")
    hand.wait(lambda: not any("Accuracy in 5-fold cross-validation" in words for words in listed(hand, "trainPage")))
    hand.click("baselinesButton")
    hand.click("baselinesButton")
    hand.wait(lambda: hand.find(QAbstractButton, "baselinesButton").text() == "Compare with baselines")
    assert not hand.work.queue.active()
    assert not any("Accuracy in 5-fold cross-validation" in words for words in listed(hand, "trainPage"))
    hand.close()
