"""The bar above the pages: only where something was cut short, and each answer does what it says."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QAbstractButton, QLabel, QWidget
from pytestqt.qtbot import QtBot

from mcsvm_gui.ui.shell.question_bar import RecoveryBar
from mcsvm_gui.ui.shell.recovery import RecoveryPresenter


class FakeView(QObject):
    decided = Signal(str)

    def show_names(self, words: str, names: Sequence[str]) -> None:
        self.words, self.names = words, list(names)


class FakeRuns(QObject):
    project_read, changed, added, removed = Signal(), Signal(int), Signal(list), Signal(list)

    def __init__(self, *cut: int) -> None:
        super().__init__()
        self.cut, self.abandoned = list(cut), []  # type: ignore[var-annotated]

    def interrupted(self) -> list[Any]:
        return [SimpleNamespace(id=run, name=f"ww {run}") for run in self.cut]

    def abandon(self, runs: Sequence[int]) -> None:
        self.abandoned += runs
        self.cut = []


class FakeSearches(QObject):
    interrupted_changed = Signal()

    def __init__(self, *cut: str) -> None:
        super().__init__()
        self.cut, self.forgotten = [SimpleNamespace(title=title) for title in cut], []  # type: ignore[var-annotated]

    def interrupted(self) -> list[Any]:
        return list(self.cut)

    def forget(self, cut: Sequence[Any]) -> None:
        self.forgotten += cut
        self.cut = [one for one in self.cut if one not in cut]
        self.interrupted_changed.emit()


class Scene:
    def __init__(self, *cut: int, searches: Sequence[str] = ()) -> None:
        self.view, self.runs, self.gone_on = FakeView(), FakeRuns(*cut), []  # type: ignore[var-annotated]
        self.searches, self.searched_on = FakeSearches(*searches), []  # type: ignore[var-annotated]
        workspace = SimpleNamespace(
            runs=self.runs,
            searches=self.searches,
            go_on=lambda run, keep: self.gone_on.append((run, keep)),
            search_on=self.searched_on.append,
        )
        self.presenter = RecoveryPresenter(self.view, workspace)  # type: ignore[arg-type]


def test_nothing_is_said_where_nothing_was_cut_short() -> None:
    assert Scene().view.names == []


def test_the_runs_that_were_cut_short_are_named() -> None:
    scene = Scene(3)
    assert scene.view.names == ["ww 3"]
    assert "a job" in scene.view.words
    scene.runs.cut = [3, 4]
    scene.runs.project_read.emit()
    assert scene.view.names == ["ww 3", "ww 4"]
    assert "2 jobs" in scene.view.words
    scene.runs.cut = [4]
    scene.runs.removed.emit([3])
    assert scene.view.names == ["ww 4"]


@pytest.mark.parametrize(("choice", "keep"), [("go on", False), ("keep", True)])
def test_going_on_and_keeping_reach_every_run(choice: str, keep: bool) -> None:
    scene = Scene(3, 4)
    scene.view.decided.emit(choice)
    assert scene.gone_on == [(3, keep), (4, keep)]
    assert scene.runs.abandoned == []


def test_a_search_stands_beside_the_runs_and_goes_on_with_them() -> None:
    scene = Scene(3, searches=["Search ww"])
    assert scene.view.names == ["ww 3", "Search ww"]
    scene.view.decided.emit("go on")
    assert (scene.gone_on, [cut.title for cut in scene.searched_on]) == ([(3, False)], ["Search ww"])
    assert scene.searches.forgotten == [], "it stays until it has begun"


@pytest.mark.parametrize("choice", ["keep", "discard"])
def test_the_cells_of_a_search_are_kept_already(choice: str) -> None:
    scene = Scene(searches=["Search ww", "Search cs"])
    scene.view.decided.emit(choice)
    assert (len(scene.searches.forgotten), scene.searched_on, scene.view.names) == (2, [], [])


def test_discarding_gives_all_of_them_up() -> None:
    scene = Scene(3, 4)
    scene.view.decided.emit("discard")
    assert (scene.runs.abandoned, scene.gone_on, scene.view.names) == ([3, 4], [], [])


def test_later_means_not_before_the_next_start() -> None:
    scene = Scene(3)
    scene.view.decided.emit("later")
    assert scene.view.names == []
    scene.runs.changed.emit(3)
    assert scene.view.names == []
    assert (scene.runs.abandoned, scene.gone_on) == ([], [])


def test_every_button_says_another_answer(qtbot: QtBot) -> None:
    bar = RecoveryBar()
    bar.setParent(home := QWidget())
    qtbot.addWidget(home)
    said: list[str] = []
    bar.decided.connect(said.append)
    bar.show_names("The program ended.", ["ww <b>3</b>"])
    assert bar.isVisibleTo(home)
    for button in bar.findChildren(QAbstractButton):
        assert button.accessibleName() or button.text()
        button.click()
    assert sorted(said) == ["discard", "go on", "keep", "later"]
    assert any("ww <b>3</b>" in label.text() for label in bar.findChildren(QLabel))
    bar.show_names("", [])
    assert not bar.isVisibleTo(home)
