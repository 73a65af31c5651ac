"""The project of those who open none: one for each window, and always one."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from mcsvm_gui.core.project import default_project
from mcsvm_gui.core.project.default_project import MOST, default_folder, open_unnamed


def test_it_is_made_with_its_folder_and_found_again(tmp_path: Path) -> None:
    folder = tmp_path / "not" / "there yet"
    store, trouble = open_unnamed(folder)
    store.write([], {"seed": 3})
    store.close()
    again, trouble_again = open_unnamed(folder)
    assert (again.path, again.settings()["seed"]) == (store.path, 3)
    assert (trouble, trouble_again) == ("", "")
    again.close()


def test_every_further_window_has_one_of_its_own(tmp_path: Path) -> None:
    stores = [open_unnamed(tmp_path) for _ in range(3)]
    assert len({str(store.path) for store, _ in stores}) == 3
    assert [trouble for _, trouble in stores] == 3 * [""]
    for store, _ in stores:
        store.close()


def test_one_that_is_damaged_is_left_alone_and_said(tmp_path: Path) -> None:
    damaged = tmp_path / "unnamed.mcsvmproj"
    damaged.write_bytes(b"this is no project, but it is somebody's\n" * 100)
    before = damaged.read_bytes()
    store, trouble = open_unnamed(tmp_path)
    assert Path(store.path).parent == tmp_path
    assert str(damaged) in trouble
    store.close()
    assert damaged.read_bytes() == before


@pytest.mark.parametrize("reason", ["a file in its place", "no right to write"])
def test_where_nothing_can_be_kept_there_is_one_that_passes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reason: str
) -> None:
    place = tmp_path / "place"
    if reason == "a file in its place":
        place.write_text("not a folder")
    elif os.geteuid() == 0:
        pytest.skip("nothing is forbidden to root")
    else:
        place.mkdir(mode=0o500)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    store, trouble = open_unnamed(place)
    assert "nothing is kept" in trouble
    assert str(place) in trouble
    store.write([], {"seed": 3})
    assert store.settings()["seed"] == 3
    store.close()


def test_there_is_an_end_to_the_looking(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    for number in range(1, MOST + 1):
        (tmp_path / (f"unnamed-{number}.mcsvmproj" if number > 1 else "unnamed.mcsvmproj")).write_bytes(b"x" * 4096)
    store, trouble = open_unnamed(tmp_path)
    assert Path(store.path).parent != tmp_path
    assert trouble.endswith("nothing is kept, unless you save the project")
    store.close()


def test_the_users_own_place_is_asked_of_the_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    monkeypatch.setattr(
        default_project.platformdirs, "user_data_dir", lambda *_, **__: asked.append(1) or str(tmp_path / "x")
    )
    assert default_folder() == tmp_path / "x"
    store, _ = open_unnamed()
    assert Path(store.path).parent == tmp_path / "x"
    store.close()
