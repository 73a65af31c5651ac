"""The dock of jobs: what goes on, waits or failed, and what is asked of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import pytest
from fake_queue import FakeQueue
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QLabel, QMainWindow, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from mcsvm.solvers.dual.certificate import Certificate
from mcsvm.solvers.run.ending import Ending
from mcsvm.solvers.run.trace import Sample
from mcsvm.solvers.selection.cell import Cell, FoldResult, Trial
from mcsvm.solvers.selection.grid import Range
from mcsvm_gui.core.base import figures
from mcsvm_gui.core.base.resources import dataset
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.data.readers import open_dataset
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.machine.state import JobState
from mcsvm_gui.core.project.job_status import JobStatus
from mcsvm_gui.core.project.store import ProjectStore
from mcsvm_gui.core.tune.search import TuneRequest
from mcsvm_gui.ui.kit.theme import UNIT
from mcsvm_gui.ui.runs.collection import RunCollection
from mcsvm_gui.ui.runs.job_row import JobRow
from mcsvm_gui.ui.runs.jobs import MOST, JobsPresenter
from mcsvm_gui.ui.runs.jobs_dock import JobsDock
from mcsvm_gui.ui.runs.searches import Searches
from mcsvm_gui.ui.threads.baselines import BaselineComparison
from mcsvm_gui.ui.threads.curves import Curves
from mcsvm_gui.ui.threads.search import Tried
from mcsvm_gui.ui.threads.training import Sampled


@cache
def iris() -> Dataset:
    return open_dataset(dataset("iris"))


def tried(seconds: float) -> FoldResult:
    return FoldResult(0.9, seconds, 9, 7, Ending.CONVERGED, Certificate(1.0, 1.0, 0.0, 0.0))


class FakeView(QObject):
    pause_asked = Signal(object)
    resume_asked = Signal(object)
    stop_asked = Signal(object)
    discard_asked = Signal(object)
    dismiss_asked = Signal(object)
    stop_all_asked = Signal()

    def show_jobs(self, jobs: list[JobStatus], summary: str, more: str, *, stoppable: bool) -> None:
        self.jobs, self.summary, self.more = {job.key: job for job in jobs}, summary, more
        self.stoppable = stoppable


class Office:
    """A presenter with a fake view, a fake queue and a real collection."""

    def __init__(self, path: Path) -> None:
        self.queue, self.view = FakeQueue(), FakeView()
        self.collection = RunCollection(self.queue, ProjectStore(path))
        self.searches = Searches(self.collection, self.queue)  # type: ignore[arg-type]
        self.curves = Curves(self.queue, self.collection.setting, self.collection.keep_setting)  # type: ignore[arg-type]
        self.baselines = BaselineComparison(self.queue)  # type: ignore[arg-type]
        known = {"runs": self.collection, "searches": self.searches, "curves": self.curves, "baselines": self.baselines}
        workspace = SimpleNamespace(queue=self.queue, dataset=None, **known)
        self.presenter = JobsPresenter(self.view, workspace)  # type: ignore[arg-type]

    def begin(self, **request: object) -> int:
        run = self.collection.begin(Request(**request), "data")  # type: ignore[arg-type]
        self.queue.become(run, JobState.QUEUED)
        return run

    def search(self, qtbot: QtBot) -> str:
        """That the queue has heard of: the project was asked for its cells first."""
        wanted = TuneRequest(("ww", "ovo"), Range(0.0, 4.0, 2.0), Range(-2.0, 2.0, 2.0), folds=2)
        key = self.searches.start(Request(), wanted, iris()).key
        qtbot.waitUntil(lambda: key in self.queue.states)
        return key

    def status(self, key: int | str) -> JobStatus:
        self.presenter.show()
        return self.view.jobs[key]


@pytest.fixture
def office(qtbot: QtBot, tmp_path: Path) -> Iterator[Office]:
    office = Office(tmp_path / "a.mcsvmproj")
    qtbot.waitUntil(lambda: office.collection.loaded)
    yield office
    office.collection.close()


def test_a_waiting_job_can_only_be_discarded(office: Office) -> None:
    status = office.status(office.begin())
    assert (status.begun, status.failed, status.discardable, status.progress, status.time_left) == (
        False,
        False,
        True,
        "",
        "",
    )
    assert office.view.summary == "1 waiting"


def test_a_running_job_says_how_far_how_fast_and_how_long(office: Office) -> None:
    run = office.begin(tol=1e-3)
    office.queue.run(run)
    for step in range(1, 41):  # the gap falls tenfold in ten seconds; the violation is the gap
        gap = 10.0 ** (-step / 10.0)
        office.queue.tell(run, Sampled(Sample(100 * step, float(step), 1.0 - gap, 1.0, gap, 5, 1)))
    status = office.status(run)
    assert (status.progress, status.rate) == (f"gap {figures.gap(1e-4)}", figures.rate(100.0))
    assert "moment" in status.time_left  # it is there already
    office.queue.tell(run, Sampled(Sample(4100, 41.0, 0.9, 1.0, 0.1, 5, 1)))
    assert status.begun


def test_the_time_left_follows_the_fall_of_the_gap(office: Office) -> None:
    run = office.begin(tol=1e-3)
    office.queue.run(run)
    for step in range(1, 21):
        gap = 10.0 ** (-step / 10.0)
        office.queue.tell(run, Sampled(Sample(100 * step, float(step), 1.0 - gap, 1.0, gap, 5, 1)))
    assert figures.remaining(10.0) in office.status(run).time_left  # from 1e-2 to 1e-3 takes ten seconds


@pytest.mark.parametrize(
    ("state", "begun"), [(JobState.PAUSED, True), (JobState.STOPPING, False), (JobState.CERTIFYING, False)]
)
def test_what_can_be_done_follows_the_state(office: Office, state: JobState, begun: bool) -> None:
    run = office.begin()
    office.queue.run(run)
    office.queue.become(run, state)
    status = office.status(run)
    assert (status.state, status.begun) == (state, begun)


def test_a_search_is_a_job_beside_the_trainings(office: Office, qtbot: QtBot) -> None:
    run, search = office.begin(), office.search(qtbot)
    status = office.status(search)
    assert (status.title, status.state, status.begun, status.discardable) == (
        "Search ww, ovo",
        JobState.QUEUED,
        False,
        True,
    )
    assert (office.view.summary, office.view.stoppable) == ("2 waiting", False)
    office.queue.run(search)
    cell = Cell("ww", 1.0, 1.0)
    office.queue.tell(search, Tried(Trial(cell, 0), tried(0.5)), Tried(Trial(cell, 1), tried(0.5)))
    status = office.status(search)
    assert (status.progress, status.discardable) == ("2 of 36 fits", False)
    assert "left" in status.time_left
    assert (office.view.summary, office.view.stoppable) == ("1 searching, 1 waiting", True)
    for name in ("pause", "resume", "stop"):
        getattr(office.view, f"{name}_asked").emit(search)
    assert office.queue.commands == [("pause", search), ("resume", search), ("stop", search)]
    office.queue.become(search, JobState.PAUSED)
    assert office.status(search).time_left == ""
    office.queue.become(search, JobState.DONE)
    office.presenter.show()
    assert list(office.view.jobs) == [run]


def test_a_search_that_fails_says_why_in_the_dock(office: Office, qtbot: QtBot) -> None:
    search = office.search(qtbot)
    office.queue.run(search)
    office.queue.fail(search, "too few rows")
    assert (office.status(search).failed, office.view.jobs[search].error) == (True, "too few rows")
    office.view.dismiss_asked.emit(search)
    assert office.view.jobs == {}


def test_a_failure_stays_in_its_row_until_it_is_dismissed(office: Office, qtbot: QtBot) -> None:
    run = office.begin()
    office.queue.run(run)
    office.queue.fail(run, "There is not enough memory.")
    qtbot.waitUntil(lambda: office.view.summary == "1 failed")
    status = office.view.jobs[run]
    assert (status.failed, status.error) == (True, "There is not enough memory.")
    office.view.dismiss_asked.emit(run)
    assert office.view.jobs == {}


def test_a_job_that_ended_well_leaves_the_dock(office: Office, qtbot: QtBot) -> None:
    run = office.begin()
    office.queue.run(run)
    office.presenter.show()
    office.queue.become(run, JobState.DONE)
    qtbot.waitUntil(lambda: office.view.jobs == {})


def test_a_long_queue_is_told_in_a_word(office: Office) -> None:
    runs = [office.begin() for _ in range(MOST + 7)]
    office.presenter.show()
    assert list(office.view.jobs) == runs[:MOST]
    assert "7" in office.view.more


def test_commands_go_to_the_queue(office: Office) -> None:
    run = office.begin()
    for name in ("pause", "resume", "stop", "discard"):
        getattr(office.view, f"{name}_asked").emit(run)
    office.view.stop_all_asked.emit()
    assert office.queue.commands == [("pause", run), ("resume", run), ("stop", run), ("discard", run), ("stop", run)]


# -- the widgets ----------------------------------------------------------------------------------

RUNNING = JobStatus(1, "ww 1", JobState.RUNNING, "ww", "gap 1%", "9/s", "about 4 s left")
PAUSED = JobStatus(1, "ww 1", JobState.PAUSED, "ww", "gap 1%")
FAILED = JobStatus(2, "cs 2", JobState.FAILED, "cs", error="There is not enough memory.")
SEARCH = JobStatus("search 1", "Search ww", JobState.RUNNING, progress="3 of 9 fits", discardable=False)


@pytest.fixture
def dock(qtbot: QtBot) -> JobsDock:
    dock = JobsDock()
    qtbot.addWidget(dock)
    dock.resize(1000, 200)
    dock.show()
    return dock


def buttons(dock: JobsDock, key: int | str) -> dict[str, QPushButton]:
    row = dock.findChild(JobRow, f"job{key}")
    assert row is not None
    shown = [button for button in row.findChildren(QPushButton) if not button.isHidden()]
    return {button.accessibleName().split()[0].lower(): button for button in shown}


def test_buttons_ask_for_their_job(dock: JobsDock, qtbot: QtBot) -> None:
    dock.show_jobs([RUNNING, FAILED], "", "", stoppable=True)
    for name in ("pause", "stop", "discard"):
        with qtbot.waitSignal(getattr(dock, f"{name}_asked")) as asked:
            buttons(dock, 1)[name].click()
        assert asked.args == [1]
    with qtbot.waitSignal(dock.dismiss_asked) as asked:
        buttons(dock, 2)["dismiss"].click()
    assert asked.args == [2]
    assert list(buttons(dock, 2)) == ["dismiss"]
    dock.show_jobs([PAUSED], "", "", stoppable=True)
    with qtbot.waitSignal(dock.resume_asked) as asked:
        buttons(dock, 1)["resume"].click()


def test_a_search_is_paused_and_stopped_but_not_discarded(dock: JobsDock, qtbot: QtBot) -> None:
    dock.show_jobs([SEARCH], "", "", stoppable=True)
    for name in ("pause", "stop"):
        with qtbot.waitSignal(getattr(dock, f"{name}_asked")) as asked:
            buttons(dock, "search 1")[name].click()
        assert asked.args == ["search 1"]
    assert not buttons(dock, "search 1")["discard"].isEnabled()


def test_rows_come_stay_and_go(dock: JobsDock, qtbot: QtBot) -> None:
    dock.show_jobs([FAILED, RUNNING], "1 in training", "and 3 more that wait", stoppable=True)
    row = dock.findChild(JobRow, "job1")
    dock.show_jobs([PAUSED], "", "", stoppable=True)
    assert dock.findChild(JobRow, "job1") is row
    qtbot.waitUntil(lambda: dock.findChild(JobRow, "job2") is None)
    dock.show_jobs([], "", "", stoppable=False)
    qtbot.waitUntil(lambda: dock.findChild(JobRow, "job1") is None)
    summary = dock.findChild(QLabel, "jobsSummaryLabel")
    assert summary is not None
    assert summary.text() == "No jobs"


def test_the_dock_takes_one_line_without_jobs_and_two_with_many(qtbot: QtBot) -> None:
    window, dock = QMainWindow(), JobsDock()
    qtbot.addWidget(window)
    window.setCentralWidget(QWidget())
    window.addDockWidget(Qt.DockWidgetArea.BottomDockWidgetArea, dock)
    window.resize(1024, 700)
    with qtbot.waitExposed(window):
        window.show()
    dock.show_jobs([], "", "", stoppable=False)
    qtbot.waitUntil(lambda: dock.height() <= 5 * UNIT)
    dock.show_jobs([replace(RUNNING, key=run) for run in range(9)], "9 in training", "", stoppable=True)
    qtbot.waitUntil(lambda: dock.height() >= 9 * UNIT)
    assert dock.minimumSizeHint().height() <= 15 * UNIT
    dock.show_jobs([], "", "", stoppable=False)
    qtbot.waitUntil(lambda: dock.height() <= 5 * UNIT)


def test_every_control_has_a_name(dock: JobsDock) -> None:
    dock.show_jobs([RUNNING, FAILED], "", "", stoppable=True)
    assert all(button.accessibleName() for button in dock.findChildren(QPushButton))
