"""The Playground page with real widgets, reached by their names: hand, keys, undo, steps, tours, sharing."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pytest
from fake_queue import FakeQueue, NoRuns
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QAction, QImage, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QFileDialog,
    QLabel,
    QListWidget,
    QSlider,
    QWidget,
)
from pytestqt.qtbot import QtBot

from mcsvm_gui.core.base import resources
from mcsvm_gui.core.base.settings import Settings
from mcsvm_gui.core.machine import names
from mcsvm_gui.core.playground.drawing import MOST_CLASSES, Drawing
from mcsvm_gui.ui.kit import theme
from mcsvm_gui.ui.playground.canvas import PlaygroundCanvas
from mcsvm_gui.ui.playground.form import PlaygroundForm
from mcsvm_gui.ui.playground.page import PlaygroundPage
from mcsvm_gui.ui.playground.presenter import PlaygroundPresenter
from mcsvm_gui.ui.runs.workspace import Workspace
from mcsvm_gui.ui.threads.tasks import Tasks

Kind = TypeVar("Kind", bound=QWidget)


def test_nothing_in_the_form_covers_anything_however_low_the_window_is(qtbot: QtBot) -> None:
    form = PlaygroundForm()
    qtbot.addWidget(form)
    with qtbot.waitExposed(form):
        form.show()
    form.resize(form.width(), form.minimumSizeHint().height())
    parts = list(form.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly))
    assert len(parts) > 8
    for one, other in combinations(parts, 2):
        assert not one.geometry().intersects(other.geometry()), (one.objectName(), other.objectName())
    legend = form.findChild(QLabel, "playgroundLegend")
    assert legend is not None
    assert legend.height() >= legend.heightForWidth(legend.width())


class Stage:
    def __init__(self, qtbot: QtBot) -> None:
        self.bot, self.tasks = qtbot, Tasks()
        self.runs = NoRuns()
        self.workspace = Workspace(self.runs, FakeQueue(), self.tasks, Settings())  # type: ignore[arg-type]
        self.said: list[str] = []
        self.workspace.message.connect(self.said.append)
        self.page = PlaygroundPage()
        self.presenter = PlaygroundPresenter(self.page, self.workspace)
        self.page.resize(900, 620)
        with qtbot.waitExposed(self.page):
            self.page.show()
        self.settle()

    def find(self, kind: type[Kind], name: str) -> Kind:
        found = self.page.findChild(kind, name)
        assert found is not None, name
        return found

    @property
    def canvas(self) -> PlaygroundCanvas:
        return self.find(PlaygroundCanvas, "playgroundCanvas")

    @property
    def drawing(self) -> Drawing:
        return self.presenter.drawing

    def settle(self) -> None:
        self.bot.waitUntil(lambda: not self.presenter.busy and not self.tasks.busy, timeout=60_000)

    def click(self, name: str) -> None:
        QTest.mouseClick(self.find(QAbstractButton, name), Qt.MouseButton.LeftButton)

    def trigger(self, name: str) -> None:
        action = self.page.findChild(QAction, name)
        assert action is not None, name
        action.trigger()

    def pixel(self, x: float, y: float, panel: int = 0) -> QPoint:
        return self.canvas.pixel_of(x, y, panel).toPoint()

    def put(self, x: float, y: float, number: int) -> None:
        combo = self.find(QComboBox, "playgroundClassCombo")
        combo.setCurrentIndex(combo.findData(number))
        QTest.mouseClick(self.canvas, Qt.MouseButton.LeftButton, pos=self.pixel(x, y))

    def tick(self, *names: str) -> None:
        machines = self.find(QListWidget, "playgroundMachineList")
        for row in range(machines.count()):
            item = machines.item(row)
            chosen = item.data(Qt.ItemDataRole.UserRole) in names
            item.setCheckState(Qt.CheckState.Checked if chosen else Qt.CheckState.Unchecked)

    def answer_file(self, path: Path) -> None:
        self.bot.waitUntil(lambda: self.page.findChild(QFileDialog, "fileDialog") is not None)
        dialog = self.find(QFileDialog, "fileDialog")
        dialog.selectFile(str(path))
        dialog.accept()


@pytest.fixture
def stage(qtbot: QtBot) -> Iterator[Stage]:
    stage = Stage(qtbot)
    yield stage
    stage.presenter.close()
    stage.tasks.shut_down(60_000)
    stage.page.close()
    stage.page.deleteLater()


def keys(canvas: PlaygroundCanvas, *pressed: Qt.Key, times: int = 1) -> None:
    for key in pressed:
        for _ in range(times):
            QTest.keyClick(canvas, key)


# -- by hand ------------------------------------------------------------------------------------------


def test_it_opens_with_points_and_six_solved_machines(stage: Stage) -> None:
    pictures = stage.canvas.pictures
    assert [picture.key for picture in pictures] == list(names.machine_titles())
    assert {picture.badge.kind for picture in pictures} == {"solved"}
    assert pictures[0].codes.shape == (stage.canvas.side(6),) * 2


def test_an_empty_canvas_says_what_to_do_until_two_classes_are_there(stage: Stage) -> None:
    stage.click("playgroundClearButton")
    stage.settle()
    assert not stage.canvas.pictures
    assert "Click" in stage.canvas.accessibleDescription()
    stage.put(-0.5, 0.0, 0)
    stage.settle()
    assert not stage.canvas.pictures
    assert "two classes" in stage.canvas.accessibleDescription()
    stage.put(0.5, 0.0, 3)
    stage.settle()
    assert stage.drawing.classes.tolist() == [0, 3]
    np.testing.assert_allclose(stage.drawing.places, [[-0.5, 0.0], [0.5, 0.0]], atol=0.02)
    assert len(stage.canvas.pictures) == 6
    assert set(np.unique(stage.canvas.pictures[0].codes % 10)) <= {0, 1, 3}


def test_a_point_is_dragged_removed_and_all_of_it_undone(stage: Stage) -> None:
    stage.click("playgroundClearButton")
    stage.put(-0.5, 0.0, 0)
    stage.put(0.5, 0.0, 1)
    before = stage.drawing
    stage.settle()
    start, end = stage.pixel(0.5, 0.0, 4), stage.pixel(0.0, 0.5, 4)
    QTest.mousePress(stage.canvas, Qt.MouseButton.LeftButton, pos=start)
    for share in (0.25, 0.5, 0.75, 1.0):
        QTest.mouseMove(stage.canvas, start + (end - start) * share)
        QApplication.processEvents()
    QTest.mouseRelease(stage.canvas, Qt.MouseButton.LeftButton, pos=end)
    np.testing.assert_allclose(stage.drawing.places[1], [0.0, 0.5], atol=0.02)
    QTest.mouseClick(stage.canvas, Qt.MouseButton.RightButton, pos=end)
    assert len(stage.drawing) == 1
    stage.click("playgroundUndoButton")
    stage.click("playgroundUndoButton")
    assert stage.drawing.same_as(before)
    stage.click("playgroundRedoButton")
    np.testing.assert_allclose(stage.drawing.places[1], [0.0, 0.5], atol=0.02)
    stage.settle()


def test_the_wheel_makes_clouds(stage: Stage) -> None:
    stage.click("playgroundClearButton")
    place = QPointF(stage.pixel(0.0, 0.0))
    event = QWheelEvent(
        *(place, stage.canvas.mapToGlobal(place), QPoint(), QPoint(0, 120), Qt.MouseButton.NoButton),
        *(Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False),
    )
    QApplication.sendEvent(stage.canvas, event)
    assert len(stage.drawing) > 3
    assert np.abs(stage.drawing.places.mean(axis=0)).max() < 0.2


@pytest.mark.parametrize("nonsense", [7, {}, {"places": [[1]], "classes": [1], "setting": {}}, {"places": "x"}])
def test_a_project_keeps_points_and_setting_and_nonsense_changes_nothing(stage: Stage, nonsense: Any) -> None:
    stage.tick("cs")
    stage.presenter.memory.keep()
    kept, drawing, setting = stage.runs.kept["playground"], stage.drawing, stage.presenter.setting
    stage.click("playgroundClearButton")
    stage.tick("ww", "dag")
    stage.runs.kept["playground"] = json.loads(json.dumps(kept))
    stage.runs.project_read.emit()
    assert stage.drawing.same_as(drawing)
    assert stage.presenter.setting == setting
    assert not stage.presenter.undo_stack.canUndo()
    stage.runs.kept["playground"] = nonsense
    stage.runs.project_read.emit()
    assert stage.drawing.same_as(drawing)
    stage.settle()
    assert [picture.key for picture in stage.canvas.pictures] == ["cs"]


@pytest.mark.slow
def test_the_page_loads_no_solver_before_it_is_shown() -> None:
    code = """
import sys
from PySide6.QtWidgets import QApplication
application = QApplication([])
from mcsvm_gui.ui.playground.presenter import PlaygroundPresenter
from mcsvm_gui.ui.playground.page import PlaygroundPage
PlaygroundPage()
print([name for name in ("pandas", "scipy", "numba", "sklearn", "mcsvm.solvers.run") if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "[]"


# -- by keys ------------------------------------------------------------------------------------------


def test_everything_goes_by_keys_alone(stage: Stage) -> None:
    canvas = stage.canvas
    stage.click("playgroundClearButton")
    canvas.setFocus(Qt.FocusReason.TabFocusReason)
    keys(canvas, Qt.Key.Key_Right, times=10)
    keys(canvas, Qt.Key.Key_2, Qt.Key.Key_Space)
    keys(canvas, Qt.Key.Key_Left, times=20)
    keys(canvas, Qt.Key.Key_1, Qt.Key.Key_Space)
    np.testing.assert_allclose(stage.drawing.places, [[0.5, 0.0], [-0.5, 0.0]], atol=1e-9)
    assert stage.drawing.classes.tolist() == [1, 0]
    keys(canvas, Qt.Key.Key_Return)
    keys(canvas, Qt.Key.Key_Up, times=4)
    keys(canvas, Qt.Key.Key_Return, Qt.Key.Key_C)
    np.testing.assert_allclose(stage.drawing.places[1], [-0.5, 0.2], atol=1e-9)
    assert len(stage.drawing) == 10
    keys(canvas, Qt.Key.Key_Delete)
    assert len(stage.drawing) == 9
    stage.settle()


def test_every_control_has_a_name_to_be_read_out(stage: Stage) -> None:
    for kind in (QAbstractButton, QComboBox, QListWidget, QSlider, PlaygroundCanvas):
        for widget in stage.page.findChildren(kind):
            if widget.objectName().startswith("playground"):
                assert widget.accessibleName(), widget.objectName()
                assert widget.focusPolicy() & Qt.FocusPolicy.TabFocus, widget.objectName()
    assert "Weston-Watkins: Solved" in stage.canvas.accessibleDescription()


def test_the_lists_hold_the_names_of_the_contract(stage: Stage) -> None:
    classes = stage.find(QComboBox, "playgroundClassCombo")
    assert [classes.itemData(row) for row in range(classes.count())] == list(range(MOST_CLASSES))
    machines = stage.find(QListWidget, "playgroundMachineList")
    names = [machines.item(row).data(Qt.ItemDataRole.UserRole) for row in range(machines.count())]
    assert names == ["ww", "llw", "cs", "ova", "ovo", "dag"]


# -- settings -----------------------------------------------------------------------------------------


def test_machines_kernel_cost_and_bias_are_what_is_fitted(stage: Stage) -> None:
    stage.tick("cs", "ova")
    kernel, bias = stage.find(QComboBox, "playgroundKernelCombo"), stage.find(QComboBox, "playgroundBiasCombo")
    kernel.setCurrentIndex(kernel.findData("polynomial"))
    bias.setCurrentIndex(bias.findData("regularized"))
    stage.find(QSlider, "playgroundCostSlider").setValue(10)
    stage.settle()
    assert [picture.key for picture in stage.canvas.pictures] == ["cs", "ova"]
    setting = stage.presenter.setting
    assert (setting.kernel, setting.bias, setting.cost) == ("polynomial", "regularized", 32.0)
    assert "2^5 = 32" in stage.find(QLabel, "playgroundCostSliderValue").text()
    stage.tick()
    stage.settle()
    assert not stage.canvas.pictures
    assert "Tick a machine" in stage.canvas.accessibleDescription()


def test_themes_repaint_the_regions(stage: Stage) -> None:
    light = stage.canvas.grab().toImage()
    theme.use("dark")
    try:
        dark = stage.canvas.grab().toImage()
    finally:
        theme.use("light")
    middle = stage.pixel(0.9, 0.9)
    assert light.pixelColor(middle).lightness() > dark.pixelColor(middle).lightness() + 60


# -- step by step -------------------------------------------------------------------------------------


@pytest.mark.slow
def test_three_solvers_go_step_by_step_and_to_the_end(stage: Stage) -> None:
    stage.click("playgroundStepsButton")
    stage.settle()
    assert [picture.key for picture in stage.canvas.pictures] == ["smo", "s2do", "fw"]
    stage.click("playgroundStepOne")
    stage.click("playgroundStepTen")
    stage.settle()
    smo, s2do, _ = stage.canvas.pictures
    assert smo.steps[-1] == s2do.steps[-1] == 11
    assert smo.working.size == 1
    assert "gradient" in stage.find(QLabel, "playgroundStepWords").text()
    stage.click("playgroundStepEnd")
    stage.settle()
    assert not any(picture.running for picture in stage.canvas.pictures)
    stage.click("playgroundStepRestart")
    stage.settle()
    assert stage.canvas.pictures[0].steps.tolist() == [0.0]
    stage.click("playgroundStepsButton")
    stage.settle()
    assert len(stage.canvas.pictures) == 6


@pytest.mark.slow
@pytest.mark.parametrize("name", ["margins", "solvers", "cost"])
def test_a_tour_leads_from_stop_to_stop_and_ends(stage: Stage, name: str) -> None:
    from mcsvm_gui.core.playground.tours import tours

    stage.trigger(f"playgroundTour-{name}")
    for number, stop in enumerate(tours()[name].stops):
        assert stage.find(QLabel, "playgroundTourText").text() == stop.text
        assert stage.presenter.setting == stop.setting
        stage.settle()
        assert stage.canvas.pictures
        if number + 1 < len(tours()[name].stops):
            stage.click("playgroundTourNext")
    stage.click("playgroundTourEnd")
    assert not stage.find(QWidget, "playgroundTour").isVisible()


# -- data and files -----------------------------------------------------------------------------------


def test_points_come_from_the_data_at_hand(stage: Stage) -> None:
    assert not stage.find(QAbstractButton, "playgroundDataButton").isEnabled()
    stage.workspace.open_data(str(resources.dataset("iris")))
    stage.settle()
    stage.trigger("playgroundComponents")
    stage.settle()
    assert len(stage.drawing) == 150
    components = stage.drawing
    stage.trigger("playgroundColumns")
    stage.click("takeColumnsButton")
    stage.settle()
    assert len(stage.drawing) == 150
    assert not stage.drawing.same_as(components)
    assert "150" in stage.said[-1]


def test_pictures_and_points_are_written(stage: Stage, tmp_path: Path) -> None:
    stage.trigger("playgroundShareCsv")
    stage.answer_file(tmp_path / "points.csv")
    stage.settle()
    rows = list(csv.reader((tmp_path / "points.csv").read_text("utf-8").splitlines()))
    assert rows[0] == ["x", "y", "class"]
    assert len(rows) == len(stage.drawing) + 1
    for kind in ("Png", "Svg"):
        stage.bot.waitUntil(lambda: stage.page.findChild(QFileDialog, "fileDialog") is None)
        stage.trigger(f"playgroundShare{kind}")
        stage.answer_file(tmp_path / f"picture.{kind.lower()}")
    assert QImage(str(tmp_path / "picture.png")).width() == 2 * stage.canvas.width()
    assert "Weston-Watkins" in (tmp_path / "picture.svg").read_text("utf-8")


def test_an_experiment_is_written_with_its_points(stage: Stage, tmp_path: Path) -> None:
    stage.trigger("playgroundShareExperiment")
    stage.answer_file(tmp_path / "share.toml")
    stage.settle()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["share-points.csv", "share.toml"]
    assert "share.toml" in stage.said[-1]


def test_saved_points_open_as_data(stage: Stage, tmp_path: Path) -> None:
    stage.trigger("playgroundShareTrain")
    stage.answer_file(tmp_path / "points.csv")
    stage.bot.waitUntil(lambda: stage.workspace.dataset is not None)
    assert stage.workspace.dataset is not None
    assert (stage.workspace.dataset.rows, len(stage.workspace.dataset.classes)) == (len(stage.drawing), 4)


# -- anything in any order ----------------------------------------------------------------------------

PLACES = st.floats(-1.2, 1.2)
EDITS = st.one_of(
    st.tuples(st.just("point_asked"), PLACES, PLACES),
    st.tuples(st.just("cloud_asked"), PLACES, PLACES, st.integers(1, 3)),
    st.tuples(st.just("drag_began"), st.integers(0, 40)),
    st.tuples(st.just("dragged"), PLACES, PLACES),
    st.tuples(st.just("drag_ended")),
    st.tuples(st.just("removal_asked"), st.integers(0, 40)),
    st.tuples(st.just("class_chosen"), st.integers(0, MOST_CLASSES - 1)),
    st.tuples(st.just("undo_asked")),
    st.tuples(st.just("redo_asked")),
    st.tuples(st.just("clear_asked")),
    st.tuples(st.just("set_asked"), st.sampled_from(["moons", "rings", "single-point"]), st.integers(20, 60)),
    st.tuples(st.just("steps_toggled"), st.booleans()),
    st.tuples(st.just("advance_asked"), st.sampled_from([1, 10])),
)


def test_what_is_taken_back_in_the_middle_of_a_drag_stays_so(stage: Stage) -> None:
    stage.page.clear_asked.emit()
    stage.presenter.undo_stack.clear()
    stage.page.point_asked.emit(0.0, 0.0)
    stage.page.drag_began.emit(0)
    stage.page.undo_asked.emit()
    stage.page.drag_ended.emit()
    assert len(stage.drawing) == 0
    assert not stage.presenter.undo_stack.canUndo()


def test_random_edits_give_certified_fits_and_undo_leads_back(stage: Stage) -> None:
    machines = "ww", "llw", "cs", "ova", "ovo", "dag"

    @settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck), database=None)
    @given(st.lists(EDITS, max_size=12), st.sampled_from(machines), st.integers(-12, 20))
    def story(edits: list[tuple[Any, ...]], machine: str, cost: int) -> None:
        stage.presenter.show_steps(False)
        stage.page.clear_asked.emit()
        stage.presenter.undo_stack.clear()
        stage.tick(machine, "ovo")
        stage.find(QSlider, "playgroundCostSlider").setValue(cost)
        for name, *values in edits:
            getattr(stage.page, name).emit(*values)
            QApplication.processEvents()
        stage.page.drag_ended.emit()
        stage.settle()
        check_what_is_shown(stage)
        while stage.presenter.undo_stack.canUndo():
            stage.presenter.undo_stack.undo()
        assert len(stage.drawing) == 0
        stage.settle()

    story()


def check_what_is_shown(stage: Stage) -> None:
    pictures = stage.canvas.pictures
    assert bool(pictures) == stage.drawing.trainable
    for picture in pictures:
        assert picture.drawing.same_as(stage.drawing)
        assert picture.badge.kind in ("solved", "close", "not solved", "running")
    for fitted in stage.presenter.refitting.last.values():
        certificate = fitted.certificate
        assert certificate.dual <= certificate.primal + 1e-9 * (1.0 + abs(certificate.primal))
    stage.canvas.grab()
