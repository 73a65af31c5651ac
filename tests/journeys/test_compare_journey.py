"""Six machines on one data set side by side: what differs, what is saved, and the same numbers by command."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from journeys.hand import Hand
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemView, QTabWidget, QWidget

from mcsvm_gui import cli
from mcsvm_gui.core.base import resources

pytestmark = pytest.mark.slow

SIX = ["ww", "llw", "cs", "ova", "ovo", "dag"]


def test_six_machines_are_compared_saved_and_done_again(
    open_window: Callable[[], Hand], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hand = open_window()
    hand.work.open_data(str(resources.dataset("wine")))
    hand.wait(lambda: hand.work.dataset is not None)
    hand.go("Train")
    hand.type("gammaEdit", "1")
    hand.click("trainAllButton")
    hand.wait(lambda: len(hand.runs.ids()) == 6 and not hand.active)
    documents = {hand.runs.record(run).name: dict(hand.runs.record(run).document) for run in hand.runs.ids()}
    hand.go("Compare")
    compare_six(hand, list(documents))
    save_measures(hand, tmp_path / "measures.csv", documents)
    hand.click("saveExperimentButton")
    hand.answer_file(tmp_path / "again.toml")
    hand.wait((tmp_path / "again.toml").exists)
    hand.close()
    replay(tmp_path / "again.toml", documents, capsys)


def table_of(hand: Hand, name: str) -> Any:
    return hand.find(QAbstractItemView, name).model()


def compare_six(hand: Hand, names: list[str]) -> None:
    table = table_of(hand, "compareTable")
    hand.wait(lambda: "Target-margin violations, sum" in column(table, 0) and not hand.work.tasks.busy)
    hand.wait(lambda: table_of(hand, "significanceTable").rowCount() > 0)
    assert sorted(table.headerData(place, Qt.Orientation.Horizontal) for place in range(1, 7)) == sorted(names)
    everything = column(table, 0)
    hand.click("differencesOnlyCheck")
    differing = column(table, 0)
    assert "Machine" in differing
    assert {"C", "Kernel", "Training rows"} <= set(everything) - set(differing)
    assert table_of(hand, "perClassTable").rowCount() == 6 * (3 + 1)  # each with its means
    assert table_of(hand, "significanceTable").rowCount() == 15
    tabs = hand.find(QTabWidget, "compareTabs")
    for name in ("confusionView", "perClassTable", "traceOverlayPlot", "significanceTable"):
        part = hand.find(QWidget, name)
        tabs.setCurrentIndex(next(place for place in range(tabs.count()) if inside(tabs.widget(place), part)))
        hand.wait(part.isVisible)
    tabs.setCurrentIndex(0)


def inside(outer: QWidget, part: QWidget) -> bool:
    return outer is part or outer.isAncestorOf(part)


def column(table: Any, place: int) -> list[str]:
    return [table.index(row, place).data() for row in range(table.rowCount())]


def save_measures(hand: Hand, target: Path, documents: dict[str, dict[str, Any]]) -> None:
    hand.click("compareSaveButton")
    hand.answer_file(target)
    hand.wait(target.exists)
    (head, *body) = csv.reader(target.read_text("utf-8").splitlines())
    accuracies = next(line for line in body if line[0] == "Accuracy")
    for name, written in zip(head[1:], accuracies[1:], strict=True):
        assert float(written) == pytest.approx(documents[name]["test_accuracy"], abs=1e-15)


def replay(path: Path, documents: dict[str, dict[str, Any]], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["run", str(path), "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    again = {run["label"]: run for run in printed["runs"]}
    assert again.keys() == documents.keys()
    for name, document in documents.items():
        assert {key: again[name][key] for key in document if key != "seconds"} == {
            key: value for key, value in document.items() if key != "seconds"
        }
