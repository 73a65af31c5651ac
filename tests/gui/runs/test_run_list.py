"""Between the book and the table: what changes in one is seen in the other."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from fake_queue import FakeQueue
from PySide6.QtCore import QItemSelectionModel, QObject, Signal
from pytestqt.qtbot import QtBot
from run_examples import record

from mcsvm_gui.core.project.columns import columns
from mcsvm_gui.core.project.store import Change, ProjectStore
from mcsvm_gui.ui.runs.collection import RunCollection
from mcsvm_gui.ui.runs.presenter import MANY, RunListPresenter
from mcsvm_gui.ui.runs.table import RunPanel
from mcsvm_gui.ui.threads.tasks import Tasks


class AllRuns(QObject):
    """A scope that holds every run."""

    changed, everything = Signal(), True

    def __init__(self, runs: RunCollection) -> None:
        super().__init__()
        self.show_everything = lambda everything: None
        self.records = lambda: [runs.record(run) for run in runs.ids()]
        self.holds = lambda record: True


class Office(QObject):
    message = Signal(str)

    def __init__(self, path: Path) -> None:
        super().__init__()
        store = ProjectStore(path)
        store.write(Change(record(run)) for run in range(1, 6))
        store.close()
        self.queue, self.tasks = FakeQueue(), Tasks()
        self.runs = RunCollection(self.queue, ProjectStore(path))
        self.panel = RunPanel(columns())
        self.said: list[str] = []
        self.message.connect(self.said.append)
        workspace: Any = SimpleNamespace(
            runs=self.runs,
            tasks=self.tasks,
            message=self.message,
            continue_runs=lambda runs: None,
            scope=AllRuns(self.runs),
        )
        self.presenter = RunListPresenter(self.panel, workspace)

    @property
    def shown(self) -> list[int]:
        return self.panel.model.shown()


@pytest.fixture
def office(qtbot: QtBot, tmp_path: Path) -> Iterator[Office]:
    office = Office(tmp_path / "a.mcsvmproj")
    qtbot.addWidget(office.panel)
    qtbot.waitUntil(lambda: office.runs.loaded)
    yield office
    office.tasks.shut_down(5000)
    office.runs.close()


def test_the_table_fills_when_the_project_was_read(office: Office) -> None:
    assert office.shown == [5, 4, 3, 2, 1]


def test_deletion_and_its_undo_are_seen_and_said(office: Office) -> None:
    office.panel.choose([2, 3])
    office.panel.table.ask_to_delete()
    assert office.shown == [5, 4, 1]
    assert "Undo" in office.said[-1]
    office.runs.undo_stack.undo()
    assert office.shown == [5, 4, 3, 2, 1]


def test_many_runs_come_and_go_at_once(office: Office) -> None:
    runs = [office.runs.begin(record(1).request, "data") for _ in range(MANY + 5)]
    for run in runs:
        office.queue.fail(run, "why")
    office.presenter.delete(runs)
    assert office.shown == [5, 4, 3, 2, 1]
    office.runs.undo_stack.undo()
    assert sorted(office.shown) == [1, 2, 3, 4, 5, *runs]


def test_selection_goes_both_ways(office: Office) -> None:
    office.runs.select([4])
    assert office.panel.table.selected_runs() == [4]
    flags = QItemSelectionModel.SelectionFlag  # not selectRow, which looks at the keys held down
    first = office.panel.model.index(0, 0)
    office.panel.table.selectionModel().select(first, flags.ClearAndSelect | flags.Rows)
    assert office.runs.selected == (5,)


def test_names_written_in_the_table_are_those_of_the_book(office: Office) -> None:
    office.panel.model.setData(office.panel.model.index(0, 0), "best")
    assert office.runs.record(5).name == "best"
    assert office.panel.model.index(0, 0).data() == "best"


def test_a_run_that_goes_on_is_not_deleted_and_that_is_said(office: Office) -> None:
    run = office.runs.begin(record(1).request, "data")
    office.panel.choose([run])
    office.panel.table.ask_to_delete()
    assert run in office.shown
    assert "Stop or discard" in office.said[-1]


def test_the_table_is_saved_as_it_is_shown(office: Office, tmp_path: Path, qtbot: QtBot) -> None:
    office.panel.filter.setText("letter")
    target = tmp_path / "runs.csv"
    office.panel.save_asked.emit(str(target))
    qtbot.waitUntil(lambda: bool(office.said))
    assert len(target.read_text("utf-8").splitlines()) == 1 + len(office.shown)
    office.panel.save_asked.emit(str(tmp_path / "nowhere" / "runs.csv"))
    qtbot.waitUntil(lambda: len(office.said) == 2)
    assert "cannot be written" in office.said[-1]
