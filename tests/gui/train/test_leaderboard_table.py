"""The leaderboard on the Train page: runs come and go, and nobody's choice is lost."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot
from run_examples import record

from mcsvm_gui.core.base import figures, i18n
from mcsvm_gui.core.base.i18n import translation
from mcsvm_gui.core.compare.conclusion import NextStep
from mcsvm_gui.core.project.leaderboard import Standing
from mcsvm_gui.core.project.records import RunRecord
from mcsvm_gui.ui.kit.theme import UNIT
from mcsvm_gui.ui.train.conclusion_bar import ConclusionBar
from mcsvm_gui.ui.train.leaderboard import Leaderboard


def shown(board: Leaderboard, *runs: RunRecord) -> None:
    board.show_runs(runs, {run.id: Standing(place) for place, run in enumerate(runs, 1)})


def test_runs_that_come_and_go_choose_nothing(qtbot: QtBot) -> None:
    """Runs of another data set take the place of the one that was selected, and give it back."""
    board = Leaderboard()
    qtbot.addWidget(board)
    first, second, third = (record(run) for run in (1, 2, 3))
    shown(board, first, second)
    board.choose([1])
    said: list[list[int]] = []
    board.chosen.connect(said.append)
    shown(board, third)
    assert (board.selected_runs(), said) == ([], [])
    shown(board, second, first, third)
    assert (board.selected_runs(), said) == ([1], [])
    place = board.visualRect(board.runs.index(board.runs.row_of(2) or 0, 0)).center()
    qtbot.mouseClick(board.viewport(), Qt.MouseButton.LeftButton, pos=place)  # Qt keeps Ctrl of an earlier test's key
    assert said == [[2]], "a user's choice is heard"


def test_of_equals_the_better_validated_stands_first(qtbot: QtBot) -> None:
    board = Leaderboard()
    qtbot.addWidget(board)
    runs = [record(run) for run in (1, 2, 3)]
    board.show_runs(runs, {1: Standing(2), 2: Standing(1, validation=0.9), 3: Standing(1, validation=0.8)})
    assert board.runs.shown() == [2, 3, 1]
    assert [board.runs.index(row, 0).data() for row in range(3)] == ["=1", "=1", "2"]


@pytest.mark.parametrize("width", [700, 1000, 1500])
def test_a_small_gap_is_read_whole_beside_columns_of_how_the_run_was_made(qtbot: QtBot, width: int) -> None:
    board = Leaderboard()
    qtbot.addWidget(board)
    board.resize(width, 300)
    with qtbot.waitExposed(board):
        board.show()
    one = record(1)
    assert one.document is not None
    one.document["certificate"]["relative_gap"] = 5.12e-6
    shown(board, one)
    place = next(place for place, column in enumerate(board.runs.columns) if column.name == "state")
    assert board.runs.index(0, place).data() == figures.gap(5.12e-6)
    assert board.sizeHintForIndex(board.runs.index(0, place)).width() <= board.columnWidth(place)


@pytest.mark.parametrize("width", [400, 900])
def test_the_button_that_saves_gives_way_to_the_others(qtbot: QtBot, width: int) -> None:
    bar = ConclusionBar()
    qtbot.addWidget(bar)
    bar.show_conclusion(
        "So it is.", [NextStep("cut", "", "Search on and on"), NextStep("edge", "", "Search beyond it")]
    )
    bar.resize(width, 200)
    bar.show()
    assert bool(bar.save.text()) == (width == 900)
    assert bar.save.isVisible()
    assert bar.width() == width


@pytest.fixture
def spoken(language: str) -> Iterator[None]:
    i18n.install(translation.translations(language))
    yield
    i18n.install()


@pytest.mark.parametrize("count", [3, 9, 30])
@pytest.mark.parametrize("language", ["en", "de"])
def test_no_column_needs_a_scroll_bar_in_a_narrow_window(qtbot: QtBot, count: int, language: str, spoken: None) -> None:
    """600 pixels are what a window of 1024 leaves; more rows bring a vertical scroll bar."""
    board = Leaderboard()
    qtbot.addWidget(board)
    board.resize(600, 220)
    with qtbot.waitExposed(board):
        board.show()
    runs = [record(run, name=f"ww {run} final model of all") for run in range(1, count + 1)]
    for run in runs:
        assert run.document is not None
        run.document["certificate"]["relative_gap"] = 5.12e-9
    standings = {run.id: Standing(place, validation=0.99) for place, run in enumerate(runs, 1)}
    board.show_runs(runs, standings)
    qtbot.waitUntil(lambda: board.horizontalScrollBar().maximum() == 0)
    names = [column.name for column in board.runs.columns]
    assert not board.isColumnHidden(names.index("validation")), "what orders the table is shown"
    place = names.index("state")
    assert board.sizeHintForIndex(board.runs.index(0, place)).width() <= board.columnWidth(place)


def test_numbers_of_many_test_rows_are_read_whole(qtbot: QtBot) -> None:
    """They have three decimals, and there is room."""
    board = Leaderboard()
    qtbot.addWidget(board)
    board.resize(1000, 300)
    with qtbot.waitExposed(board):
        board.show()
    one = record(1)
    assert one.document is not None
    one.document.update(test_accuracy=0.97512, n_test=15_000, seconds=75.0)  # type: ignore[attr-defined]
    board.show_runs([one], {1: Standing(1, validation=0.98123)})
    for place, column in enumerate(board.runs.columns):
        if not board.isColumnHidden(place):
            words = str(board.runs.index(0, place).data())
            assert board.fontMetrics().horizontalAdvance(words) + UNIT <= board.columnWidth(place), column.name


@pytest.mark.parametrize("width", [480, 600, 900])
@pytest.mark.parametrize("language", ["en", "de"])
def test_buttons_of_the_answer_do_not_widen_the_page(qtbot: QtBot, width: int, language: str, spoken: None) -> None:
    bar = ConclusionBar()
    qtbot.addWidget(bar)
    steps = [
        NextStep("guessed", "", i18n.tr("Find the best model")),
        NextStep("refit", "", i18n.tr("Train the final model on all rows")),
    ]
    bar.show_conclusion("So it is.", steps, "good", "Good")
    bar.resize(width, 200)
    with qtbot.waitExposed(bar):
        bar.show()
    assert bar.minimumSizeHint().width() <= 480
    shown = [button for button in bar.findChildren(QPushButton) if button.isVisible()]
    assert all(button.geometry().right() <= width for button in shown)
    assert len(shown) == (4 if width == 900 else len(shown))
    assert bar.findChild(QPushButton, "step-guessed").isVisible()
