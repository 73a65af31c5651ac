"""The tabs of evaluated runs and what decides for them: the numbers of the command line, while one types."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt, Signal
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QWidget
from pytestqt.qtbot import QtBot
from shell_fakes import FakeTasks

from mcsvm.solvers.uncertainty.costs import CostRule, equal_costs
from mcsvm_gui.core.base.resources import dataset as example
from mcsvm_gui.core.compare import evaluated_runs
from mcsvm_gui.core.compare.tested_runs import RowCache, ScoredRun, decided
from mcsvm_gui.core.data.readers import open_dataset
from mcsvm_gui.core.evaluate.applied import applied
from mcsvm_gui.core.evaluate.evaluation import MACRO, evaluate_rows
from mcsvm_gui.core.machine import model_file
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.machine.session import Outcome, train
from mcsvm_gui.ui.compare.evaluation_tabs import EvaluationTabs
from mcsvm_gui.ui.compare.evaluations import EvaluationPresenter

RESAMPLES = 20


@pytest.fixture(autouse=True)
def _few_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluated_runs, "evaluate_rows", lambda rows, seed: evaluate_rows(rows, seed, RESAMPLES))


@pytest.fixture(scope="module")
def outcomes() -> dict[int, Outcome]:
    """Two with probabilities, one without, one that held nothing out."""
    path = str(example("wine"))
    dataset = open_dataset(path)
    asked: list[dict[str, Any]] = [
        {"machine": "ww", "calibrate": "temperature"},
        {"machine": "ovo", "calibrate": "pairwise"},
        {"machine": "llw"},
        {"machine": "cs", "holdout": None},
    ]
    plain = {"data": path, "digest": dataset.digest, "holdout": 0.5, "gamma": 0.5, "C": 2.0}
    return {run: train(Request(**plain | one), dataset) for run, one in enumerate(asked, start=1)}


class Models(QObject):
    def __init__(self, outcomes: dict[int, Outcome]) -> None:
        super().__init__()
        self.outcomes, self.asked = outcomes, list[int]()

    def model(self, run: int) -> Any:
        self.asked.append(run)
        return self.outcomes[run].trained


class Workspace(QObject):
    message = Signal(str)

    def __init__(self, outcomes: dict[int, Outcome]) -> None:
        super().__init__()
        self.tasks, self.runs, self.said = FakeTasks(), Models(outcomes), list[str]()
        self.message.connect(self.said.append)


def scored(outcomes: dict[int, Outcome], *runs: int) -> list[tuple[str, ScoredRun]]:
    cache, found = RowCache(), []
    for run in runs:
        outcome = outcomes[run]
        request = outcome.trained.request
        rows = lambda request=request: cache.rows_of(request, None)  # noqa: E731
        one = decided(run, request, outcome.document, lambda outcome=outcome: outcome.trained, rows)
        found.append((f"{request.machine} {run}", one))
    return found


class Stage:
    def __init__(self, outcomes: dict[int, Outcome]) -> None:
        self.window = QWidget()
        self.tabs, self.work = EvaluationTabs(self.window), Workspace(outcomes)
        self.moved = 0
        self.presenter = EvaluationPresenter(self.tabs, self.work, self._count)  # type: ignore[arg-type]
        self.view = self.tabs.thresholds

    def _count(self) -> None:
        self.moved += 1

    def look(self, panel: Any) -> None:
        panel.resize(900, 500)
        panel.show()

    def index(self, row: int, column: int) -> Any:
        return self.view.table.costs.index(row, column)


@pytest.fixture
def stage(qtbot: QtBot, outcomes: dict[int, Outcome]) -> Iterator[Stage]:
    stage = Stage(outcomes)
    yield stage
    for panel, _ in stage.tabs.named:
        panel.close()
        panel.deleteLater()
    stage.window.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


@pytest.mark.slow
def test_nothing_is_evaluated_while_nobody_looks(stage: Stage, outcomes: dict[int, Outcome]) -> None:
    stage.presenter.want(scored(outcomes, 1, 3))
    assert stage.work.runs.asked == []
    assert stage.presenter.text == ""
    stage.look(stage.tabs.roc)
    assert stage.work.runs.asked == [1, 3]
    stage.presenter.want(scored(outcomes, 3, 1))
    assert stage.work.runs.asked == [1, 3]
    assert [line.run for line in stage.tabs.roc.plot.shown] == [3, 1]
    stage.presenter.forget()
    stage.presenter.want(scored(outcomes, 1))
    assert stage.work.runs.asked == [1, 3, 1]


@pytest.mark.slow
def test_curves_are_those_of_the_command_line(stage: Stage, outcomes: dict[int, Outcome]) -> None:
    stage.presenter.want(scored(outcomes, 1, 2, 3))
    stage.look(stage.tabs.roc)
    for run, line in zip((1, 2, 3), stage.tabs.roc.plot.shown, strict=True):
        outcome = outcomes[run]
        rows = RowCache().rows_of(outcome.trained.request, None).tested
        expected = evaluate_rows(applied(outcome.trained, rows).rows, 0, RESAMPLES)
        assert f"{expected.roc[MACRO].area:.4f}" in line.label
        np.testing.assert_array_equal(line.line[1], expected.roc[MACRO].y)
        assert line.band is not None
        np.testing.assert_array_equal(line.band[1:], expected.roc[MACRO].band)
    panel = stage.tabs.precision
    panel.classes.setCurrentIndex(2)
    name = panel.classes.currentData()
    assert name == outcomes[1].trained.class_names[1]
    curve = evaluate_rows(applied(outcomes[1].trained, rows).rows, 0, 0).precision_recall[name]
    np.testing.assert_array_equal(panel.plot.shown[0].line[0], curve.x)
    stage.presenter.want(scored(outcomes, 1))
    assert panel.classes.currentData() == name
    headings, body = panel.plain()
    assert len(headings) == 3
    assert len(body) == curve.x.size


def test_runs_without_probabilities_say_how_to_get_them(stage: Stage, outcomes: dict[int, Outcome]) -> None:
    stage.presenter.want(scored(outcomes, 1, 3, 4))
    stage.look(stage.tabs.calibration)
    assert [line.run for line in stage.tabs.roc.plot.shown] == [1, 3]
    assert [line.run for line in stage.tabs.calibration.plot.shown] == [1]
    assert "No probabilities: llw 3. Choose a calibration" in stage.tabs.calibration.words.text()
    assert "cs 4: it held no rows out to test on." in stage.tabs.roc.words.text()
    assert "No probabilities" not in stage.tabs.roc.words.text()
    stage.presenter.want(scored(outcomes, 3))
    assert stage.tabs.calibration.plot.shown == ()
    assert not stage.view.table.isVisibleTo(stage.view), "boxes to type in would be empty"
    assert "No probabilities: llw 3" in stage.view.words.text()


# -- costs -------------------------------------------------------------------------------------------


def matrix(stage: Stage) -> np.ndarray:
    model = stage.view.confusion.model()
    return np.array(
        [
            [int(model.index(row, column).data()) for column in range(1, model.columnCount())]
            for row in range(model.rowCount())
        ]
    )


def by_hand(outcome: Outcome, costs: np.ndarray, reject: float = 0.0) -> tuple[np.ndarray, float, float]:
    """Confusion, mean cost and rejected share, row by row."""
    trained = replace(outcome.trained, rule=None)
    rows = RowCache().rows_of(trained.request, None).tested
    found = trained.predictions(rows, probabilities=True)
    assert found.probabilities is not None
    assert rows.labels is not None
    names, confusion, total, left = list(trained.class_names), np.zeros(costs.shape, dtype=int), 0.0, 0
    for shares, label in zip(found.probabilities, rows.labels, strict=True):
        best = int(np.argmin([shares @ costs[:, c] for c in range(len(names))]))
        if shares[best] < reject:
            left += 1
            continue
        confusion[names.index(label), best] += 1
        total += costs[names.index(label), best]
    return confusion, total / confusion.sum(), left / rows.rows


def test_what_is_typed_counts_letter_by_letter(stage: Stage, outcomes: dict[int, Outcome]) -> None:
    stage.presenter.want(scored(outcomes, 1))
    stage.look(stage.view)
    size = len(outcomes[1].trained.class_names)
    costs = equal_costs(size)
    np.testing.assert_array_equal(matrix(stage), by_hand(outcomes[1], costs)[0])
    table = stage.view.table
    table.setCurrentIndex(stage.index(0, 1))
    table.edit(stage.index(0, 1))
    field = table.findChild(QLineEdit, "costCellEdit")
    assert field is not None
    field.selectAll()
    for typed, cost in (("2", 2.0), ("5", 25.0), ("^", 25.0), ("2", 625.0)):
        QTest.keyClicks(field, typed)
        costs[0, 1] = cost
        confusion, mean, _ = by_hand(outcomes[1], costs)
        np.testing.assert_array_equal(matrix(stage), confusion)
        assert f"Mean cost {mean:.4g};" in stage.view.result.text()
        assert stage.view.trouble.isVisible() == (typed == "^")
    assert stage.view.presets.currentData() == "hand"
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert stage.view.table.costs.costs[0, 1] == 625.0
    stage.view.reject.setValue(0.75)
    confusion, mean, left = by_hand(outcomes[1], costs, 0.75)
    assert left > 0
    np.testing.assert_array_equal(matrix(stage), confusion)


@pytest.mark.parametrize("text", ["dear", "-1", "nan", "1e999", ""])
def test_what_is_no_cost_is_said_and_changes_nothing(text: str, stage: Stage, outcomes: dict[int, Outcome]) -> None:
    stage.presenter.want(scored(outcomes, 1))
    stage.look(stage.view)
    before, model = stage.view.result.text(), stage.view.table.costs
    assert not model.setData(stage.index(0, 1), text)
    assert stage.view.trouble.text()
    assert model.data(stage.index(0, 1)) == "1"
    assert stage.view.result.text() == before
    assert model.setData(stage.index(0, 1), "1")
    assert not stage.view.trouble.isVisible()


def test_costs_that_are_all_zero_are_refused_in_words(stage: Stage, outcomes: dict[int, Outcome]) -> None:
    stage.presenter.want(scored(outcomes, 1))
    stage.look(stage.view)
    size = len(outcomes[1].trained.class_names)
    for row in range(size):
        for column in range(size):
            stage.view.table.costs.setData(stage.index(row, column), "0")
    assert "all costs are 0" in stage.view.trouble.text()


def test_presets_and_runs_bring_their_costs(stage: Stage, outcomes: dict[int, Outcome]) -> None:
    stage.presenter.want(scored(outcomes, 1, 2))
    stage.look(stage.view)
    stage.view.presets.setCurrentIndex(stage.view.presets.findData("share"))
    trained = outcomes[1].trained
    counts = np.array(trained.origin.class_counts)
    costs, _ = stage.view.rule
    np.testing.assert_allclose(costs[0, 1], counts.sum() / (len(counts) * counts[0]), atol=1e-6)
    np.testing.assert_array_equal(matrix(stage), by_hand(outcomes[1], costs)[0])
    stage.view.runs.setCurrentIndex(1)
    assert stage.view.presets.currentData() == "equal"
    np.testing.assert_array_equal(stage.view.rule[0], equal_costs(len(counts)))
    np.testing.assert_array_equal(matrix(stage), by_hand(outcomes[2], equal_costs(len(counts)))[0])


def test_a_model_with_a_rule_shows_it(stage: Stage, outcomes: dict[int, Outcome]) -> None:
    rule = CostRule.of(4.0 * equal_costs(len(outcomes[1].trained.class_names)), 0.25)
    ruled = {1: replace(outcomes[1], trained=replace(outcomes[1].trained, rule=rule))}
    stage.work.runs.outcomes = ruled
    stage.presenter.want(scored(ruled, 1))
    stage.look(stage.view)
    np.testing.assert_array_equal(stage.view.rule[0], rule.table)
    assert stage.view.rule[1] == 0.25
    assert stage.view.presets.currentData() == "hand"


def test_the_rule_is_saved_with_the_model_and_costs_with_their_classes(
    stage: Stage, outcomes: dict[int, Outcome], tmp_path: Path
) -> None:
    stage.presenter.want(scored(outcomes, 1))
    stage.look(stage.view)
    stage.view.table.costs.setData(stage.index(1, 0), "7")
    stage.view.reject.setValue(0.6)
    stage.view.model_target_chosen.emit(str(tmp_path / "ruled.mcsvm"), *stage.view.rule)
    kept = model_file.load(tmp_path / "ruled.mcsvm").rule
    assert kept == CostRule.of(*stage.view.rule)
    assert outcomes[1].trained.rule is None
    stage.view.costs_target_chosen.emit(str(tmp_path / "costs.csv"), stage.view.rule[0])
    stage.view.presets.setCurrentIndex(stage.view.presets.findData("equal"))
    stage.view.costs_file_chosen.emit(str(tmp_path / "costs.csv"))
    assert stage.view.rule[0][1, 0] == 7.0
    assert stage.view.presets.currentData() == "hand"
    (tmp_path / "costs.csv").write_text(",a,b\na,0,1\nb,1,0\n")
    stage.view.costs_file_chosen.emit(str(tmp_path / "costs.csv"))
    assert "no such class" in stage.view.trouble.text()
    assert stage.view.rule[0][1, 0] == 7.0
    stage.view.model_target_chosen.emit(str(tmp_path / "no" / "ruled.mcsvm"), *stage.view.rule)
    assert "cannot be written" in stage.view.trouble.text()


def test_every_control_can_be_reached_by_the_keyboard_and_says_what_it_is(stage: Stage) -> None:
    for panel, _ in stage.tabs.named:
        for child in panel.findChildren(QWidget):
            if child.focusPolicy() & Qt.FocusPolicy.TabFocus and child.objectName() and "qt_" not in child.objectName():
                assert child.accessibleName(), child.objectName()
    view = stage.view
    for field in (view.runs, view.presets, view.reject, view.table, view.confusion, view.keep_button):
        assert field.focusPolicy() & Qt.FocusPolicy.TabFocus
