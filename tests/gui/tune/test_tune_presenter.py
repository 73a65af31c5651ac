"""The Tune page's decisions, with a view that writes down what it is told and a queue that does what it is told."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fake_queue import FakeQueue
from page_desk import FormView, PageDesk, iris
from PySide6.QtCore import Signal
from pytestqt.qtbot import QtBot

from mcsvm.solvers.dual.certificate import Certificate
from mcsvm.solvers.run.ending import Ending
from mcsvm.solvers.selection.cell import Cell, FoldResult, Trial
from mcsvm.solvers.selection.scores import WIDTH, Measured
from mcsvm.solvers.selection.study import Nested
from mcsvm_gui.core.base.resources import dataset
from mcsvm_gui.core.data.readers import open_dataset
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.machine.state import JobState
from mcsvm_gui.core.report.stored_searches import read_searches
from mcsvm_gui.core.tune.command import tune_command
from mcsvm_gui.core.tune.search import Tuned, Tuning
from mcsvm_gui.ui.threads.search import Begun, Searched, SearchJob, Tried, TriedInside
from mcsvm_gui.ui.threads.training import Training
from mcsvm_gui.ui.tune.presenter import TunePresenter

SMALL = {"machines": "ww,ovo", "C_from": "1", "C_to": "16", "gamma_from": "0.25", "gamma_to": "4", "folds": "2"}
SMALL_TRIALS = 2 * 3 * 3 * 2


class Queue(FakeQueue):
    """Searches that are submitted begin at once, and find what a test gives them."""

    def submit(self, job: Any) -> None:
        super().submit(job)
        if isinstance(job, SearchJob):
            self.run(job.key)

    @property
    def searches(self) -> list[SearchJob]:
        return [job for job in self.submitted if isinstance(job, SearchJob)]

    @property
    def trained(self) -> list[Request]:
        return [job.request for job in self.submitted if isinstance(job, Training)]

    def give(self, score: Callable[[Cell, int], float], trials: list[Trial] | None = None) -> None:
        """Results of these trials, or of all that were asked for."""
        found = [Tried(trial, result(score(trial.cell, trial.fold))) for trial in trials or self.wanted()]
        self.tell(self.searches[-1].key, *found)

    def wanted(self) -> list[Trial]:
        job = self.searches[-1]
        grid = Tuning(job.request, job.wanted, job.dataset).grid
        cells = [cell for machine in grid.machines for cell in grid.cells(machine)]
        trials = [Trial(cell, fold) for cell in cells for fold in range(job.wanted.folds)]
        return [trial for trial in trials if trial not in job.done]

    def begun(self) -> None:
        job = self.searches[-1]
        self.tell(job.key, Begun(Tuning(job.request, job.wanted, job.dataset)))

    def end_search(
        self, stopped: bool = False, trouble: str = "", nested: tuple[Nested, ...] = (), over_budget: bool = False
    ) -> None:
        job = self.searches[-1]
        tuning = Tuning(job.request, job.wanted, job.dataset)
        tuned = Tuned(tuning, {}, {}, nested, 1.0, stopped, trouble, over_budget)
        self.tell(job.key, Searched(tuned), JobState.DONE)


class View(FormView):
    reset_asked = Signal()
    form_changed, value_changed, machine_shown, cell_chosen = (
        Signal(),
        Signal(),
        Signal(str),
        Signal(str, float, object),
    )
    start_asked, stop_asked, train_best_asked = Signal(), Signal(), Signal()
    check_acted = Signal(str, object)
    scheduler_test_asked, report_asked = Signal(), Signal(str)
    chapters_chosen = Signal(list)
    message = Signal(str)
    python_asked = Signal()
    robust = True

    def __init__(self) -> None:
        super().__init__()
        self.value, self.machine = "accuracy", ""
        self.told: dict[str, tuple[Any, ...]] = {}

    def __getattr__(self, name: str) -> Callable[..., None]:
        if not name.startswith(("show_", "close_")):
            raise AttributeError(name)
        return lambda *values: self.told.update({name: values})

    @property
    def obstacle(self) -> str:
        return self.told["show_obstacle"][0]

    @property
    def maps(self) -> dict[str, Any]:
        return {shown.machine: shown for shown in self.told["show_maps"][0]}


def result(accuracy: float) -> FoldResult:
    return FoldResult(accuracy, 0.5, 9, 7, Ending.CONVERGED, Certificate(1.0, 1.0, 0.0, 0.0))


def peak(cost: float, gamma: float) -> Callable[[Cell, int], float]:
    """Best at one cell, and ww better than the others."""

    def score(cell: Cell, fold: int) -> float:
        assert cell.gamma is not None
        away = abs(cell.C - cost) + abs(cell.gamma - gamma)
        return (0.9 if cell.machine == "ww" else 0.8) - away / 1000.0 + fold / 100.0

    return score


class Page(PageDesk):
    def __init__(self, path: Path) -> None:
        self.queue, self.view = Queue(), View()
        super().__init__(path, self.queue, self.view, TunePresenter)

    def edit(self, qtbot: QtBot, **texts: str) -> None:
        """And wait until the project has said what it knows."""
        self.view.edit(**texts)
        conditions = self.presenter._conditions
        qtbot.waitUntil(lambda: self.presenter._cells.ready(conditions))

    def look(self) -> None:
        self.presenter._look()


def opened(path: Path, qtbot: QtBot) -> Page:
    page = Page(path)
    qtbot.waitUntil(lambda: page.collection.loaded)
    page.presenter.be_ready()
    page.open()
    page.edit(qtbot, **SMALL)
    return page


@pytest.fixture
def page(qtbot: QtBot, tmp_path: Path) -> Iterator[Page]:
    made = opened(tmp_path / "a.mcsvmproj", qtbot)
    yield made
    made.collection.close()


# -- a report -------------------------------------------------------------------------------------


def test_the_search_that_is_shown_becomes_a_report(page: Page, qtbot: QtBot, tmp_path: Path) -> None:
    assert page.view.told["show_report"] == (False,)
    page.view.start_asked.emit()
    page.queue.begun()
    page.queue.give(peak(4.0, 1.0), page.queue.wanted()[:7])
    page.look()
    qtbot.waitUntil(lambda: "show_formats" in page.view.told)
    assert ".pdf" in [suffix for _, suffix in page.view.told["show_formats"][0]]
    page.queue.end_search(stopped=True)
    assert page.view.told["show_report"] == (True,)
    out = tmp_path / "search.md"
    page.view.report_asked.emit(str(out))
    assert page.view.told["show_report"] == (False,)
    qtbot.waitUntil(out.exists, timeout=20_000)
    text = out.read_text("utf-8")
    assert "Stopped before it was finished" in text
    assert page.view.told["show_command"][0] in text
    qtbot.waitUntil(lambda: page.view.told["show_report"] == (True,))


def test_a_project_says_in_plain_words_what_its_cells_depend_on(page: Page, qtbot: QtBot) -> None:
    page.view.start_asked.emit()
    page.queue.begun()
    page.queue.give(peak(4.0, 1.0))
    page.collection.close()
    (found,) = read_searches(page.collection.path)
    assert len(found["cells"]) == 18
    assert found["folds"] == 2
    assert found["request"]["data"] == str(dataset("iris"))
    assert found["classes"] == list(iris().classes)
    assert (found["best"]["ww"]["C"], found["best"]["ww"]["gamma"]) == (4.0, 1.0)


# -- what can be started --------------------------------------------------------------------------


def test_nothing_is_judged_before_the_solvers_are_there_and_nothing_searched_without_data(
    qtbot: QtBot, tmp_path: Path
) -> None:
    early = Page(tmp_path / "b.mcsvmproj")
    qtbot.waitUntil(lambda: early.collection.loaded)
    assert "loaded" in early.view.obstacle
    early.presenter.prepare()
    qtbot.waitUntil(lambda: "Data page" in early.view.obstacle)
    assert "Data page" in early.view.told["show_empty"][0]
    early.view.start_asked.emit()
    assert early.queue.searches == []
    early.open()
    assert early.view.obstacle == ""
    early.space.tasks.shut_down(5000)
    early.collection.close()


def test_a_wrong_entry_is_an_obstacle_and_leaves_no_command(page: Page) -> None:
    page.view.edit(step="0")
    assert list(page.view.told["show_errors"][0]) == ["step"]
    assert "marked" in page.view.obstacle
    assert page.view.told["show_command"] == ("",)
    page.view.start_asked.emit()
    assert page.queue.searches == []


def test_what_is_searched_is_what_the_command_says_on_all_rows(page: Page, qtbot: QtBot) -> None:
    page.space.set_preparation(holdout=0.4, seed=7, scale="standard")
    page.view.edit(class_weight="balanced", time_limit="3")
    command = page.view.told["show_command"][0]
    page.view.start_asked.emit()  # it begins when the project was asked what it knows
    qtbot.waitUntil(lambda: bool(page.queue.searches))
    job = page.queue.searches[-1]
    request, wanted, done = job.request, job.wanted, job.done
    assert command == tune_command(request, wanted)
    assert (request.holdout, request.seed, request.rules.scale, request.time_limit) == (None, 7, "standard", 3.0)
    assert (wanted.machines, wanted.folds, done) == (("ww", "ovo"), 2, {})


# -- how it goes ----------------------------------------------------------------------------------


def test_maps_fill_while_it_goes_on_and_the_time_left_is_said(page: Page) -> None:
    page.view.start_asked.emit()
    assert page.view.told["show_running"] == (True, False)
    assert "prepared" in page.view.told["show_progress"][2]
    first = page.queue.wanted()[:7]
    page.queue.give(peak(4.0, 1.0), first)
    page.look()
    done, expected, words = page.view.told["show_progress"]
    assert (done, expected) == (7, SMALL_TRIALS)
    assert "left" in words
    assert sum(len(shown.cells) for shown in page.view.maps.values()) == len({trial.cell for trial in first})
    assert list(page.view.told.get("show_checks", ((),))[0]) == []


def test_a_search_that_its_budget_ended_before_the_first_cell_says_that_it_found_nothing(page: Page) -> None:
    page.view.edit(budget="1")
    page.view.start_asked.emit()
    page.queue.end_search(over_budget=True)
    page.look()
    done, _, words = page.view.told["show_progress"]
    assert done == 0
    assert "the search found nothing: its time budget of 1 s ended" in words


def test_a_search_that_waits_or_rests_says_so(page: Page) -> None:
    page.view.start_asked.emit()
    key = page.queue.searches[-1].key
    for state in (JobState.QUEUED, JobState.PAUSED):
        page.queue.become(key, state)
        assert page.view.told["show_running"] == (True, False)
        assert page.view.told["show_progress"][2].startswith(state.label)
    page.queue.become(key, JobState.STOPPING)
    assert page.view.told["show_running"] == (True, True)


def test_the_best_is_marked_and_said_and_all_machines_share_one_scale(page: Page) -> None:
    page.view.start_asked.emit()
    page.queue.give(peak(4.0, 1.0))
    page.queue.end_search()
    maps = page.view.maps
    for shown in maps.values():
        best = shown.cells[shown.best]
        assert (best.cost, best.gamma) == (4.0, 1.0)
        assert "support vectors" in shown.words(shown.best)
    assert maps["ww"].cells[maps["ww"].best].shade == 1.0 > maps["ovo"].cells[maps["ovo"].best].shade
    assert page.view.told["show_best"][0].startswith("Weston-Watkins: 90.5")
    assert list(page.view.told.get("show_checks", ((),))[0]) == []
    assert "Every cell has been computed" in page.view.obstacle


def test_a_fold_column_takes_the_place_of_the_number_of_folds(page: Page, qtbot: QtBot) -> None:
    """As many parts as it names, though the form says two."""
    page.space.dataset = replace(iris(), folds=np.arange(iris().rows) % 4, fold_name="fold")
    page.space.data_changed.emit()
    assert "column" in page.view.told["close_field"][1]
    page.view.start_asked.emit()
    qtbot.waitUntil(lambda: bool(page.queue.searches))
    page.queue.give(peak(4.0, 1.0), [Trial(Cell("ww", 1.0, 1.0), fold) for fold in range(4)])
    page.look()
    assert page.view.told["show_progress"][:2] == (4, 2 * 9 * 4)


def test_halving_keeps_whole_results_alone_and_counts_its_own_trials(page: Page, qtbot: QtBot) -> None:
    page.edit(qtbot, search="halving")
    page.view.start_asked.emit()
    page.queue.begun()
    cells = {trial.cell: trial for trial in page.queue.wanted()}
    on_some = [trial._replace(share=1 / 3, fold=fold) for trial in cells.values() for fold in range(2)]
    page.queue.give(peak(4.0, 1.0), on_some)
    page.look()
    done, expected, _ = page.view.told["show_progress"]
    assert (done, expected) == (36, 72), "iris is too small for a rung of fewer rows"
    assert "1/3 of the rows" in page.view.maps["ww"].words(0)
    page.queue.give(peak(1.0, 4.0), [cells[Cell("ww", 1.0, 4.0)]._replace(fold=fold) for fold in range(2)])
    page.queue.end_search()
    assert "C 1, gamma 2^2" in page.view.told["show_best"][0]
    page.edit(qtbot, search="grid")
    assert [cell.cost for cell in page.view.maps["ww"].cells] == [1.0], "the others have no result on all rows"
    page.collection.close()
    (found,) = read_searches(page.collection.path)
    assert [(cell["C"], cell["gamma"], cell["share"]) for cell in found["cells"]] == [(1.0, 4.0, 1.0)]


def test_the_measure_is_changed_without_searching_again(page: Page) -> None:
    """The lowest loss where accuracy is the highest elsewhere; colours follow the measure."""
    page.view.start_asked.emit()
    trials = page.queue.wanted()
    page.queue.tell(page.queue.searches[-1].key, *(Tried(trial, measured(trial)) for trial in trials))
    page.queue.end_search()
    assert "C 2^4" in page.view.told["show_best"][0]
    page.view.edit(score="log-loss")
    assert page.view.told["show_value"] == ("log-loss",)
    assert "Log loss" in page.view.told["show_best"][0]
    assert "C 1," in page.view.told["show_best"][0]
    assert "Every cell has been computed" in page.view.obstacle


def test_cells_of_before_are_searched_again_by_what_they_do_not_have(page: Page) -> None:
    page.view.start_asked.emit()
    page.queue.give(peak(4.0, 1.0))
    page.queue.end_search()
    page.view.edit(score="log-loss")
    assert page.view.obstacle == ""
    page.view.start_asked.emit()
    assert len(page.queue.wanted()) == SMALL_TRIALS


def measured(trial: Trial) -> FoldResult:
    """More accurate, and a larger loss, the larger C is."""
    cost = trial.cell.C
    tested = Measured(np.array([0]), np.array([0]), np.ones(1), np.full(WIDTH, cost), 0)
    return replace(result(0.5 + cost / 100.0), tested=tested)


def test_costs_price_what_is_known_and_must_be_of_the_classes_at_hand(page: Page) -> None:
    """The smallest C takes the first class for the second, a larger one the second for the first."""
    page.view.edit(score="cost")
    page.view.start_asked.emit()
    wrong = {1.0: (0, 1), 4.0: (1, 0), 16.0: (2, 0)}
    for trial in page.queue.wanted():
        codes = (np.array([code]) for code in wrong[trial.cell.C])
        tested = Measured(*codes, np.ones(1), np.zeros(WIDTH), 0)
        page.queue.tell(page.queue.searches[-1].key, Tried(trial, replace(result(0.0), tested=tested)))
    page.queue.end_search()
    assert "Mean cost 1.00 " in page.view.told["show_best"][0]
    assert "C 1," in page.view.told["show_best"][0]
    names = "setosa", "versicolor", "virginica"
    costs = {name: {other: float(name != other) for other in names} for name in names}
    costs["setosa"]["versicolor"], costs["versicolor"]["setosa"] = 9.0, 0.5
    page.view.edit(costs=json.dumps(costs))
    assert "Mean cost 0.500 " in page.view.told["show_best"][0]
    assert "C 2^2," in page.view.told["show_best"][0]
    assert len(page.queue.searches) == 1, "nothing is searched again"
    page.view.edit(costs='{"a": {"a": 0, "b": 1}, "b": {"a": 1, "b": 0}}')
    assert list(page.view.told["show_errors"][0]) == ["costs"]
    assert "no such class" in page.view.told["show_errors"][0]["costs"]
    assert page.view.obstacle


def test_costs_are_of_the_classes_that_rows_without_gaps_have(page: Page, qtbot: QtBot, tmp_path: Path) -> None:
    """Every row of class c has a gap: only the search finds that out, when it leaves them out."""
    path = tmp_path / "gaps.csv"
    path.write_text("x,y,label\n" + "1,2,a\n3,4,b\n2,1,a\n4,3,b\n" * 3 + ",5,c\n" * 4, "utf-8")
    page.open(path)
    page.space.set_preparation(missing="drop")
    page.edit(qtbot, score="cost", costs='{"a": {"a": 0, "b": 7}, "b": {"a": 1, "b": 0}}')
    assert page.view.told["show_errors"] == ({},)
    page.view.start_asked.emit()
    page.queue.begun()
    taken = Measured(np.array([0]), np.array([1]), np.ones(1), np.zeros(WIDTH), 0)  # a for b
    results = [Tried(trial, replace(result(0.0), tested=taken)) for trial in page.queue.wanted()]
    page.queue.tell(page.queue.searches[-1].key, *results)
    page.queue.end_search()
    assert "Mean cost 7.00 " in page.view.told["show_best"][0]
    page.view.edit(costs='{"a": {"a": 0, "c": 1}, "c": {"a": 1, "c": 0}}')
    assert "no such class" in page.view.told["show_errors"][0]["costs"]


def test_a_known_grid_is_searched_again_for_the_nested_validation(page: Page) -> None:
    """Its cells are done, but not yet how good their choice is; that is said beside the best."""
    page.view.start_asked.emit()
    page.queue.give(peak(4.0, 1.0))
    page.queue.end_search()
    page.view.edit(nested="yes")
    assert page.view.obstacle == ""
    page.view.start_asked.emit()
    assert page.queue.wanted() == []
    page.queue.tell(page.queue.searches[-1].key, *(4321 * [TriedInside()]))
    page.look()
    assert "4,321 for the nested" in page.view.told["show_progress"][2].replace("\N{NARROW NO-BREAK SPACE}", ",")
    outside = Nested("ovo", (Cell("ovo", 1.0, 1.0),) * 2, (result(0.5), result(0.7)))
    page.queue.end_search(nested=(outside,))
    lines = page.view.told["show_best"][0].splitlines()
    assert [("60.0" in line and "without it" in line) for line in lines] == [False, True]
    assert "Every cell has been computed" in page.view.obstacle
    page.view.edit(nested="")
    assert "without it" not in page.view.told["show_best"][0]


def test_what_a_nested_validation_found_is_said_of_its_own_data_alone(page: Page, qtbot: QtBot) -> None:
    page.edit(qtbot, nested="yes")
    page.view.start_asked.emit()
    page.queue.give(peak(4.0, 1.0))
    outside = Nested("ovo", (Cell("ovo", 1.0, 1.0),) * 2, (result(0.5), result(0.7)))
    page.queue.end_search(nested=(outside,))
    assert "without it" in page.view.told["show_best"][0]
    page.space.set_preparation(scale="standard")
    page.look()
    assert "without it" not in page.view.told["show_best"][0]


def test_a_crew_that_was_lost_is_said(page: Page) -> None:
    page.view.start_asked.emit()
    page.queue.end_search(stopped=True, trouble="the scheduler has gone")
    assert page.view.told["show_failure"] == ("the scheduler has gone",)


def test_a_stop_is_a_command_and_what_is_done_is_not_asked_for_again(page: Page) -> None:
    page.view.start_asked.emit()
    page.queue.give(peak(4.0, 1.0), page.queue.wanted()[:9])
    page.view.stop_asked.emit()
    key = page.queue.searches[-1].key
    assert page.queue.commands == [("stop", key)]
    page.queue.become(key, JobState.STOPPING)
    assert page.view.told["show_running"] == (True, True)
    page.queue.end_search(stopped=True)
    assert page.view.told["show_running"] == (False, False)
    assert page.view.told["show_action"][0] == "Continue the search"
    page.view.start_asked.emit()
    assert len(page.queue.searches[-1].done) == 9


def test_a_search_goes_on_after_a_restart_with_the_same_entries(qtbot: QtBot, tmp_path: Path) -> None:
    first = opened(tmp_path / "a.mcsvmproj", qtbot)
    first.view.start_asked.emit()
    first.queue.give(peak(4.0, 1.0), first.queue.wanted()[:5])
    first.queue.end_search(stopped=True)
    first.look()
    shown = first.view.maps
    assert first.collection.close()
    again = Page(tmp_path / "a.mcsvmproj")
    qtbot.waitUntil(lambda: again.collection.loaded)
    again.presenter.be_ready()
    again.open()
    assert again.view.form["machines"] == SMALL["machines"]
    qtbot.waitUntil(lambda: "show_maps" in again.view.told)
    assert again.view.maps == shown
    again.view.start_asked.emit()
    assert len(again.queue.searches[-1].done) == 5
    again.collection.close()


def test_why_a_search_failed_is_said_until_something_changes(page: Page) -> None:
    page.view.start_asked.emit()
    page.queue.fail(page.queue.searches[-1].key, "too few rows")
    assert page.view.told["show_failure"] == ("too few rows",)
    assert page.view.told["show_running"] == (False, False)
    page.view.edit(folds="3")
    assert page.view.told["show_failure"] == ("",)


def test_a_search_goes_on_beside_other_data_and_keeps_its_cells_apart(page: Page, qtbot: QtBot) -> None:
    page.view.start_asked.emit()
    page.space.dataset = open_dataset(dataset("wine"))
    page.space.data_changed.emit()
    assert page.queue.commands == []
    assert page.view.told["show_running"] == (False, False)
    page.queue.give(peak(4.0, 1.0))
    page.queue.end_search()
    page.look()
    assert page.view.told["show_progress"][0] == 0
    page.open()
    assert page.view.told["show_progress"][0] == SMALL_TRIALS


def test_two_searches_on_different_data_are_shown_each_with_its_own(page: Page, qtbot: QtBot) -> None:
    page.view.start_asked.emit()
    page.space.dataset = open_dataset(dataset("wine"))
    page.space.data_changed.emit()
    page.edit(qtbot)
    page.view.start_asked.emit()
    first, second = page.queue.searches
    assert (first.dataset.digest, second.dataset.digest) == (iris().digest, page.space.dataset.digest)
    page.view.stop_asked.emit()
    assert page.queue.commands == [("stop", second.key)]


# -- edges ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("at", "moved"),
    [
        ((16.0, 1.0), {"C_to": "2^8"}),
        ((1.0, 1.0), {"C_from": "2^-4"}),
        ((4.0, 0.25), {"gamma_from": "2^-6"}),
        ((16.0, 4.0), {"C_to": "2^8", "gamma_to": "2^6"}),
    ],
)
def test_a_best_cell_on_the_edge_is_said_and_the_range_extended(
    page: Page, at: tuple[float, float], moved: dict[str, str]
) -> None:
    page.view.start_asked.emit()
    page.queue.give(peak(*at))
    page.queue.end_search()
    (found,) = {one.sentence: one for one in page.view.told["show_checks"][0]}.values()
    offer = found.sentence
    assert "edge" in offer
    assert [action.option for action in found.actions] == ["extend"]
    assert ("largest C" in offer, "smallest gamma" in offer) == ("C_to" in moved, "gamma_from" in moved)
    page.view.check_acted.emit("extend", None)
    assert page.view.form == {**page.view.form, **SMALL, **moved}
    assert len(page.queue.searches) == 2
    assert len(page.queue.searches[-1].done) == SMALL_TRIALS  # nothing is done twice


# -- training -------------------------------------------------------------------------------------


def test_a_chosen_cell_is_trained_as_it_was_searched(page: Page) -> None:
    page.view.edit(class_weight="balanced", time_limit="3")
    page.view.cell_chosen.emit("ovo", 4.0, 0.25)
    (request,) = page.queue.trained
    assert (request.machine, request.C, request.gamma, request.class_weight) == ("ovo", 4.0, 0.25, "balanced")
    assert (request.time_limit, request.holdout) == (None, page.space.holdout)
    assert page.collection.selected == (1,)
    assert "Train page" in page.messages[-1]


def test_a_cell_without_gamma_is_trained_with_the_linear_kernel(page: Page) -> None:
    page.view.edit(search="two-line")
    page.view.cell_chosen.emit("ww", 2.0, None)
    assert [(request.kernel, request.C) for request in page.queue.trained] == [("linear", 2.0)]


@pytest.mark.parametrize(("machine", "trained"), [("", ["ww", "ovo"]), ("ovo", ["ovo"])])
def test_the_best_of_what_is_looked_at_is_trained(page: Page, machine: str, trained: list[str]) -> None:
    page.view.start_asked.emit()
    page.queue.give(peak(4.0, 1.0))
    page.queue.end_search()
    page.view.machine = machine
    page.view.machine_shown.emit(machine)
    page.view.train_best_asked.emit()
    assert [request.machine for request in page.queue.trained] == trained
    assert {(request.C, request.gamma) for request in page.queue.trained} == {(4.0, 1.0)}
