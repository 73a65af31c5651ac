"""A file with faults: the window finds them on three pages, does what they offer, and the command line agrees."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from journeys.hand import Hand
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QListWidget, QPushButton, QWidget

from mcsvm_gui import cli

pytestmark = pytest.mark.slow

HOSTILE = "<b>größe</b> {name} %s & very long " + "x" * 80


def faulty(path: Path) -> Path:
    """Gaps, a column that tells the class, one of a far cell, unequal classes, and rows that are there twice."""
    rng = np.random.default_rng(0)
    codes = rng.permutation(np.array([0] * 250 + [1] * 40 + [2] * 10))
    rows = [f'"{HOSTILE}",code,weight,dose,class']
    for number, code in enumerate(codes.tolist()):
        weight = "" if rng.random() < 0.1 else round(70 + 9 * rng.normal(), 1)
        dose = 1e5 if number == 7 else round(rng.normal(), 3)
        name = ["healthy", "<i>ill</i>", "rare & odd"][code]
        rows.append(f"{code + rng.normal():.4f},{2 * code},{weight},{dose},{name}")
    path.write_text("\n".join([*rows, *rows[5:35]]) + "\n", "utf-8")
    return path


def listed(hand: Hand, page: str) -> list[str]:
    found = hand.find(QWidget, page).findChild(QListWidget, "checksList")
    assert found is not None
    return [found.item(row).text() for row in range(found.count())]


def press(hand: Hand, page: str, name: str, text: str) -> None:
    """By keys: a button that has the focus."""
    buttons = hand.find(QWidget, page).findChildren(QPushButton, name)
    button = next(button for button in buttons if button.accessibleName() == text)
    button.setFocus()
    QTest.keyClick(button, Qt.Key.Key_Space)


def test_findings_are_listed_and_cured_where_they_stand(
    open_window: Callable[[], Hand], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = faulty(tmp_path / "faulty.csv")
    hand = open_window()
    hand.window.assembly.complete()
    hand.work.open_data(str(path))
    hand.wait(lambda: bool(hand.work.checks.findings))
    shown = {one.code for one in hand.work.checks.findings}
    assert {"MC001", "MC003", "MC010", "MC018", "MC020", "MC030"} <= shown
    assert cli.main(["check", str(path), "--holdout", "0.3", "--json", "--quiet"]) == 0
    printed = json.loads(capsys.readouterr().out)["findings"]
    assert {one["code"] for one in printed} == shown

    on_data, on_train = listed(hand, "dataPage"), listed(hand, "trainPage")
    assert sum("MC0" in words for words in on_data) == len(hand.work.checks.findings)
    assert any("MC003" in words for words in on_data)
    assert not any("MC003" in words for words in on_train), "notes are for the Data page"
    assert on_train == listed(hand, "tunePage")

    hand.go("Train")
    press(hand, "trainPage", "missingAdvice", "Fill with the mean")
    hand.wait(lambda: hand.work.rules.missing == "mean")
    hand.wait(lambda: "MC020" not in "".join(listed(hand, "trainPage")))
    press(hand, "trainPage", "class_weightAdvice", "Balance class weights")
    hand.wait(lambda: "--class-weight balanced" in hand.text("commandLabel"))
    hand.wait(lambda: "MC030" not in "".join(listed(hand, "trainPage")))

    press(hand, "trainPage", "groupsAdvice", "Change “Group column”")
    hand.wait(lambda: hand.window.page == "data")
    hand.wait(lambda: bool(hand.find(QComboBox, "groupsCombo").hasFocus()))
    press(hand, "dataPage", "scaleAdvice", "Scale by the deviation")
    hand.wait(lambda: hand.find(QComboBox, "scaleCombo").currentData() == "standard")
    hand.wait(lambda: "MC018" not in "".join(listed(hand, "dataPage")))
    hand.work.open_data(str(Path(__file__).parents[2] / "resources" / "datasets" / "wine.csv"))
    hand.wait(lambda: hand.work.data_name == "wine.csv" and not hand.work.tasks.busy)
    hand.wait(lambda: listed(hand, "trainPage") == [])
    assert not hand.find(QWidget, "trainPage").findChild(QListWidget, "checksList").isVisible()
    hand.close()
