"""Projects: a new one, saving under a name, examples in projects of their own, and refusals that can be read."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from journeys.hand import Hand
from PySide6.QtCore import QStandardPaths
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFileDialog, QLabel, QLineEdit, QMenu, QWidget

from mcsvm_gui.core.base import resources
from mcsvm_gui.core.base.options import number
from mcsvm_gui.core.compare.examples import examples
from mcsvm_gui.core.project import default_project
from mcsvm_gui.core.project.store import ProjectStore

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the program, for this test alone."""
    folder = tmp_path / "program"  # which is not there before it is needed
    for name in ("mcsvm_gui.core.project.default_project", "mcsvm_gui.ui.runs.project_trust"):
        monkeypatch.setattr(f"{name}.default_folder", lambda: folder)
    return folder


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "work" / "coffee.csv"
    path.parent.mkdir()
    path.write_bytes(Path(str(resources.dataset("iris"))).read_bytes())
    return path


def recent(hand: Hand) -> list[str]:
    menu = hand.find(QMenu, "recentMenu")
    return [action.text().partition("  ")[2] for action in menu.actions() if action.text()[:1].isdigit()]


def begin(hand: Hand, data: Path) -> int:
    hand.window.assembly.shell.open(str(data))
    hand.wait(lambda: hand.work.dataset is not None)
    (run,) = hand.work.train([hand.work.base_request(machine="ww")])
    hand.wait(lambda: not hand.active)
    return int(run)


@contextmanager
def another_project(hand: Hand) -> Iterator[None]:
    """Another project is opened by what the block does."""
    read: list[bool] = []
    before = hand.runs.path
    hand.runs.project_read.connect(lambda: read.append(True))
    yield
    hand.wait(lambda: bool(read) and hand.runs.path != before)


def test_an_example_leaves_the_project_of_the_user_alone(open_window: Callable[[], Hand], data: Path) -> None:
    hand = open_window()
    run = begin(hand, data)
    home = hand.runs.path
    with another_project(hand):
        hand.find(QAction, "example-six").trigger()
    example = examples()[0]
    hand.wait(lambda: len(hand.runs.ids()) == len(example.runs) and not hand.active)
    assert hand.work.data_name == "wine.csv"
    assert example.title in hand.window.windowTitle()
    hand.wait(lambda: example.sentence in hand.text("noticeLabel"))
    asked = next(iter(example.runs.values()))
    assert number(hand.find(QLineEdit, "costEdit").text()) == asked["C"]
    assert number(hand.find(QLineEdit, "gammaEdit").text()) == asked["gamma"]
    assert "story.mcsvmproj" in recent(hand)
    with another_project(hand):
        hand.window.assembly.shell.open(str(data))  # data of the user: back to their own project
    hand.wait(lambda: hand.work.dataset is not None)
    assert (hand.runs.path, hand.runs.ids(), hand.work.data_name) == (home, [run], "coffee.csv")
    hand.close()


def test_a_new_project_is_empty_and_the_old_one_is_among_the_recent_files(
    open_window: Callable[[], Hand], data: Path
) -> None:
    hand = open_window()
    run = begin(hand, data)
    home = hand.runs.path
    with another_project(hand):
        hand.window.action("newProjectAction").trigger()
    hand.wait(lambda: hand.work.dataset is None)
    assert hand.runs.ids() == []
    assert "Unsaved project" in hand.window.windowTitle()
    first = hand.runs.path
    hand.window.action("newProjectAction").trigger()
    assert hand.runs.path == first, "an empty one is new already"
    begin(hand, data)
    with another_project(hand):
        hand.window.action("newProjectAction").trigger()
    assert hand.runs.ids() == []
    assert {"Unsaved project", "Unsaved project 2"} <= set(recent(hand))
    entry = next(one for one in hand.find(QMenu, "recentMenu").actions() if "story.mcsvmproj" in one.text())
    with another_project(hand):
        entry.trigger()
    hand.wait(lambda: hand.work.dataset is not None)
    assert (hand.runs.path, hand.runs.ids()) == (home, [run])
    hand.close()


def test_saving_proposes_a_place_of_the_user(
    open_window: Callable[[], Hand], data: Path, own_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    documents = tmp_path / "documents"
    documents.mkdir()
    monkeypatch.setattr(QStandardPaths, "writableLocation", lambda place: str(documents))
    hand = open_window()
    projects = hand.window.assembly.shell.projects
    with another_project(hand):
        own_folder.mkdir()
        hand.runs.open(own_folder / "unnamed.mcsvmproj")
    assert projects.proposed_target() == str(documents / "project.mcsvmproj")
    hand.window.assembly.shell.open(str(resources.dataset("wine")))
    hand.wait(lambda: hand.work.dataset is not None)
    assert projects.proposed_target() == str(documents / "wine.mcsvmproj")
    begin(hand, data)
    hand.wait(lambda: hand.work.data_name == "coffee.csv")
    assert projects.proposed_target() == str(data.with_name("coffee.mcsvmproj"))
    asked: list[QFileDialog] = []
    hand.window.action("saveProjectAction").trigger()
    hand.wait(lambda: hand.window.findChild(QFileDialog, "fileDialog") is not None)
    asked.append(hand.find(QFileDialog, "fileDialog"))
    assert os.path.realpath(asked[0].directory().absolutePath()) == os.path.realpath(data.parent)
    assert Path(asked[0].selectedFiles()[0]).name == "coffee.mcsvmproj"
    asked[0].reject()
    before = hand.runs.path
    for wrong in (".gz", ".mcsvmproj", "  .mcsvmproj"):
        projects.save_as(str(data.with_name(wrong)))
        notice = hand.find(QLabel, "noticeLabel")
        assert notice.isVisible(), wrong
        assert wrong.strip() in notice.text()
    projects.save_as(str(own_folder / "mine.mcsvmproj"))
    assert (hand.runs.path, sorted(one.name for one in data.parent.iterdir())) == (before, ["coffee.csv"])
    projects.save_as(str(data.with_name("mine.gz")))
    hand.wait(lambda: hand.runs.path != before)
    assert hand.runs.path == os.path.realpath(data.with_name("mine.gz.mcsvmproj"))
    assert projects.proposed_target() == str(data.with_name("mine.gz copy.mcsvmproj"))
    hand.wait(lambda: not hand.find(QWidget, "noticeBar").isVisible())
    hand.close()


def test_a_locked_project_is_refused_in_words_that_can_be_read(open_window: Callable[[], Hand], tmp_path: Path) -> None:
    hand = open_window()
    other = tmp_path / "held.mcsvmproj"
    store: Any = ProjectStore(other)
    try:
        hand.window.assembly.shell.open(str(other))
        hand.wait(lambda: hand.find(QWidget, "noticeBar").isVisible())
        label = hand.find(QLabel, "noticeLabel")
        assert "open in another window" in label.text()
        assert label.wordWrap(), "none of it is cut"
        hand.click("noticeOkButton")
        hand.wait(lambda: not hand.find(QWidget, "noticeBar").isVisible())
    finally:
        store.close()
    hand.close()


def test_the_unnamed_project_of_last_time_is_opened_again(own_folder: Path) -> None:
    first, _ = default_project.open_unnamed(own_folder)
    first.close()
    later = default_project.new_unnamed()
    ProjectStore(later).close()
    again, trouble = default_project.open_unnamed(own_folder, str(later))
    assert (again.path, trouble) == (later, "")
    again.close()
