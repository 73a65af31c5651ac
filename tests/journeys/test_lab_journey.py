"""A file from an instrument: opened as it is, and every column put in its place by the buttons beside the findings."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from journeys.hand import Hand
from PySide6.QtWidgets import QListWidget, QPushButton, QSpinBox

from mcsvm_gui.core.data.roles.value import roles_of
from tests import lab_files

pytestmark = pytest.mark.slow


def settled(hand: Hand) -> None:
    page = hand.window.assembly.page("data")
    hand.wait(lambda: hand.work.dataset is not None and not hand.work.tasks.busy and not page.looking)
    hand.wait(lambda: bool(advice(hand)))


def checks_of(hand: Hand) -> QListWidget:
    return hand.window.assembly.page("data").view.checks


def advice(hand: Hand) -> list[str]:
    checks = checks_of(hand)
    return [checks.item(row).text() for row in range(checks.count())]


def press(hand: Hand, name: str) -> None:
    """Press the button of a finding, as it is now."""
    checks_of(hand).findChild(QPushButton, name).click()
    settled(hand)


@pytest.mark.parametrize("german", [False, True])
def test_a_file_of_spectra_with_lines_above_its_header(
    open_window: Callable[[], Hand], tmp_path: Path, german: bool
) -> None:
    lab = lab_files.spectra(rows=120, points=8, missing=12, seed=9)
    path = (lab.german() if german else lab).with_preamble().write(tmp_path / "nir.csv")
    hand = open_window()
    hand.work.open_data(str(path))
    settled(hand)
    data = hand.work.dataset
    assert (data.rows, data.missing) == (120, 12)
    assert dict(zip(data.classes, data.class_counts, strict=True)) == lab.class_counts
    spin = hand.find(QSpinBox, "skipLinesSpin")
    assert spin.text() == "Guessed: 5"
    assert any(line.startswith("5 lines above the header were skipped") for line in advice(hand))
    assert any('"date" holds dates' in line and "is left out" in line for line in advice(hand))
    press(hand, "namesAdvice")
    press(hand, "groupsAdvice")
    press(hand, "datesAdvice")
    roles = {name: role for name, role in roles_of(hand.work.dataset).items() if role != "feature"}
    assert roles == {"sample_id": "name", "date": "date", "batch": "group", "origin": "label"}
    assert hand.work.dataset.row_names["sample_id"].tolist() == lab.columns["sample_id"]
    assert hand.work.dataset.groups.tolist() == lab.columns["batch"]
    hand.close()


def test_the_number_of_skipped_lines_can_be_changed(open_window: Callable[[], Hand], tmp_path: Path) -> None:
    """Of a table with a line of units above its header, which looks like one."""
    text = lab_files.random_labels(rows=30).with_preamble(["one", "two"]).text
    path = tmp_path / "lab.csv"
    path.write_text(text.replace("x1,x2", "mm,mm,mm,mm,mm,-\nx1,x2", 1), "utf-8")
    hand = open_window()
    hand.work.open_data(str(path))
    hand.wait(lambda: "cannot be used" in hand.text("dataSummary") and not hand.work.tasks.busy)
    spin = hand.find(QSpinBox, "skipLinesSpin")
    spin.setValue(3)
    settled(hand)
    assert [column.name for column in hand.work.dataset.columns] == ["x1", "x2", "x3", "x4", "x5"]
    assert hand.work.dataset.rows == 30
    assert hand.work.read.skip_lines == 3
    assert "--skip-lines 3" in hand.text("commandLabel")
    hand.close()


def test_a_folder_is_opened_as_one_table(open_window: Callable[[], Hand], tmp_path: Path) -> None:
    lab = lab_files.random_labels(rows=40)
    folder = tmp_path / "runs"
    folder.mkdir()
    lab.taken(range(15)).write(folder / "a.csv")
    lab.taken(range(15, 40)).with_preamble(["another instrument"]).write(folder / "b.csv")
    hand = open_window()
    hand.go("Data")
    hand.click("openFolderButton")
    hand.answer_file(folder)
    settled(hand)
    data = hand.work.dataset
    assert data.rows == 40
    assert data.labels.tolist() == lab.labels
    assert data.row_numbers.tolist() == [*range(1, 16), *range(1, 26)]
    assert data.row_columns["file"].tolist() == ["a.csv"] * 15 + ["b.csv"] * 25
    hand.close()
