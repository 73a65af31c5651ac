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


def column_of(hand: Hand, name: str) -> tuple[dict[int, str], bool]:
    """Return a column of the leaderboard by run, and whether it is shown."""
    view = hand.find(QTableView, "leaderboard")
    model = view.model()
    place = next(place for place, column in enumerate(model.columns) if column.name == name)  # type: ignore[attr-defined]
    cells = {model.run_at(row): model.index(row, place).data() for row in range(model.rowCount())}  # type: ignore[attr-defined]
    return cells, not view.isColumnHidden(place)


def test_preprocessing_is_compared_on_the_same_data_and_named(open_window: Callable[[], Hand], first: Path) -> None:
    """Both scalings stay side by side; table, answer, comparison and heat map say which is which."""
    hand = open_window()
    show(hand, first)
    plain = train(hand)
    assert not column_of(hand, "preprocessing")[1], "there is nothing to tell apart"
    hand.go("Data")
    hand.choose("scaleCombo", "standard")
    scaled = train(hand)
    assert sorted(board(hand)) == [plain, scaled], "preprocessing does not hide runs of the same data"
    assert column_of(hand, "data")[0] == {plain: "first.csv", scaled: "first.csv · standardized"}
    assert column_of(hand, "preprocessing") == ({plain: "scaled to [-1, 1]", scaled: "standardized"}, True)
    hand.wait(lambda: "differ in preprocessing" in hand.text("conclusionLabel"))
    best = board(hand)[0]
    assert f"this one: {'standardized' if best == scaled else 'scaled to [-1, 1]'}." in hand.text("conclusionLabel")
    hand.select_runs(plain, scaled)
    hand.go("Compare")
    names = [hand.runs.record(run).name for run in (plain, scaled)]
    expected = f"These runs differ in preprocessing. {names[0]}: scaled to [-1, 1]; {names[1]}: standardized."
    hand.wait(lambda: expected in hand.text("compareNotes"))
    hand.close()


def test_a_heat_map_is_of_its_own_preprocessing(open_window: Callable[[], Hand], first: Path) -> None:
    hand = open_window()
    show(hand, first)
    hand.go("Tune")
    for name, text in (("costFromEdit", "1"), ("costToEdit", "4"), ("gammaFromEdit", "1"), ("gammaToEdit", "1")):
        hand.type(name, text)
    hand.click("tuneStartButton")
    hand.wait(lambda: hand.work.searches.last is not None and not hand.work.searches.active)
    presenter = hand.window.assembly.page("tune")
    hand.wait(lambda: presenter._shown is not None and presenter._shown.results.done > 0)
    found = presenter._shown.results.done
    hand.work.set_preparation(scale="standard")
    hand.wait(lambda: presenter._shown is None or presenter._shown.results.done == 0)
    hand.work.set_preparation(scale="minmax")
    hand.wait(lambda: presenter._shown is not None and presenter._shown.results.done == found)
    hand.close()


def test_a_run_is_explained_on_the_rows_of_its_own_roles(open_window: Callable[[], Hand], tmp_path: Path) -> None:
    """The open file has been read with another class column since: the run must be applied to its own rows."""
    path = tmp_path / "two.csv"
    lines = ["x,y,site,label"]
    lines += [f"{row % 3}.{row:02d},{row % 2},{'mn'[row % 2]},{'abc'[row % 3]}" for row in range(90)]
    path.write_text("\n".join(lines) + "\n", "utf-8")
    hand = open_window()
    show(hand, path)
    run = train(hand)
    hand.work.open_data(str(path), hand.work.read.__class__(label="site"))
    hand.wait(lambda: hand.work.dataset is not None and hand.work.dataset.classes == ("m", "n"))
    hand.go("Train")
    hand.wait(lambda: board(hand) == [])
    hand.find(QWidget, "trainPage").findChild(QCheckBox, "allRunsCheck").click()  # type: ignore[union-attr]
    hand.select_runs(run)
    hand.go("Explain")
    presenter = hand.window.assembly.page("explain")
    hand.wait(lambda: bool(presenter._opened))
    (opened,) = presenter._opened
    numbers = opened.dataset.row_numbers
    assert len(numbers) == 27
    assert list(opened.dataset.labels) == ["abc"[(number - 1) % 3] for number in numbers]
    hand.close()
