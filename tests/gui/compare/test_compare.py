"""The Compare page and what decides for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QObject, QPointF, Qt, Signal
from PySide6.QtGui import QColor, QGuiApplication
from PySide6.QtWidgets import QAbstractButton, QLabel, QPushButton, QTabWidget, QWidget
from pytestqt.qtbot import QtBot
from shell_fakes import FakeTasks, Remembering

from mcsvm_gui.core.base.resources import dataset as example
from mcsvm_gui.core.base.settings import Settings
from mcsvm_gui.core.compare import tested_runs
from mcsvm_gui.core.compare.overlays import KINDS
from mcsvm_gui.core.compare.tables import ComparisonTables
from mcsvm_gui.core.data.readers import ReadOptions, open_dataset
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.machine.session import Outcome, train
from mcsvm_gui.core.project.columns import columns
from mcsvm_gui.core.project.records import RunRecord
from mcsvm_gui.core.report import FORMATS
from mcsvm_gui.ui.compare.confusion import ConfusionView
from mcsvm_gui.ui.compare.page import WIDE, ComparePage
from mcsvm_gui.ui.compare.presenter import MOST, ComparePresenter
from mcsvm_gui.ui.kit import theme
from mcsvm_gui.ui.kit.class_tables.costs import CostTableView
from mcsvm_gui.ui.plots.overlay import TraceOverlay
from mcsvm_gui.ui.runs.project_trust import ProjectTrust
from mcsvm_gui.ui.runs.table import RunPanel
from mcsvm_gui.ui.tables.result_view import ResultTableView
from mcsvm_gui.ui.threads.curves import Curves
from mcsvm_gui.ui.threads.queue import JobQueue

MACHINES = "ww", "llw", "dag"


class FakeEvaluations(Remembering):
    evaluation_seen, run_chosen, preset_chosen = Signal(), Signal(int), Signal(str)
    rule_changed, costs_file_chosen = Signal(object, float), Signal(str)
    costs_target_chosen, model_target_chosen = Signal(str, object), Signal(str, object, float)
    visible = False

    def evaluation_is_seen(self) -> bool:
        return self.visible

    @property
    def rule(self) -> tuple[Any, float]:
        return self.last("show_rule")[1], 0.0


class FakeLearning(Remembering):
    run_chosen, start_asked, stop_asked = Signal(int), Signal(), Signal()


class FakeView(Remembering):
    seen, order_asked, message, newest_asked = Signal(), Signal(str), Signal(str), Signal()
    save_asked, experiment_asked, report_asked = Signal(str, list, list), Signal(str), Signal(str)
    chapters_chosen = Signal(list)
    python_asked = Signal()
    visible = True

    def __init__(self) -> None:
        super().__init__()
        self.evaluations, self.learning = FakeEvaluations(), FakeLearning()

    def is_seen(self) -> bool:
        return self.visible


class Book(QObject):
    """Runs that are there."""

    path = "/projects/of-others.mcsvmproj"

    selection_changed, changed, removed, project_read = Signal(), Signal(int), Signal(list), Signal()

    def __init__(self, outcomes: dict[int, Outcome]) -> None:
        super().__init__()
        self.outcomes = outcomes
        self.records = {run: _record(run, outcome) for run, outcome in outcomes.items()}
        self.selected: tuple[int, ...] = ()
        self.asked: list[int] = []
        self.kept: dict[str, Any] = {}

    def setting(self, name: str) -> Any:
        return self.kept.get(name)

    def keep_setting(self, name: str, value: Any) -> None:
        self.kept[name] = value

    def __contains__(self, run: int) -> bool:
        return run in self.records

    def ids(self) -> list[int]:
        return sorted(self.records)

    def record(self, run: int) -> RunRecord:
        return self.records[run]

    def trace(self, run: int) -> Any:
        return self.outcomes[run].trace

    def model(self, run: int) -> Any:
        self.asked.append(run)
        return self.outcomes[run].trained

    def select(self, runs: Iterable[int]) -> None:
        self.selected = tuple(runs)
        self.selection_changed.emit()


def _record(run: int, outcome: Outcome, **values: Any) -> RunRecord:
    asked = outcome.trained.request
    given = {"name": f"{asked.machine} {run}", "state": "done", "document": outcome.document, **values}
    return RunRecord(run, "2026-01-01T00:00:00+00:00", data_name="glass.csv", plain_request=asked.document(), **given)


class Workspace(QObject):
    message = Signal(str)

    def __init__(self, outcomes: dict[int, Outcome]) -> None:
        super().__init__()
        self.tasks: FakeTasks = FakeTasks()
        self.curves = Curves(JobQueue(), lambda key: None, lambda key, value: None, self)
        self.runs, self.read = Book(outcomes), ReadOptions()
        self.path, self.dataset = None, None
        settings = Settings()
        settings["trusted_projects"] = [self.runs.path]
        self.trust = ProjectTrust(self.runs, settings)  # type: ignore[arg-type]
        self.said: list[str] = []
        self.message.connect(self.said.append)
        self.scope = AllRuns(self.runs)

    def dataset_of(self, request: Request) -> None:
        """No data are open."""


class AllRuns(QObject):
    """A scope that holds every run."""

    changed = Signal()

    def __init__(self, runs: Book) -> None:
        super().__init__()
        self.records = lambda: [runs.record(run) for run in runs.ids()]


@pytest.fixture(scope="module")
def outcomes() -> dict[int, Outcome]:
    path = str(example("glass"))
    dataset = open_dataset(path)
    asked = [Request(machine=name, data=path, digest=dataset.digest, holdout=0.5, gamma=0.5) for name in MACHINES]
    return {run: train(request, dataset) for run, request in enumerate(asked, start=1)}


class Stage:
    def __init__(self, view: Any, outcomes: dict[int, Outcome]) -> None:
        self.view, self.work = view, Workspace(outcomes)
        self.runs = self.work.runs
        self.presenter = ComparePresenter(view, self.work)  # type: ignore[arg-type]

    @property
    def picture(self) -> ComparisonTables:
        return self.view.last("show_picture")[0]


@pytest.fixture
def stage(qtbot: QtBot, outcomes: dict[int, Outcome]) -> Stage:
    return Stage(FakeView(), outcomes)


def names(picture: ComparisonTables) -> list[str]:
    return [heading.title for heading in picture.measures.headings[1:]]


# -- decisions ------------------------------------------------------------------------------------


def test_without_a_choice_the_page_says_what_to_do(stage: Stage) -> None:
    assert "Choose runs" in stage.view.last("show_empty")[0]
    stage.runs.records.clear()
    stage.view.seen.emit()
    assert "Train" in stage.view.last("show_empty")[0]
    assert not stage.view.called("show_picture")


def test_the_newest_runs_are_one_click_away(stage: Stage, outcomes: dict[int, Outcome]) -> None:
    assert stage.view.last("show_empty")[1] is True
    elsewhere = {**outcomes[1].trained.request.document(), "digest": "another"}
    record = stage.runs.records[1]
    stage.runs.records[1] = RunRecord(1, record.created, "old", "old.csv", elsewhere, "", "done", record.document)
    stage.view.newest_asked.emit()
    assert stage.runs.selected == (2, 3)
    assert names(stage.picture) == ["llw 2", "dag 3"]


def test_chosen_runs_are_shown_in_their_order_with_scores_and_margins(stage: Stage) -> None:
    stage.runs.select([3, 1])
    assert names(stage.picture) == ["dag 3", "ww 1"]
    assert {"accuracy", "violations"} <= set(stage.picture.measures.keys)
    assert len(stage.picture.matrices) == 2
    assert [history.run for history in stage.view.last("draw")[0]] == [3, 1]
    assert stage.view.last("show_progress")[0] == ""
    assert stage.view.last("show_notes")[0] == []


def test_a_run_is_decided_once(stage: Stage) -> None:
    stage.runs.select([1, 2])
    once = list(stage.runs.asked)
    stage.runs.select([2])
    stage.runs.select([2, 1])
    assert stage.runs.asked == once
    stage.runs.project_read.emit()
    assert len(stage.runs.asked) == 2 * len(once)


def test_files_outside_of_the_project_are_read_only_after_the_user_agreed(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage.work.trust._settings["trusted_projects"] = []
    with monkeypatch.context() as patch:
        patch.setattr(tested_runs.sources, "data_of", lambda request: pytest.fail("it was read"))
        stage.runs.select([1, 2])
    assert all("did not agree" in note for note in stage.view.last("show_notes")[0])
    assert len(stage.view.last("show_notes")[0]) == 2
    stage.work.trust.agree()
    assert stage.view.last("show_notes")[0] == []
    assert {"accuracy", "violations"} <= set(stage.picture.measures.keys)


def test_nothing_is_computed_while_nobody_looks(stage: Stage) -> None:
    stage.view.visible = False
    stage.runs.select([1, 2, 3])
    assert stage.runs.asked == []
    stage.view.visible = True
    stage.view.seen.emit()
    assert names(stage.picture) == ["ww 1", "llw 2", "dag 3"]


def test_a_measure_orders_the_runs_and_orders_them_back(stage: Stage, outcomes: dict[int, Outcome]) -> None:
    stage.runs.select([1, 2, 3])
    steps = {f"{MACHINES[run - 1]} {run}": outcome.document["iterations"] for run, outcome in outcomes.items()}
    assert len(set(steps.values())) == 3
    stage.view.order_asked.emit("iterations")
    assert names(stage.picture) == sorted(steps, key=steps.__getitem__, reverse=True)
    stage.view.order_asked.emit("iterations")
    assert names(stage.picture) == sorted(steps, key=steps.__getitem__)


def test_runs_without_a_model_are_left_out_and_counted(stage: Stage, outcomes: dict[int, Outcome]) -> None:
    stage.runs.records[2] = _record(2, outcomes[2], state="failed", document=None)
    stage.runs.select([1, 2, 3])
    assert names(stage.picture) == ["ww 1", "dag 3"]
    assert "1 of the chosen" in stage.view.last("show_notes")[0][0]
    stage.runs.select([2])
    assert "None of the chosen" in stage.view.last("show_empty")[0]


class LateTasks(FakeTasks):
    """Answers come when they are asked for, but for what was cancelled."""

    def __init__(self) -> None:
        self.waiting: list[tuple[SimpleNamespace, Callable[[], object]]] = []

    def start(self, function, done, failed=None) -> SimpleNamespace:
        ticket = SimpleNamespace(wanted=True)
        ticket.cancel = lambda: setattr(ticket, "wanted", False)
        self.waiting.append((ticket, lambda: done(function())))
        return ticket

    def answer_all(self) -> None:
        while self.waiting:
            ticket, answer = self.waiting.pop(0)
            if ticket.wanted:
                answer()


def test_what_was_being_decided_when_the_choice_went_is_not_drawn(stage: Stage) -> None:
    stage.work.tasks = LateTasks()
    stage.runs.select([1, 2])
    stage.runs.select([])
    stage.work.tasks.answer_all()
    assert not stage.view.called("show_picture")
    stage.runs.select([1, 2])
    stage.work.tasks.answer_all()
    assert names(stage.picture) == ["ww 1", "llw 2"]


def test_a_choice_that_goes_while_nobody_looks_leaves_nothing_to_draw(stage: Stage) -> None:
    stage.runs.select([1, 2])
    stage.view.visible = False
    stage.runs.selected = ()
    stage.view.calls.clear()
    stage.presenter._scored(True)
    assert not stage.view.called("show_picture")
    assert stage.work.said == []


def test_a_picture_of_other_runs_orders_nothing(stage: Stage) -> None:
    """Two clicks into the table before those chosen now are there."""
    stage.runs.select([1, 2])
    stage.work.tasks = LateTasks()
    stage.runs.select([1, 3])
    stage.view.order_asked.emit("iterations")
    stage.work.tasks.answer_all()
    assert names(stage.picture) == ["ww 1", "dag 3"]
    stage.view.order_asked.emit("iterations")
    stage.work.tasks.answer_all()
    assert sorted(names(stage.picture)) == ["dag 3", "ww 1"]


def test_data_that_are_gone_are_said_and_the_rest_is_shown(stage: Stage, outcomes: dict[int, Outcome]) -> None:
    gone = {**outcomes[2].trained.request.document(), "data": "nowhere.csv"}
    record = _record(2, outcomes[2])
    stage.runs.records[2] = RunRecord(2, record.created, "lost", "nowhere.csv", gone, "", "done", record.document)
    stage.runs.select([1, 2])
    assert names(stage.picture) == ["ww 1", "lost"]
    assert len(stage.picture.matrices) == 1
    assert any("nowhere.csv" in sentence for sentence in stage.view.last("show_notes")[0])


def test_a_run_of_another_version_is_left_out_and_named(stage: Stage, outcomes: dict[int, Outcome]) -> None:
    strange = {**outcomes[2].trained.request.document(), "warp": 9}
    record = _record(2, outcomes[2])
    stage.runs.records[2] = RunRecord(2, record.created, "later", "x.csv", strange, "", "done", record.document)
    stage.runs.select([1, 2])
    assert names(stage.picture) == ["ww 1"]
    assert any("later" in sentence for sentence in stage.view.last("show_notes")[0])


def test_a_new_name_is_seen_and_two_of_a_name_are_told_apart(
    stage: Stage, outcomes: dict[int, Outcome], qtbot: QtBot
) -> None:
    stage.runs.select([1, 2])
    stage.runs.records[2] = _record(2, outcomes[2], name="ww 1")
    stage.runs.changed.emit(2)
    qtbot.waitUntil(lambda: names(stage.picture) == ["ww 1", "ww 1 #2"])


def test_more_runs_than_fit_are_cut_and_that_is_said(stage: Stage, outcomes: dict[int, Outcome]) -> None:
    stage.runs.records |= {run: _record(run, outcomes[1]) for run in range(10, 12 + MOST)}
    stage.runs.outcomes = {**outcomes, **dict.fromkeys(stage.runs.records, outcomes[1])}
    stage.runs.select(range(10, 12 + MOST))
    assert len(names(stage.picture)) == MOST
    assert str(MOST) in stage.view.last("show_notes")[0][0]


def test_a_table_is_saved_and_what_cannot_be_written_is_said(stage: Stage, tmp_path: Path) -> None:
    stage.view.save_asked.emit(str(tmp_path / "a.csv"), ["x", "y"], [[1, "=2"]])
    assert (tmp_path / "a.csv").read_text("utf-8") == "x,y\n1,'=2\n"
    stage.view.save_asked.emit(str(tmp_path / "no" / "a.csv"), ["x"], [])
    assert "a.csv" in stage.work.said[0]
    assert "no" in stage.work.said[1]


def test_every_format_of_reports_is_offered_and_writes_what_is_compared(stage: Stage, tmp_path: Path) -> None:
    stage.runs.select([1, 3])
    assert [suffix for _, suffix in stage.view.last("set_formats")[0]] == list(FORMATS)
    for suffix in (".md", ".json"):
        stage.view.report_asked.emit(str(tmp_path / f"both{suffix}"))
        written = (tmp_path / f"both{suffix}").read_text("utf-8")
        assert "ww 1" in written
        assert "dag 3" in written
        assert "llw 2" not in written
    stage.view.report_asked.emit(str(tmp_path / "both.doc"))
    assert ".html" in stage.work.said[-1]
    assert stage.view.last("show_progress")[0] == ""


# -- the page -------------------------------------------------------------------------------------


@pytest.fixture
def page(qtbot: QtBot, outcomes: dict[int, Outcome]) -> Iterator[ComparePage]:
    """Really gone afterwards: else every theme that is tried styles all pages of all tests before."""
    page = ComparePage()
    page.set_run_table(RunPanel(columns()))
    page.resize(900, 600)
    page.show()
    stage = Stage(page, outcomes)
    stage.runs.select([1, 2, 3])
    qtbot.waitUntil(lambda: page.parts.done)
    page.stage = stage  # type: ignore[attr-defined]
    yield page
    page.close()
    page.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def child(page: ComparePage, kind: type[Any], name: str) -> Any:
    found = page.findChild(kind, name)
    assert found is not None, name
    return found


CONTROLS = (
    *("compareTable", "differencesOnlyCheck", "confusionView", "perClassTable", "traceOverlayPlot"),
    *("rocPlot", "precisionRecallPlot", "calibrationPlot", "thresholdView", "costTable", "costPresetCombo"),
    *("rejectSpin", "thresholdRunCombo", "thresholdConfusion", "keepRuleButton", "rocClassCombo"),
    *("significanceTable", "disagreementTable", "marginTable", "saveExperimentButton", "exportReportButton"),
)


def test_every_control_is_there_by_name_and_says_what_it_is(page: ComparePage) -> None:
    assert [name for name in CONTROLS if not child(page, QWidget, name).accessibleName()] == []


def test_names_are_not_those_of_the_other_table_of_runs(page: ComparePage) -> None:
    found = [part.objectName() for part in page.findChildren(QWidget)]
    assert not [name for name in found if name.startswith("run")]
    assert "compareRunTable" in found


def texts(table: ResultTableView) -> list[list[str]]:
    model = table.model()
    return [
        [model.index(row, column).data() for column in range(model.columnCount())] for row in range(model.rowCount())
    ]


def test_differences_only_hides_rows_in_which_all_are_alike(page: ComparePage) -> None:
    table = child(page, ResultTableView, "compareTable")
    everything = texts(table)
    child(page, QAbstractButton, "differencesOnlyCheck").click()
    assert texts(table) == [row for row in everything if len(set(row[1:])) > 1]
    child(page, QAbstractButton, "differencesOnlyCheck").click()
    assert texts(table) == everything


@pytest.mark.slow
def test_tables_sort_by_any_column_and_copy_as_they_are_seen(page: ComparePage) -> None:
    for name in ("compareTable", "perClassTable", "significanceTable", "marginTable"):
        _sort_and_copy(child(page, ResultTableView, name))


def _sort_and_copy(table: ResultTableView) -> None:
    before = texts(table)
    assert before
    for column in range(table.model().columnCount()):
        for order in (Qt.SortOrder.AscendingOrder, Qt.SortOrder.DescendingOrder):
            table.sortByColumn(column, order)
            assert sorted(texts(table)) == sorted(before)
            table.copy()
            lines = QGuiApplication.clipboard().text().split("\n")
            assert lines[0].split("\t") == [heading.title for heading in table.entries.table.headings]
            assert [line.split("\t")[0] for line in lines[1:]] == [row[0].lstrip("<") for row in texts(table)]


def test_the_certificate_has_its_sign_and_the_best_is_marked(page: ComparePage) -> None:
    table = child(page, ResultTableView, "compareTable")
    keys = [table.entries.key_at(row) for row in range(table.entries.rowCount())]
    certificate = table.model().index(keys.index("certificate"), 1)
    assert certificate.data(Qt.ItemDataRole.DecorationRole) is not None
    support = [table.model().index(keys.index("n_support"), column) for column in (1, 2, 3)]
    least = min(int(index.data()) for index in support)
    for index in support:
        best = index.data(Qt.ItemDataRole.ForegroundRole) == QColor(theme.current().accent)
        assert best == (int(index.data()) == least)
        assert (index.data(Qt.ItemDataRole.FontRole) is not None) == best


def test_a_double_click_on_a_measure_orders_the_runs(page: ComparePage) -> None:
    table = child(page, ResultTableView, "compareTable")
    keys = [table.entries.key_at(row) for row in range(table.entries.rowCount())]
    table.doubleClicked.emit(table.model().index(keys.index("iterations"), 0))
    steps = [int(text.replace("\u202f", "")) for text in texts(table)[keys.index("iterations")][1:]]
    assert steps == sorted(steps, reverse=True)


def test_confusion_is_shown_as_counts_and_as_per_cent(page: ComparePage, outcomes: dict[int, Outcome]) -> None:
    view = child(page, ConfusionView, "confusionView")
    counts = [texts(panel.table) for panel in view.panels]
    assert len(counts) == 3
    rows = outcomes[1].document["n_test"]
    assert all(sum(int(cell) for row in matrix for cell in row[1:]) == rows for matrix in counts)
    child(page, QPushButton, "confusionShares").click()
    assert all(cell.endswith("%") for panel in view.panels for row in texts(panel.table) for cell in row[1:])
    headings, plain = view.plain()
    assert len(plain) == 3 * 6
    assert headings[0] == "Run"


def test_matrices_take_the_room_there_is_and_no_more(page: ComparePage, qtbot: QtBot) -> None:
    page.tabs.setCurrentWidget(page.confusion)
    for width in (700, 1300, 900):
        page.resize(width, 600)
        for panel in page.confusion.panels:
            needed = panel.table.horizontalHeader().length()
            assert panel.table.width() >= min(needed, page.confusion.width() - 40)
            assert panel.table.width() <= page.confusion.width()


def test_headings_of_a_matrix_alone_in_its_row_take_the_room_there_is(page: ComparePage) -> None:
    page.tabs.setCurrentWidget(page.confusion)
    page.resize(1000, 600)
    panel = page.confusion.panels[0]
    panel.show_matrix(panel._matrix, False)
    header = panel.table.horizontalHeader()
    panel._narrow = [60] * header.count()
    hints = [header.sectionSizeHint(section) for section in range(1, header.count())]
    panel.fit(60 + 300 * header.count(), alone=True)
    assert [header.sectionSize(section) for section in range(1, header.count())] == [max(60, hint) for hint in hints]
    panel.fit(70 * header.count(), alone=True)  # not for all: each its share
    assert panel.table.width() <= 70 * header.count()
    panel.fit(600)
    assert {header.sectionSize(section) for section in range(header.count())} == {60}


@pytest.mark.slow
def test_histories_lie_over_each_other_whatever_is_drawn(page: ComparePage) -> None:
    plot = child(page, TraceOverlay, "traceOverlayPlot")
    page.tabs.setCurrentWidget(page.convergence)
    for kind in KINDS:
        page.convergence.kind.setCurrentIndex(page.convergence.kind.findData(kind))
        assert plot.runs == {1, 2, 3}
        assert {look.kind for look in plot._looks.values()} == {kind}
        page.convergence.log.click()
        page.grab()


def test_runs_of_one_machine_are_told_apart_in_the_overlay_and_by_names_at_its_ends(page: ComparePage) -> None:
    plot = child(page, TraceOverlay, "traceOverlayPlot")
    first = plot._histories[0]
    plot.show_histories([replace(first, run=run, label=f"run {run}") for run in range(4)])
    looks = [plot._looks[run, plot.kind].style for run in range(4)]
    assert looks[0] == theme.machine_style(first.machine)
    assert len({look.colour for look in looks}) == len({look.dash for look in looks}) == 4
    shown = {label.text: label.colour.name() for label in plot._names._labels}
    assert shown == {f"run {run}": look.colour for run, look in enumerate(looks)}


def test_bars_say_what_they_show(page: ComparePage, outcomes: dict[int, Outcome]) -> None:
    support = child(page, QWidget, "supportBars").accessibleDescription()
    for run, outcome in outcomes.items():
        assert f"{MACHINES[run - 1]} {run}: {outcome.document['n_support']}" in support


def test_where_there_is_room_the_measures_stand_beside_the_rest(page: ComparePage, qtbot: QtBot) -> None:
    tabs = child(page, QTabWidget, "compareTabs")
    assert tabs.indexOf(page.measures) == 0
    page.resize(WIDE + 50, 700)
    qtbot.waitUntil(lambda: tabs.indexOf(page.measures) < 0 and page.measures.isVisible())
    page.resize(900, 600)
    qtbot.waitUntil(lambda: tabs.indexOf(page.measures) == 0)


def test_each_tab_copies_what_it_shows(page: ComparePage) -> None:
    heads: dict[QWidget, str] = {
        page.measures: "Measure",
        page.per_class: "Class",
        page.cost: "Run",
        page.disagreements: "Row",
        page.tests: "First",
    }
    for part, head in heads.items():
        page.tabs.setCurrentWidget(part)
        QGuiApplication.clipboard().clear()
        child(page, QPushButton, "compareCopyButton").click()
        assert QGuiApplication.clipboard().text().startswith(f"{head}\t")
    page.tabs.setCurrentWidget(page.convergence)
    child(page, QPushButton, "compareCopyButton").click()
    assert not QGuiApplication.clipboard().image().isNull()


@pytest.mark.slow
def test_it_can_be_seen_in_either_theme_with_nothing_one_and_three(
    page: ComparePage, restored_theme: Callable[[], None]
) -> None:
    for name in ("light", "dark"):
        theme.use(name)
        for runs in ((), (2,), (1, 2, 3)):
            page.stage.runs.select(runs)  # type: ignore[attr-defined]
            for place in range(page.tabs.count()):
                page.tabs.setCurrentIndex(place)
                assert not page.grab().isNull()
            assert child(page, QLabel, "compareEmpty").isVisible() == (runs == ())


@pytest.fixture
def restored_theme() -> Iterator[None]:
    before = theme.current().name
    yield
    theme.use(before)


def test_no_two_buttons_of_the_page_have_the_same_words(page: ComparePage) -> None:
    """Two pairs of Copy, Save and Differences only stood on one page."""
    page.resize(1400, 800)
    QCoreApplication.processEvents()
    above = child(page, QWidget, "compareTools")
    below = child(page, QWidget, "compareRunPanel")
    words = [
        {part.text() for part in where.findChildren(QAbstractButton) if part.text() and part.isVisible()}
        for where in (above, below)
    ]
    assert words[0]
    assert words[1]
    assert words[0] & words[1] == set()


def test_without_probabilities_there_are_no_empty_boxes_to_decide_in(page: ComparePage) -> None:
    tabs = child(page, QTabWidget, "compareTabs")
    view = child(page, QWidget, "thresholdView")
    tabs.setCurrentWidget(view)
    page.evaluations.show_priced_runs((), ["No probabilities."], None)
    assert not child(page, QWidget, "costTable").isVisible()
    assert not child(page, QWidget, "thresholdConfusion").isVisible()
    assert child(page, QLabel, "thresholdWords").isVisible()


def test_classes_have_room_for_their_names_in_a_table_of_costs(qtbot: QtBot) -> None:
    view = CostTableView()
    qtbot.addWidget(view)
    names = ["Robusta", "unknown", "Arabica from Brazil"]
    view.costs.show(names, np.ones((3, 3)))
    header = view.horizontalHeader()
    for column, name in enumerate(names[:2]):
        assert view.columnWidth(column) >= header.fontMetrics().horizontalAdvance(name) + 8


def test_classes_have_a_plot_where_the_table_leaves_room(page: ComparePage, qtbot: QtBot) -> None:
    panel = page.per_class
    page.tabs.setCurrentWidget(panel)
    assert not panel.plot.isVisible()
    page.resize(1390, 600)  # from 1400 on the measures have a place of their own
    qtbot.waitUntil(panel.plot.isVisible)
    assert panel.table.horizontalHeader().length() <= panel.table.viewport().width()
    model, plot = panel.table.entries, panel.plot
    first = [model.index(0, column).data() for column in (0, 1, 4)]
    assert plot.accessibleDescription().startswith(f"{first[0]}, {first[1]}: {first[2]}")
    place = plot.getViewBox().mapViewToScene(plot._at[0][1])
    assert plot.named_at(place) == f"{first[0]}, {first[1]}: {first[2]}"
    assert plot.named_at(plot.getViewBox().mapViewToScene(QPointF(0.01, -0.55))) is None
    page.tabs.setCurrentWidget(page.tests)
    page.resize(900, 600)
    assert page.width() == 900, "it does not keep the page wide while another tab is shown"
    page.tabs.setCurrentWidget(panel)
    qtbot.waitUntil(lambda: not panel.plot.isVisible() and panel.table.width() > 0.9 * panel.width())
