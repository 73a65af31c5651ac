"""Pictures show what they are called after, and a scene needs no other scene before it."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path

import pytest
import screenshots
from PySide6.QtWidgets import QApplication
from screenshots import Studio

from mcsvm_gui.core.base import crash_log


@pytest.fixture
def studio(qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Studio]:
    monkeypatch.setattr(screenshots, "TARGET", tmp_path / "pictures")
    monkeypatch.setattr(crash_log, "_folder", tmp_path / "logs")  # `leave` reads it: errors of this studio alone
    monkeypatch.chdir(screenshots.DATA)
    made = Studio(tmp_path, "light", "1024x700")
    made.wait(lambda: made.work.runs.loaded and not made.work.tasks.busy)
    yield made
    made.leave()


def pictures(folder: Path) -> set[str]:
    return {path.name.removesuffix("-light-1024x700-en.png") for path in (folder / "pictures").glob("*.png")}


@pytest.mark.slow
def test_no_picture_is_taken_of_another_state(studio: Studio, tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="train-paused: the window is in another state"):
        studio.shoot("train-paused", lambda: studio.sees("convergencePlot"), rest=0.0)
    assert pictures(tmp_path) == set()
    with pytest.raises(AssertionError, match="there is no predictTabel"):
        studio.sees("predictTabel")


def test_every_picture_has_a_state_to_be_in() -> None:
    assert inspect.signature(Studio.shoot).parameters["state"].default is inspect.Parameter.empty


@pytest.mark.slow
def test_predictions_are_shown_where_the_picture_says_so(studio: Studio, tmp_path: Path) -> None:
    screenshots.predict_page(studio, tmp_path)
    shot = {"predict-empty", "predict-results", "predict-sets", "predict-probabilities", "predict-refused"}
    assert pictures(tmp_path) == shot
