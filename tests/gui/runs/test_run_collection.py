"""RunCollection: what the window knows of its runs is what the file holds when it is opened again."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fake_queue import FakeQueue
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from PySide6.QtCore import QCoreApplication, QEvent
from pytestqt.qtbot import QtBot
from run_examples import record
from small_table import clouds

from mcsvm.solvers.run.trace import Sample
from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.machine.live import Reading
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.machine.session import Outcome, train
from mcsvm_gui.core.machine.state import JobState
from mcsvm_gui.core.project.store import Change, ProjectStore
from mcsvm_gui.ui.runs.collection import UNDO_LIMIT, RunCollection
from mcsvm_gui.ui.threads import writer as writer_module
from mcsvm_gui.ui.threads.training import Checkpointed, Read, Sampled, StoppedModel, Trained

Open = Callable[[Path], RunCollection]


@pytest.fixture(scope="module")
def outcome() -> Outcome:
    return train(Request(C=3.0, gamma=0.7), clouds())


@pytest.fixture
def queue(qapp: QCoreApplication) -> FakeQueue:
    return FakeQueue()


@pytest.fixture
def opened(qtbot: QtBot, queue: FakeQueue) -> Iterator[Open]:
    made: list[RunCollection] = []

    def open_one(path: Path) -> RunCollection:
        for collection in made:
            collection.close()
        collection = RunCollection(queue, ProjectStore(path))
        made.append(collection)
        qtbot.waitUntil(lambda: collection.loaded)
        return collection

    yield open_one
    for collection in made:
        collection.close()
        collection.deleteLater()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.mcsvmproj"


def sample(step: int) -> Sample:
    return Sample(step, 0.01 * step, 1.0, 2.0, 0.5, step, 0)


def test_a_finished_run_comes_back_with_everything(
    opened: Open, queue: FakeQueue, path: Path, outcome: Outcome, qtbot: QtBot
) -> None:
    collection = opened(path)
    run = collection.begin(Request(C=3.0), "clouds")
    queue.run(run)
    queue.tell(run, Read(Reading(1, 0.1, 0.5, float("nan"), (1, 2, 3))))
    queue.end(run, outcome)
    before = collection.record(run)
    collection = opened(path)
    assert collection.record(run) == before
    assert before.document == outcome.document
    with qtbot.waitSignal(collection.changed):
        assert len(collection.trace(run)) == 0
    assert np.array_equal(collection.trace(run).pack(), outcome.trace.pack())
    readings = collection.readings(run)
    assert readings is not None
    assert readings.table()["support_per_class"].tolist() == [[1, 2, 3]]
    assert np.array_equal(collection.model(run).model.expansion, outcome.trained.model.expansion)
    assert collection.checkpoint(run) is None


def test_a_model_is_there_at_once(opened: Open, queue: FakeQueue, path: Path, outcome: Outcome) -> None:
    collection = opened(path)
    run = collection.begin(Request(), "clouds")
    queue.run(run)
    queue.tell(run, StoppedModel(outcome.trained))
    assert collection.model(run) is outcome.trained
    with pytest.raises(KeyError):
        collection.model(run + 1)


def test_samples_make_the_trace_and_are_shown_together(
    opened: Open, queue: FakeQueue, path: Path, qtbot: QtBot
) -> None:
    collection = opened(path)
    run = collection.begin(Request(), "clouds")
    queue.run(run)
    shown: list[int] = []
    collection.changed.connect(shown.append)
    queue.tell(run, *(Sampled(sample(step)) for step in range(1, 200)))
    assert collection.live(run) == sample(199)
    assert len(collection.trace(run)) == 199
    assert shown == [run]


def test_a_run_cut_short_is_found_and_can_go_on(
    opened: Open, queue: FakeQueue, path: Path, qtbot: QtBot, outcome: Outcome
) -> None:
    collection = opened(path)
    run, waiting = collection.begin(Request(), "clouds"), collection.begin(Request(), "clouds")
    queue.run(run)
    for step in range(1, 10):
        queue.tell(run, Sampled(sample(step)))
    queue.tell(run, Checkpointed(b"checkpoint"))
    collection = opened(path)
    assert [record.id for record in collection.interrupted()] == [run, waiting]
    assert (collection.checkpoint(run), collection.checkpoint(waiting)) == (b"checkpoint", None)
    collection.go_on(run)
    queue.run(run)
    queue.tell(run, Sampled(sample(12)))
    qtbot.waitUntil(lambda: len(collection.trace(run)) == 10)
    queue.end(run, outcome)
    collection.abandon([waiting])
    collection = opened(path)
    assert collection.interrupted() == []
    assert [collection.record(number).state for number in collection.ids()] == ["done"], "the other has no model"
    assert collection.checkpoint(run) is None


def stopped_run(collection: RunCollection, queue: FakeQueue, outcome: Outcome) -> int:
    run = collection.begin(Request(), "clouds")
    queue.run(run)
    queue.tell(run, Sampled(sample(1)), Checkpointed(b"where it was stopped"))
    queue.end(run, outcome, continuable=True)
    return run


def test_a_stopped_run_keeps_its_checkpoint_across_a_restart(
    opened: Open, queue: FakeQueue, path: Path, outcome: Outcome, qtbot: QtBot
) -> None:
    run = stopped_run(opened(path), queue, outcome)
    collection = opened(path)
    assert collection.record(run).continuable
    assert collection.checkpoint(run) == b"where it was stopped"
    assert collection.interrupted() == [], "it has its model: nothing is asked about it"
    collection.go_on(run)
    assert (collection.record(run).state, collection.record(run).document) == ("queued", None)
    queue.run(run)
    queue.end(run, outcome)
    assert not collection.record(run).continuable
    collection = opened(path)
    assert collection.checkpoint(run) is None
    assert not collection.record(run).continuable


@pytest.mark.parametrize("killed", [False, True])
@pytest.mark.parametrize("end", ["discarded", "failed"])
def test_a_continued_run_that_is_discarded_goes_back_to_its_model(
    opened: Open, queue: FakeQueue, path: Path, outcome: Outcome, qtbot: QtBot, end: str, killed: bool
) -> None:
    collection = opened(path)
    run = stopped_run(collection, queue, outcome)
    collection.go_on(run)
    queue.run(run)
    queue.tell(run, Sampled(sample(10**6)), Checkpointed(b"further"))
    if killed:
        collection = opened(path)
        assert [record.id for record in collection.interrupted()] == [run]
        collection.abandon([run])
    elif end == "failed":
        queue.fail(run, "why")
        assert collection.record(run).error == "why"
    else:
        queue.discarded(run)
    for reopened in (False, True):
        collection = opened(path) if reopened else collection
        record = collection.record(run)
        assert (record.state, record.document, record.continuable) == ("done", outcome.document, True)
        qtbot.waitUntil(lambda now=collection: not now.unwritten and len(now.trace(run)) > 0)
        assert collection.model(run).certificate == outcome.trained.certificate
        assert collection.trace(run).last.iteration == outcome.trace.last.iteration


def test_a_discarded_run_leaves_the_table_and_undo_brings_it_back(opened: Open, queue: FakeQueue, path: Path) -> None:
    collection = opened(path)
    run = collection.begin(Request(), "clouds")
    queue.run(run)
    queue.discarded(run)
    assert collection.ids() == []
    collection.undo_stack.undo()
    assert collection.record(run).state == "discarded"


def test_checkpoints_take_a_bounded_room(
    opened: Open, queue: FakeQueue, path: Path, outcome: Outcome, monkeypatch: pytest.MonkeyPatch
) -> None:
    collection = opened(path)
    runs = [stopped_run(collection, queue, outcome) for _ in range(3)]
    monkeypatch.setattr("mcsvm_gui.ui.runs.file.MOST_CHECKPOINTS", 2 * len(b"where it was stopped"))
    collection = opened(path)
    assert [collection.record(run).continuable for run in runs] == [False, True, True]
    assert collection.checkpoint(runs[0]) is None


def test_a_failure_is_kept_in_words(opened: Open, queue: FakeQueue, path: Path) -> None:
    collection = opened(path)
    run = collection.begin(Request(), "clouds")
    queue.run(run)
    queue.fail(run, "There is not enough memory.")
    assert (opened(path).record(run).state, collection.record(run).error) == (
        "failed",
        "There is not enough memory.",
    )


def test_runs_that_go_on_are_not_deleted(opened: Open, queue: FakeQueue, path: Path, outcome: Outcome) -> None:
    collection = opened(path)
    ended, going = collection.begin(Request(), "a"), collection.begin(Request(), "a")
    queue.run(ended)
    queue.end(ended, outcome)
    collection.select([ended, going])
    assert collection.delete([ended, going]) == (ended,)
    assert (collection.ids(), collection.selected) == ([going], (going,))


def test_many_at_once_are_told_as_one(opened: Open, queue: FakeQueue, path: Path, outcome: Outcome) -> None:
    collection = opened(path)
    runs = [collection.begin(Request(), "a") for _ in range(60)]
    for run in runs:
        queue.fail(run, "why")
    told: list[str] = []
    collection.project_read.connect(lambda: told.append("another project"))
    collection.removed.connect(lambda gone: told.append(f"{len(gone)} removed"))
    collection.added.connect(lambda back: told.append(f"{len(back)} added"))
    collection.delete(runs)
    collection.undo_stack.undo()
    assert told == ["60 removed", "60 added"]
    assert collection.ids() == runs


def test_only_so_many_deletions_can_be_undone(opened: Open, queue: FakeQueue, path: Path) -> None:
    """What is kept for undo is bounded: the record of a run deleted longer ago is gone."""
    collection = opened(path)
    runs = [collection.begin(Request(), "a") for _ in range(UNDO_LIMIT + 1)]
    for run in runs:
        queue.fail(run, "why")
    first, second = (weakref.ref(collection.record(run)) for run in runs[:2])
    for run in runs:
        collection.delete([run])
    collection.close()  # written: nothing waits for it
    assert first() is None
    assert second() is not None
    while collection.undo_stack.canUndo():
        collection.undo_stack.undo()
    assert collection.ids() == runs[1:]


def test_numbers_are_never_given_twice(opened: Open, queue: FakeQueue, path: Path) -> None:
    collection = opened(path)
    first = collection.begin(Request(), "a")
    queue.discarded(first)
    collection.delete([first])
    assert opened(path).begin(Request(), "a") > first


def test_settings_of_the_project_come_back(opened: Open, path: Path) -> None:
    opened(path).keep_setting("data", {"path": "x.csv"})
    assert opened(path).setting("data") == {"path": "x.csv"}


# -- files ----------------------------------------------------------------------------------------


def test_save_as_goes_on_in_the_copy(
    opened: Open, queue: FakeQueue, path: Path, qtbot: QtBot, outcome: Outcome
) -> None:
    collection, target = opened(path), path.with_name("b.mcsvmproj")
    first, second = collection.begin(Request(), "a"), collection.begin(Request(), "a")
    queue.end(first, outcome)
    with qtbot.waitSignal(collection.moved):
        collection.save_as(target)
    assert collection.path == str(target)
    queue.end(second, outcome)
    collection.close()
    copy, original = ProjectStore(target), ProjectStore(path)
    assert [record.state for record in copy.records()] == ["done", "done"]
    assert [record.state for record in original.records()] == ["done", "queued"]
    copy.close()
    original.close()


def test_saving_where_it_cannot_be_is_a_sentence_and_changes_nothing(opened: Open, path: Path, qtbot: QtBot) -> None:
    collection = opened(path)
    with qtbot.waitSignal(collection.failed) as told:
        collection.save_as(path.parent / "nowhere" / "b.mcsvmproj")
    assert "nowhere" in told.args[0]
    assert collection.path == str(path)


def test_another_project_takes_the_place_of_this_one(
    opened: Open, queue: FakeQueue, path: Path, qtbot: QtBot, outcome: Outcome
) -> None:
    other = path.with_name("b.mcsvmproj")
    collection = opened(other)
    queue.end(collection.begin(Request(), "in b"), outcome)
    collection = opened(path)
    queue.end(collection.begin(Request(), "in a"), outcome)
    collection.rename(1, "renamed")
    with qtbot.waitSignal(collection.project_read):
        collection.open(other)
    assert [collection.record(run).data_name for run in collection.ids()] == ["in b"]
    assert not collection.undo_stack.canUndo()
    with qtbot.waitSignal(collection.project_read):
        collection.open(path)
    assert [collection.record(run).name for run in collection.ids()] == ["renamed"]


def test_a_project_is_not_left_while_jobs_go_on(opened: Open, queue: FakeQueue, path: Path, qtbot: QtBot) -> None:
    collection = opened(path)
    queue.run(collection.begin(Request(), "a"))
    with qtbot.waitSignal(collection.failed):
        collection.open(path.with_name("b.mcsvmproj"))
    assert len(collection.ids()) == 1


def test_what_is_no_project_is_a_sentence_and_this_one_stays(opened: Open, path: Path, qtbot: QtBot) -> None:
    collection = opened(path)
    stranger = path.with_name("data.csv")
    stranger.write_text("x,label\n1,a\n" * 50)
    with qtbot.waitSignal(collection.failed) as told:
        collection.open(stranger)
    assert "no mcsvm project" in told.args[0]
    assert collection.path == str(path)


def test_a_full_disk_is_said_once_and_everything_is_written_later(
    opened: Open, queue: FakeQueue, path: Path, qtbot: QtBot, outcome: Outcome, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer_module, "RETRY", 0.02)
    collection = opened(path)
    with monkeypatch.context() as full:

        def refuse(*values: Any) -> None:
            raise FileError(path, "there is no room left on the disk")

        full.setattr(ProjectStore, "write", refuse)
        told: list[str] = []
        collection.write_error.connect(told.append)
        runs = [collection.begin(Request(), "a") for _ in range(3)]
        for run in runs:
            queue.end(run, outcome)
        qtbot.waitUntil(lambda: bool(told))
        qtbot.wait(80)
        assert told == [f"{path}: there is no room left on the disk"]
        assert collection.unwritten == 3
        assert collection.model(runs[0]) is outcome.trained
    qtbot.waitUntil(lambda: collection.unwritten == 0)
    qtbot.waitUntil(lambda: told[-1] == "")
    assert [opened(path).record(run).state for run in runs] == ["done"] * 3


def test_closing_says_what_could_not_be_written(
    opened: Open, path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    collection = opened(path)

    def refuse(*values: Any) -> None:
        raise FileError(path, "there is no room left on the disk")

    monkeypatch.setattr(ProjectStore, "write", refuse)
    collection.begin(Request(), "a")
    assert not collection.close()


# -- a file that opens but cannot be read ---------------------------------------------------------


@pytest.fixture
def damaged(path: Path) -> Path:
    store = ProjectStore(path)
    store.write(Change(record(run, note="x" * 3000)) for run in range(1, 20))
    store.close()
    path.write_bytes(path.read_bytes().replace(b'"machine": "cs"', b'"machine": \xff"cs', 1))
    return path


def test_a_damaged_project_is_not_written_to(
    queue: FakeQueue, damaged: Path, qtbot: QtBot, outcome: Outcome, tmp_path: Path
) -> None:
    before = damaged.read_bytes()
    collection = RunCollection(queue, ProjectStore(damaged))
    with qtbot.waitSignal(collection.write_error) as told:
        run = collection.begin(Request(), "a")
    assert "damaged" in told.args[0]
    queue.end(run, outcome)
    collection.keep_setting("page", "train")
    with qtbot.waitSignal(collection.failed):
        collection.open(tmp_path / "b.mcsvmproj")
    with qtbot.waitSignal(collection.project_read):
        collection.save_as(tmp_path / "c.mcsvmproj")
    assert collection.record(run).state == "done"
    assert collection.close()
    assert damaged.read_bytes() == before
    rescued = ProjectStore(tmp_path / "c.mcsvmproj")
    assert [one.state for one in rescued.records()] == ["done"]
    assert rescued.settings() == {"page": "train"}
    rescued.close()


def test_a_damaged_project_can_be_left_for_another(
    queue: FakeQueue, damaged: Path, qtbot: QtBot, tmp_path: Path
) -> None:
    collection = RunCollection(queue, ProjectStore(damaged))
    with qtbot.waitSignal(collection.failed):
        pass
    collection.keep_setting("page", "train")
    with qtbot.waitSignal(collection.project_read):
        collection.open(tmp_path / "b.mcsvmproj")
    assert (collection.loaded, collection.ids(), collection.setting("page")) == (True, [], None)
    collection.close()


def test_what_is_begun_before_the_project_was_read_is_written_after(
    queue: FakeQueue, path: Path, qtbot: QtBot, qapp: QCoreApplication
) -> None:
    collection = RunCollection(queue, ProjectStore(path))
    run = collection.begin(Request(), "early")
    assert collection.close()
    store = ProjectStore(path)
    assert [one.id for one in store.records()] == [run]
    store.close()


# -- against a plain dict -------------------------------------------------------------------------


class Book(RuleBasedStateMachine):
    """The model: run -> (name, note, state). Undo is a list of earlier models, cut by edits that can be undone."""

    folder: Path
    outcome: Outcome
    count = 0

    @initialize()
    def start(self) -> None:
        Book.count += 1
        self.path = self.folder / f"{Book.count}.mcsvmproj"
        self.runs: dict[int, dict[str, str]] = {}
        self.before: dict[int, str] = {}  # the states of runs that were continued
        self.done: list[tuple[Callable[[], None], Callable[[], None]]] = []
        self.undone: list[tuple[Callable[[], None], Callable[[], None]]] = []
        self.open()

    def open(self) -> None:
        self.queue = FakeQueue()
        self.collection = RunCollection(self.queue, ProjectStore(self.path))
        while not self.collection.loaded:
            QCoreApplication.processEvents()

    def edit(self, redo: Callable[[], None], undo: Callable[[], None]) -> None:
        redo()
        self.done.append((redo, undo))
        self.undone = []

    def some(self, data: st.DataObject, *states: str) -> int | None:
        known = [run for run, values in self.runs.items() if not states or values["state"] in states]
        return data.draw(st.sampled_from(known)) if known else None

    @rule()
    def begin(self) -> None:
        run = self.collection.begin(Request(), "data")
        assert run not in self.runs
        self.runs[run] = {"name": f"ww {run}", "note": "", "state": "queued"}

    @rule(data=st.data())
    def go(self, data: st.DataObject) -> None:
        run = self.some(data, "queued")
        if run is not None:
            self.queue.run(run)
            self.runs[run]["state"] = "running"

    @rule(data=st.data())
    def go_on(self, data: st.DataObject) -> None:
        known = [run for run in self.runs if self.collection.record(run).continuable]
        if known:
            run = data.draw(st.sampled_from(known))
            if self.runs[run]["state"] == "done":
                self.before[run] = "done"
            self.collection.go_on(run)
            self.queue.become(run, JobState.QUEUED)
            self.runs[run]["state"] = "queued"

    @rule(data=st.data(), what=st.sampled_from(["done", "stopped", "failed", "discarded"]))
    def leave(self, data: st.DataObject, what: str) -> None:
        run = self.some(data, "queued", "running")
        if run is None:
            return
        {
            "done": lambda: self.queue.end(run, self.outcome),
            "stopped": lambda: self.queue.tell(run, Checkpointed(b""), Trained(self.outcome, True), JobState.DONE),
            "failed": lambda: self.queue.fail(run, "why"),
            "discarded": lambda: self.queue.discarded(run),
        }[what]()
        before = self.before.pop(run, None)
        self.runs[run]["state"] = "done" if what == "stopped" else what if what == "done" or before is None else before
        if self.runs[run]["state"] == "discarded":
            gone = {run: self.runs[run]}
            self.edit(lambda: self.drop(gone), lambda: self.runs.update(gone))

    @rule(data=st.data(), field=st.sampled_from(["name", "note"]), text=st.text("ab\n'", min_size=1, max_size=3))
    def write(self, data: st.DataObject, field: str, text: str) -> None:
        run = self.some(data)
        if run is None:
            return
        (self.collection.rename if field == "name" else self.collection.annotate)(run, text)
        before, after = self.runs[run][field], text.strip() if field == "name" else text
        if after and after != before:
            self.edit(lambda: self.put(run, field, after), lambda: self.put(run, field, before))

    def put(self, run: int, field: str, text: str) -> None:
        if run in self.runs:
            self.runs[run][field] = text

    @rule(data=st.data())
    def delete(self, data: st.DataObject) -> None:
        chosen = data.draw(st.lists(st.sampled_from(sorted(self.runs)), max_size=3)) if self.runs else []
        gone = {run: self.runs[run] for run in chosen if self.runs[run]["state"] not in ("queued", "running")}
        assert set(self.collection.delete(chosen)) == set(gone)
        if gone:
            self.edit(lambda: self.drop(gone), lambda: self.runs.update(gone))

    def drop(self, gone: Iterable[int]) -> None:
        for run in gone:
            self.runs.pop(run)

    @precondition(lambda self: self.done)
    @rule()
    def undo(self) -> None:
        self.collection.undo_stack.undo()
        self.undone.append(self.done.pop())
        self.undone[-1][1]()

    @precondition(lambda self: self.undone)
    @rule()
    def redo(self) -> None:
        self.collection.undo_stack.redo()
        self.done.append(self.undone.pop())
        self.done[-1][0]()

    @rule()
    def reopen(self) -> None:
        assert self.collection.close()
        self.done, self.undone = [], []
        for values in self.runs.values():
            values["state"] = "interrupted" if values["state"] in ("queued", "running") else values["state"]
        self.open()

    @invariant()
    def agrees(self) -> None:
        if hasattr(self, "collection"):
            records = {run: self.collection.record(run) for run in self.collection.ids()}
            found = {run: {"name": r.name, "note": r.note, "state": r.state} for run, r in records.items()}
            assert found == self.runs
            assert list(found) == sorted(self.runs)

    def teardown(self) -> None:
        if hasattr(self, "collection"):
            self.collection.close()
            self.collection.deleteLater()
            QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)


@pytest.mark.slow
def test_the_book_agrees_with_a_plain_dict(qapp: QCoreApplication, tmp_path: Path, outcome: Outcome) -> None:
    Book.folder, Book.outcome = tmp_path, outcome
    few = settings(max_examples=25, stateful_step_count=20, deadline=None, suppress_health_check=list(HealthCheck))
    run_state_machine_as_test(Book, settings=few)  # type: ignore[no-untyped-call]
