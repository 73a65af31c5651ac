"""The Predict page and what decides for it."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from PySide6.QtCore import QItemSelectionModel, Qt, Signal
from PySide6.QtGui import QAction, QColor, QGuiApplication
from PySide6.QtWidgets import QCheckBox, QComboBox, QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot
from shell_fakes import FakeWorkspace, Remembering

from mcsvm_gui.cli import main
from mcsvm_gui.core.export import EXPORTERS
from mcsvm_gui.core.export.menu import OWN, offers
from mcsvm_gui.core.machine import model_file
from mcsvm_gui.ui.kit import theme
from mcsvm_gui.ui.predict.page import PredictPage
from mcsvm_gui.ui.predict.presenter import PredictPresenter
from mcsvm_gui.ui.predict.probability_bars import PROBABILITY
from mcsvm_gui.ui.predict.table import PredictionTable


class FakePage(Remembering):
    model_file_asked, model_file_chosen, run_model_asked = Signal(), Signal(str), Signal()
    data_folder_asked = Signal()
    data_file_asked, data_file_chosen, open_data_asked = Signal(), Signal(str), Signal()
    save_asked, save_chosen = Signal(), Signal(str)
    export_asked, export_chosen = Signal(str), Signal(str, str)
    misses_toggled, order_chosen = Signal(bool), Signal(str)
    sets_chosen = Signal()
    columns_asked, columns_chosen = Signal(), Signal(list)
    with_scores = with_probabilities = False
    sets_error: float | None = None


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> SimpleNamespace:
    """A model of three clouds, rows it has not seen, and files that do not fit."""
    folder, rng = tmp_path_factory.mktemp("predict"), np.random.default_rng(0)
    labels = np.array(["ash", "birch", "=cedar"])[np.arange(60) % 3]
    frame = pd.DataFrame(rng.normal(size=(60, 2)) + 2.0 * (np.arange(60) % 3)[:, None], columns=["height", "girth"])
    frame["label"] = labels
    frame[:40].to_csv(folder / "train.csv", index=False)
    frame[40:].to_csv(folder / "test.csv", index=False)
    frame[40:].drop(columns="label").to_csv(folder / "bare.csv", index=False)
    frame[40:].drop(columns="girth").to_csv(folder / "narrow.csv", index=False)
    frame[40:].assign(label="oak").to_csv(folder / "unseen.csv", index=False)
    pd.concat([frame[40:], frame[40:].assign(height=50.0)]).to_csv(folder / "far.csv", index=False)
    named = {path.stem: str(path) for path in folder.glob("*.csv")}
    model = str(folder / "trees.mcsvm")
    assert main(["train", named["train"], "--model", model, "--machine", "dag", "--quiet"]) == 0
    sure = str(folder / "sure.mcsvm")
    assert main(["train", named["train"], "--model", sure, "--calibrate", "sigmoid", "--quiet"]) == 0
    return SimpleNamespace(folder=folder, model=model, sure=sure, trained=model_file.load(model), **named)


class Stage:
    def __init__(self, page: FakePage | PredictPage) -> None:
        self.page, self.workspace = page, FakeWorkspace()
        self.presenter = PredictPresenter(page, self.workspace)  # type: ignore[arg-type]


@pytest.fixture
def stage(qtbot: QtBot) -> Stage:
    return Stage(FakePage())


def shown(stage: Stage):
    return stage.page.last("show_prediction")[0]


def test_labels_scores_and_accuracy_are_the_models_own(stage: Stage, files) -> None:
    stage.page.model_file_chosen.emit(files.model)
    stage.page.data_file_chosen.emit(files.test)
    prediction, true = shown(stage), pd.read_csv(files.test)["label"].to_numpy()
    expected = files.trained.decide(prediction.dataset)
    assert prediction.decisions.labels.tolist() == expected.tolist()
    assert prediction.missed.tolist() == (expected != true).tolist()
    assert f"{100 * np.mean(expected == true):.1f}" in stage.page.last("set_result")[0].replace("100%", "100.0")
    assert stage.workspace.settings["recent_files"] == [files.test, files.model]


def test_the_model_is_described_in_words_with_its_certificate(stage: Stage, files) -> None:
    stage.page.model_file_chosen.emit(files.model)
    title, sentences, badge = stage.page.last("set_model")
    machine = files.trained.model.machine
    assert "trees.mcsvm" in title
    assert machine.title in title
    assert machine.decides.lower() in sentences[0].lower()
    assert all(name in sentences[1] for name in files.trained.class_names)
    assert badge.kind == "solved"


@pytest.mark.parametrize("order", ["model first", "data first"])
def test_whatever_comes_first_the_other_completes_it(stage: Stage, files, order: str) -> None:
    first, second = (stage.page.model_file_chosen, files.model), (stage.page.data_file_chosen, files.bare)
    for signal, path in (first, second) if order == "model first" else (second, first):
        assert shown(stage) is None
        assert stage.page.last("set_hint")[0]
        signal.emit(path)
    assert shown(stage).scores is None


def test_a_file_stands_with_its_folder_where_one_was_named(
    stage: Stage, files, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(files.folder)
    for path, folder in (("bare.csv", ""), (files.bare, str(files.folder))):
        stage.page.data_file_chosen.emit(path)
        assert stage.page.last("set_data") == ("bare.csv", folder)


def test_a_missing_column_is_named_where_the_data_are(stage: Stage, files) -> None:
    stage.page.model_file_chosen.emit(files.model)
    stage.page.data_file_chosen.emit(files.narrow)
    sentences, role = stage.page.last("set_notices")
    assert "girth" in sentences[0]
    assert role == "bad"
    assert shown(stage) is None


def test_an_unseen_class_is_said_in_words(stage: Stage, files) -> None:
    stage.page.model_file_chosen.emit(files.model)
    stage.page.data_file_chosen.emit(files.unseen)
    assert any("oak" in sentence for sentence in stage.page.last("set_notices")[0])
    assert shown(stage).missed.all()


def test_what_is_no_model_is_refused_where_the_model_is(stage: Stage, files) -> None:
    stage.page.model_file_chosen.emit(files.test)
    assert "no mcsvm model" in stage.page.last("set_model_notice")[0]
    assert not stage.page.called("set_formats")


@pytest.mark.parametrize("scores", [False, True])
def test_what_is_saved_is_what_the_command_writes(stage: Stage, files, tmp_path: Path, scores: bool) -> None:
    stage.page.model_file_chosen.emit(files.model)
    stage.page.data_file_chosen.emit(files.test)
    stage.page.with_scores = scores
    stage.page.save_chosen.emit(str(tmp_path / "window.csv"))
    options = ["-o", str(tmp_path / "command.csv"), "--quiet", *(["--scores"] if scores else [])]
    assert main(["predict", files.model, files.test, *options]) == 0
    assert (tmp_path / "window.csv").read_bytes() == (tmp_path / "command.csv").read_bytes()


def test_a_place_that_cannot_be_written_is_said(stage: Stage, files, tmp_path: Path) -> None:
    stage.page.model_file_chosen.emit(files.model)
    stage.page.data_file_chosen.emit(files.test)
    stage.page.save_chosen.emit(str(tmp_path / "no" / "folder.csv"))
    assert stage.page.last("set_saved")[1] == "bad"


def test_only_misses_are_exactly_the_misses(stage: Stage, files) -> None:
    stage.page.model_file_chosen.emit(files.model)
    stage.page.data_file_chosen.emit(files.test)
    stage.page.misses_toggled.emit(True)
    prediction, rows = stage.page.last("show_prediction")
    assert rows.tolist() == np.flatnonzero(prediction.missed).tolist()
    stage.page.misses_toggled.emit(False)
    assert stage.page.last("show_prediction")[1] is None


def test_the_formats_are_those_of_the_registry_and_our_own(files) -> None:
    assert [format.name for format in offers()] == [OWN.name, *EXPORTERS]


@pytest.mark.parametrize("name", [OWN.name, *EXPORTERS])
def test_a_format_that_cannot_hold_the_model_says_so_and_the_others_ask_for_a_place(stage, files, name: str) -> None:
    stage.page.model_file_chosen.emit(files.model)
    stage.page.export_asked.emit(name)
    refusal = None if name == OWN.name else EXPORTERS[name].refusal(files.trained)
    if refusal is None:
        assert stage.page.last("choose_export")[0] == name
    else:
        assert refusal in stage.page.last("set_model_notice")[0]
        assert not stage.page.called("choose_export")


def test_an_export_ends_with_what_was_written(stage: Stage, files, tmp_path: Path) -> None:
    stage.page.model_file_chosen.emit(files.model)
    path = tmp_path / "again.mcsvm"
    stage.page.export_chosen.emit(OWN.name, str(path))
    assert str(path) in stage.page.last("set_model_notice")[0]
    assert path.read_bytes() == Path(files.model).read_bytes()


def test_the_model_of_the_selected_run_and_the_open_data_are_offered_when_they_exist(stage: Stage, files) -> None:
    assert stage.page.last("set_sources") == (False, False)
    runs = stage.workspace.runs
    runs.selected, runs.record = (4,), lambda run: SimpleNamespace(state="done", name="first")
    runs.model = lambda run: files.trained
    stage.workspace.dataset = SimpleNamespace()
    runs.selection_changed.emit()
    assert stage.page.last("set_sources") == (True, True)
    stage.page.run_model_asked.emit()
    assert "first" in stage.page.last("set_model")[0]
    runs.selected = (4, 5)
    runs.selection_changed.emit()
    assert stage.page.last("set_sources") == (False, True)


def test_exporting_a_run_takes_its_model_and_offers_the_formats_once(stage: Stage, files) -> None:
    runs = stage.workspace.runs
    runs.selected, runs.record = (4,), lambda run: SimpleNamespace(state="done", name="first")
    runs.model = lambda run: files.trained
    stage.presenter.offer_export()
    stage.page.model_file_chosen.emit(files.model)
    assert [called for called, _ in stage.page.calls].count("offer_formats") == 1


# -- the page -------------------------------------------------------------------------------------


@pytest.fixture
def page(qtbot: QtBot) -> PredictPage:
    page = PredictPage()
    qtbot.addWidget(page)
    page.show()
    return page


def child(page: PredictPage, kind: type, name: str):
    found = page.findChild(kind, name)
    assert found is not None, name
    return found


def test_every_control_has_the_name_of_the_contract_and_says_what_it_is(page: PredictPage) -> None:
    for name in ("modelOpenButton", "predictDataButton", "predictTable", "predictSaveButton", "exportModelButton"):
        assert child(page, QWidget, name).accessibleName()


def test_the_journey_through_real_widgets(qtbot: QtBot, page: PredictPage, files) -> None:
    Stage(page).presenter.open_model(files.model)
    page.data_file_chosen.emit(files.test)
    table, model = child(page, PredictionTable, "predictTable"), child(page, PredictionTable, "predictTable").table
    frame = pd.read_csv(files.test)
    assert (model.rowCount(), model.columnCount()) == (20, 3)
    child(page, QCheckBox, "predictScoresCheck").click()
    assert (model.rowCount(), model.columnCount()) == (20, 3 + 3)
    headers = [model.headerData(column, Qt.Orientation.Horizontal) for column in range(6)]
    assert headers == ["Row", "Prediction", "True class", *files.trained.class_names]
    for row in range(20):
        number, predicted, true = (model.index(row, column).data() for column in range(3))
        scores = [model.index(row, column).data().replace("\u2212", "-") for column in range(3, 6)]
        assert (number, true) == (str(row + 1), frame["label"][row])
        assert files.trained.class_names[int(np.argmax([float(score) for score in scores]))] == predicted
        assert (model.index(row, 1).data(Qt.ItemDataRole.DecorationRole) is None) == (predicted == true)
        colour = model.index(row, 1).data(Qt.ItemDataRole.ForegroundRole)
        assert (colour == QColor(theme.current().bad)) == (predicted != true)
    child(page, QCheckBox, "predictMissesCheck").click()
    assert model.rowCount() == sum(predicted != true for predicted, true in _pairs(files))
    assert table.isVisible()
    assert not child(page, QLabel, "predictHint").isVisible()


def _pairs(files) -> list[tuple[str, str]]:
    from mcsvm_gui.core.data.readers import open_dataset

    dataset = open_dataset(files.test)
    return list(zip(files.trained.decide(dataset), dataset.labels, strict=True))


def test_probabilities_stand_in_bars_and_rows_can_be_sorted_by_doubt(page: PredictPage, files) -> None:
    stage = Stage(page)
    stage.presenter.open_model(files.sure)
    page.data_file_chosen.emit(files.test)
    model, order = child(page, PredictionTable, "predictTable").table, child(page, QComboBox, "predictOrderCombo")
    names = files.trained.class_names
    child(page, QCheckBox, "predictScoresCheck").click()
    headers = [model.headerData(column, Qt.Orientation.Horizontal) for column in range(3, 9)]
    assert headers == [*(f"P({name})" for name in names), *names]
    assert model.headerData(3, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole) == f"Probability of {names[0]}"

    def shares() -> np.ndarray:
        return np.array([[model.index(row, column).data(PROBABILITY) for column in (3, 4, 5)] for row in range(20)])

    in_file = shares()
    np.testing.assert_allclose(in_file.sum(axis=1), 1.0)
    assert model.index(0, 6).data(PROBABILITY) is None
    assert model.index(2, 4).data() == f"{in_file[2, 1]:.4f}"
    assert [order.itemData(place) for place in range(order.count())] == ["file", "margin", "entropy", "novelty"]
    order.setCurrentIndex(1)
    two = np.sort(shares(), axis=1)[:, 1:]
    assert (np.diff(two[:, 1] - two[:, 0]) >= 0.0).all()
    order.setCurrentIndex(2)
    assert (np.diff(-(shares() * np.log(shares())).sum(axis=1)) <= 1e-12).all()
    child(page, QCheckBox, "predictMissesCheck").click()
    assert model.rowCount() == int(stage.presenter._prediction.missed.sum())
    order.setCurrentIndex(0)
    assert [int(model.index(row, 0).data()) - 1 for row in range(model.rowCount())] == np.flatnonzero(
        stage.presenter._prediction.missed
    ).tolist()


def test_a_bar_is_as_long_as_its_probability(qtbot: QtBot, page: PredictPage, files) -> None:
    page.resize(1600, 700)
    Stage(page).presenter.open_model(files.sure)
    page.data_file_chosen.emit(files.test)
    table = child(page, PredictionTable, "predictTable")
    table.setColumnWidth(3, 200)
    ground, painted = QColor(theme.current().surface), table.viewport().grab().toImage()
    for row in range(3):
        area = table.visualRect(table.table.index(row, 3))
        line = [QColor(painted.pixel(area.left() + x, area.top() + 4)) for x in range(area.width() - 1)]
        blue = sum(colour.blue() - colour.red() > 30 for colour in line)
        assert blue == pytest.approx(200 * table.table.index(row, 3).data(PROBABILITY), abs=3)
    assert ground.isValid()


def test_a_model_without_probabilities_says_how_to_get_them(page: PredictPage, files) -> None:
    Stage(page).presenter.open_model(files.model)
    page.data_file_chosen.emit(files.test)
    assert "Calibration" in child(page, QLabel, "modelWords").text()
    for kind, name in ((QComboBox, "predictOrderCombo"), (QCheckBox, "predictProbabilitiesCheck")):
        assert not child(page, kind, name).isVisible()
    Stage(page).presenter.open_model(files.sure)
    page.data_file_chosen.emit(files.test)
    assert "log loss" in child(page, QLabel, "modelWords").text()
    for kind, name in ((QComboBox, "predictOrderCombo"), (QCheckBox, "predictProbabilitiesCheck")):
        assert child(page, kind, name).isVisible()
        assert child(page, kind, name).accessibleName()


def test_saved_probabilities_are_what_the_command_writes(stage: Stage, files, tmp_path: Path) -> None:
    stage.page.model_file_chosen.emit(files.sure)
    stage.page.data_file_chosen.emit(files.test)
    stage.page.with_probabilities = True
    stage.page.save_chosen.emit(str(tmp_path / "window.csv"))
    assert main(["predict", files.sure, files.test, "--proba", "-o", str(tmp_path / "command.csv"), "--quiet"]) == 0
    assert (tmp_path / "window.csv").read_bytes() == (tmp_path / "command.csv").read_bytes()
    assert "probability =cedar" in (tmp_path / "window.csv").read_text("utf-8")


def test_sets_are_a_column_of_their_own_and_rows_far_away_are_called_so(page: PredictPage, files) -> None:
    stage = Stage(page)
    stage.presenter.open_model(files.sure)
    page.data_file_chosen.emit(files.far)
    model, sets = child(page, PredictionTable, "predictTable").table, child(page, QComboBox, "predictSetsCombo")
    assert sets.isVisible()
    assert sets.accessibleName()
    assert "further from the training data" in child(page, QLabel, "predictNotice").text()
    assert "Set" not in [model.headerData(column, Qt.Orientation.Horizontal) for column in range(4)]
    sets.setCurrentIndex(sets.findData(0.2))
    assert model.headerData(3, Qt.Orientation.Horizontal) == "Set"
    decisions = stage.presenter._prediction.decisions
    for row in range(40):
        words = model.index(row, 3).data()
        inside = {files.trained.class_names[code] for code in np.flatnonzero(decisions.members(0.2)[row])}
        assert all((name in words) == (name in inside) for name in files.trained.class_names)
        assert words.startswith("none of these") == bool(decisions.novel(0.2)[row])
    assert decisions.novel(0.2)[20:].all()
    assert "unlike every class" in child(page, QLabel, "predictScores").text()
    order = child(page, QComboBox, "predictOrderCombo")
    order.setCurrentIndex(order.findData("novelty"))
    first = {int(model.index(row, 0).data()) - 1 for row in range(20)}
    assert decisions.typical[sorted(first)].max() <= np.sort(decisions.typical)[20]
    sets.setCurrentIndex(0)
    assert model.columnCount() == 6
    child(page, QCheckBox, "predictProbabilitiesCheck").click()
    assert model.columnCount() == 3


def test_saved_sets_are_what_the_command_writes(stage: Stage, files, tmp_path: Path) -> None:
    stage.page.model_file_chosen.emit(files.sure)
    stage.page.data_file_chosen.emit(files.test)
    stage.page.sets_error = 0.1
    stage.page.save_chosen.emit(str(tmp_path / "window.csv"))
    assert main(["predict", files.sure, files.test, "--sets", "0.1", "-o", str(tmp_path / "c.csv"), "--quiet"]) == 0
    assert (tmp_path / "window.csv").read_bytes() == (tmp_path / "c.csv").read_bytes()
    assert "none of these" in (tmp_path / "window.csv").read_text("utf-8")


def test_selected_cells_copy_as_tab_separated_text(qtbot: QtBot, page: PredictPage, files) -> None:
    Stage(page).presenter.open_model(files.model)
    page.data_file_chosen.emit(files.test)
    table = child(page, PredictionTable, "predictTable")
    for row, column in ((1, 0), (0, 1), (0, 0), (1, 1)):
        table.selectionModel().select(table.table.index(row, column), QItemSelectionModel.SelectionFlag.Select)
    qtbot.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    rows = [[table.table.index(row, column).data() for column in (0, 1)] for row in (0, 1)]
    assert QGuiApplication.clipboard().text() == "".join("\t".join(cells) + "\n" for cells in rows)


def test_the_menu_of_exports_asks_by_name(page: PredictPage, files) -> None:
    button = child(page, QPushButton, "exportModelButton")
    assert not button.isEnabled()
    Stage(page).presenter.open_model(files.model)
    assert button.isEnabled()
    asked: list[str] = []
    page.export_asked.disconnect()
    page.export_asked.connect(asked.append)
    for action in button.menu().actions():
        assert isinstance(action, QAction)
        action.trigger()
    assert asked == [OWN.name, *EXPORTERS]


def test_a_million_rows_are_shown_by_looking_at_those_on_the_screen(page: PredictPage, files, monkeypatch) -> None:
    rows = 1_000_000
    labels = np.full(rows, "ash", dtype=object)
    decisions = SimpleNamespace(labels=labels, scores=np.zeros((rows, 3)), probabilities=None, p_values=None)
    dataset = SimpleNamespace(labels=labels, row_columns={}, row_numbers=np.arange(1, rows + 1), order=())
    many = SimpleNamespace(
        trained=files.trained, dataset=dataset, decisions=decisions, missed=np.zeros(rows, bool), other_columns={}
    )
    table = child(page, PredictionTable, "predictTable")
    looks: list[int] = []
    plain = table.table.data
    monkeypatch.setattr(type(table.table), "data", lambda self, index, role=0: looks.append(1) or plain(index, role))
    page.show_prediction(many, None)  # type: ignore[arg-type]
    page.grab()
    assert table.table.rowCount() == rows
    assert 0 < len(looks) < 20_000


def test_columns_give_way_before_the_table_scrolls(qtbot: QtBot, page: PredictPage, files) -> None:
    """By 4 pixels it scrolled at 1024 with probabilities, though each column had 24 to spare."""
    page.resize(1600, 700)
    Stage(page).presenter.open_model(files.sure)
    page.data_file_chosen.emit(files.test)
    with qtbot.waitExposed(page):
        page.show()
    table = child(page, PredictionTable, "predictTable")
    header = table.horizontalHeader()
    wide = header.length()
    table.setFixedWidth(wide - 10 + table.width() - table.viewport().width())
    qtbot.waitUntil(lambda: table.viewport().width() < wide)
    assert header.length() <= table.viewport().width()
    table.setColumnWidth(0, 300)
    table.setFixedWidth(table.width() - 10)
    assert header.sectionSize(0) == 300, "a width that the user chose stays"
