"""Files as people have them, through the window: opened, chosen from, trained on, and by the copied command again."""

from __future__ import annotations

import json
import shlex
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from journeys.hand import Hand
from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QComboBox, QLineEdit

from mcsvm_gui import cli

pytestmark = pytest.mark.slow

Open = Callable[[], Hand]
ROWS = [(row % 3 + row % 7 / 10, row % 5, "abc"[row % 3]) for row in range(30)]


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "made.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE all_of_it (x REAL, y INTEGER, class TEXT)")
        connection.executemany("INSERT INTO all_of_it VALUES (?, ?, ?)", ROWS)
        connection.execute("CREATE VIEW small AS SELECT x, class FROM all_of_it")
    return path


def opened(hand: Hand, path: Path) -> None:
    hand.window.files_dropped.emit([str(path)])
    hand.wait(lambda: hand.work.dataset is not None)


def trained(hand: Hand) -> tuple[str, dict[str, object]]:
    hand.go("Train")
    hand.choose("kernelCombo", "linear")
    hand.wait(lambda: "--kernel" in hand.text("commandLabel"))
    command = hand.text("commandLabel")
    hand.click("startButton")
    run = hand.runs.ids()[-1]
    hand.wait(lambda: hand.runs.record(run).state == "done")
    return command, dict(hand.runs.record(run).document)


def repeated(command: str, capsys: pytest.CaptureFixture[str]) -> dict[str, object]:
    assert cli.main([*shlex.split(command)[1:], "--json"]) == 0
    printed: dict[str, object] = json.loads(capsys.readouterr().out)
    assert printed.pop("schema") == 1  # only documents of commands have it
    return printed


def test_a_table_of_a_database_is_chosen_and_trained_on(
    open_window: Open, database: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hand = open_window()
    opened(hand, database)
    assert (hand.work.dataset.format, len(hand.work.dataset.columns)) == ("sqlite", 2)
    box = hand.find(QComboBox, "tableCombo")
    assert (box.isVisible(), box.accessibleName()) == (True, "Table")
    assert [box.itemText(place) for place in range(box.count())] == ["Guessed: all_of_it", "all_of_it", "small"]
    hand.choose("tableCombo", "small")
    hand.wait(lambda: len(hand.work.dataset.columns) == 1)
    command, document = trained(hand)
    assert "--table small" in command
    hand.close()
    assert {**repeated(command, capsys), "seconds": 0} == {**document, "seconds": 0}


def test_a_query_is_typed_and_a_wrong_one_is_said(open_window: Open, database: Path) -> None:
    hand = open_window()
    opened(hand, database)
    ask(hand, "DELETE FROM all_of_it")
    hand.wait(lambda: "only read" in hand.window.pages["data"].page.failure.sentence.text())
    ask(hand, "SELECT y, class FROM all_of_it WHERE y > 1")
    hand.wait(lambda: hand.work.dataset is not None and [c.name for c in hand.work.dataset.columns] == ["y"])
    assert hand.work.dataset.rows == 18


def ask(hand: Hand, query: str) -> None:
    field = hand.find(QComboBox, "queryCombo").lineEdit()
    assert isinstance(field, QLineEdit)
    field.selectAll()
    QTest.keyClicks(field, query)
    QTest.keyClick(field, Qt.Key.Key_Return)


def test_other_files_are_not_asked_for_a_table(open_window: Open, tmp_path: Path) -> None:
    hand = open_window()
    path = tmp_path / "a.tab"
    path.write_text("x\tname\tkind\nc\ts\td\n\tmeta\tclass\n" + "".join(f"{x}\tn{y}\t{k}\n" for x, y, k in ROWS))
    opened(hand, path)
    assert (hand.work.dataset.format, hand.work.dataset.label_name) == ("orange", "kind")
    assert not hand.find(QComboBox, "tableCombo").isVisible()


def test_spellings_of_classes_are_joined_by_a_button(open_window: Open, tmp_path: Path) -> None:
    hand = open_window()
    path = tmp_path / "a.csv"
    path.write_text("x,label\n" + "".join(f"{x},{['1', '1.0', '2'][y % 3]}\n" for x, y, _ in ROWS))
    opened(hand, path)
    assert hand.work.dataset.classes == ("1", "1.0", "2")
    button = next_button(hand, "Join spellings")
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    hand.wait(lambda: hand.work.dataset.classes == ("1", "2"))
    assert hand.find(QComboBox, "spellingsCombo").currentData() == "join"


def next_button(hand: Hand, words: str) -> QAbstractButton:
    def found() -> list[QAbstractButton]:
        return [button for button in hand.window.findChildren(QAbstractButton) if button.text() == words]

    hand.wait(lambda: bool(found()))
    return found()[0]


def copied(text: str) -> None:
    QGuiApplication.clipboard().setText(text)


CELLS = "x\ty\tclass\r\n" + "".join(f"{x:.1f}\t{y}\t{k}\r\n" for x, y, k in ROWS)


@pytest.mark.parametrize("keys", [False, True])
def test_cells_of_a_spreadsheet_are_pasted(open_window: Open, capsys: pytest.CaptureFixture[str], keys: bool) -> None:
    hand = open_window()
    copied(CELLS.replace(".", ",") if keys else CELLS)
    button = hand.find(QAbstractButton, "pasteButton")
    assert button.accessibleName() == "Paste data"
    if keys:
        button.setFocus()
        QTest.keyClick(button, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    else:
        hand.click("pasteButton")
    hand.wait(lambda: hand.work.dataset is not None)
    assert (hand.work.dataset.rows, hand.work.dataset.label_name) == (30, "class")
    assert hand.work.dataset.table["x"].tolist() == [round(x, 1) for x, _, _ in ROWS]
    command, document = trained(hand)
    hand.close()
    assert {**repeated(command, capsys), "seconds": 0} == {**document, "seconds": 0}


def test_an_empty_clipboard_is_said_and_a_copied_file_is_opened(open_window: Open, tmp_path: Path) -> None:
    hand = open_window()
    said: list[str] = []
    hand.work.message.connect(said.append)
    copied("  \n")
    hand.click("pasteButton")
    assert said == ["There is no text on the clipboard; copy cells of a spreadsheet, with their header."]
    path = tmp_path / "b.csv"
    path.write_text(CELLS.replace("\t", ","), encoding="utf-8")
    held = QMimeData()
    held.setUrls([QUrl.fromLocalFile(str(path))])
    QGuiApplication.clipboard().setMimeData(held)
    hand.click("pasteButton")
    hand.wait(lambda: hand.work.dataset is not None)
    assert hand.work.dataset.name == str(path)
    QGuiApplication.clipboard().clear()  # Qt deletes what is held there after Python has ended, and crashes


def test_a_folder_of_parts_is_dropped(open_window: Open, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "parts"
    folder.mkdir()
    lines = [f"{x:.1f},{y},{k}\n" for x, y, k in ROWS]
    for name, part in (("a.csv", lines[:15]), ("b.csv", lines[15:])):
        (folder / name).write_text("x,y,class\n" + "".join(part), encoding="utf-8")
    hand = open_window()
    opened(hand, folder)
    assert hand.work.dataset.rows == 30
    command, document = trained(hand)
    hand.close()
    assert {**repeated(command, capsys), "seconds": 0} == {**document, "seconds": 0}
