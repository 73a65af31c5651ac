"""The dock of jobs: what goes on, waits or failed, and what is asked of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from fake_queue import FakeQueue
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QLabel, QMainWindow, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from mcsvm_gui.core.base import figures
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.project.job_status import JobLine
from mcsvm_gui.core.project.store import ProjectStore
from mcsvm_gui.ui.kit.theme import UNIT
from mcsvm_gui.ui.runs.collection import RunBook
from mcsvm_gui.ui.runs.job_row import JobRow
from mcsvm_gui.ui.runs.jobs import MOST, JobsPresenter
from mcsvm_gui.ui.runs.jobs_dock import JobsDock
from mcsvm_gui.ui.threads.training import JobState
from solvers.run.trace import Sample


class FakeView(QObject):
    pause_asked = Signal(int)
    resume_asked = Signal(int)
    stop_asked = Signal(int)
    discard_asked = Signal(int)
    dismiss_asked = Signal(int)
    stop_all_asked = Signal()

    def show_jobs(self, lines: list[JobLine], summary: str, more: str, *, stoppable: bool) -> None:
        self.lines, self.summary, self.more = {line.run: line for line in lines}, summary, more
        self.stoppable = stoppable


class Office:
    """A presenter with a fake view, a fake queue and a real book."""

    def __init__(self, path: Path) -> None:
        self.queue, self.view = FakeQueue(), FakeView()
        self.book = RunBook(self.queue, ProjectStore(path))
        workspace = SimpleNamespace(queue=self.queue, runs=self.book, dataset=None)
        self.presenter = JobsPresenter(self.view, workspace)  # type: ignore[arg-type]

    def begin(self, **request: object) -> int:
        run = self.book.begin(Request(**request), "data")  # type: ignore[arg-type]
        self.queue.become(run, JobState.QUEUED)
        return run

    def line(self, run: int) -> JobLine:
        self.presenter.show()
        return self.view.lines[run]


@pytest.fixture
def office(qtbot: QtBot, tmp_path: Path) -> Iterator[Office]:
    office = Office(tmp_path / "a.mcsvmproj")
    qtbot.waitUntil(lambda: office.book.loaded)
    yield office
    office.book.close()


def test_a_waiting_job_can_only_be_discarded(office: Office) -> None:
    line = office.line(office.begin())
    assert (line.can_pause, line.can_stop, line.over, line.gap, line.left) == (False, False, False, "", "")
    assert office.view.summary == "1 waiting"


def test_a_running_job_says_how_far_how_fast_and_how_long(office: Office) -> None:
    run = office.begin(tol=1e-3)
    office.queue.run(run)
    for step in range(1, 41):  # the gap falls tenfold in ten seconds; the violation is the gap
        gap = 10.0 ** (-step / 10.0)
        office.queue.sampled.emit(run, Sample(100 * step, float(step), 1.0 - gap, 1.0, gap, 5, 1))
    line = office.line(run)
    assert (line.gap, line.rate) == (figures.gap(1e-4), figures.rate(100.0))
    assert "moment" in line.left  # it is there already
    office.queue.sampled.emit(run, Sample(4100, 41.0, 0.9, 1.0, 0.1, 5, 1))
    assert (line.can_pause, line.can_stop) == (True, True)


def test_the_time_left_follows_the_fall_of_the_gap(office: Office) -> None:
    run = office.begin(tol=1e-3)
    office.queue.run(run)
    for step in range(1, 21):
        gap = 10.0 ** (-step / 10.0)
        office.queue.sampled.emit(run, Sample(100 * step, float(step), 1.0 - gap, 1.0, gap, 5, 1))
    assert figures.remaining(10.0) in office.line(run).left  # from 1e-2 to 1e-3 takes ten seconds


@pytest.mark.parametrize(
    ("state", "pausable", "paused"),
    [(JobState.PAUSED, True, True), (JobState.STOPPING, False, False), (JobState.CERTIFYING, False, False)],
)
def test_what_can_be_done_follows_the_state(office: Office, state: JobState, pausable: bool, paused: bool) -> None:
    run = office.begin()
    office.queue.run(run)
    office.queue.become(run, state)
    line = office.line(run)
    assert (line.can_pause, line.can_stop, line.paused) == (pausable, pausable, paused)


def test_a_search_is_told_of_and_stopped_with_the_others(office: Office, qtbot: QtBot) -> None:
    run = office.begin()
    office.presenter.say_search("3 of 9 fits")
    qtbot.waitUntil(lambda: "3 of 9 fits" in office.view.summary)
    assert "1 waiting" in office.view.summary
    assert office.view.stoppable
    with qtbot.waitSignal(office.presenter.all_stopped, timeout=1000):
        office.view.stop_all_asked.emit()
    office.presenter.say_search("")
    office.queue.become(run, JobState.QUEUED)
    qtbot.waitUntil(lambda: office.view.summary == "1 waiting")
    assert not office.view.stoppable


def test_a_failure_stays_in_its_row_until_it_is_dismissed(office: Office, qtbot: QtBot) -> None:
    run = office.begin()
    office.queue.run(run)
    office.queue.fail(run, "There is not enough memory.")
    qtbot.waitUntil(lambda: office.view.summary == "1 failed")
    line = office.view.lines[run]
    assert (line.over, line.sentence) == (True, "There is not enough memory.")
    office.view.dismiss_asked.emit(run)
    assert office.view.lines == {}


def test_a_job_that_ended_well_leaves_the_dock(office: Office, qtbot: QtBot) -> None:
    run = office.begin()
    office.queue.run(run)
    office.presenter.show()
    office.queue.become(run, JobState.DONE)
    qtbot.waitUntil(lambda: office.view.lines == {})


def test_a_long_queue_is_told_in_a_word(office: Office) -> None:
    runs = [office.begin() for _ in range(MOST + 7)]
    office.presenter.show()
    assert list(office.view.lines) == runs[:MOST]
    assert "7" in office.view.more


def test_wishes_go_to_the_queue(office: Office) -> None:
    run = office.begin()
    for name in ("pause", "resume", "stop", "discard"):
        getattr(office.view, f"{name}_asked").emit(run)
    office.view.stop_all_asked.emit()
    assert office.queue.wishes == [("pause", run), ("resume", run), ("stop", run), ("discard", run), ("stop", run)]


# -- the widgets ----------------------------------------------------------------------------------

RUNNING = JobLine(1, "ww 1", "ww", "running", "Running", "1 %", "9/s", "about 4 s left", can_pause=True, can_stop=True)
PAUSED = JobLine(1, "ww 1", "ww", "waiting", "Paused", "1 %", paused=True, can_pause=True, can_stop=True)
FAILED = JobLine(2, "cs 2", "cs", "failed", "Failed", sentence="There is not enough memory.", over=True)


@pytest.fixture
def dock(qtbot: QtBot) -> JobsDock:
    dock = JobsDock()
    qtbot.addWidget(dock)
    dock.resize(1000, 200)
    dock.show()
    return dock


def buttons(dock: JobsDock, run: int) -> dict[str, QPushButton]:
    row = dock.findChild(JobRow, f"job{run}")
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
        buttons(dock, 1)["go"].click()


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
    assert summary.text() == "Nothing is being trained."


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
    dock.show_jobs([replace(RUNNING, run=run) for run in range(9)], "9 in training", "", stoppable=True)
    qtbot.waitUntil(lambda: dock.height() >= 9 * UNIT)
    assert dock.minimumSizeHint().height() <= 15 * UNIT
    dock.show_jobs([], "", "", stoppable=False)
    qtbot.waitUntil(lambda: dock.height() <= 5 * UNIT)


def test_every_control_has_a_name(dock: JobsDock) -> None:
    dock.show_jobs([RUNNING, FAILED], "", "", stoppable=True)
    assert all(button.accessibleName() for button in dock.findChildren(QPushButton))
