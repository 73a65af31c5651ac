"""Runs and settings belong to data: what is shown, entered and trained is of one file, across files and restarts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from journeys.hand import Hand
from PySide6.QtWidgets import QCheckBox, QComboBox, QLineEdit, QPushButton, QSpinBox, QTableView, QWidget

from mcsvm_gui.core.base import resources

pytestmark = pytest.mark.slow


def write(path: Path, seed: int, columns: int = 3) -> Path:
    random = np.random.default_rng(seed)
    names = [*(f"x{i}" for i in range(columns)), "batch", "label"]
    lines = [",".join(names)]
    for row in range(90):
        values = random.normal(size=columns) + row % 3
        lines.append(",".join([*(f"{value:.3f}" for value in values), f"b{row % 9}", f"c{row % 3}"]))
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


@pytest.fixture
def first(tmp_path: Path) -> Path:
    return write(tmp_path / "first.csv", 1)


@pytest.fixture
def second(tmp_path: Path) -> Path:
    return write(tmp_path / "second.csv", 2, columns=4)


@pytest.fixture
def refused(tmp_path: Path) -> Path:
    """Two lines of an instrument above a table with other numbers of fields."""
    path = tmp_path / "preamble.csv"
    path.write_text('Instrument X\nDate;3\n"a,b\n1,2,3\n4', "utf-8")
    return path


def show(hand: Hand, path: Path) -> None:
    """As the menu, a drop or the command line does."""
    hand.window.assembly.shell.open(str(path))
    hand.wait(lambda: hand.work.last_asked[0] == hand.work.path == str(path))


def board(hand: Hand) -> list[int]:
    view = hand.find(QTableView, "leaderboard")
    return [view.model().run_at(row) for row in range(view.model().rowCount())]  # type: ignore[attr-defined]


def listed(hand: Hand) -> list[int]:
    panel = hand.find(QWidget, "trainPage").findChild(QWidget, "runPanel")
    return sorted(panel.model.shown())  # type: ignore[union-attr]


def train(hand: Hand) -> int:
    hand.go("Train")
    hand.click("startButton")
    hand.wait(lambda: bool(hand.runs.ids()) and not hand.active)
    run = hand.runs.ids()[-1]
    hand.wait(lambda: run in board(hand) and hand.text("conclusionLabel") != "")
    return run


def test_runs_are_shown_beside_their_own_data_alone(open_window: Callable[[], Hand], first: Path, second: Path) -> None:
    hand = open_window()
    show(hand, first)
    run = train(hand)
    show(hand, second)
    hand.go("Train")
    hand.wait(lambda: board(hand) == [])
    assert listed(hand) == []
    assert hand.runs.selected == ()
    hand.wait(lambda: not hand.find(QWidget, "conclusionBar").isVisible())
    other = train(hand)
    assert (board(hand), listed(hand)) == ([other], [other])
    check = hand.find(QWidget, "trainPage").findChild(QCheckBox, "allRunsCheck")
    assert check is not None
    check.click()
    assert listed(hand) == [run, other]
    check.click()
    assert listed(hand) == [other]
    show(hand, first)
    hand.wait(lambda: board(hand) == [run])
    hand.close()
    again = open_window()
    show(again, second)
    again.go("Train")
    again.wait(lambda: board(again) == [other])
    again.close()


def test_a_file_given_at_the_start_is_not_shown_with_the_runs_of_another(
    open_window: Callable[[], Hand], first: Path, second: Path
) -> None:
    hand = open_window()
    show(hand, first)
    train(hand)
    hand.close()
    again = open_window()
    again.window.assembly.shell.open(str(second))  # as `mcsvm-gui second.csv` does, before the event loop
    again.go("Train")
    assert board(again) == []
    again.wait(lambda: again.work.dataset is not None)
    assert (board(again), again.work.data_name) == ([], "second.csv")
    again.close()


def test_nothing_speaks_of_other_data_while_a_file_is_refused(
    open_window: Callable[[], Hand], first: Path, refused: Path
) -> None:
    hand = open_window()
    show(hand, first)
    train(hand)
    show(hand, refused)
    assert hand.work.dataset is None
    hand.go("Train")
    hand.wait(lambda: board(hand) == [])
    assert "preamble.csv" in hand.window.windowTitle()
    assert "first.csv" not in hand.window.windowTitle()
    assert "preamble.csv" in hand.text("obstacleLabel")
    for name in ("startButton", "trainAllButton", "findBestButton"):
        assert not hand.find(QPushButton, name).isEnabled(), name
    assert "first.csv" not in hand.text("commandLabel")
    assert listed(hand) == []
    before = hand.runs.ids()
    hand.window.action("trainAction").trigger()
    assert hand.runs.ids() == before
    hand.go("Tune")
    assert not hand.find(QPushButton, "tuneStartButton").isEnabled()
    show(hand, first)
    hand.go("Train")
    hand.wait(lambda: len(board(hand)) == 1)
    assert hand.find(QPushButton, "startButton").isEnabled()
    hand.close()


def test_settings_stay_with_their_file(open_window: Callable[[], Hand], first: Path, second: Path) -> None:
    """Through another file and a restart: class weights, C, missing cells, hold-out, roles, Tune."""
    hand = open_window()
    show(hand, first)
    hand.work.open_data(str(first), hand.work.read.__class__(groups="batch", drop=("x0",)))
    hand.wait(lambda: hand.work.dataset is not None and hand.work.dataset.group_name == "batch")
    hand.find(QSpinBox, "holdoutSpin").setValue(40)
    hand.choose("missingCombo", "mean")
    hand.go("Train")
    hand.type("costEdit", "1000")
    hand.find(QLineEdit, "classWeightEdit").setText("balanced")
    hand.go("Tune")
    hand.type("costToEdit", "2^3")

    def entered() -> tuple[str, str, str, float | None, str, tuple[str, ...], str | None]:
        texts = hand.window.assembly.page("train")._view.texts()
        tune = hand.find(QLineEdit, "costToEdit").text()
        read = hand.work.read
        missing = hand.find(QComboBox, "missingCombo").currentData()
        return (texts["C"], texts["class_weight"], tune, hand.work.holdout, missing, read.drop, read.groups)

    changed = ("1000", "balanced", "2^3", 0.4, "mean", ("x0",), "batch")
    plain = ("1", "", "2^12", 0.3, "reject", (), None)
    assert entered() == changed
    show(hand, second)
    assert entered() == plain
    assert hand.work.base_request(machine="ww").rules.missing == "reject"
    hand.close()
    hand = open_window()
    hand.wait(lambda: hand.work.dataset is not None)
    assert entered() == plain, "the project opens as it was left"
    show(hand, first)
    assert entered() == changed
    moved = first.with_name("moved.csv")
    moved.write_bytes(first.read_bytes())
    show(hand, moved)
    assert entered() == changed, "the same content under another name"
    hand.go("Train")
    hand.click("trainResetButton")
    hand.go("Tune")
    hand.click("tuneResetButton")
    assert entered() == ("1", "", "2^12", *changed[3:])
    hand.close()


def test_settings_of_a_file_are_there_in_another_project(
    open_window: Callable[[], Hand], first: Path, tmp_path: Path
) -> None:
    hand = open_window()
    show(hand, first)
    hand.go("Train")
    hand.type("costEdit", "64")
    hand.work.set_preparation(holdout=0.2)
    hand.runs.open(tmp_path / "other.mcsvmproj")
    hand.wait(lambda: hand.runs.path.endswith("other.mcsvmproj") and hand.runs.loaded)
    hand.wait(lambda: hand.work.path is None)
    assert hand.find(QLineEdit, "costEdit").text() == "1"
    show(hand, first)
    assert (hand.find(QLineEdit, "costEdit").text(), hand.work.holdout) == ("64", 0.2)
    hand.close()


def test_roles_that_do_not_fit_any_more_are_given_up(open_window: Callable[[], Hand], first: Path) -> None:
    hand = open_window()
    said: list[str] = []
    hand.work.message.connect(said.append)
    show(hand, first)
    hand.work.open_data(str(first), hand.work.read.__class__(groups="batch"))
    hand.wait(lambda: hand.work.dataset is not None and hand.work.dataset.group_name == "batch")
    show(hand, Path(str(resources.dataset("iris"))))
    first.write_text("a,b,label\n" + "".join(f"{i},{i * i % 7},{'uv'[i % 2]}\n" for i in range(20)), "utf-8")
    show(hand, first)
    assert hand.work.dataset is not None
    assert hand.work.dataset.group_name is None
    assert any("first.csv" in sentence for sentence in said)
    hand.close()
