"""The Train page's decisions, with a view that writes down what it is told and a queue that does what it is told."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fake_queue import FakeQueue
from page_desk import FormView, PageDesk, iris
from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot
from run_examples import document

from mcsvm.solvers.kernels import KERNELS
from mcsvm.solvers.run.trace import Sample, Trace
from mcsvm_gui.core.base import figures
from mcsvm_gui.core.check.finding import Finding
from mcsvm_gui.core.check.plan import CheckedPlan
from mcsvm_gui.core.check.table import check_data
from mcsvm_gui.core.data.options import Rules
from mcsvm_gui.core.machine.choices import FIRST_MACHINES, why_not
from mcsvm_gui.core.machine.command_line import command
from mcsvm_gui.core.machine.form import DEFAULTS, TYPED
from mcsvm_gui.core.machine.live import Reading
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.machine.session import Outcome
from mcsvm_gui.core.machine.state import JobState
from mcsvm_gui.core.tune.options import TuneRequest
from mcsvm_gui.ui.threads.training import FoldsDone, Read, Sampled
from mcsvm_gui.ui.train import presenter as train
from mcsvm_gui.ui.train.presenter import COMMANDS, TrainPresenter


class View(FormView):
    form_changed, view_changed, start_asked, train_all_asked = Signal(), Signal(), Signal(), Signal()
    find_best_asked, continue_asked, reset_asked = Signal(), Signal(), Signal()
    pause_asked, stop_asked, discard_asked, message = Signal(), Signal(), Signal(), Signal(str)
    python_asked, runs_python_asked = Signal(), Signal()
    check_acted, scheduler_test_asked = Signal(str, object), Signal()

    def __init__(self) -> None:
        super().__init__()
        self.looks: dict[str, object] = {"axis": "seconds"}
        self.told: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = []

    def view(self) -> dict[str, object]:
        return dict(self.looks)

    def set_view(self, view: dict[str, object]) -> None:
        self.looks = dict(view)

    def __getattr__(self, name: str) -> Callable[..., None]:
        if not name.startswith(("show_", "draw", "close_")):
            raise AttributeError(name)
        return lambda *values, **named: self.told.append((name, values, named))

    def last(self, name: str) -> tuple[Any, ...]:
        return next(values for told, values, _ in reversed(self.told) if told == name)

    @property
    def obstacle(self) -> str | None:
        return self.last("show_obstacle")[0]

    @property
    def badge(self) -> Any:
        return self.last("show_run")[1]


class Page(PageDesk):
    def __init__(self, path: Path) -> None:
        self.queue, self.view = FakeQueue(), View()
        super().__init__(path, self.queue, self.view, TrainPresenter)

    def tick(self) -> None:
        self.presenter._soon.stop()
        self.presenter._show_changed()

    def started(self, count: int = 1) -> list[int]:
        for _ in range(count):
            self.view.start_asked.emit()
        numbers = [job.key for job in self.queue.submitted[-count:]]
        for number in numbers:
            self.queue.run(number)
        return numbers


@pytest.fixture
def page(qtbot: QtBot, tmp_path: Path) -> Iterator[Page]:
    made = Page(tmp_path / "a.mcsvmproj")
    qtbot.waitUntil(lambda: made.collection.loaded)
    made.presenter.be_ready()
    made.open()
    yield made
    made.collection.close()


def sample(iteration: int, gap: float = 1.0) -> Sample:
    return Sample(iteration, iteration / 100.0, 10.0 - gap, 10.0, gap, 5, 2)


def test_what_is_asked_for_is_copied_as_a_script(page: Page, qtbot: QtBot) -> None:
    page.view.edit(C="4")
    page.view.python_asked.emit()
    qtbot.waitUntil(lambda: page.messages[-1:] == ["The script is on the clipboard."])
    script = QGuiApplication.clipboard().text()
    assert "'C': 4.0" in script
    assert script.startswith("import csv")
    runs = page.started(2)
    page.collection.select(runs)
    page.view.runs_python_asked.emit()
    qtbot.waitUntil(lambda: QGuiApplication.clipboard().text() != script)
    assert QGuiApplication.clipboard().text().count("'machine'") == 2
    page.space.path = None
    page.space.dataset = None
    page.view.python_asked.emit()
    assert "Open the data first" in page.messages[-1]
    page.space.tasks.shut_down(5000)


# -- what can be started --------------------------------------------------------------------------


def test_nothing_is_judged_before_the_solvers_are_there(qtbot: QtBot, tmp_path: Path) -> None:
    early = Page(tmp_path / "b.mcsvmproj")
    early.open()
    assert "loaded" in str(early.view.obstacle)
    early.view.start_asked.emit()
    assert early.queue.submitted == []
    early.presenter.prepare()
    qtbot.waitUntil(lambda: early.view.obstacle is None)
    early.space.tasks.shut_down(5000)
    early.collection.close()


def test_the_best_model_is_found_by_keys(page: Page) -> None:
    asked: list[bool] = []
    page.view.find_best_asked.connect(lambda: asked.append(True))
    page.presenter.do("findBestAction")
    assert asked == [True]
    page.space.dataset = None
    page.space.data_changed.emit()
    page.presenter.do("findBestAction")
    assert asked == [True]
    assert "Open data first" in page.messages[-1]


@pytest.mark.parametrize(("command", "count"), [("trainAction", 1), ("trainAllAction", 6)])
def test_a_command_before_the_solvers_are_there_is_done_once_they_are(
    qtbot: QtBot, tmp_path: Path, command: str, count: int
) -> None:
    early = Page(tmp_path / "d.mcsvmproj")
    qtbot.waitUntil(lambda: early.collection.loaded)
    early.open()
    early.presenter.do(command)
    assert (early.queue.submitted, "loaded" in early.messages[-1]) == ([], True)
    early.presenter.be_ready()
    assert (len(early.queue.submitted), early.messages[-1]) == (count, "")
    early.collection.close()


def test_while_c_and_gamma_are_searched_the_empty_plots_say_so(page: Page) -> None:
    assert page.space.dataset is not None
    wanted = TuneRequest(machines=("ww",), folds=2)
    page.space.searches.start(page.space.base_request(machine="ww"), wanted, page.space.dataset)
    assert "being searched" in page.view.last("show_empty")[0]
    [search] = page.space.searches.active
    page.space.searches.stop(search)
    assert "Find the best model" in page.view.last("show_empty")[0]


def test_without_data_the_page_says_where_to_get_some(qtbot: QtBot, tmp_path: Path) -> None:
    empty = Page(tmp_path / "c.mcsvmproj")
    qtbot.waitUntil(lambda: empty.collection.loaded)
    empty.presenter.be_ready()
    assert "Data page" in str(empty.view.obstacle)
    assert "Data page" in empty.view.last("show_empty")[0]
    empty.open()
    assert empty.view.obstacle is None
    assert "Find the best model" in empty.view.last("show_empty")[0]
    empty.collection.close()


NOT = {"coef0": ("x",), "scheduler": ("a b", "host:0")}  # where others are wrong than of most fields
WRONG = [(field, text) for field in TYPED for text in NOT.get(field, ("x", "-1", "0"))]


@pytest.mark.parametrize(("field", "text"), WRONG)
def test_a_wrong_entry_is_said_at_its_field(page: Page, field: str, text: str) -> None:
    page.view.edit(kernel="polynomial", **{field: text})
    assert set(page.view.last("show_errors")[0]) == {field}
    assert page.view.obstacle is not None
    assert page.view.last("show_command")[0] == ""
    page.view.start_asked.emit()
    page.view.train_all_asked.emit()
    assert page.queue.submitted == []


@pytest.mark.parametrize("kernel", ["rbf", "linear", "polynomial", "sigmoid"])
def test_what_the_kernel_does_not_declare_is_not_read(page: Page, kernel: str) -> None:
    page.view.edit(kernel=kernel, gamma="x", degree="x", coef0="x")
    assert set(page.view.last("show_errors")[0]) == set(KERNELS[kernel].parameters)


def test_an_impossible_combination_is_said_in_the_solvers_words(page: Page) -> None:
    page.view.edit(solver="whole-example")
    reason = page.view.last("show_choices")[0].reason
    assert reason == page.view.obstacle
    page.view.start_asked.emit()
    assert page.queue.submitted == []


def test_a_kernel_without_data_is_refused_in_words(page: Page) -> None:
    page.view.edit(kernel="precomputed")
    assert "features" in str(page.view.obstacle)
    page.view.train_all_asked.emit()
    assert page.queue.submitted == []


def test_powers_are_understood(page: Page) -> None:
    page.view.edit(C="2^-3", gamma="2^-5")
    page.started()
    request = page.queue.submitted[0].request
    assert (request.C, request.gamma) == (2.0**-3, 2.0**-5)


def test_what_is_trained_is_what_the_command_says(page: Page) -> None:
    page.space.set_preparation(scale="none", holdout=0.25, seed=4)
    page.view.edit(machine="cs", C="0.1", kernel="linear", time_limit="3", class_weight="balanced", bias="regularized")
    shown = page.view.last("show_command")[0]
    page.started()
    request = page.queue.submitted[0].request
    assert command(request) == shown
    assert (request.digest, request.seed, request.holdout) == (page.space.dataset.digest, 4, 0.25)


def test_a_run_keeps_its_own_command(page: Page) -> None:
    page.view.edit(machine="cs", C="0.1")
    page.started()
    shown = page.view.last("show_command")[0]
    page.view.edit(C="7")
    page.tick()
    assert page.view.last("show_run_command")[0] == shown != page.view.last("show_command")[0]


def test_all_six_get_the_same_options(page: Page) -> None:
    page.view.edit(C="7", machine="cs")
    page.view.train_all_asked.emit()
    requests = [job.request for job in page.queue.submitted]
    assert tuple(request.machine for request in requests) == FIRST_MACHINES
    assert {(request.C, request.kernel, request.digest) for request in requests} == {
        (7.0, "rbf", page.space.dataset.digest)
    }
    assert page.collection.selected == tuple(page.collection.ids())


def test_of_all_six_those_that_cannot_are_named(page: Page) -> None:
    page.view.edit(solver="bsvm")
    page.view.train_all_asked.emit()
    possible = [name for name in FIRST_MACHINES if why_not(Request(machine=name, solver="bsvm"), 3) is None]
    assert [job.request.machine for job in page.queue.submitted] == possible
    for name in set(FIRST_MACHINES) - set(possible):
        assert f"{name}: " in page.messages[-1]


# -- what runs ------------------------------------------------------------------------------------


def test_commands_go_to_the_chosen_runs(page: Page) -> None:
    runs = page.started(3)
    page.collection.select(runs[:2])
    page.view.pause_asked.emit()
    page.view.stop_asked.emit()
    page.view.discard_asked.emit()
    assert page.queue.commands == [(command, run) for command in ("pause", "stop", "discard") for run in runs[:2]]


def test_without_a_choice_the_last_begun_is_meant(page: Page) -> None:
    runs = page.started(2)
    page.collection.select([])
    page.view.stop_asked.emit()
    assert page.queue.commands == [("stop", runs[-1])]


def test_what_rests_goes_on(page: Page) -> None:
    (run,) = page.started()
    page.queue.become(run, JobState.PAUSED)
    page.tick()
    assert page.view.last("show_actions") == (True, True)
    page.view.pause_asked.emit()
    assert page.queue.commands == [("resume", run)]


def test_no_command_reaches_what_has_ended(page: Page) -> None:
    (run,) = page.started()
    page.queue.fail(run, "There is not enough memory for this.")
    page.tick()
    assert page.view.last("show_actions") == (False, False)
    _, values, named = next(told for told in reversed(page.view.told) if told[0] == "show_run")
    assert (values[1].kind, values[2], named) == ("failed", "There is not enough memory for this.", {"bad": True})


def test_the_badge_through_a_life(page: Page) -> None:
    (run,) = page.started()
    assert page.view.badge.text
    page.queue.tell(run, Sampled(sample(100, gap=0.25)))
    page.tick()
    assert page.view.badge.text == f"Gap {figures.gap(0.025)}"
    page.queue.become(run, JobState.CERTIFYING)
    page.tick()
    assert page.view.badge.text == "Being verified"


def test_what_is_said_while_probabilities_are_fitted(page: Page) -> None:
    (run,) = page.started()
    page.queue.tell(run, Sampled(sample(100, gap=0.25)), JobState.CALIBRATING, FoldsDone(2, 5))
    page.tick()
    assert page.view.badge.text == "Calibrating"
    assert "2 of 5 folds" in page.view.last("show_run")[2]
    assert page.view.last("show_actions") == (True, False)


@pytest.mark.parametrize(
    ("ending", "gap", "kind"),
    [("converged", 7e-6, "solved"), ("stopped", 5e-3, "close"), ("stopped", 0.4, "not solved")],
)
def test_the_badge_of_a_document(page: Page, ending: str, gap: float, kind: str, monkeypatch: Any) -> None:
    (run,) = page.started()
    certificate = {"primal": 10.0, "dual": 10.0 - 10.0 * gap, "gap": 10.0 * gap, "relative_gap": gap, "violation": gap}
    found = document(machine="ww", ending=ending, certificate=certificate)
    monkeypatch.setattr("mcsvm_gui.ui.runs.collection.packed_model", lambda trained: None)
    page.queue.end(run, Outcome(None, found, Trace(), ()))  # type: ignore[arg-type]
    page.tick()
    title, badge, words = page.view.last("show_run")
    assert badge.kind == kind
    assert figures.gap(gap) in badge.text
    assert "Weston-Watkins" in title
    assert figures.accuracy(found["test_accuracy"], found["n_test"]) in words
    assert figures.count(found["iterations"]) in words


# -- what is seen ---------------------------------------------------------------------------------


def seen(page: Page) -> list[int]:
    return [run for run, _, _ in page.view.last("show_runs")[0]]


def test_chosen_runs_and_those_that_go_on_are_seen(page: Page) -> None:
    runs = page.started(4)
    page.queue.fail(runs[0], "no")
    page.queue.fail(runs[1], "no")
    page.collection.select([runs[0]])
    page.tick()
    assert set(seen(page)) == {runs[0], runs[2], runs[3]}


def test_a_run_that_is_not_selected_leaves_the_plots_when_it_ends(page: Page) -> None:
    """As after an automatic refit, whose final model is selected while runs of the search still end."""
    other, final = page.started(2)
    page.collection.select([final])
    page.tick()
    assert set(seen(page)) == {final, other}, "a running one is shown next to it"
    page.queue.end(other, Outcome(None, document(), Trace(), ()))  # type: ignore[arg-type]
    page.tick()
    assert seen(page) == [final]


def test_an_ended_run_that_is_selected_stays_in_the_plots(page: Page) -> None:
    first, second = page.started(2)
    page.collection.select([first, second])
    page.tick()
    page.queue.fail(first, "no")
    page.tick()
    assert seen(page) == [first, second]


def test_at_most_twelve_of_the_chosen_are_seen(page: Page) -> None:
    runs = page.started(15)
    for run in runs:
        page.queue.fail(run, "no")
    page.collection.select(runs)
    assert seen(page) == runs[-train.MOST :]


def test_only_runs_that_moved_are_drawn(page: Page) -> None:
    first, second = page.started(2)
    page.collection.select([first, second])
    page.tick()
    page.view.told.clear()
    for iteration in range(1, 200):
        page.queue.tell(second, Sampled(sample(iteration)))
    page.tick()
    drawn = [values[0] for name, values, _ in page.view.told if name == "draw"]
    assert [[history.run for history in histories] for histories in drawn] == [[second]]
    assert drawn[0][0].trace["iteration"].tolist() == list(range(1, 200))


def test_a_course_has_what_was_read(page: Page) -> None:
    (run,) = page.started()
    page.queue.tell(run, Sampled(sample(1)))
    page.queue.tell(run, Read(Reading(1, 0.01, 0.5, math.nan, (1, 2, 3))))
    page.tick()
    history = page.view.last("draw")[0][-1]
    assert history.readings["support_per_class"].tolist() == [[1.0, 2.0, 3.0]]
    assert history.class_names == page.space.dataset.classes
    assert history.machine == "ww"


def test_progress_is_said_in_words(page: Page) -> None:
    (run,) = page.started()
    for iteration in range(1, 60):
        page.queue.tell(run, Sampled(sample(iteration, gap=math.exp(-0.05 * iteration))))
    page.tick()
    words = page.view.last("show_run")[2]
    assert figures.rate(100.0) in words
    assert " left" in words
    assert "not known" not in words


# -- what is kept ---------------------------------------------------------------------------------


def test_the_last_choices_come_back(page: Page, qtbot: QtBot) -> None:
    page.view.edit(C="2^5", machine="cs", solver="whole-example")
    page.view.looks = {"axis": "iteration", "logX": True}
    page.view.view_changed.emit()
    page.collection.close()
    again = Page(Path(page.collection.path))
    qtbot.waitUntil(lambda: again.collection.loaded)
    again.presenter.be_ready()
    again.open()
    assert again.view.form == {**DEFAULTS, "C": "2^5", "machine": "cs", "solver": "whole-example"}
    assert again.view.looks == {"axis": "iteration", "logX": True}
    again.collection.close()


@pytest.mark.parametrize("kept", [None, 3, [], {"form": 3, "view": []}, {"form": {"C": 3, "gamma": "2"}}])
def test_choices_that_make_no_sense_are_left_out(page: Page, kept: Any) -> None:
    page.collection.keep_setting(train.KEPT, kept)
    page.collection.project_read.emit()
    assert set(page.view.form) >= set(DEFAULTS)
    assert all(isinstance(text, str) for text in page.view.form.values())


def test_what_a_menu_asks_for_is_done_or_the_reason_is_said(page: Page) -> None:
    page.space.dataset = None
    page.space.data_changed.emit()
    for name in COMMANDS:
        page.presenter.do(name)
    assert len(page.messages) == len(COMMANDS), "without data nothing can be begun, and nothing runs"
    assert all("." in words for words in page.messages)
    page.open()
    page.messages.clear()
    page.presenter.do("trainAction")
    page.presenter.do("trainAllAction")
    assert len(page.queue.submitted) == 1 + len(FIRST_MACHINES)
    for name, heard in (("pauseAction", "pause"), ("stopKeepAction", "stop"), ("discardAction", "discard")):
        page.presenter.do(name)
        assert page.queue.commands[-1][0] == heard
    assert page.messages == []


def test_a_machine_that_cannot_be_trained_says_why_to_the_menu_too(page: Page) -> None:
    page.view.edit(machine="cs", solver="bsvm")
    refused = page.view.obstacle
    page.presenter.do("trainAction")
    assert page.queue.submitted == []
    assert page.messages == ([refused] if refused else [])
    assert refused


# -- checks ---------------------------------------------------------------------------------------


def imbalance() -> tuple[Finding, ...]:
    data = iris().take([*range(50), *range(50, 54), *range(100, 104)])
    return check_data(CheckedPlan(data, rules=Rules(scale="none"), holdout=0.3))


def test_serious_findings_are_listed_and_notes_are_not(page: Page) -> None:
    page.open()
    found = imbalance()
    assert {"MC043", "MC030"} <= {one.code for one in found}
    page.space.checks.tell(found)
    shown = page.view.last("show_checks")[0]
    assert [one.severity.value for one in shown] == ["warning"] * len(shown)
    assert any("MC030" in one.title for one in shown)
    page.space.checks.tell(())
    assert list(page.view.last("show_checks")[0]) == []


def test_a_finding_changes_the_form_or_asks_the_data_page(page: Page) -> None:
    page.open()
    page.view.check_acted.emit("class_weight", "balanced")
    assert page.view.form["class_weight"] == "balanced"
    asked: list[tuple[str, object]] = []
    page.space.checks.acted.connect(lambda *what: asked.append(what))
    page.view.check_acted.emit("scale", "minmax")
    page.view.check_acted.emit("groups", None)
    assert asked == [("scale", "minmax"), ("groups", None)]
    assert "scale" not in page.view.form


def test_what_is_to_be_trained_is_part_of_what_is_checked(page: Page) -> None:
    page.presenter.be_ready()
    page.open()
    planned: list[object] = []
    page.space.checks.planned.connect(lambda: planned.append(dict(page.space.checks.plan)))
    page.view.edit(split="order", kernel="linear")
    page.view.edit(C="3")
    assert planned == [{"split": "order", "kernel": "linear", "weighted": False}]


def test_what_a_cluster_cannot_do_is_said_before_it_is_asked(page: Page) -> None:
    page.view.edit(scheduler="127.0.0.1:8786")
    assert page.view.obstacle is None
    assert page.presenter.request is not None
    assert page.presenter.request.scheduler == "tcp://127.0.0.1:8786"
    page.view.edit(scheduler="127.0.0.1:8786", calibrate="temperature")
    assert "Calibration" in str(page.view.obstacle)
    page.presenter.do("trainAction")
    page.presenter.do("trainAllAction")
    assert page.queue.submitted == []
