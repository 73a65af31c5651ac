"""The learning curve of a run: points as they come, the numbers of `mcsvm curve`, kept, stopped and reported."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from command_line import mcsvm
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from mcsvm_gui.core.base.resources import dataset as example
from mcsvm_gui.core.compare.comparison import Side
from mcsvm_gui.core.compare.tested_runs import RunRows, ScoredRun
from mcsvm_gui.core.data.readers import open_dataset
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.machine.state import JobState
from mcsvm_gui.core.report.blocks import Figure, Paragraph
from mcsvm_gui.core.report.of_curve import curve_blocks
from mcsvm_gui.core.tune.curve import conclusion
from mcsvm_gui.ui.compare.curve_panel import CurvePanel
from mcsvm_gui.ui.compare.learning import LearningPresenter
from mcsvm_gui.ui.threads.curves import KEPT, Curves
from mcsvm_gui.ui.threads.queue import JobQueue

DATA = str(example("wine"))


class Workspace(QObject):
    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[str, Any] = {}
        self.queue = JobQueue()
        self.curves = Curves(self.queue, self.kept.get, self.kept.__setitem__, self)


class Stage:
    def __init__(self) -> None:
        self.work, self.panel = Workspace(), CurvePanel()
        self.presenter = LearningPresenter(self.panel, self.work)  # type: ignore[arg-type]
        self.queue = self.work.queue
        whole = open_dataset(DATA)
        self.request = Request("ova", data=DATA, digest=whole.digest, holdout=0.3, gamma=0.5)
        side = Side("1", {"machine": "ova"}, whole.labels[:0])  # type: ignore[index]
        self.run = ScoredRun(1, self.request, side, RunRows(whole, whole, whole, "test"))

    def wait(self, qtbot: QtBot) -> None:
        qtbot.waitUntil(lambda: not self.queue.active(), timeout=60_000)


@pytest.fixture
def stage(qtbot: QtBot) -> Iterator[Stage]:
    stage = Stage()
    qtbot.addWidget(stage.panel)
    stage.presenter.want([("ova 1", stage.run)])
    yield stage
    assert stage.queue.shut_down(20_000)


def plain(document: dict[str, Any]) -> dict[str, Any]:
    """Without times, and as JSON has it."""
    found = json.loads(json.dumps(document))
    found.pop("schema", None)  # of what a command prints
    return found | {"request": None, "points": [point | {"seconds": 0} for point in found["points"]]}


def test_one_button_shows_what_the_command_says(stage: Stage, qtbot: QtBot) -> None:
    panel, seen = stage.panel, list[int]()
    stage.work.curves.changed.connect(lambda run: seen.append(len(panel.plot.points)))
    assert "No learning curve yet" in panel.words.text()
    panel.start.click()
    assert panel.start.isHidden()
    assert not panel.stop.isHidden()
    stage.wait(qtbot)
    command = mcsvm("curve", DATA, "--machine", "ova", "--gamma", "0.5", "--json").document
    document = stage.presenter.document(1)
    assert document is not None
    assert plain(document) == plain(command)
    assert panel.plot.points == tuple((one["rows"], one["accuracy"], one["std"]) for one in document["points"])
    assert panel.words.text() == conclusion(command)
    assert panel.stop.isHidden()
    assert seen == sorted(seen)  # signals of several points may come as one
    assert seen[-1] == len(document["points"])
    assert stage.work.kept[KEPT]["1"] == document


def test_what_was_kept_is_shown_again(stage: Stage, qtbot: QtBot) -> None:
    stage.panel.start.click()
    stage.wait(qtbot)
    other = Stage()
    other.work.kept.update(stage.work.kept)
    other.presenter.want([("ova 1", other.run)])
    assert other.panel.plot.points == stage.panel.plot.points
    other.work.kept[KEPT] = {"1": [], "2": "nothing"}
    assert other.presenter.document(1) is None


def test_a_stop_keeps_the_points_that_are_done(stage: Stage, qtbot: QtBot) -> None:
    stage.panel.start.click()
    qtbot.waitUntil(lambda: len(stage.panel.plot.points) > 0, timeout=60_000)
    stage.panel.stop.click()
    stage.wait(qtbot)
    document = stage.presenter.document(1)
    assert document is not None
    assert len(document["points"]) >= 1
    assert document["points"] == list(stage.work.kept[KEPT]["1"]["points"])


def test_it_waits_in_the_queue_pauses_and_goes_on(stage: Stage, qtbot: QtBot) -> None:
    stage.panel.start.click()
    (key,) = stage.queue.active()
    stage.queue.pause(key)
    qtbot.waitUntil(lambda: stage.queue.state(key) in (JobState.PAUSED, JobState.DONE), timeout=60_000)
    if stage.queue.state(key) is JobState.PAUSED:
        assert stage.panel.progress.text() == JobState.PAUSED.label
        assert stage.work.curves.status(key).begun
        stage.queue.resume(key)
    stage.wait(qtbot)
    assert len(stage.panel.plot.points) == 5


def test_too_few_rows_are_a_sentence(stage: Stage, qtbot: QtBot) -> None:
    assert stage.run.rows is not None
    few = stage.run.rows.whole.take(list(range(0, 178, 20)))
    stage.presenter.want([("ova 1", replace(stage.run, rows=RunRows(few, few, few, "test")))])
    stage.panel.start.click()
    stage.wait(qtbot)
    assert stage.panel.trouble.text()
    assert stage.panel.start.isEnabled()


def test_a_report_has_points_figure_and_conclusion(stage: Stage, qtbot: QtBot, tmp_path: Path) -> None:
    stage.panel.start.click()
    stage.wait(qtbot)
    document = stage.presenter.document(1)
    assert document is not None
    record: Any = type("Record", (), {"name": "ova", "machine": "ova"})()
    blocks = curve_blocks(record, document)
    assert any(isinstance(block, Figure) for block in blocks)
    assert Paragraph(conclusion(document)) in blocks
    import matplotlib.figure

    (figure,) = (block for block in blocks if isinstance(block, Figure))
    figure.plot.draw(matplotlib.figure.Figure().add_subplot())


@pytest.mark.parametrize(
    ("limit", "last", "said"),
    [
        (0.9, 0.8, "Extrapolated accuracy with unlimited data: 90.0"),
        (1.0, 0.8, "do not allow an extrapolation"),
        (1.0, 1.0, "Extrapolated accuracy with unlimited data: 100"),
    ],
)
def test_a_limit_that_was_kept_from_going_further_is_no_estimate(limit: float, last: float, said: str) -> None:
    """Accuracy ends at 1: a fitted law that would go on tells nothing of where it ends."""
    gain = {"gain": 0.04, "low": 0.02, "high": 0.05}
    projected = {"gain": [gain], "limit": {"accuracy": limit, "low": 0.85, "high": 1.0}}
    words = conclusion({"projected": projected, "points": [{"accuracy": last}]})
    assert said in words
    assert "Twice as many rows would add about 4.0 percentage points" in words
