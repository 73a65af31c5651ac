"""Searches that a project keeps: cut short, found again, gone on with from their cells, and nothing done twice."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from mcsvm.solvers.dual.certificate import Certificate
from mcsvm.solvers.errors import InputError
from mcsvm.solvers.run.ending import Ending
from mcsvm.solvers.selection.cell import Cell, FoldResult, Trial
from mcsvm.solvers.selection.grid import Range
from mcsvm_gui.core.base import resources
from mcsvm_gui.core.base.settings import Settings
from mcsvm_gui.core.data.readers import open_dataset
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.machine.state import JobState
from mcsvm_gui.core.project.store import ProjectStore
from mcsvm_gui.core.tune.search import TuneRequest
from mcsvm_gui.ui.runs import cells as cells_module
from mcsvm_gui.ui.runs.collection import RunCollection
from mcsvm_gui.ui.runs.searches import KEPT
from mcsvm_gui.ui.runs.workspace import Workspace
from mcsvm_gui.ui.threads.queue import JobQueue
from mcsvm_gui.ui.threads.search import Tried
from mcsvm_gui.ui.threads.tasks import Tasks

TESTS = Path(__file__).resolve().parents[2]
IRIS = str(resources.dataset("iris"))
LONG = TuneRequest(("llw",), Range(-2, 20, 0.25), Range(-10, 4, 0.25), folds=10, jobs=1)
WINDOW = """
from PySide6.QtCore import QCoreApplication
from mcsvm_gui.core.base.settings import Settings
from mcsvm_gui.core.data.readers import open_dataset
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.project.store import ProjectStore
from mcsvm_gui.core.tune.search import TuneRequest
from mcsvm_gui.ui.runs.collection import RunCollection
from mcsvm_gui.ui.runs.workspace import Workspace
from mcsvm_gui.ui.threads.queue import JobQueue
from mcsvm_gui.ui.threads.tasks import Tasks

application = QCoreApplication([])
queue = JobQueue()
runs = RunCollection(queue, ProjectStore({path!r}))
work = Workspace(runs, queue, Tasks(), Settings())
data = open_dataset({iris!r})
request = Request(data={iris!r}, digest=data.digest)
def begin():
    work.searches.start(request, TuneRequest.from_document({wanted!r}), data)
def written(runs):
    search = work.searches.active[0]
    if search.progress is not None and search.progress.tried > 20 and not len(work.runs._writer.backlog):
        print("written", flush=True)
runs.project_read.connect(begin)
runs._writer.written.connect(written)
application.exec()
"""


class Office:
    """All that a search needs, on a project."""

    def __init__(self, path: Path, qtbot: QtBot) -> None:
        self.queue, self.tasks, settings = JobQueue(), Tasks(), Settings()
        self.runs = RunCollection(self.queue, ProjectStore(path))
        settings["trusted_projects"] = [self.runs.path]
        self.work = Workspace(self.runs, self.queue, self.tasks, settings)
        self.said: list[str] = []
        self.work.message.connect(self.said.append)
        qtbot.waitUntil(lambda: self.runs.loaded)

    def close(self) -> None:
        assert self.queue.shut_down(20_000)
        assert self.tasks.shut_down(20_000)
        assert self.runs.close()


@pytest.mark.slow
@pytest.mark.parametrize("wanted", [LONG, replace(LONG, search="halving")], ids=lambda wanted: wanted.search)
def test_a_killed_search_is_offered_and_goes_on_from_its_cells(
    tmp_path: Path, qtbot: QtBot, wanted: TuneRequest
) -> None:
    """Halving too, which tries most cells on a share of the rows: it tried them all again, and counted from 0."""
    path = tmp_path / "a.mcsvmproj"
    code = WINDOW.format(path=str(path), iris=IRIS, wanted=wanted.document())
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as window:
        assert window.stdout is not None
        assert window.stdout.readline() == "written\n"
        window.kill()
    office = Office(path, qtbot)
    (cut,) = office.work.searches.interrupted()
    assert cut.title == "Search llw"
    done: list[dict[Any, Any]] = []
    submit = office.queue.submit
    office.queue.submit = lambda job: (done.append(dict(job.done)), submit(job))  # type: ignore[method-assign,assignment]
    tried: list[Any] = []
    office.queue.told.connect(lambda key, facts: tried.extend(fact for fact in facts if isinstance(fact, Tried)))
    office.work.search_on(cut)
    qtbot.waitUntil(lambda: len(tried) > 5, timeout=60_000)
    assert office.work.searches.interrupted() == []
    (search,) = office.work.searches.active
    assert search.wanted == wanted
    assert len(done[0]) >= 20
    assert not {fact.trial for fact in tried} & done[0].keys()
    assert search.progress is not None
    assert search.progress.done == len(done[0]) + len(tried)
    office.queue.stop(search.key)
    qtbot.waitUntil(lambda: not office.queue.active(), timeout=20_000)
    office.close()
    again = Office(path, qtbot)
    assert again.work.searches.interrupted() == [], "it was stopped by the user, who knows"
    again.close()


def started(office: Office, wanted: TuneRequest = LONG) -> Any:
    data = open_dataset(IRIS)
    return office.work.searches.start(Request(data=IRIS, digest=data.digest), wanted, data)


def test_the_end_of_the_program_leaves_a_search_to_the_next_start(tmp_path: Path, qtbot: QtBot) -> None:
    """Without anybody having stopped it: the session was logged off."""
    office = Office(tmp_path / "a.mcsvmproj", qtbot)
    office.queue.limit = 1
    search, waits = started(office), started(office, TuneRequest())
    qtbot.waitUntil(lambda: search.progress is not None and search.progress.tried > 3, timeout=60_000)
    assert waits.state is JobState.QUEUED
    office.close()
    again = Office(tmp_path / "a.mcsvmproj", qtbot)
    assert [cut.asked()[1] for cut in again.work.searches.interrupted()] == [LONG, TuneRequest()]
    again.work.searches.forget(again.work.searches.interrupted()[:1])
    again.close()
    later = Office(tmp_path / "a.mcsvmproj", qtbot)
    assert [cut.asked()[1] for cut in later.work.searches.interrupted()] == [TuneRequest()]
    started(later, TuneRequest(jobs=1))
    assert len(later.work.searches.interrupted()) == 1
    data = open_dataset(IRIS)
    later.work.searches.start(Request(data=IRIS, digest=data.digest), TuneRequest(), data)
    assert later.work.searches.interrupted() == [], "it is searched again: nothing is left to decide"
    later.close()


def test_a_search_whose_data_have_changed_stays_offered(tmp_path: Path, qtbot: QtBot) -> None:
    data = tmp_path / "data.csv"
    data.write_text("a,b,label\n1,2,x\n3,4,y\n", "utf-8")
    office = Office(tmp_path / "a.mcsvmproj", qtbot)
    request = {"request": Request(data=str(data), digest="of other bytes").document(), "search": LONG.document()}
    office.runs.keep_setting(KEPT, [request])
    office.close()
    again = Office(tmp_path / "a.mcsvmproj", qtbot)
    (cut,) = again.work.searches.interrupted()
    assert again.work.searches.named_files() == [str(data)]
    again.work.search_on(cut)
    qtbot.waitUntil(lambda: bool(again.said), timeout=20_000)
    assert "changed" in again.said[0]
    assert again.work.searches.interrupted() == [cut]
    again.close()


@pytest.mark.parametrize(
    "kept",
    [
        {},
        {"request": {}, "search": {}},
        {"request": 3, "search": LONG.document()},
        {"request": Request().document(), "search": {**LONG.document(), "folds": "many"}},
        {"request": Request().document(), "search": {**LONG.document(), "costs": [1, 2]}},
        {"request": Request().document(), "search": {**LONG.document(), "machines": 5}},
        {"request": Request().document(), "search": {**LONG.document(), "unknown": 5}},
        {"request": {**Request().document(), "seed": -1}, "search": LONG.document()},
    ],
)
def test_a_file_may_hold_anything(tmp_path: Path, qtbot: QtBot, kept: dict[str, Any]) -> None:
    office = Office(tmp_path / "a.mcsvmproj", qtbot)
    office.runs.keep_setting(KEPT, [kept])
    office.close()
    again = Office(tmp_path / "a.mcsvmproj", qtbot)
    (cut,) = again.work.searches.interrupted()
    with pytest.raises(InputError):
        cut.asked()
    again.work.search_on(cut)
    assert "cannot be continued" in again.said[0]
    again.close()


@pytest.mark.parametrize("kept", [3, "a", None, [3, None, "b"]])
def test_what_is_no_list_of_searches_is_none(tmp_path: Path, qtbot: QtBot, kept: Any) -> None:
    office = Office(tmp_path / "a.mcsvmproj", qtbot)
    office.runs.keep_setting(KEPT, kept)
    office.close()
    again = Office(tmp_path / "a.mcsvmproj", qtbot)
    assert again.work.searches.interrupted() == []
    again.close()


def test_a_request_to_search_comes_back_as_it_was() -> None:
    for wanted in (TuneRequest(), LONG, TuneRequest(gamma=None, holdout=0.3, scheduler="tcp://a:1")):
        assert TuneRequest.from_document(wanted.document()) == wanted


def test_cells_of_old_searches_are_read_again(tmp_path: Path, qtbot: QtBot) -> None:
    """Memory holds those of a few searches; none is lost, and none that a search adds to is dropped."""
    office = Office(tmp_path / "a.mcsvmproj", qtbot)
    cells, names = office.work.searches.cells, [f"conditions {number}" for number in range(cells_module.KEPT + 3)]
    for number, name in enumerate(names):
        qtbot.waitUntil(lambda name=name: cells.ready(name))  # type: ignore[misc]
        fold = FoldResult(number / 100, 1.0, 5, 7, Ending.CONVERGED, Certificate(1.0, 1.0, 0.0, 0.0))
        cells.add(name, [(Trial(Cell("ww", 1.0, 0.5), 0), fold)])
    known = {name: dict(cells.of(name)) for name in names}
    assert all(known.values())
    cells.drop_oldest({names[0]})
    assert [name for name in names if not cells.of(name)] == names[1:4]
    for name in names:
        qtbot.waitUntil(lambda name=name: cells.of(name) == known[name])  # type: ignore[misc]
    office.close()
