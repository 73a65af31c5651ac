"""The Data page with real widgets, reached by their names, on a real workspace."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pytest
from fake_queue import FakeQueue, NoRuns
from PySide6.QtCore import QElapsedTimer, QPointF, Qt, QTimer
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QFileDialog,
    QLabel,
    QLineEdit,
    QListWidget,
    QPushButton,
    QScrollArea,
    QSpinBox,
    QTableView,
    QWidget,
)
from pytestqt.qtbot import QtBot

from mcsvm_gui.core.base import i18n, resources
from mcsvm_gui.core.base.i18n import translation
from mcsvm_gui.core.base.settings import Settings
from mcsvm_gui.ui.data.page import DataPage
from mcsvm_gui.ui.data.presenter import DataPresenter
from mcsvm_gui.ui.kit import theme
from mcsvm_gui.ui.runs.workspace import Workspace
from mcsvm_gui.ui.threads.tasks import Tasks

Kind = TypeVar("Kind", bound=QWidget)


class Stage:
    def __init__(self, qtbot: QtBot) -> None:
        self.bot, self.tasks, self.settings = qtbot, Tasks(), Settings()
        self.workspace = Workspace(NoRuns(), FakeQueue(), self.tasks, self.settings)  # type: ignore[arg-type]
        self.page = DataPage()
        self.presenter = DataPresenter(self.page, self.workspace)
        self.page.resize(928, 640)
        with qtbot.waitExposed(self.page):
            self.page.show()

    def find(self, kind: type[Kind], name: str) -> Kind:
        found = self.page.findChild(kind, name)
        assert found is not None, name
        return found

    def settle(self) -> None:
        """Until nothing is under way, and nothing waits for its turn."""
        self.bot.waitUntil(lambda: not self.tasks.busy and not self.presenter.looking, timeout=20_000)

    def open(self, path: str | Path) -> None:
        self.page.file_chosen.emit(str(path))
        self.settle()

    def pick(self, name: str, value: object) -> None:
        box = self.find(QComboBox, name)
        place = box.findData(value)
        assert place >= 0, (name, value)
        box.setCurrentIndex(place)
        self.settle()


@pytest.fixture
def stage(qtbot: QtBot) -> Any:
    made = Stage(qtbot)
    yield made
    made.settle()  # qtbot would take the page away before its answers are there
    made.page.close()
    made.page.deleteLater()
    QApplication.processEvents()


NAMES: dict[str, type[QWidget]] = {
    "dataPage": QWidget,
    "openButton": QPushButton,
    "sampleList": QListWidget,
    "labelCombo": QComboBox,
    "scaleCombo": QComboBox,
    "missingCombo": QComboBox,
    "holdoutSpin": QSpinBox,
    "seedSpin": QSpinBox,
    "testFileButton": QPushButton,
    "dataTable": QTableView,
    "dataSummary": QLabel,
    "classChart": QWidget,
    "projectionPlot": QWidget,
    "projectionCombo": QComboBox,
    "rowPickCombo": QComboBox,
}


def test_every_control_has_its_name_and_says_what_it_is(stage: Stage) -> None:
    stage.open(resources.dataset("iris"))
    for name, kind in NAMES.items():
        found = stage.page if name == "dataPage" else stage.find(kind, name)
        assert found.accessibleName(), name
    touched = (QComboBox, QSpinBox, QAbstractButton, QLineEdit, QTableView, QListWidget)
    own = [w for kind in touched for w in stage.page.findChildren(kind) if not w.objectName().startswith("qt_")]
    nameless = [w for w in own if not w.accessibleName() and not w.parent().inherits("QHeaderView")]
    inside = [w for w in nameless if not isinstance(w.parent(), (QSpinBox, QTableView))]
    assert not [(type(w).__name__, w.objectName()) for w in inside]


def test_a_sample_is_one_click_away(stage: Stage) -> None:
    gallery = stage.find(QListWidget, "sampleList")
    assert gallery.item(3).data(Qt.ItemDataRole.UserRole) == "vowel"
    stage.bot.mouseClick(
        gallery.viewport(), Qt.MouseButton.LeftButton, pos=gallery.visualItemRect(gallery.item(3)).center()
    )
    stage.settle()
    assert "528 rows" in stage.find(QLabel, "dataSummary").text()
    assert "11 classes" in stage.find(QLabel, "dataSummary").text()
    assert stage.find(QTableView, "dataTable").model().rowCount() == 528
    assert stage.find(QPushButton, "testFileButton").text() == "vowel_test.csv"
    assert not stage.find(QSpinBox, "holdoutSpin").isEnabled()
    stage.find(QPushButton, "testFileClearButton").click()
    assert stage.workspace.test is None
    assert stage.find(QSpinBox, "holdoutSpin").isEnabled()


def test_cards_are_reached_and_chosen_by_keys(stage: Stage) -> None:
    gallery = stage.find(QListWidget, "sampleList")
    gallery.setFocus()
    gallery.setCurrentRow(1)
    stage.bot.keyClick(gallery, Qt.Key.Key_Return)
    stage.settle()
    assert stage.workspace.data_name == "wine.csv"


def test_what_came_back_is_open_again_in_two_clicks(stage: Stage) -> None:
    stage.open(resources.dataset("glass"))
    stage.find(QPushButton, "samplesButton").click()
    recent = stage.find(QPushButton, "recentFileButton")
    assert recent.text().startswith("glass.csv")
    assert recent.isVisible()
    stage.find(QPushButton, "samplesButton").click()
    assert stage.find(QTableView, "dataTable").isVisible()


def test_another_label_column_is_read_in_the_background(stage: Stage, tmp_path: Path) -> None:
    path = tmp_path / "two.csv"
    path.write_text("kind,x,class\n" + "".join(f"{'uvw'[i % 3]},{i}.5,{'ab'[i % 2]}\n" for i in range(60)))
    stage.open(path)
    assert stage.find(QComboBox, "labelCombo").currentData() == "class"
    assert stage.find(QLabel, "labelGuess").isVisible()
    stage.pick("labelCombo", "kind")
    assert stage.workspace.dataset is not None
    assert stage.workspace.dataset.classes == ("u", "v", "w")
    assert stage.find(QComboBox, "labelCombo").currentData() == "kind"
    assert not stage.find(QLabel, "labelGuess").isVisible()
    assert stage.find(QTableView, "dataTable").model().headerData(0, Qt.Orientation.Horizontal) == "kind"


def test_a_wrong_separator_fails_beside_its_control_and_is_mended_there(stage: Stage) -> None:
    stage.open(resources.dataset("iris"))
    stage.pick("separatorCombo", ";")
    error = stage.find(QLabel, "dataError")
    assert error.isVisible()
    assert error.text()
    assert not stage.find(QTableView, "dataTable").isVisible()
    assert stage.find(QComboBox, "separatorCombo").isVisible()
    stage.pick("separatorCombo", None)
    assert not error.isVisible()
    assert stage.find(QTableView, "dataTable").isVisible()


def test_wrong_weights_fail_beside_their_list_and_are_mended_there(stage: Stage, tmp_path: Path) -> None:
    path = tmp_path / "signed.csv"
    path.write_text("x,w,class\n" + "".join(f"{i}.5,{i - 3},{'ab'[i % 2]}\n" for i in range(20)))
    stage.open(path)
    stage.pick("weightsCombo", "w")
    error = stage.find(QLabel, "dataError")
    assert error.isVisible()
    assert '-3 in column "w" is no weight' in error.text()
    stage.pick("weightsCombo", None)
    assert not error.isVisible()
    assert stage.workspace.dataset is not None
    assert stage.workspace.dataset.weights is None


def test_a_label_can_be_typed_where_none_was_found(stage: Stage, tmp_path: Path) -> None:
    path = tmp_path / "measured.csv"
    path.write_text("kind,x,z\n" + "".join(f"{'ab'[i % 2]},{i},{i / 7}\n" for i in range(60)))
    stage.open(path)
    assert stage.find(QLabel, "dataError").isVisible()
    box = stage.find(QComboBox, "labelCombo")
    edit = box.lineEdit()
    assert edit is not None
    told: list[tuple[str, object]] = []
    stage.page.reading_changed.connect(lambda *change: told.append(change))
    edit.setText("1")
    stage.bot.keyClick(edit, Qt.Key.Key_Return)
    stage.settle()
    assert told == [("label", "1")]
    assert stage.workspace.dataset is not None
    assert stage.workspace.dataset.label_name == "kind"


def test_a_warning_is_acted_on_where_it_stands(stage: Stage, tmp_path: Path) -> None:
    path = tmp_path / "gaps.csv"
    path.write_text("x,z,class\n" + "".join(f"{i if i % 7 else ''},{i * i % 11},{'ab'[i % 2]}\n" for i in range(1, 40)))
    stage.open(path)
    stage.find(QPushButton, "missingAdvice").click()
    stage.settle()
    assert stage.workspace.rules.missing == "mean"
    assert stage.find(QComboBox, "missingCombo").currentData() == "mean"
    QApplication.processEvents()
    left = [button for button in stage.page.findChildren(QPushButton, "missingAdvice") if button.isVisible()]
    assert not left


def test_preparation_goes_to_the_workspace_and_comes_back(stage: Stage) -> None:
    stage.open(resources.dataset("iris"))
    stage.pick("scaleCombo", "standard")
    stage.find(QSpinBox, "holdoutSpin").setValue(0)
    stage.find(QSpinBox, "seedSpin").setValue(42)
    workspace = stage.workspace
    assert (workspace.rules.scale, workspace.holdout, workspace.seed) == ("standard", None, 42)
    workspace.set_preparation(holdout=0.4, seed=3, scale="none")
    assert stage.find(QSpinBox, "holdoutSpin").value() == 40
    assert stage.find(QSpinBox, "seedSpin").value() == 3
    assert stage.find(QComboBox, "scaleCombo").currentData() == "none"
    stage.settle()


def test_the_dialog_opens_without_blocking_and_its_answer_is_read(stage: Stage) -> None:
    stage.find(QPushButton, "openButton").click()
    dialog = stage.find(QFileDialog, "fileDialog")
    dialog.fileSelected.emit(str(resources.dataset("wine")))
    dialog.reject()
    stage.settle()
    assert stage.workspace.data_name == "wine.csv"
    QApplication.processEvents()


def test_cancelling_a_read_returns_to_the_gallery(stage: Stage) -> None:
    stage.page.file_chosen.emit(str(resources.dataset("optdigits_train")))
    cancel = stage.find(QPushButton, "cancelReadButton")
    assert cancel.isVisible()
    cancel.click()
    assert stage.find(QListWidget, "sampleList").isVisible()
    stage.settle()
    assert stage.workspace.dataset is None
    assert stage.find(QListWidget, "sampleList").isVisible()


@pytest.mark.slow
@pytest.mark.parametrize("choice", ["light", "dark"])
@pytest.mark.parametrize("size", [(828, 560), (1824, 1020)])
def test_nothing_is_cut_off_at_any_size(stage: Stage, choice: str, size: tuple[int, int]) -> None:
    theme.use(choice)
    try:
        stage.page.resize(*size)
        stage.open(resources.dataset("glass"))
        assert not stage.page.grab().isNull()
        assert stage.page.minimumSizeHint().width() <= 828
        assert stage.page.minimumSizeHint().height() <= 560
    finally:
        theme.use("light")


def test_the_window_goes_on_while_a_large_file_is_read(stage: Stage, tmp_path: Path) -> None:
    """How long it waits at most is measured by a benchmark, not here."""
    path = tmp_path / "large.csv"
    values = np.random.default_rng(0).normal(size=(20_000, 8)).round(3)
    labels = np.array(["a", "b", "c"])[np.arange(20_000) % 3]
    lines = [",".join(map(str, row)) + f",{label}\n" for row, label in zip(values.tolist(), labels, strict=True)]
    path.write_text(",".join("abcdefgh") + ",class\n" + "".join(lines))
    ticks, timer, clock = [], QTimer(), QElapsedTimer()
    timer.setTimerType(Qt.TimerType.PreciseTimer)
    timer.timeout.connect(lambda: ticks.append(clock.restart()))
    clock.start()
    timer.start(10)
    stage.open(path)
    timer.stop()
    assert stage.find(QTableView, "dataTable").model().rowCount() == 20_000
    assert len(ticks) > 3, "the window went on while the file was read"


HEAVY = "pandas", "scipy", "sklearn", "numba"
START = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parents[1])!r})
from fake_queue import FakeQueue, NoRuns
from PySide6.QtWidgets import QApplication
application = QApplication([])
from mcsvm_gui.core.base.settings import Settings
from mcsvm_gui.ui.data.presenter import DataPresenter
from mcsvm_gui.ui.runs.workspace import Workspace
from mcsvm_gui.ui.data.page import DataPage
from mcsvm_gui.ui.threads.tasks import Tasks
page = DataPage()
presenter = DataPresenter(page, Workspace(NoRuns(), FakeQueue(), Tasks(), Settings()))
page.show(); application.processEvents()
print([name for name in {HEAVY!r} if name in sys.modules])
"""


@pytest.mark.slow
def test_nothing_heavy_is_imported_before_the_page_is_painted() -> None:
    found = subprocess.run([sys.executable, "-c", START], capture_output=True, text=True, check=True, timeout=60)
    assert ast.literal_eval(found.stdout) == []


def doubled(folder: Path) -> Path:
    lots = np.random.default_rng(0)
    lines = [f"{x:.3f},{y:.3f},{'ab'[n % 2]}" for n, (x, y) in enumerate(lots.normal(size=(60, 2)))]
    lines[7], lines[30] = "400,-300,a", lines[3]
    path = folder / "doubled.csv"
    path.write_text("x,y,label\n" + "\n".join(lines) + "\n")
    return path


def shown_rows(stage: Stage) -> list[int]:
    model = stage.page.table.model
    return [model.row_of(place) for place in range(model.rowCount())]


def test_outliers_and_repeated_rows_are_a_choice_and_ringed(stage: Stage, tmp_path: Path) -> None:
    stage.open(doubled(tmp_path))
    assert stage.page.projection.ringed == ()
    stage.pick("rowPickCombo", "outliers")
    assert shown_rows(stage)[0] == 7
    assert 7 in stage.page.projection.ringed
    stage.pick("rowPickCombo", "repeated")
    assert shown_rows(stage) == [3, 30]
    assert stage.page.projection.ringed == (3, 30)
    stage.pick("rowPickCombo", "all")
    assert len(shown_rows(stage)) == 60
    assert stage.page.projection.ringed == ()


def test_a_finding_about_rows_shows_them(stage: Stage, tmp_path: Path) -> None:
    stage.open(doubled(tmp_path))
    buttons = [one for one in stage.page.checks.findChildren(QAbstractButton) if one.text() == "Show these rows"]
    assert buttons
    buttons[0].click()
    stage.settle()
    assert shown_rows(stage) == [3, 30]
    assert stage.find(QComboBox, "rowPickCombo").currentData() == "repeated"


def test_a_point_that_is_clicked_is_a_row_that_is_selected(stage: Stage, tmp_path: Path) -> None:
    stage.open(doubled(tmp_path))
    plot, table = stage.page.projection, stage.page.table
    place = next(n for n, row in enumerate(plot.shown.rows) if row == 7)
    where = plot.getViewBox().mapViewToScene(QPointF(*plot.shown.points[place]))
    stage.bot.mouseClick(plot.viewport(), Qt.MouseButton.LeftButton, pos=plot.mapFromScene(where))
    assert [index.row() for index in table.grid.selectionModel().selectedRows()] == [7]
    assert plot.pointed_out == 7
    table.grid.selectRow(12)
    assert plot.pointed_out == 12
    stage.pick("rowPickCombo", "repeated")
    table.go_to_row(7)
    assert "8" in table.trouble.text()


def test_the_projection_is_chosen_and_remembered(stage: Stage) -> None:
    stage.open(resources.dataset("iris"))
    assert stage.page.projection.shown.way == "pca"
    stage.pick("projectionCombo", "lda")
    assert stage.page.projection.shown.way == "lda"
    assert "discriminant 1: 99" in stage.page.projection.getAxis("bottom").labelText
    assert stage.settings["projection"] == "lda"
    stage.open(resources.dataset("wine"))
    assert stage.page.projection.shown.way == "lda"


def test_what_is_not_installed_cannot_be_chosen_and_says_what_it_needs(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mcsvm_gui.ui.data.presenter.no_umap", lambda: True)
    stage.settings["projection"] = "umap"
    stage.open(resources.dataset("iris"))
    box = stage.find(QComboBox, "projectionCombo")
    entry = box.model().item(box.findData("umap"))
    assert not entry.isEnabled()
    assert "umap-learn" in entry.toolTip()
    assert stage.page.projection.shown.way == "pca"


@pytest.mark.parametrize("language", ["en", "de"])
def test_no_field_of_the_forms_is_cut_at_the_right(qtbot: QtBot, language: str) -> None:
    """They scroll up and down alone, so that the side must be as wide as its fields."""
    i18n.install(translation.translations(language))
    try:
        page = DataPage()
        qtbot.addWidget(page)
        page.resize(928, 640)
        with qtbot.waitExposed(page):
            page.show()
        area = page.findChild(QScrollArea, "dataForms")
        assert area is not None
        assert area.widget().minimumSizeHint().width() <= area.viewport().width()
    finally:
        i18n.install()
