"""Probabilities, curves and costs in the window, and the same numbers by command and from an experiment file."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from journeys.hand import Hand
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractItemView, QDoubleSpinBox, QLineEdit, QTableView, QTabWidget, QWidget

from mcsvm_gui import cli
from mcsvm_gui.core.base import resources

pytestmark = pytest.mark.slow


def test_a_rule_is_found_in_the_window_and_kept_with_the_model(
    open_window: Callable[[], Hand], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    train, test = split(tmp_path)
    hand = open_window()
    document = trained(hand, train, test)
    hand.go("Compare")
    for name in ("rocPlot", "precisionRecallPlot", "calibrationPlot", "thresholdView"):
        turn_to(hand, name)
    plain = tmp_path / "plain.mcsvm"
    save_model(hand, plain)
    found = command(capsys, "evaluate", plain, test)
    assert found["accuracy"] == pytest.approx(document["test_accuracy"], abs=1e-12)
    label = hand.find(QWidget, "rocPlot").shown[0].label  # type: ignore[attr-defined]
    assert label.endswith(f"area {found['roc_auc']['macro']:.4f}")
    label = hand.find(QWidget, "calibrationPlot").shown[0].label  # type: ignore[attr-defined]
    assert f"error {found['ece']:.4f}" in label
    assert confusion(hand) == found["confusion"]
    type_costs(hand)
    ruled = tmp_path / "ruled.mcsvm"
    save_model(hand, ruled)
    found = command(capsys, "evaluate", ruled, test)
    assert confusion(hand) == found["confusion"]
    assert hand.text("thresholdResult").startswith(f"Mean cost {found['expected_cost']:.4g}; ")
    assert found["rejected"] > 0
    predicted = command(capsys, "predict", ruled, test)
    assert predicted["rejected"] == found["rejected"]
    hand.click("saveExperimentButton")
    hand.answer_file(tmp_path / "again.toml")
    hand.wait((tmp_path / "again.toml").exists)
    hand.close()
    (again,) = command(capsys, "run", tmp_path / "again.toml")["runs"]
    assert again["calibration"]["temperature"] == document["calibration"]["temperature"]
    assert again["test_accuracy"] == document["test_accuracy"]


def trained(hand: Hand, train: Path, test: Path) -> dict[str, Any]:
    """A run with probabilities, chosen; its document."""
    hand.work.open_data(str(train))
    hand.wait(lambda: hand.work.dataset is not None)
    hand.work.open_test(str(test))
    hand.wait(lambda: hand.work.test is not None)
    hand.go("Train")
    hand.type("gammaEdit", "1")
    hand.click("moreButton")
    hand.choose("calibrateCombo", "temperature")
    hand.click("startButton")
    hand.wait(lambda: len(hand.runs.ids()) == 1 and not hand.active)
    (run,) = hand.runs.ids()
    hand.select_runs(run)
    return dict(hand.runs.record(run).document)


def split(folder: Path) -> tuple[Path, Path]:
    """Every third row of the glass data to test on."""
    table = pd.read_csv(resources.dataset("glass"))
    tested = np.arange(len(table)) % 3 == 0
    table[~tested].to_csv(folder / "train.csv", index=False)
    table[tested].to_csv(folder / "test.csv", index=False)
    return folder / "train.csv", folder / "test.csv"


def turn_to(hand: Hand, name: str) -> None:
    tabs, part = hand.find(QTabWidget, "compareTabs"), hand.find(QWidget, name)
    tabs.setCurrentIndex(
        next(n for n in range(tabs.count()) if tabs.widget(n) is part or tabs.widget(n).isAncestorOf(part))
    )
    hand.wait(lambda: part.isVisible() and not hand.work.tasks.busy and not hand.text("compareProgress"))
    hand.wait(lambda: bool(hand.text("thresholdResult")))


def type_costs(hand: Hand) -> None:
    table = hand.find(QTableView, "costTable")
    table.setCurrentIndex(table.model().index(0, 1))
    table.edit(table.currentIndex())
    QTest.keyClicks(hand.find(QLineEdit, "costCellEdit"), "9")
    QTest.keyClick(hand.find(QLineEdit, "costCellEdit"), Qt.Key.Key_Return)
    hand.find(QDoubleSpinBox, "rejectSpin").setValue(0.6)
    hand.wait(lambda: not hand.work.tasks.busy)


def save_model(hand: Hand, target: Path) -> None:
    hand.click("keepRuleButton")
    hand.answer_file(target)
    hand.wait(lambda: target.exists() and not hand.work.tasks.busy)


def confusion(hand: Hand) -> list[list[int]]:
    model: Any = hand.find(QAbstractItemView, "thresholdConfusion").model()
    return [
        [int(model.index(row, column).data()) for column in range(1, model.columnCount())]
        for row in range(model.rowCount())
    ]


def command(capsys: pytest.CaptureFixture[str], *words: object) -> dict[str, Any]:
    capsys.readouterr()
    assert cli.main([*map(str, words), "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found
