"""The first five minutes, through real controls: open, train, watch, stop, keep, predict, save, come back."""

from __future__ import annotations

import csv
import json
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
from journeys.hand import Hand
from PySide6.QtWidgets import QAbstractItemView, QComboBox, QPushButton

from mcsvm_gui import cli
from mcsvm_gui.core.base import resources
from mcsvm_gui.ui.plots.live import AccuracyPlot

SIX = ["ww", "llw", "cs", "ova", "ovo", "dag"]


@pytest.mark.slow
def test_the_first_five_minutes(open_window: Callable[[], Hand], tmp_path: Path) -> None:
    hand = open_window()
    hand.pick("sampleList", 0)
    hand.wait(lambda: hand.work.dataset is not None and "150" in hand.text("dataSummary"))
    train_all_six(hand)
    kept = stop_one_and_discard_another(hand)
    predict_and_save(hand, tmp_path / "predictions.csv")
    before = {run: (hand.runs.record(run).document, len(hand.runs.trace(run))) for run in hand.runs.ids()}
    hand.close()

    again = open_window()
    assert again.runs.ids() == list(before)
    again.wait(lambda: again.work.dataset is not None)
    for run, (document, samples) in before.items():
        assert again.runs.record(run).document == document
        again.wait(lambda run=run, samples=samples: len(again.runs.trace(run)) == samples)
    assert again.runs.model(kept).decide(again.work.dataset).size == 150
    again.close()


def train_all_six(hand: Hand) -> None:
    hand.go("Train")
    hand.click("trainAllButton")
    assert [hand.runs.record(run).machine for run in hand.runs.ids()] == SIX
    hand.wait(lambda: not hand.active)
    records = [hand.runs.record(run) for run in hand.runs.ids()]
    assert [(record.state, record.error, record.ending) for record in records] == 6 * [("done", None, "converged")]
    assert all(len(hand.runs.trace(run)) for run in hand.runs.ids())


def stop_one_and_discard_another(hand: Hand) -> int:
    kept, discarded = slow_run(hand), slow_run(hand)
    hand.select_runs(kept)
    hand.wait(lambda: (sample := hand.runs.live(kept)) is not None and sample.iteration > 0)
    hand.click("stopKeepButton")
    hand.wait(lambda: hand.runs.record(kept).state == "done")
    assert hand.runs.record(kept).document["ending"] == "stopped"
    assert hand.text("certificateLabel")
    hand.select_runs(discarded)
    hand.click("discardButton")
    hand.wait(lambda: discarded not in hand.runs)  # it has no model: it leaves the table
    return kept


def predict_and_save(hand: Hand, target: Path) -> None:
    hand.select_runs(hand.runs.ids()[0])
    hand.go("Predict")
    hand.click("modelOfRunButton")
    hand.click("predictOpenDataButton")
    table = hand.find(QAbstractItemView, "predictTable")
    hand.wait(lambda: table.isVisible() and table.model().rowCount() == 150)
    hand.click("predictSaveButton")
    hand.answer_file(target)
    hand.wait(target.exists)
    assert len(list(csv.reader(target.read_text("utf-8").splitlines()))) == 151


def slow_run(hand: Hand) -> int:
    """One that goes on until it is stopped."""
    hand.choose("machineCombo", "llw")
    hand.choose("solverCombo", "smo")
    hand.type("costEdit", "2^12")
    hand.type("gammaEdit", "0.01")
    hand.type("toleranceEdit", "1e-9")
    hand.click("startButton")
    return hand.runs.ids()[-1]


@pytest.mark.slow
@pytest.mark.parametrize("machine", ["ww", "ova", "dag"])
def test_the_copied_command_gives_the_same_numbers(
    open_window: Callable[[], Hand], capsys: pytest.CaptureFixture[str], machine: str
) -> None:
    hand = open_window()
    hand.work.open_data(str(resources.dataset("glass")))
    hand.wait(lambda: hand.work.dataset is not None)
    hand.go("Train")
    hand.choose("machineCombo", machine)
    hand.type("costEdit", "2^2")
    hand.type("gammaEdit", "2^-1")
    hand.wait(lambda: "--gamma" in hand.text("commandLabel"))  # what a machine refuses is asked for behind the window
    command = hand.text("commandLabel")
    hand.click("startButton")
    (run,) = hand.runs.ids()
    hand.wait(lambda: hand.runs.record(run).state == "done")
    document = dict(hand.runs.record(run).document)
    hand.close()
    program, *arguments = shlex.split(command)
    assert program == "mcsvm"
    assert cli.main([*arguments, "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed.pop("schema") == 1  # only documents of commands have it
    assert {**printed, "seconds": 0} == {**document, "seconds": 0}


@pytest.mark.slow
def test_an_online_run_is_followed_by_the_examples_it_has_seen(open_window: Callable[[], Hand]) -> None:
    hand = open_window()
    hand.work.open_data(str(resources.dataset("segment")))
    hand.wait(lambda: hand.work.dataset is not None)
    hand.work.set_preparation(holdout=0.3)
    hand.go("Train")
    hand.wait(lambda: hand.find(QComboBox, "solverCombo").findData("lasvm") >= 0)  # once the solvers are loaded
    hand.choose("machineCombo", "ova")
    hand.choose("solverCombo", "lasvm")
    hand.type("costEdit", "2^4")
    hand.click("startButton")
    (run,) = hand.runs.ids()
    hand.wait(lambda: hand.runs.record(run).state == "done")
    button = hand.find(QPushButton, "axisExamples")
    hand.wait(button.isChecked)
    table = hand.runs.readings(run).table()
    lines = hand.find(AccuracyPlot, "accuracyPlot")._curves
    for kind in ("train_accuracy", "test_accuracy"):
        line = lines[run, kind]
        hand.wait(lambda line=line: line.getOriginalDataset()[0].size == len(table["examples"]))  # drawn on a timer
        x, y = line.getOriginalDataset()
        assert list(x) == list(table["examples"])
        assert list(y) == list(100.0 * table[kind])
    assert (table["examples"][1:] >= table["examples"][:-1]).all()
    hand.close()
