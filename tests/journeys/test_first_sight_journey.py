"""From a file to an answer: the leaderboard, the sentence under it, and what its buttons do."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from journeys.hand import Hand
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt
from PySide6.QtGui import QAction, QDragEnterEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QMenu, QPushButton, QSpinBox, QSplitter, QTableView

from mcsvm_gui import cli
from mcsvm_gui.core.base import resources
from mcsvm_gui.core.machine import model_file
from mcsvm_gui.core.machine.summary import time_left_text
from mcsvm_gui.core.tune import best
from mcsvm_gui.ui.runs.table_model import DRAGGED, dragged_runs

pytestmark = pytest.mark.slow


def six_trained(hand: Hand, data: str = "glass", holdout: float | None = 0.3) -> QTableView:
    hand.work.open_data(str(resources.dataset(data)))
    hand.wait(lambda: hand.work.dataset is not None)
    hand.work.set_preparation(holdout=holdout)
    hand.go("Train")
    hand.click("trainAllButton")
    hand.wait(lambda: not hand.active and bool(hand.text("conclusionLabel")))
    return hand.find(QTableView, "leaderboard")


def cells(table: QTableView, column: str) -> list[str]:
    model = table.model()
    place = next(at for at in range(model.columnCount()) if model.columns[at].name == column)  # type: ignore[attr-defined]
    return [model.index(row, place).data() for row in range(model.rowCount())]


def says_chosen(hand: Hand) -> bool:
    """Whether the conclusion is of the run that the search chose: it is calibrated, and others end before it."""
    said = hand.text("conclusionLabel")
    return "chosen by cross-validation (" in said and f"({hand.runs.record(hand.runs.ids()[0]).name})" in said


def concluded(hand: Hand, runs: int) -> None:
    """Of this many runs, all that is behind the window is done."""
    table = hand.find(QTableView, "leaderboard")
    hand.wait(lambda: table.model().rowCount() == runs and not hand.work.tasks.busy and not hand.active)


def test_the_runs_are_seen_at_once_the_best_first(open_window: Callable[[], Hand]) -> None:
    hand = open_window()
    hand.window.resize(1024, 700)
    table = six_trained(hand)
    concluded(hand, 6)
    shares = [hand.runs.record(run).test_accuracy for run in table.runs.shown()]  # type: ignore[attr-defined]
    assert shares == sorted(shares, reverse=True)
    assert cells(table, "place")[0].endswith("1")
    assert all("–" in text and len(text) > 3 for text in cells(table, "interval"))  # noqa: RUF001
    row = table.verticalHeader().defaultSectionSize()
    assert table.viewport().height() >= 6 * row
    assert table.horizontalScrollBar().maximum() == 0
    assert not hand.window.pages["train"].horizontalScrollBar().maximum()
    best = hand.runs.record(table.runs.shown()[0])  # type: ignore[attr-defined]
    assert f"({best.name})" in hand.text("conclusionLabel") or cells(table, "place")[0] == "=1"
    hand.close()


def test_a_run_chosen_in_the_leaderboard_is_chosen_everywhere(open_window: Callable[[], Hand]) -> None:
    hand = open_window()
    table = six_trained(hand)
    concluded(hand, 6)
    place = table.visualRect(table.model().index(2, 1)).center()
    QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(place))
    (chosen,) = hand.runs.selected
    assert chosen == table.runs.shown()[2]  # type: ignore[attr-defined]
    assert hand.text("resultLabel")
    other = hand.runs.ids()[0]
    hand.runs.select([other])
    rows = {index.row() for index in table.selectionModel().selectedRows()}
    assert {table.runs.run_at(row) for row in rows} == {other}  # type: ignore[attr-defined]
    hand.close()


def test_the_best_is_used_on_new_rows_by_one_click(open_window: Callable[[], Hand]) -> None:
    hand = open_window()
    six_trained(hand)
    hand.click("useBestButton")
    hand.wait(lambda: hand.window.page == "predict" and not hand.work.tasks.busy)
    (chosen,) = hand.runs.selected
    best = hand.runs.record(chosen).name
    assert f"({best})" in hand.text("conclusionLabel")
    assert best in hand.window.pages["predict"].page._model_title.text()
    hand.close()


def test_without_rows_to_test_on_the_sentence_says_so_and_its_button_mends_it(open_window: Callable[[], Hand]) -> None:
    hand = open_window()
    six_trained(hand, "iris", None)
    assert "say nothing about new rows" in hand.text("conclusionLabel")
    hand.click("step-hold-out")
    hand.wait(lambda: len(hand.runs.ids()) == 12 and not hand.active)
    hand.wait(lambda: "test accuracy" in hand.text("conclusionLabel"))
    assert all(hand.runs.record(run).test_accuracy is not None for run in hand.runs.ids()[6:])
    hand.close()


def test_what_is_confused_is_seen_on_the_compare_page(open_window: Callable[[], Hand]) -> None:
    from mcsvm_gui.core.compare.conclusion import NextStep

    hand = open_window()
    six_trained(hand)
    page = hand.window.pages["train"].page
    page.step_asked.emit(NextStep("confused", "", "", ()))
    hand.wait(lambda: hand.window.page == "compare")
    tabs = hand.window.pages["compare"].page.tabs
    assert tabs.currentWidget().objectName() == "confusionView"
    hand.go("Train")
    page.step_asked.emit(NextStep("rows", "", "", ()))
    hand.wait(lambda: hand.window.page == "compare")
    assert tabs.currentWidget().objectName() == "learningCurvePanel"
    hand.close()


def test_splitters_stand_where_they_were_left(open_window: Callable[[], Hand]) -> None:
    hand = open_window()
    hand.go("Train")
    splitter = hand.find(QSplitter, "trainSplitter")
    splitter.moveSplitter(splitter.sizes()[0] - 60, 1)
    wanted = splitter.sizes()
    hand.close()
    again = open_window()
    again.go("Train")
    assert again.find(QSplitter, "trainSplitter").sizes() == wanted
    assert not again.find(QLabel, "conclusionLabel").isVisible()
    again.close()


def test_the_best_model_is_found_and_the_command_finds_the_same(
    open_window: Callable[[], Hand], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(best, "STEP", 7.0)
    hand = open_window()
    hand.work.open_data(str(resources.dataset("iris")))
    hand.wait(lambda: hand.work.dataset is not None)
    hand.work.set_preparation(holdout=0.3)
    hand.go("Train")
    hand.find(QSpinBox, "bestBudgetSpin").setValue(600)
    hand.click("findBestButton")
    # A search this small may be over before anyone looks.
    hand.wait(lambda: "Searching" in hand.text("conclusionLabel") or len(hand.runs.ids()) == 6)
    hand.wait(lambda: len(hand.runs.ids()) == 6 and not hand.active)
    hand.wait(lambda: says_chosen(hand))
    documents = [dict(hand.runs.record(run).document) for run in hand.runs.ids()]
    said, name = hand.text("conclusionLabel"), hand.runs.record(hand.runs.ids()[0]).name
    assert documents[0]["calibration"]["method"] == "temperature"
    assert {len(text) > 1 for text in cells(hand.find(QTableView, "leaderboard"), "validation")} == {True}
    hand.close()
    options = [
        "--machine",
        "all",
        "--search",
        "halving",
        "--led",
        "--step",
        "7",
        "--test-share",
        "0.3",
        "--budget",
        "600",
    ]
    code = cli.main(
        ["tune", str(resources.dataset("iris")), *options, "--model", str(tmp_path / "best.mcsvm"), "--json"]
    )
    printed = json.loads(capsys.readouterr().out)
    assert code == 0
    assert list(map(timeless, printed["trained"])) == list(map(timeless, documents))
    assert printed["conclusion"] == said.replace(f" ({name})", "")
    assert model_file.load(tmp_path / "best.mcsvm").request.machine == documents[0]["machine"]


def searched(hand: Hand, data: Path) -> None:
    hand.work.open_data(str(data))
    hand.wait(lambda: hand.work.dataset is not None and not hand.work.tasks.busy)
    hand.work.set_preparation(holdout=0.3)
    hand.go("Train")
    hand.find(QSpinBox, "bestBudgetSpin").setValue(600)
    hand.click("findBestButton")
    hand.wait(lambda: hand.find(QPushButton, "findBestButton").text() == "Find the best model" and not hand.active)


def table_of(path: Path, *counts: int) -> Path:
    """Classes 0, 1, ... of so many rows, far apart."""
    rows = [f"{9 * code + 0.1 * row},{row % 3},c{code}" for code, count in enumerate(counts) for row in range(count)]
    path.write_text("\n".join(["a,b,label", *rows, ""]), "utf-8")
    return path


def test_a_class_of_one_row_keeps_nobody_from_the_best_model(
    open_window: Callable[[], Hand], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(best, "STEP", 7.0)
    hand = open_window()
    hand.window.resize(1024, 700)
    searched(hand, table_of(tmp_path / "rare.csv", 20, 20, 1))
    hand.wait(lambda: "chosen by cross-validation (" in hand.text("conclusionLabel"))
    records = [hand.runs.record(run) for run in hand.runs.ids()]
    assert [record.state for record in records] == ["done"] * len(records)
    first = next(record for record in records if record.document["calibration"] is None)
    assert f"({first.name})" in hand.text("conclusionLabel")
    assert "CI 100" not in hand.text("conclusionLabel")
    checks = hand.window.pages["train"].page.checks
    assert checks.isVisible()
    assert checks.verticalScrollBar().maximum() == 0, "what is found stands there whole"
    hand.close()


def test_why_nothing_was_found_stands_where_the_answer_would(open_window: Callable[[], Hand], tmp_path: Path) -> None:
    hand = open_window()
    searched(hand, table_of(tmp_path / "few.csv", 2, 2, 2))
    hand.wait(lambda: "too few rows for folds: two classes need two rows each" in hand.text("conclusionLabel"))
    assert hand.find(QLabel, "conclusionLabel").isVisible()
    assert not hand.find(QPushButton, "useBestButton").isVisible()
    hand.work.open_data(str(resources.dataset("iris")))
    hand.wait(lambda: not hand.text("conclusionLabel"))
    hand.close()


def test_from_a_file_to_a_saved_model_in_five_clicks(
    open_window: Callable[[], Hand], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(best, "STEP", 7.0)
    hand, clicks = open_window(), 0

    def click(name: str) -> None:
        nonlocal clicks
        hand.click(name)
        clicks += 1

    hand.window.resize(1024, 700)
    click("openButton")
    hand.answer_file(resources.dataset("iris"))  # a double click
    clicks += 1
    hand.wait(lambda: hand.work.dataset is not None and not hand.work.tasks.busy)
    click("navTrain")
    click("findBestButton")
    hand.wait(lambda: says_chosen(hand) and not hand.active)
    table = hand.find(QTableView, "leaderboard")
    assert table.horizontalScrollBar().maximum() == 0
    assert table.viewport().height() >= 6 * table.verticalHeader().defaultSectionSize()
    best_run = hand.runs.record(hand.runs.ids()[0])
    assert hand.text("runTitle").startswith(best_run.name), "the best is the run at hand"
    assert not hand.window.pages["train"].horizontalScrollBar().maximum()
    click("saveBestButton")
    hand.answer_file(tmp_path / "best.mcsvm")  # Enter
    hand.wait(lambda: str(tmp_path / "best.mcsvm") in hand.text("conclusionNote"))
    assert clicks == 5
    model = model_file.load(tmp_path / "best.mcsvm")
    assert (model.request.machine, model.request.C) == (best_run.request.machine, best_run.request.C)
    assert (model.calibrated is not None, model.origin.ending.is_enough) == (True, True)
    click("saveBestButton")
    hand.answer_file(tmp_path / "missing" / "best.mcsvm")
    hand.wait(lambda: hand.find(QLabel, "conclusionNote").property("role") == "bad")
    assert "missing" in hand.text("conclusionNote")
    hand.close()


def timeless(document: dict[str, Any]) -> dict[str, Any]:
    found = document["calibration"]
    return {**document, "seconds": 0, "calibration": None if found is None else {**found, "seconds": 0}}


def test_a_search_that_is_stopped_keeps_its_best(open_window: Callable[[], Hand]) -> None:
    hand = open_window()
    hand.work.open_data(str(resources.dataset("glass")))
    hand.wait(lambda: hand.work.dataset is not None)
    hand.work.set_preparation(holdout=None)
    hand.go("Train")
    hand.find(QSpinBox, "bestBudgetSpin").setValue(600)
    hand.click("findBestButton")
    assert hand.work.holdout == 0.3
    hand.wait(lambda: "best so far" in hand.text("conclusionLabel"))
    assert hand.find(QPushButton, "findBestButton").text() == "Stop and keep"
    hand.click("findBestButton")
    hand.wait(lambda: bool(hand.runs.ids()) and not hand.active)
    hand.wait(lambda: hand.text("conclusionLabel").startswith(("Best model", "No model")))
    assert hand.find(QPushButton, "findBestButton").text() == "Find the best model"
    hand.wait(lambda: hand.find(QPushButton, "step-cut").isVisible())
    hand.close()


def test_the_time_left_goes_on_while_no_fit_ends(
    open_window: Callable[[], Hand], monkeypatch: pytest.MonkeyPatch
) -> None:
    hand = open_window()
    hand.work.open_data(str(resources.dataset("segment")))
    hand.wait(lambda: hand.work.dataset is not None)
    hand.go("Train")
    hand.find(QSpinBox, "bestBudgetSpin").setValue(600)
    hand.click("findBestButton")
    hand.wait(lambda: "best so far" in hand.text("conclusionLabel"))
    (search,) = hand.work.searches.active
    hand.work.queue._ticks.stop()  # no news of it any more
    monkeypatch.setattr(search.progress, "seconds_left", lambda: 7777.0)
    hand.wait(lambda: time_left_text(7777.0) in hand.text("conclusionLabel"), 10_000)
    hand.close()


def test_the_tour_goes_with_the_user_and_can_be_left_at_once(open_window: Callable[[], Hand]) -> None:
    hand = open_window()
    tour = hand.window.assembly.tour
    tour.begin_if_new()
    assert hand.text("tourLabel").startswith("1 of 3")
    assert hand.window.page == "data"
    hand.work.open_data(str(resources.dataset("iris")))
    hand.wait(lambda: hand.text("tourLabel").startswith("2 of 3"))
    assert hand.window.page == "data"  # the data are looked at first
    hand.click("tourNextButton")
    assert hand.text("tourLabel").startswith("3 of 3")
    assert hand.window.page == "train"
    assert not hand.find(QPushButton, "tourNextButton").isVisible()
    hand.go("Compare")
    assert not hand.find(QLabel, "tourLabel").isVisible(), "there is no sentence at the top of this page"
    hand.go("Train")
    assert hand.text("tourLabel").startswith("3 of 3")
    assert hand.find(QLabel, "tourLabel").isVisible()
    hand.click("tourLeaveButton")
    assert not hand.find(QLabel, "tourLabel").isVisible()
    tour.begin_if_new()
    assert not hand.find(QLabel, "tourLabel").isVisible()
    hand.window.action("tourAction").trigger()
    assert hand.text("tourLabel").startswith("2 of 3")
    hand.close()


def test_columns_are_chosen_for_good_and_runs_compared_with_one_of_them(open_window: Callable[[], Hand]) -> None:
    hand = open_window()
    table = six_trained(hand)
    concluded(hand, 6)
    names = [column.name for column in table.runs.columns]  # type: ignore[attr-defined]
    assert table.isColumnHidden(names.index("difference"))
    best, last = table.runs.run_at(0), table.runs.run_at(5)  # type: ignore[attr-defined]
    table.pin(best)  # type: ignore[attr-defined]
    assert not table.isColumnHidden(names.index("difference"))
    points = 100.0 * (hand.runs.record(last).test_accuracy - hand.runs.record(best).test_accuracy)
    assert cells(table, "difference")[0] == "baseline"
    assert cells(table, "difference")[5] == f"{points:+.1f}"
    table.pin(None)  # type: ignore[attr-defined]
    assert table.isColumnHidden(names.index("difference"))
    menu = QMenu()
    table.add_column_menu(menu)  # type: ignore[attr-defined]
    action = menu.findChild(QAction, "column-seconds")
    assert action is not None
    action.toggle()
    assert table.isColumnHidden(names.index("seconds"))
    hand.close()
    again = open_window()
    again.go("Train")
    assert again.find(QTableView, "leaderboard").isColumnHidden(names.index("seconds"))
    again.close()


def drop(hand: Hand, table: QTableView, rows: list[int], button: str) -> None:
    """As a drag of these rows ends on a button of the navigation."""
    model = table.model()
    dragged = model.mimeData([model.index(row, place) for row in rows for place in (0, 1)])
    target = hand.find(QAbstractButton, button)
    middle, action = target.rect().center(), Qt.DropAction.CopyAction
    buttons, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    QApplication.sendEvent(target, QDragEnterEvent(middle, action, dragged, buttons, keys))
    QApplication.sendEvent(target, QDropEvent(QPointF(middle), action, dragged, buttons, keys))


def test_runs_are_dragged_to_the_pages_that_work_on_them(open_window: Callable[[], Hand]) -> None:
    hand = open_window()
    board = six_trained(hand)
    assert board.dragEnabled()
    order = board.model().shown()  # type: ignore[attr-defined]
    drop(hand, board, [0, 2], "navCompare")
    assert hand.window.page == "compare"
    assert set(hand.runs.selected) == {order[0], order[2]}
    drop(hand, board, [1], "navPredict")
    assert (hand.window.page, hand.runs.selected) == ("predict", (order[1],))
    hand.wait(lambda: hand.window.assembly.page("predict")._opened is not None)
    assert not hand.find(QAbstractButton, "navData").acceptDrops()
    hand.close()


def test_files_that_look_like_runs_are_no_runs() -> None:
    for content in (b'[1, "a", true, 2]', b"{", b"3"):
        dragged = QMimeData()
        dragged.setData(DRAGGED, content)
        assert dragged_runs(dragged) == ([1, 2] if content.startswith(b"[") else [])
    assert dragged_runs(QMimeData()) == []
