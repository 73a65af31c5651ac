"""What the pages share: data and a test file in the background, a last state that comes back, runs that go on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from fake_queue import FakeQueue, NoRuns
from pytestqt.qtbot import QtBot
from weighted_files import write

from mcsvm_gui.core.base import resources
from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.base.settings import Settings
from mcsvm_gui.core.data.readers import ReadOptions, open_dataset
from mcsvm_gui.core.data.samples import SampleDataset, samples
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.ui.runs.workspace import KEPT, Workspace
from mcsvm_gui.ui.threads.tasks import Tasks

VOWEL, VOWEL_TEST = str(resources.dataset("vowel_train")), str(resources.dataset("vowel_test"))


class FakeRuns(NoRuns):
    """A project that keeps settings, and one run."""

    def __init__(self) -> None:
        super().__init__()
        self.gone_on: list[int] = []
        self.opening = False
        self.request = Request()

    def begin(self, request: Request, data_name: str) -> int:
        return 1

    def record(self, run: int) -> Any:
        files = [file for file in (self.request.data, self.request.test) if file]
        known = {"continuable": True, "ending": None, "state": "interrupted"}
        return SimpleNamespace(request=self.request, name="ww 1", named_files=lambda: files, **known)

    def __contains__(self, run: int) -> bool:
        return True

    def named_files(self) -> set[str]:
        return set(self.record(1).named_files())

    def checkpoint(self, run: int) -> bytes | None:
        return b"where it was"

    def go_on(self, run: int, request: Request) -> None:
        self.gone_on.append(run)


class Desk:
    def __init__(self, bot: QtBot, runs: FakeRuns) -> None:
        self.bot, self.runs, self.queue, self.tasks = bot, runs, FakeQueue(), Tasks()
        self.settings = Settings()
        self.settings["trusted_projects"] = [runs.path]
        self.workspace = Workspace(runs, self.queue, self.tasks, self.settings)  # type: ignore[arg-type]
        self.said: list[tuple[str, str]] = []
        self.workspace.test_failed.connect(lambda path, why: self.said.append(("test_failed", f"{path}|{why}")))
        for name in ("message", "data_failed"):
            getattr(self.workspace, name).connect(lambda words, name=name: self.said.append((name, words)))

    def settle(self) -> None:
        self.bot.waitUntil(lambda: not self.tasks.busy, timeout=20_000)

    def open(self, path: str, read: ReadOptions | None = None) -> Workspace:
        self.workspace.open_data(path, read)
        self.settle()
        return self.workspace


@pytest.fixture
def desk(qtbot: QtBot) -> Iterator[Desk]:
    desk = Desk(qtbot, FakeRuns())
    yield desk
    assert desk.tasks.shut_down(20_000)


def test_only_the_last_file_asked_for_is_opened(desk: Desk) -> None:
    desk.workspace.open_data(VOWEL)
    work = desk.open(str(resources.dataset("iris")))
    assert (work.data_name, work.dataset.rows) == ("iris.csv", 150)  # type: ignore[union-attr]
    assert desk.said == []


@pytest.mark.parametrize("sample", samples(), ids=lambda sample: sample.name)
def test_a_sample_brings_its_test_part(desk: Desk, sample: SampleDataset) -> None:
    desk.workspace.open_sample(sample)
    desk.workspace.open_data(str(sample.path), ReadOptions(header="yes"))  # while it is still being read
    desk.settle()
    work = desk.workspace
    assert (work.path, work.read.header) == (str(sample.path), "yes")
    assert work.test_path == (None if sample.test_path is None else str(sample.test_path))
    assert (work.dataset.rows, 0 if work.test is None else work.test.rows) == (sample.rows, sample.test_rows)  # type: ignore[union-attr]
    assert desk.said == []


def test_the_test_part_of_a_sample_given_up_does_not_come_later(desk: Desk) -> None:
    work = desk.open(VOWEL)
    work.open_sample(next(sample for sample in samples() if sample.name == "vowel"))
    work.cancel_reading()
    desk.open(VOWEL, ReadOptions(header="yes"))
    assert work.test_path is None


def test_giving_up_returns_to_the_file_that_was_open(desk: Desk) -> None:
    iris = str(resources.dataset("iris"))
    work = desk.open(iris, ReadOptions(header="yes"))
    work.open_data(VOWEL)
    work.cancel_reading()
    desk.settle()
    assert (work.path, work.read.header, work.dataset.rows) == (iris, "yes", 150)  # type: ignore[union-attr]


def test_while_another_file_is_read_the_data_at_hand_keep_their_name(desk: Desk) -> None:
    """What is trained meanwhile would name rows that it never saw."""
    work, wine = desk.open(str(resources.dataset("iris"))), str(resources.dataset("wine"))
    before = work.base_request()
    work.open_data(wine, ReadOptions(header="yes"))
    assert work.base_request() == before
    assert (work.data_name, work.last_asked) == ("iris.csv", (wine, ReadOptions(header="yes")))
    desk.settle()
    assert (work.base_request().data, work.base_request().digest) == (wine, open_dataset(wine, ReadOptions()).digest)


def test_a_file_that_cannot_be_read_leaves_no_data_and_can_be_read_otherwise(desk: Desk, tmp_path: Path) -> None:
    path = tmp_path / "broken.csv"
    path.write_text("a,b,label\n1,2,x\n3,4,5,y\n", "utf-8")
    work = desk.open(str(path))
    assert work.dataset is None
    assert [name for name, _ in desk.said] == ["data_failed"]
    assert str(path) in str(desk.said[0][1])
    assert work.path == str(path)


def test_a_test_file_takes_the_place_of_a_hold_out_and_back(desk: Desk) -> None:
    work = desk.open(VOWEL)
    work.open_test(VOWEL_TEST)
    desk.settle()
    assert (work.test.rows, work.test_path, work.holdout) == (462, VOWEL_TEST, None)  # type: ignore[union-attr]
    assert work.base_request().test == VOWEL_TEST
    assert work.base_request().test_digest == work.test.digest  # type: ignore[union-attr]
    work.set_preparation(holdout=0.25)
    assert (work.test, work.base_request().test, work.base_request().holdout) == (None, None, 0.25)


def test_another_way_of_reading_reads_the_test_file_again(desk: Desk, tmp_path: Path) -> None:
    paths = write(tmp_path)[0], write(tmp_path, 30, 7, "_test")[0]
    work = desk.open(str(paths[0]))
    work.open_test(str(paths[1]))
    desk.settle()
    assert work.test is not None
    assert work.test.weights is None
    desk.open(str(paths[0]), ReadOptions(weights="w"))
    assert work.test_path == str(paths[1])
    assert work.test.weight_name == "w"
    assert work.test.weightless
    assert work.base_request().test_digest == work.test.digest


def test_a_test_file_that_cannot_be_used_changes_nothing_but_what_is_said(desk: Desk) -> None:
    work = desk.open(VOWEL)
    work.open_test(str(resources.dataset("iris")))
    work.open_test("/nowhere/at/all.csv")
    desk.settle()
    assert [name for name, _ in desk.said] == ["test_failed"], "and only of the last file asked for"
    assert "all.csv" in desk.said[0][1]
    assert (work.test, work.holdout) == (None, 0.3)


def test_a_test_file_that_comes_too_late_is_dropped(desk: Desk) -> None:
    work = desk.open(VOWEL)
    work.open_test(VOWEL_TEST)
    work.set_preparation(holdout=0.25)
    desk.settle()
    assert (work.test, work.holdout) == (None, 0.25)


def test_a_project_brings_data_preparation_and_test_file_back(desk: Desk, qtbot: QtBot) -> None:
    work = desk.open(VOWEL, ReadOptions(header="yes"))
    work.set_preparation(scale="standard", missing="mean", seed=5)
    work.open_test(VOWEL_TEST)
    desk.settle()
    again = Desk(qtbot, desk.runs)
    again.workspace.restore()
    again.settle()
    assert again.said == []
    assert again.workspace.base_request() == work.base_request()
    assert again.workspace.test.rows == 462  # type: ignore[union-attr]
    assert again.tasks.shut_down(20_000)


@pytest.mark.parametrize(
    "kept",
    [
        *({}, {"rules": {"scale": "widest"}}, {"rules": 7}, {"read": {"nonsense": 1}}, {"read": None}, {"path": 7}),
        *({"holdout": wrong} for wrong in ("much", 5, 0, -0.1, True)),
        *({"seed": wrong} for wrong in (None, -1, 1.5, "1", 2**63)),
        *({"test": wrong} for wrong in (12345, ["a.csv"], {})),
    ],
)
def test_what_a_project_cannot_mean_is_said_and_changes_nothing(desk: Desk, kept: dict[str, Any]) -> None:
    before = desk.workspace.base_request()
    right = {"read": {}, "rules": {}, "test": None, "holdout": 0.3, "seed": 0}
    desk.runs.kept[KEPT] = {"path": VOWEL, **({**right, **kept} if kept else {})}
    desk.workspace.restore()
    desk.settle()
    assert [name for name, _ in desk.said] == ["message"]
    assert desk.workspace.base_request() == before


def test_data_that_are_gone_are_said(desk: Desk) -> None:
    kept = {"path": "/nowhere/a.csv", "read": {}, "rules": {}, "test": None, "holdout": 0.3, "seed": 0}
    desk.runs.kept[KEPT] = kept
    desk.workspace.restore()
    desk.settle()
    assert desk.said == [("message", "/nowhere/a.csv is not there any more.")]


@pytest.mark.parametrize("keep", [False, True])
def test_an_interrupted_run_goes_on_with_its_own_data(desk: Desk, keep: bool) -> None:
    iris = str(resources.dataset("iris"))
    desk.runs.request = Request(data=iris, digest=open_dataset(iris, ReadOptions()).digest)
    desk.open(VOWEL).go_on(7, keep=keep)
    desk.settle()
    (job,) = desk.queue.submitted
    assert (job.key, job.request, job.dataset.rows) == (7, desk.runs.request, 150)
    assert (job.test, job.checkpoint, job.ending) == (None, b"where it was", keep)
    assert desk.runs.gone_on == [7]


def test_a_run_whose_data_have_changed_stays_where_it_is(desk: Desk) -> None:
    desk.runs.request = Request(data=VOWEL, digest="of other bytes")
    desk.workspace.go_on(7)
    desk.settle()
    assert desk.queue.submitted == []
    assert desk.runs.gone_on == []
    assert desk.said == [
        ("message", f"ww 1 cannot be continued: {FileError(VOWEL, 'the file has changed since it was trained on')}")
    ]


def test_a_run_that_names_no_data_is_told_from_an_error_of_ours(desk: Desk) -> None:
    desk.runs.request = Request()
    desk.workspace.go_on(7)
    desk.settle()
    assert desk.said == [("message", "ww 1 cannot be continued: the run does not name its data")]


def test_a_run_whose_data_may_not_be_read_waits_for_the_answer(desk: Desk) -> None:
    desk.settings["trusted_projects"] = []
    desk.runs.request = Request(data=VOWEL)
    asked: list[list[str]] = []
    desk.workspace.trust.asked.connect(asked.append)
    desk.workspace.go_on(7)
    desk.settle()
    assert asked == [[VOWEL]]
    assert "did not agree" in desk.said[0][1]
    assert (desk.queue.submitted, desk.runs.gone_on) == ([], [])
