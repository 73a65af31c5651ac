"""A project that comes from anyone: files outside of its folder are left alone until the user agrees."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QAbstractButton, QLabel, QWidget
from pytestqt.qtbot import QtBot

from mcsvm_gui.app import create_window
from mcsvm_gui.core.base import resources
from mcsvm_gui.core.base.settings import Settings
from mcsvm_gui.core.project import default_project
from mcsvm_gui.core.project.store import ProjectStore
from mcsvm_gui.ui.data import presenter as data
from mcsvm_gui.ui.runs import workspace
from mcsvm_gui.ui.runs.project_trust import ProjectTrust, outside
from mcsvm_gui.ui.shell.question_bar import TrustBar

IRIS = resources.dataset("iris")


def test_what_lies_outside_is_told_by_names_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("stat", "lstat", "readlink"):
        monkeypatch.setattr(os, name, lambda *path, **options: pytest.fail("the disk was asked"))
    inside = ["/p/data.csv", "/p/deep/er/data.csv", "/p/./x/../data.csv"]
    away = ["/data.csv", "/p/../data.csv", "/pp/data.csv", "/p/deep/../../etc/passwd", "/net/host/share/a.csv"]
    assert outside("/p/a.mcsvmproj", [*inside, *away]) == away


class Office:
    """A trust, and a project at some path."""

    def __init__(self, path: str, settings: Settings | None = None) -> None:
        self.path, self.settings = path, settings or Settings()
        self.trust = ProjectTrust(self, self.settings)  # type: ignore[arg-type]
        self.asked: list[list[str]] = []
        self.trust.asked.connect(self.asked.append)


def test_one_agreement_holds_for_the_project_and_its_copies(qapp: object) -> None:
    office = Office("/p/a.mcsvmproj")
    office.trust.look(["/p/in.csv", None, "/out.csv", "/out.csv"])
    assert office.asked == [["/out.csv"]]
    assert office.trust.may_read(["/p/in.csv", None])
    assert not office.trust.may_read(["/out.csv"])
    office.trust.agree()
    assert office.asked[-1] == []
    office.trust.follow("/p/a.mcsvmproj", "/copies/b.mcsvmproj")
    for path in ("/p/a.mcsvmproj", "/copies/b.mcsvmproj"):
        again = Office(path, office.settings)
        again.trust.look(["/out.csv"])
        assert again.asked == [[]]
        assert again.trust.may_read(["/out.csv"])
    other = Office("/p/other.mcsvmproj", office.settings)
    other.trust.follow("/p/foreign.mcsvmproj", "/p/other.mcsvmproj")
    assert not other.trust.may_read(["/out.csv"])


def test_a_project_that_names_nothing_outside_and_one_without_a_name_are_the_users_own(qapp: object) -> None:
    fresh = Office("/p/new.mcsvmproj")
    fresh.trust.look(["/p/in.csv"])
    assert fresh.trust.may_read(["/out.csv"])
    assert Office(str(default_project.default_folder() / "unnamed.mcsvmproj")).trust.may_read(["/out.csv"])


class Disk:
    """Who asks it for the files of a project, and in which thread."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.asked: list[tuple[str, bool]] = []
        self._exists, self._size, self._open = os.path.exists, data._size_text, workspace._open
        monkeypatch.setattr(workspace.os.path, "exists", self.exists)
        monkeypatch.setattr(data, "_size_text", self.size)
        monkeypatch.setattr(workspace, "_open", self.open)

    def _note(self, what: str, path: Any) -> None:
        if str(path) == str(IRIS):
            self.asked.append((what, threading.current_thread() is threading.main_thread()))

    def exists(self, path: Any) -> bool:
        self._note("exists", path)
        return self._exists(path)

    def size(self, path: str) -> str:
        self._note("size", path)
        return self._size(path)

    def open(self, path: str, *how: Any, **more: Any) -> Any:
        self._note("read", path)
        return self._open(path, *how, **more)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    kept = {"path": str(IRIS), "read": {}, "rules": {}, "test": None, "holdout": 0.3, "seed": 7}
    store = ProjectStore(tmp_path / "a.mcsvmproj")
    store.write(settings={"data": kept})
    store.close()
    return tmp_path / "a.mcsvmproj"


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    return Disk(monkeypatch)


def opened(project: Path, qtbot: QtBot) -> Any:
    window: Any = create_window(project, project.parent / "settings.json")
    qtbot.addWidget(window)
    qtbot.waitUntil(lambda: window.assembly.runs.loaded and not window.assembly.tasks.busy)
    return window


@pytest.mark.slow
def test_data_outside_wait_for_the_answer_and_are_asked_for_behind_the_window(
    project: Path, disk: Disk, qtbot: QtBot
) -> None:
    window = opened(project, qtbot)
    work, bar = window.assembly.workspace, window.findChild(TrustBar)
    assert not bar.isHidden()
    assert str(IRIS) in bar.findChild(QLabel, "trustLabel").text()
    assert (work.seed, work.path, disk.asked) == (7, None, [])
    bar.findChild(QAbstractButton, "trustReadButton").click()
    qtbot.waitUntil(lambda: work.dataset is not None)
    assert bar.isHidden()
    assert {what for what, _ in disk.asked} == {"exists", "size", "read"}
    assert [what for what, in_the_window in disk.asked if in_the_window] == []
    window.close()
    again = opened(project, qtbot)
    qtbot.waitUntil(lambda: again.assembly.workspace.dataset is not None)
    assert again.findChild(TrustBar).isHidden()
    again.close()


@pytest.mark.slow
def test_not_now_leaves_them_unread(project: Path, disk: Disk, qtbot: QtBot) -> None:
    window = opened(project, qtbot)
    bar = window.findChild(TrustBar)
    bar.findChild(QAbstractButton, "trustLaterButton").click()
    assert bar.isHidden()
    assert disk.asked == []
    window.close()


@pytest.mark.slow
def test_a_file_opened_by_hand_stays_where_the_user_agrees_later(project: Path, disk: Disk, qtbot: QtBot) -> None:
    window = opened(project, qtbot)
    work = window.assembly.workspace
    work.open_data(str(resources.dataset("wine")))
    qtbot.waitUntil(lambda: work.dataset is not None)
    work.trust.agree()
    qtbot.waitUntil(lambda: not window.assembly.tasks.busy)
    assert work.data_name == "wine.csv"
    assert disk.asked == []
    window.close()


def test_every_button_of_the_bar_has_its_name(qtbot: QtBot) -> None:
    bar = TrustBar()
    bar.setParent(home := QWidget())
    qtbot.addWidget(home)
    bar.show_names("Files.", ["/a", "/b"])
    assert bar.isVisibleTo(home)
    assert {button.accessibleName() for button in bar.findChildren(QAbstractButton)} == {"Read them", "Not now"}
    bar.show_names("Files.", [])
    assert not bar.isVisibleTo(home)
